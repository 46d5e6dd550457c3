//! Builder of a recipe: a bot, its tools and the place-holders of the languages table, what a
//! manifest that names a project adds, and the package caches of the machine, until they are
//! joined.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use joust_bots::manifest::Project;
use joust_bots::{BotSource, SourceTree};
use joust_sandbox::Folder;

use super::sources::class_of;
use super::{BuildNetwork, Recipe, RecipeInputs};
use crate::build_error::NotBuilt;
use crate::detect::{Machine, Toolchain};
use crate::language::{Language, Variant};
use crate::legacy::{dotnet, maven};
use crate::library_set::{LibrarySet, OWN};
use crate::system_program::SystemProgram;
use crate::template::{PlaceholderValues, names};
use crate::{BOT, OUT, PORT, PRIVATE};

/// File with the compiler's arguments for fetched packages.
const RESTORED: &str = "packages.rsp";

pub(super) struct RecipeBuilder<'a> {
    pub(super) bot: &'a BotSource,
    pub(super) tree: &'a SourceTree,
    pub(super) language: &'a Language,
    pub(super) variant: &'a Variant,
    pub(super) toolchain: Arc<Toolchain>,
    pub(super) values: PlaceholderValues,
    pub(super) caches: Vec<MountedCache>,
    pub(super) lacking: Vec<String>,
    /// Files laid into the source that follow from it.
    pub(super) files: BTreeMap<String, String>,
}

impl RecipeBuilder<'_> {
    pub(super) fn fill_values(&mut self) -> Result<(), NotBuilt> {
        self.values.texts.extend(self.toolchain.values.clone());
        self.values.set("out", OUT);
        self.values.set("tmp", PRIVATE);
        if let Some(project) = &self.bot.manifest.project {
            set_project_values(&mut self.values, project);
        }
        if self.bot.manifest.server.is_some() {
            self.values.set("port", PORT);
        }
        self.values.lists.insert("sources", self.sources());
        let includes = self.includes();
        self.values.lists.insert("includes", includes);
        self.values.lists.insert("defines", self.defines());
        self.values.lists.insert("packages", Vec::new());
        self.values.lists.insert("restored", Vec::new());
        let levels = match self.mentions("levels") {
            true => maven::levels(self.tree, &self.toolchain.version),
            false => Vec::new(),
        };
        self.values.lists.insert("levels", levels);
        if self.mentions("references") {
            self.read_project_file()?;
        }
        if let Some(entry) = self.entry()? {
            if self.mentions("class") {
                let class = class_of(&self.tree.root.join(&entry), &entry)?;
                self.values.set("class", class);
            }
            // The result of a bot's own build is unknown: no compiled main file is assumed.
            let end = if self.bot.manifest.build.is_some() { "" } else { "c" };
            self.values.set("entry.compiled", format!("{BOT}/{entry}{end}"));
            self.values.set("entry", format!("{BOT}/{entry}"));
        } else if ["entry", "entry.compiled", "class"].iter().any(|name| self.mentions(name)) {
            return Err(self.no_entry());
        }
        Ok(())
    }

    /// Takes sources and references from the project file, if there is one.
    fn read_project_file(&mut self) -> Result<(), NotBuilt> {
        let project = self.bot.manifest.project.clone().unwrap_or_default();
        let folders = self.caches.iter().map(|cache| &cache.folder);
        let cache = folders.clone().find(|folder| folder.inside.ends_with("nuget"));
        let system = self.toolchain.programs.get("mcs").and_then(|mcs| mcs.parent());
        let libraries = dotnet::Libraries {
            system: system.unwrap_or(Path::new("/")),
            fetched: cache.map(|folder| folder.host.as_path()),
        };
        let found = match dotnet::project_file(self.tree, &project) {
            Some(file) => dotnet::compilation(self.tree, &file, &libraries),
            None => Ok(dotnet::Compilation::default()),
        };
        let found = found.map_err(NotBuilt::Refused)?;
        self.lacking.extend(found.lacking);
        let inside = |root: &Path, paths: &[String]| -> Vec<String> {
            paths.iter().map(|path| root.join(path).to_string_lossy().into_owned()).collect()
        };
        let mut shipped = inside(Path::new(BOT), &found.libraries);
        if let Some(cache) = cache {
            shipped.extend(inside(&cache.inside, &found.cached));
        }
        let references = shipped.iter().chain(&found.system).map(|library| format!("-r:{library}"));
        let resources = found
            .resources
            .iter()
            .map(|resource| format!("-resource:{BOT}/{},{}", resource.path, resource.name));
        let arguments = found.arguments.iter().cloned().chain(references).chain(resources);
        let arguments = arguments.collect();
        self.values.lists.insert("references", arguments);
        self.values.lists.insert("libraries", shipped);
        if !found.sources.is_empty() {
            self.values.lists.insert("sources", inside(Path::new(BOT), &found.sources));
        }
        self.request_packages(found.packages);
        Ok(())
    }

    /// Adds packages to fetch, or notes without a network that they are missing.
    fn request_packages(&mut self, packages: Vec<String>) {
        if self.values.offline {
            self.lacking.extend(packages.iter().map(|package| {
                format!(
                    "`{}` of NuGet is not in the source: `joust bot fetch` brings what a \
                     `packages.lock.json` names, `build: {{ network: open }}` would fetch it",
                    package.replace('/', " ")
                )
            }));
            return;
        }
        let restored = if packages.is_empty() { None } else { Some(RESTORED) };
        let restored = restored.map(|file| format!("@{PRIVATE}/{file}"));
        self.values.lists.insert("restored", restored.into_iter().collect());
        self.values.lists.insert("packages", packages);
    }

    /// Returns whether a command that will be used needs the place-holder.
    pub(super) fn mentions(&self, name: &str) -> bool {
        let manifest = &self.bot.manifest;
        let build = self.variant.bring.iter().chain(&self.variant.build).flatten();
        let build = build.filter(|_| manifest.build.is_none());
        let run = self.variant.run.iter().filter(|_| manifest.run.is_none());
        names(build.chain(run)).contains(&name)
    }

    pub(super) fn build(self, network: BuildNetwork) -> Result<Recipe, NotBuilt> {
        let manifest = &self.bot.manifest;
        let own_build = manifest.build.is_some();
        let mut build = match &manifest.build {
            Some(commands) => {
                commands.iter().map(|one| self.own_command(one)).collect::<Result<_, _>>()?
            }
            None => self.table_commands(&self.variant.build)?,
        };
        let mut optional = match own_build {
            true => Vec::new(),
            false => self.table_commands(&self.variant.optional)?,
        };
        if !own_build {
            let bring = self.table_commands(&self.variant.bring)?;
            let brought = if self.is_one_file() { &mut optional } else { &mut build };
            brought.splice(0..0, bring);
        }
        if own_build && manifest.run.is_none() && self.mentions("out") {
            let reason = "the manifest has a `build` but no `run` to go with it";
            return Err(NotBuilt::Refused(reason.to_owned()));
        }
        let otherwise = self.variant.otherwise.iter().filter(|_| !own_build);
        let otherwise = otherwise.map(|build| self.table_commands(build));
        let otherwise = otherwise.collect::<Result<_, _>>()?;
        let is_shipped = |file: &String| !own_build && self.tree.contains(file);
        let shipped = self.text(self.variant.shipped.as_ref())?;
        let folder = self.text(self.variant.folder.as_ref().filter(|_| !own_build))?;
        let needed = self.needed_tools();
        let mut run = self.run()?;
        run.extend(manifest.args.iter().cloned());
        let files = self.variant.files.clone().into_iter().chain(self.files.clone());
        let files = files.filter(|_| !own_build).collect();
        let inputs = RecipeInputs {
            language: manifest.language.clone(),
            variant: self.variant.name.clone(),
            toolchain: self.toolchain.version.clone(),
            network,
            libraries: None,
            own: None,
            files,
            folder: format!("{BOT}/{folder}").trim_end_matches('/').to_owned(),
            build,
            optional,
            otherwise,
            shipped: Some(shipped).filter(is_shipped),
            build_environment: self.build_environment(),
            run,
            trailing: manifest.trailing.clone(),
            run_environment: self.run_environment(&needed),
            program: self.program()?,
            system: SystemProgram::of(self.tree),
        };
        let start = self.start(&needed)?;
        let (toolchain, caches, lacking) = (self.toolchain, self.caches, self.lacking);
        Ok(Recipe { toolchain, inputs, start, caches, lacking, libraries: None })
    }

    /// Returns whether the bot is a file, with others that it uses from its folder.
    fn is_one_file(&self) -> bool {
        self.bot.source.is_file()
    }
}

/// Folder of package caches in a build, read-only.
const CACHES: &str = "/caches";

/// A package cache of the machine, as a build finds it.
#[derive(Clone, Debug)]
pub(super) struct MountedCache {
    pub(super) folder: Folder,
    /// The group of Maven plugins to which a build's view is limited, if it is.
    pub(super) plugins_of: Option<String>,
}

/// Sets the place-holders of a project.
fn set_project_values(values: &mut PlaceholderValues, project: &Project) {
    values.set("project", project.prefix());
    values.set("project.path", project.folder.clone());
    values.set("file", project.run_file.clone());
    values.set("file.stem", project.program_name());
}

/// Finds the package caches a variant asks for, sets their place-holders and
/// returns the caches to mount.
pub(super) fn mounted_caches(
    values: &mut PlaceholderValues,
    variant: &Variant,
    machine: &Machine,
) -> Vec<MountedCache> {
    let mut mounted = Vec::new();
    for (name, cache) in &variant.caches {
        let places = cache.places.iter().filter_map(|place| values.place(place)).map(str::to_owned);
        let Some(host) = machine.folder(&places.collect::<Vec<_>>()) else { continue };
        let inside = Path::new(CACHES).join(name);
        values.set(&format!("cache.{name}"), inside.to_string_lossy());
        let plugins_of = cache.plugins_of.clone();
        mounted.push(MountedCache { folder: Folder { host, inside }, plugins_of });
    }
    mounted
}

/// Sets the place-holder of what was fetched of the bot's own list, and has it stand for package
/// caches of the machine.
pub(super) fn mount_own_set(
    values: &mut PlaceholderValues,
    own: &LibrarySet,
    caches: &mut Vec<MountedCache>,
) {
    let folder = own.as_own();
    let whole = |folder: Folder| MountedCache { folder, plugins_of: None };
    for (name, beneath) in &own.caches {
        let inside = Path::new(CACHES).join(name);
        values.set(&format!("cache.{name}"), inside.to_string_lossy());
        caches.retain(|cache| cache.folder.inside != inside);
        caches.push(whole(Folder { host: folder.host.join(beneath), inside }));
    }
    values.set("locked", OWN);
    caches.push(whole(folder));
}
