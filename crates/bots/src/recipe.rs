//! How one bot is built and started: the languages table and the manifest
//! joined, every path absolute as seen inside the sandbox.

mod cpp;
mod dotnet;
mod maven;
mod project;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use joust_sandbox::Folder;
use serde::Serialize;

use super::detect::{Choice, Toolchain, Toolchains, Wanted};
use super::language::{Language, Libraries, Variant};
use super::library_set::LibrarySet;
use super::manifest::{Command, Project};
use super::not_built::NotBuilt;
use super::template::{Values, names};
use super::{BotSource, SourceHash, SourceTree};
use joust_model::BuildHash;

/// Where a bot's folder is, in its build and in its turns.
pub const BOT: &str = "/bot";
/// Where a build leaves what it made; hidden, so no source can lie there.
const OUT: &str = "/bot/.joust";
/// Where a build keeps what is thrown away.
pub(super) const PRIVATE: &str = "/bot/.build";
/// Where programs are searched when a manifest names them without a folder.
const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Whether a build reaches a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum BuildNetwork {
    /// It does not.
    None,
    /// It has the machine's.
    Open,
}

/// What an event gives to the builds of its bots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a> {
    /// Whether they reach a network.
    pub(super) network: BuildNetwork,
    /// Libraries for the bot's language.
    pub(super) libraries: Option<&'a LibrarySet>,
}

/// How one bot is built and started.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) toolchain: Arc<Toolchain>,
    pub(super) decisive: Decisive,
    /// Tools a turn needs.
    needed: BTreeSet<String>,
    /// Package caches of the machine.
    caches: Vec<Folder>,
    /// Folders of the machine that turns see under their own names.
    shows: Vec<Folder>,
    /// What the source asks for and this machine has not, one line each.
    pub(super) lacking: Vec<String>,
    /// Libraries that the event provides.
    libraries: Option<Folder>,
}

/// All of a recipe that decides what a build becomes.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Decisive {
    pub(super) language: String,
    pub(super) variant: String,
    pub(super) toolchain: String,
    pub(super) network: BuildNetwork,
    /// The content of the library set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) libraries: Option<BuildHash>,
    pub(super) files: BTreeMap<String, String>,
    /// Where commands of the build start.
    #[serde(skip_serializing_if = "is_bot")]
    pub(super) folder: String,
    pub(super) build: Vec<Command>,
    pub(super) optional: Vec<Command>,
    /// Builds to try one after the other while the one before made no program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) otherwise: Vec<Vec<Command>>,
    /// The file of the source that plays where every build failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) shipped: Option<String>,
    pub(super) build_environment: BTreeMap<String, String>,
    /// The command of a turn; `{program}` and `{heap}` are still in it.
    pub(super) run: Command,
    /// Arguments after those of the game.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) trailing: Vec<String>,
    pub(super) run_environment: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) program: Vec<String>,
}

/// The ordinary place is not told, so that builds keep their names.
fn is_bot(folder: &str) -> bool {
    folder == BOT
}

impl Recipe {
    /// Joins what the author says with what the table says.
    pub(super) fn new(
        bot: &BotSource,
        tree: &SourceTree,
        toolchains: &Toolchains,
        given: Given<'_>,
    ) -> Result<Self, NotBuilt> {
        let manifest = &bot.manifest;
        let unknown = || NotBuilt::Refused(format!("unknown language `{}`", manifest.language));
        let language = toolchains.languages().get(&manifest.language).ok_or_else(unknown)?;
        let wanted = Wanted { tree, project: manifest.project.as_ref() };
        let choice = toolchains.choose(&manifest.language, language, &wanted)?;
        let Choice { variant, toolchain, lacking } = choice;
        let mut values =
            Values { offline: given.network == BuildNetwork::None, ..Values::default() };
        let caches = project::caches(&mut values, variant, toolchains.machine());
        let lacking = lacking.into_iter().collect();
        let mut kitchen =
            Kitchen { bot, tree, language, variant, toolchain, values, caches, lacking };
        kitchen.fill_values()?;
        let recipe = kitchen.cook(given.network)?;
        Ok(match given.libraries {
            Some(set) => recipe.with_libraries(set),
            None => recipe,
        })
    }

    /// Returns how a library set of these names is made: with a network, in a folder with nothing in it.
    ///
    /// # Errors
    ///
    /// When the languages table uses a place-holder that stands for nothing.
    pub(super) fn of_libraries(
        language: &str,
        libraries: &Libraries,
        toolchain: Arc<Toolchain>,
        names: &[String],
    ) -> Result<Self, NotBuilt> {
        let mut values = Values::default();
        values.texts.extend(toolchain.values.clone());
        values.set("out", OUT);
        values.set("tmp", PRIVATE);
        values.lists.insert("names", names.to_vec());
        let filled = libraries.build.iter().map(|command| values.command(command));
        let build = filled.collect::<Result<_, _>>().map_err(|name| nothing(language, &name))?;
        let mut build_environment = environment_of_builds();
        let tools = toolchain.programs.keys().cloned().collect();
        add_tools(&mut build_environment, &toolchain, &tools);
        let decisive = Decisive {
            language: language.to_owned(),
            variant: "libraries".to_owned(),
            toolchain: toolchain.version.clone(),
            network: BuildNetwork::Open,
            libraries: None,
            files: BTreeMap::new(),
            folder: BOT.to_owned(),
            build,
            optional: Vec::new(),
            otherwise: Vec::new(),
            shipped: None,
            build_environment,
            run: Vec::new(),
            trailing: Vec::new(),
            run_environment: BTreeMap::new(),
            program: Vec::new(),
        };
        let needed = BTreeSet::new();
        Ok(Self {
            toolchain,
            decisive,
            needed,
            caches: Vec::new(),
            shows: Vec::new(),
            lacking: Vec::new(),
            libraries: None,
        })
    }

    /// Lets builds and turns find the libraries of a set.
    fn with_libraries(mut self, set: &LibrarySet) -> Self {
        set.add_to(&mut self.decisive.build_environment);
        set.add_to(&mut self.decisive.run_environment);
        self.decisive.libraries = Some(set.content);
        self.libraries = Some(set.folder.clone());
        self
    }

    /// Returns the build's identity.
    pub(super) fn key(&self, source: &SourceHash) -> BuildHash {
        let text = serde_json::to_vec(&self.decisive).expect("plain data is JSON");
        BuildHash::of("joust-build-1", &[&source.0, &text])
    }

    /// Returns the folders a build needs.
    pub(super) fn build_folders(&self) -> Vec<Folder> {
        let tools = self.toolchain.folders.iter().map(|(_, folder)| folder);
        tools.chain(&self.caches).chain(&self.libraries).cloned().collect()
    }

    /// Returns the folders a turn needs.
    pub(super) fn run_folders(&self) -> Vec<Folder> {
        let folders = self.toolchain.folders.iter();
        let needed = folders.filter(|(tool, _)| self.needed.contains(tool));
        let needed = needed.map(|(_, folder)| folder);
        needed.chain(&self.shows).chain(&self.libraries).cloned().collect()
    }
}

struct Kitchen<'a> {
    bot: &'a BotSource,
    tree: &'a SourceTree,
    language: &'a Language,
    variant: &'a Variant,
    toolchain: Arc<Toolchain>,
    values: Values,
    caches: Vec<Folder>,
    lacking: Vec<String>,
}

impl Kitchen<'_> {
    fn fill_values(&mut self) -> Result<(), NotBuilt> {
        self.values.texts.extend(self.toolchain.values.clone());
        self.values.set("out", OUT);
        self.values.set("tmp", PRIVATE);
        if let Some(project) = &self.bot.manifest.project {
            project::set_values(&mut self.values, project);
        }
        self.values.lists.insert("sources", self.sources());
        self.values.lists.insert("includes", self.includes());
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
            self.values.set("entry", format!("{BOT}/{entry}"));
        } else if self.mentions("entry") || self.mentions("class") {
            return Err(self.no_entry());
        }
        Ok(())
    }

    fn sources(&self) -> Vec<String> {
        let is_source = |path: &&str| {
            let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|found| self.language.extensions.iter().any(|one| one == found))
        };
        let project = self.bot.manifest.project.as_ref().filter(|_| self.variant.project);
        let prefix = project.map(Project::prefix).unwrap_or_default();
        let paths = self.tree.files.iter().map(|file| file.path.as_str());
        let paths = paths.filter(|path| path.starts_with(&prefix)).filter(is_source);
        let paths = match project.filter(|_| self.bot.manifest.language == "cpp") {
            Some(project) => cpp::sources(self.tree, project, paths.collect()),
            None => paths.map(str::to_owned).collect(),
        };
        paths.into_iter().map(|path| format!("{BOT}/{path}")).collect()
    }

    /// Returns what tells a C++ compiler where else headers are.
    fn includes(&self) -> Vec<String> {
        let project = self.bot.manifest.project.as_ref().filter(|_| self.mentions("includes"));
        let folders = project.map(|project| cpp::include_folders(self.tree, project));
        folders.into_iter().flatten().map(|folder| format!("-I{BOT}/{folder}")).collect()
    }

    /// Takes sources and references from the project file, if there is one.
    fn read_project_file(&mut self) -> Result<(), NotBuilt> {
        let project = self.bot.manifest.project.clone().unwrap_or_default();
        let cache = self.caches.iter().find(|folder| folder.inside.ends_with("nuget"));
        let system = self.toolchain.programs.get("mcs").and_then(|mcs| mcs.parent());
        let libraries = dotnet::Libraries {
            system: system.unwrap_or(Path::new("/")),
            cache: cache.map(|folder| folder.host.as_path()),
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
        let arguments = found.arguments.iter().cloned().chain(references).collect();
        self.values.lists.insert("references", arguments);
        self.values.lists.insert("libraries", shipped);
        if !found.sources.is_empty() {
            self.values.lists.insert("sources", inside(Path::new(BOT), &found.sources));
        }
        Ok(())
    }

    /// Returns the main file: the manifest's, one of the usual ones, or the
    /// only one there is.
    fn entry(&self) -> Result<Option<String>, NotBuilt> {
        if let Some(entry) = &self.bot.manifest.entry {
            if self.tree.contains(entry) {
                return Ok(Some(entry.clone()));
            }
            return Err(NotBuilt::Refused(format!("the entry `{entry}` is not there")));
        }
        let usual = self.language.entry.iter().find(|name| self.tree.contains(name));
        let only = match &self.values.lists["sources"][..] {
            [only] => only.strip_prefix("/bot/"),
            _ => None,
        };
        Ok(usual.map(String::as_str).or(only).map(str::to_owned))
    }

    fn no_entry(&self) -> NotBuilt {
        let usual = self.language.entry.join("`, `");
        NotBuilt::Refused(format!(
            "no main file: none of `{usual}` is there, and `entry` names none"
        ))
    }

    /// Says whether a command that will be used needs the place-holder.
    fn mentions(&self, name: &str) -> bool {
        let manifest = &self.bot.manifest;
        let build = self.variant.bring.iter().chain(&self.variant.build).flatten();
        let build = build.filter(|_| manifest.build.is_none());
        let run = self.variant.run.iter().filter(|_| manifest.run.is_none());
        names(build.chain(run)).contains(&name)
    }

    fn cook(self, network: BuildNetwork) -> Result<Recipe, NotBuilt> {
        let manifest = &self.bot.manifest;
        let own_build = manifest.build.is_some();
        let mut build = match &manifest.build {
            Some(commands) => self.all(commands, Self::own_command)?,
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
        let needed = self.needed();
        let mut run = self.run()?;
        run.extend(manifest.args.iter().cloned());
        let decisive = Decisive {
            language: manifest.language.clone(),
            variant: self.variant.name.clone(),
            toolchain: self.toolchain.version.clone(),
            network,
            libraries: None,
            files: if own_build { BTreeMap::new() } else { self.variant.files.clone() },
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
        };
        let (toolchain, caches, lacking) = (self.toolchain, self.caches, self.lacking);
        let places = self.language.shows.iter().map(PathBuf::from).filter(|place| place.is_dir());
        let shows = places.map(|place| Folder { host: place.clone(), inside: place }).collect();
        Ok(Recipe { toolchain, decisive, needed, caches, shows, lacking, libraries: None })
    }

    /// Says whether the bot is a file, with what else it takes from its folder.
    fn is_one_file(&self) -> bool {
        self.bot.source.is_file()
    }

    /// Returns the globs of the file to run.
    fn program(&self) -> Result<Vec<String>, NotBuilt> {
        if self.bot.manifest.run.is_some() {
            return Ok(Vec::new());
        }
        let mut values = self.values.clone();
        for text in values.texts.values_mut() {
            *text = globset::escape(text);
        }
        let fill = |glob: &String| values.text(glob);
        let globs = self.variant.program.iter().map(fill).collect::<Result<_, _>>();
        globs.map_err(|name| self.stands_for_nothing(&name))
    }

    fn text(&self, template: Option<&String>) -> Result<String, NotBuilt> {
        let filled = template.map(|template| self.values.text(template)).transpose();
        Ok(filled.map_err(|name| self.stands_for_nothing(&name))?.unwrap_or_default())
    }

    /// Fills commands of the table, but for those that are left out.
    fn table_commands(&self, commands: &[Command]) -> Result<Vec<Command>, NotBuilt> {
        let wanted = commands.iter().filter(|command| !self.values.leaves_out(command));
        wanted.map(|command| self.table_command(command)).collect()
    }

    fn all(
        &self,
        commands: &[Command],
        one: impl Fn(&Self, &Command) -> Result<Command, NotBuilt>,
    ) -> Result<Vec<Command>, NotBuilt> {
        commands.iter().map(|command| one(self, command)).collect()
    }

    fn table_command(&self, command: &Command) -> Result<Command, NotBuilt> {
        self.values.command(command).map_err(|name| self.stands_for_nothing(&name))
    }

    fn stands_for_nothing(&self, name: &str) -> NotBuilt {
        nothing(&self.bot.manifest.language, name)
    }

    fn run(&self) -> Result<Command, NotBuilt> {
        if let Some(command) = &self.bot.manifest.run {
            return self.own_command(command);
        }
        let mut values = self.values.clone();
        for later in ["program", "heap"] {
            values.set(later, format!("{{{later}}}"));
        }
        values.command(&self.variant.run).map_err(|name| self.stands_for_nothing(&name))
    }

    /// Makes the program of an author's command absolute. Interpreters come
    /// from the languages table, never from the bot or its PATH.
    fn own_command(&self, command: &Command) -> Result<Command, NotBuilt> {
        let mut command = command.clone();
        let program =
            command.first_mut().ok_or_else(|| NotBuilt::Refused("an empty command".into()))?;
        *program = self.own_program(program)?;
        Ok(command)
    }

    fn own_program(&self, program: &str) -> Result<String, NotBuilt> {
        if program.starts_with('/') {
            return self.system_program(Path::new(program));
        }
        if program.contains('/') {
            let parts: Vec<&str> = program.split('/').filter(|part| *part != ".").collect();
            if parts.iter().any(|part| *part == ".." || part.is_empty()) {
                return Err(NotBuilt::Refused(format!("`{program}` leaves the bot's folder")));
            }
            return Ok(format!("{BOT}/{}", parts.join("/")));
        }
        let tool = self.variant.programs.iter().find(|(name, tool)| {
            *name == program || tool.find.iter().any(|candidate| candidate == program)
        });
        if let Some(inside) = tool.and_then(|(name, _)| self.toolchain.values.get(name)) {
            return Ok(inside.clone());
        }
        let places = SYSTEM.map(|folder| Path::new(folder).join(program));
        let found = places.iter().find(|path| path.is_file());
        found.map(|path| path.to_string_lossy().into_owned()).ok_or_else(|| not_a_program(program))
    }

    fn system_program(&self, program: &Path) -> Result<String, NotBuilt> {
        let plain =
            program.components().all(|part| !matches!(part, std::path::Component::ParentDir));
        let system = ["/usr", "/bin", BOT].iter().any(|folder| program.starts_with(folder));
        if plain && system {
            return Ok(program.to_string_lossy().into_owned());
        }
        Err(NotBuilt::Refused(format!("`{}` is not a program of the system", program.display())))
    }

    /// Returns the tools a turn needs: those its command mentions, and those
    /// that tell where these lie. An author's own command may need any.
    fn needed(&self) -> BTreeSet<String> {
        if self.bot.manifest.run.is_some() {
            return self.variant.programs.keys().cloned().collect();
        }
        let tool = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
        let mut needed: BTreeSet<String> =
            names(self.variant.run.iter()).into_iter().map(tool).collect();
        for (name, program) in &self.variant.programs {
            if needed.contains(name) {
                needed.extend(names(program.at.iter()).into_iter().map(tool));
            }
        }
        needed.retain(|name| self.variant.programs.contains_key(name));
        needed
    }

    fn build_environment(&self) -> BTreeMap<String, String> {
        let mut all = environment_of_builds();
        let tools = self.variant.programs.keys().cloned().collect();
        self.add_own(&mut all, &tools, |_| true);
        all
    }

    fn run_environment(&self, needed: &BTreeSet<String>) -> BTreeMap<String, String> {
        let mut all = fixed_environment("/scratch", "/scratch");
        self.add_own(&mut all, needed, |template| {
            let texts = [template.to_owned()];
            names(texts.iter()).into_iter().all(|name| {
                let tool = name.split('.').next().unwrap_or(name);
                name == "out" || needed.contains(tool)
            })
        });
        all
    }

    /// Adds PATH, the libraries and the table's variables; one with a
    /// place-holder that stands for nothing is left out.
    fn add_own(
        &self,
        all: &mut BTreeMap<String, String>,
        tools: &BTreeSet<String>,
        wanted: impl Fn(&str) -> bool,
    ) {
        add_tools(all, &self.toolchain, tools);
        let variables = self.language.environment.iter().chain(&self.variant.environment);
        for (name, template) in variables.filter(|(_, template)| wanted(template)) {
            if let Ok(value) = self.values.text(template) {
                all.insert(name.clone(), value);
            }
        }
    }
}

/// Adds PATH and the places of the tools' shared libraries.
fn add_tools(all: &mut BTreeMap<String, String>, toolchain: &Toolchain, tools: &BTreeSet<String>) {
    let programs = tools.iter().filter_map(|tool| toolchain.values.get(tool));
    let mut path: Vec<&str> = programs.filter_map(|program| folder_of(program)).collect();
    path.extend(SYSTEM);
    let mut seen = BTreeSet::new();
    path.retain(|folder| seen.insert(*folder));
    all.insert("PATH".into(), path.join(":"));
    if !tools.is_empty() && !toolchain.libraries.is_empty() {
        all.insert("LD_LIBRARY_PATH".into(), toolchain.libraries.join(":"));
    }
}

fn folder_of(program: &str) -> Option<&str> {
    Path::new(program).parent().and_then(Path::to_str)
}

/// Refuses a place-holder of the languages table.
fn nothing(language: &str, name: &str) -> NotBuilt {
    NotBuilt::Refused(format!(
        "the languages table uses `{{{name}}}` in `{language}`, which stands for nothing here"
    ))
}

fn environment_of_builds() -> BTreeMap<String, String> {
    let mut all = fixed_environment(&format!("{PRIVATE}/home"), &format!("{PRIVATE}/tmp"));
    // A fixed time for tools that put one into what they make; zip knows none before 1980.
    all.insert("SOURCE_DATE_EPOCH".into(), "315532800".into());
    all
}

fn fixed_environment(home: &str, temporary: &str) -> BTreeMap<String, String> {
    [
        ("LC_ALL", "C.UTF-8"),
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
        ("PYTHONHASHSEED", "0"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONNOUSERSITE", "1"),
        ("HOME", home),
        ("TMPDIR", temporary),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect()
}

/// Returns package and name of the class in the main file, by its `package`
/// line and the file's name.
fn class_of(file: &Path, entry: &str) -> Result<String, NotBuilt> {
    let mut bytes = Vec::new();
    std::fs::File::open(file)
        .and_then(|file| file.take(64 << 10).read_to_end(&mut bytes))
        .map_err(|error| NotBuilt::Refused(format!("cannot read `{entry}`: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let package = text.lines().map(str::trim).find_map(|line| line.strip_prefix("package "));
    let package = package.map(|rest| rest.split([';', '{', '/']).next().unwrap_or(rest).trim());
    let stem = Path::new(entry).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let class = package.map_or(stem.to_owned(), |package| format!("{package}.{stem}"));
    let plain = |one: char| one.is_alphanumeric() || matches!(one, '_' | '$' | '.');
    if class.chars().all(plain) && !stem.is_empty() {
        return Ok(class);
    }
    Err(NotBuilt::Refused(format!("`{entry}` is not named after a class")))
}

/// A command that a manifest names and nobody knows: not a tool of the language, so its
/// installation is not what is missing.
fn not_a_program(program: &str) -> NotBuilt {
    NotBuilt::missing(
        program,
        "is named by the bot's manifest (`build` or `run`), and is neither a tool of its language \
         nor a program in `/usr/bin`; a file of the bot is named with its folder, as \
         `./program`",
        "",
    )
}

#[cfg(test)]
mod tests;
