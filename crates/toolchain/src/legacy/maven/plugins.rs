//! Plugins of Maven in a local repository, copied with their dependencies.
//!
//! A local repository has everything that was ever built on its machine. The dependencies of a
//! plugin follow from project files: their parents, imports, dependencies and managed versions.
//! Every version that one of them may mean is copied, because Maven's choice does not matter here.
//! Artefacts that no plugin needs are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::rc::Rc;

use super::pom::{Artefact, PomDependency, Project};

/// Longest chain of project files that inherit from one another.
const DEEPEST: usize = 32;

/// Copies the plugins of `group` to the folder `to`, which is made.
///
/// # Errors
///
/// When a file cannot be read or written.
pub(crate) fn copy(repository: &Path, group: &str, to: &Path) -> io::Result<()> {
    let mut reading = Repository { root: repository, known: BTreeMap::new() };
    let mut taken = BTreeSet::new();
    for plugin in reading.of_group(group) {
        reading.collect_plugin(&plugin, &mut taken);
    }
    fs::create_dir_all(to)?;
    copy_files(repository, &Artefact::folder_of(group), to, is_metadata)?;
    for artefact in &taken {
        let folder = artefact.folder();
        copy_files(repository, folder.parent().unwrap_or(&folder), to, is_metadata)?;
        copy_files(repository, &folder, to, |_| true)?;
    }
    Ok(())
}

/// Returns whether a file lists the versions of an artefact.
fn is_metadata(name: &str) -> bool {
    name.starts_with("maven-metadata")
}

/// Copies the files of a folder beneath `from`, if it is there, that are wanted by name.
fn copy_files(from: &Path, folder: &Path, to: &Path, wanted: fn(&str) -> bool) -> io::Result<()> {
    if !from.join(folder).is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to.join(folder))?;
    for entry in fs::read_dir(from.join(folder))? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if name.to_str().is_some_and(wanted) && path.is_file() {
            fs::copy(path, to.join(folder).join(name))?;
        }
    }
    Ok(())
}

/// Returns the names of the folders in a folder.
fn folders_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// A local repository that is read.
struct Repository<'a> {
    root: &'a Path,
    known: BTreeMap<Artefact, Rc<EffectivePom>>,
}

/// A project with what it inherits.
#[derive(Default)]
struct EffectivePom {
    project: Project,
    needs: Vec<PomDependency>,
    /// Artefact that replaces it.
    moved: Option<Artefact>,
    /// Artefacts it inherits from and imports.
    around: BTreeSet<Artefact>,
    /// The versions that it manages, by group and name.
    manages: BTreeMap<(String, String), String>,
}

impl Repository<'_> {
    /// Returns all versions of all artefacts of a group.
    fn of_group(&self, group: &str) -> Vec<Artefact> {
        let names = folders_in(&self.root.join(Artefact::folder_of(group)));
        names.iter().flat_map(|name| self.versions(group, name)).collect()
    }

    /// Returns all versions of an artefact.
    fn versions(&self, group: &str, name: &str) -> Vec<Artefact> {
        let Some(any) = Artefact::new(group, name, "any") else { return Vec::new() };
        let folder = any.folder();
        let all = folders_in(&self.root.join(folder.parent().unwrap_or(&folder)));
        let all = all.iter().filter_map(|version| Artefact::new(group, name, version));
        all.filter(|one| self.root.join(one.project_file()).is_file()).collect()
    }

    fn has(&self, artefact: &Artefact) -> bool {
        self.root.join(artefact.folder()).is_dir()
    }

    /// Adds a plugin and its dependencies to the artefacts to copy.
    fn collect_plugin(&mut self, plugin: &Artefact, taken: &mut BTreeSet<Artefact>) {
        let of_plugin = self.effective_pom(plugin, DEEPEST);
        let (mut waiting, mut seen) = (vec![plugin.clone()], BTreeSet::new());
        while let Some(next) = waiting.pop() {
            if !self.has(&next) || !seen.insert(next.clone()) {
                continue;
            }
            let whole = self.effective_pom(&next, DEEPEST);
            let is_wanted =
                |need: &&PomDependency| need.is_used() && (!need.is_optional || next == *plugin);
            for need in whole.needs.iter().filter(is_wanted) {
                waiting.extend(self.possible_artefacts(need, [&whole, &of_plugin]));
            }
            waiting.extend(whole.moved.clone());
            taken.extend(whole.around.iter().cloned().chain([next]));
        }
    }

    /// Returns the artefacts that a dependency may mean; the projects `sayers` may state its
    /// version.
    fn possible_artefacts(
        &self,
        need: &PomDependency,
        sayers: [&EffectivePom; 2],
    ) -> Vec<Artefact> {
        let key = (need.group.clone(), need.name.clone());
        let own = need.version.as_ref().or_else(|| sayers[0].manages.get(&key));
        let versions = own.into_iter().chain(sayers[1].manages.get(&key));
        let meant = versions.map(|version| Artefact::new(&need.group, &need.name, version));
        match meant.collect::<Option<Vec<Artefact>>>() {
            Some(meant) if !meant.is_empty() => meant,
            // A range, or a version that no project file states.
            _ => self.versions(&need.group, &need.name),
        }
    }

    /// Returns a project with what it inherits; an empty one where it cannot be read.
    fn effective_pom(&mut self, artefact: &Artefact, deepest: usize) -> Rc<EffectivePom> {
        if let Some(known) = self.known.get(artefact) {
            return Rc::clone(known);
        }
        let whole = Rc::new(self.read(artefact, deepest).unwrap_or_default());
        self.known.insert(artefact.clone(), Rc::clone(&whole));
        whole
    }

    fn read(&mut self, artefact: &Artefact, deepest: usize) -> Option<EffectivePom> {
        let deepest = deepest.checked_sub(1)?;
        let mut project = Project::read(&self.root.join(artefact.project_file()), artefact)?;
        let mut whole = EffectivePom::default();
        if let Some(parent) = project.parent.clone() {
            let above = self.effective_pom(&parent, deepest);
            project.inherit(&above.project);
            whole.add_base(parent, &above);
        }
        for managed in project.filled(&project.manages) {
            let Some(version) = managed.version.clone() else { continue };
            let import = Artefact::new(&managed.group, &managed.name, &version);
            if let Some(import) = import.filter(|_| managed.is_import()) {
                let imported = self.effective_pom(&import, deepest);
                for (key, version) in &imported.manages {
                    whole.manages.entry(key.clone()).or_insert_with(|| version.clone());
                }
                whole.add_base(import, &imported);
            } else {
                whole.manages.entry((managed.group, managed.name)).or_insert(version);
            }
        }
        whole.needs = project.filled(&project.needs).collect();
        whole.moved = project.moved.clone();
        Some(EffectivePom { project, ..whole })
    }
}

impl EffectivePom {
    fn add_base(&mut self, other: Artefact, of_other: &Self) {
        self.around.extend(of_other.around.iter().cloned().chain([other]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct LocalRepository(tempfile::TempDir);

    impl LocalRepository {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        /// Writes an artefact, `group:name:version`, with a project file and a jar.
        fn put(&self, artefact: &str, project: &str) {
            let [group, name, version] = parts(artefact);
            let folder = self.0.path().join("m2").join(folder_of(artefact));
            fs::create_dir_all(&folder).unwrap();
            let text = format!(
                "<project><groupId>{group}</groupId><artifactId>{name}</artifactId>\
                 <version>{version}</version>{project}</project>"
            );
            fs::write(folder.join(format!("{name}-{version}.pom")), text).unwrap();
            fs::write(folder.join(format!("{name}-{version}.jar")), "a jar").unwrap();
        }

        fn is_taken(&self, artefact: &str) -> bool {
            let [_, name, version] = parts(artefact);
            let folder = self.0.path().join("out").join(folder_of(artefact));
            folder.join(format!("{name}-{version}.jar")).is_file()
        }

        fn copy(&self) {
            copy(&self.0.path().join("m2"), "org.plugins", &self.0.path().join("out")).unwrap();
        }
    }

    fn parts(artefact: &str) -> [&str; 3] {
        artefact.split(':').collect::<Vec<_>>().try_into().unwrap()
    }

    fn folder_of(artefact: &str) -> std::path::PathBuf {
        let [group, name, version] = parts(artefact);
        Artefact::new(group, name, version).unwrap().folder()
    }

    fn need(artefact: &str, more: &str) -> String {
        let (group, rest) = artefact.split_once(':').unwrap();
        let (name, version) = rest.split_once(':').unwrap_or((rest, ""));
        let version = match version {
            "" => String::new(),
            version => format!("<version>{version}</version>"),
        };
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>{version}{more}\
             </dependency>"
        )
    }

    fn needs(all: &[&str]) -> String {
        let all: String = all.iter().map(|one| need(one, "")).collect();
        format!("<dependencies>{all}</dependencies>")
    }

    #[test]
    fn a_plugin_comes_with_what_it_needs_and_nothing_else_does() {
        let local = LocalRepository::new();
        local.put("org.plugins:jar:2.4", &needs(&["org.tools:zip:1.0"]));
        local.put("org.tools:zip:1.0", &needs(&["org.tools:io:3"]));
        local.put("org.tools:io:3", "");
        local.put("org.tools:io:4", "");
        local.put("org.other:game:1", &needs(&["org.tools:io:4"]));
        local.copy();
        for taken in ["org.plugins:jar:2.4", "org.tools:zip:1.0", "org.tools:io:3"] {
            assert!(local.is_taken(taken), "{taken}");
        }
        for left in ["org.tools:io:4", "org.other:game:1"] {
            assert!(!local.is_taken(left), "{left}");
        }
    }

    #[test]
    fn inherited_imported_managed_and_moved_artefacts_are_followed() {
        let local = LocalRepository::new();
        let parent = "<parent><groupId>org.up</groupId><artifactId>up</artifactId>\
                      <version>1</version></parent>";
        local.put("org.plugins:jar:2.4", &format!("{parent}{}", needs(&["org.tools:zip"])));
        let import = need("org.up:bill:2", "<type>pom</type><scope>import</scope>");
        local.put(
            "org.up:up:1",
            &format!(
                "<properties><tools>org.tools</tools></properties><dependencyManagement>\
                 <dependencies>{import}</dependencies></dependencyManagement>{}",
                needs(&["${tools}:deep:${project.version}"])
            ),
        );
        let zip = need("org.tools:zip:1.0", "");
        local.put(
            "org.up:bill:2",
            &format!(
                "<dependencyManagement><dependencies>{zip}</dependencies></dependencyManagement>"
            ),
        );
        local.put(
            "org.tools:zip:1.0",
            "<distributionManagement><relocation><groupId>org.new</groupId></relocation>\
             </distributionManagement>",
        );
        local.put("org.tools:deep:2.4", "");
        local.put("org.new:zip:1.0", &needs(&["org.tools:range:[1,2)"]));
        local.put("org.tools:range:1.7", "");
        local.copy();
        for taken in [
            "org.up:up:1",
            "org.up:bill:2",
            "org.tools:zip:1.0",
            "org.tools:deep:2.4",
            "org.new:zip:1.0",
            "org.tools:range:1.7",
        ] {
            assert!(local.is_taken(taken), "{taken}");
        }
    }

    #[test]
    fn what_only_tests_or_other_users_of_a_library_need_stays_behind() {
        let local = LocalRepository::new();
        let of_jar = [
            need("org.tools:probe:1", "<scope>test</scope>"),
            need("org.tools:zip:1.0", ""),
            need("org.tools:extra:1", "<optional>true</optional>"),
        ];
        let of_zip = need("org.tools:rare:1", "<optional>true</optional>");
        local.put(
            "org.plugins:jar:2.4",
            &format!("<dependencies>{}</dependencies>", of_jar.concat()),
        );
        local.put("org.tools:zip:1.0", &format!("<dependencies>{of_zip}</dependencies>"));
        for name in ["probe", "extra", "rare"] {
            local.put(&format!("org.tools:{name}:1"), "");
        }
        local.copy();
        let taken =
            ["probe", "extra", "rare"].map(|name| local.is_taken(&format!("org.tools:{name}:1")));
        assert_eq!(taken, [false, true, false]);
    }

    #[test]
    fn project_files_that_go_round_or_cannot_be_read_end() {
        let local = LocalRepository::new();
        let up = |name: &str| {
            format!(
                "<parent><groupId>org.plugins</groupId><artifactId>{name}</artifactId>\
                 <version>1</version></parent>{}",
                needs(&["org.plugins:one:1", "org.plugins:two:1", "../..:x:1"])
            )
        };
        local.put("org.plugins:one:1", &up("two"));
        local.put("org.plugins:two:1", &up("one"));
        local.put("org.plugins:three:1", "<unclosed>");
        local.copy();
        for name in ["one", "two", "three"] {
            assert!(local.is_taken(&format!("org.plugins:{name}:1")));
        }
    }
}
