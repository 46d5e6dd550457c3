//! Warm starts: which builds can be copies of an interpreter that has started, and what that
//! interpreter loads first.
//!
//! Nothing of a stranger may run in the server, which would outlive turns. So only Python is kept warm,
//! and only where the command is an interpreter of the machine and a file, without options, and where
//! no variable changes what an interpreter loads at its start. Bots that are started otherwise are
//! started cold, whatever the event says.

mod imports;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use joust_model::{Limits, Starts};
use joust_sandbox::{ColdCost, Folder, Warm};

use super::PlacedBuild;
use super::recipe::BOT;

/// The module that an interpreter imports at the end of its own start.
const MODULE: &str = "sitecustomize.py";
const SERVER: &str = include_str!("sitecustomize.py");
/// The variable that says where an interpreter looks for modules first.
const PATH: &str = "PYTHONPATH";
/// The variable that says where the loader looks for shared libraries first.
const LIBRARIES: &str = "LD_LIBRARY_PATH";
/// The language that is kept warm.
const LANGUAGE: &str = "python";
/// Variables that change nothing of what is loaded at a start.
const HARMLESS: [&str; 6] = [
    PATH,
    "PYTHONHASHSEED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONNOUSERSITE",
    "PYTHONUNBUFFERED",
    "PYTHONIOENCODING",
];

impl PlacedBuild {
    /// Returns how this build is started where limits say how.
    #[must_use]
    pub fn starts(&self, limits: &Limits) -> Starts {
        if self.can_be_warm() { limits.starts } else { Starts::Cold }
    }

    /// Returns the name under which the cost of its start is measured.
    #[must_use]
    pub fn measured_as(&self, limits: &Limits) -> String {
        self.starts(limits).of_language(&self.language)
    }

    /// Says why this build, whose language can be kept warm, is started cold whatever limits say.
    #[must_use]
    pub fn why_cold(&self) -> Option<String> {
        if self.language != LANGUAGE || self.can_be_warm() {
            return None;
        }
        let harmful = self.environment.iter().find(|variable| !self.is_harmless(variable));
        Some(match harmful {
            Some((name, _)) => format!("its environment has `{}`", name.to_string_lossy()),
            None => "its command is not an interpreter and a file of the bot".to_owned(),
        })
    }

    /// The folder of a path that has a library and is no bot's.
    fn library_place(&self, path: &OsStr, library: &str) -> Option<PathBuf> {
        let has_it = |place: &PathBuf| {
            let on_host =
                |folder: &Folder| Some(folder.host.join(place.strip_prefix(&folder.inside).ok()?));
            let places = self.folders.iter().filter_map(on_host);
            self.is_of_tools(place) && places.clone().any(|it| it.join(library).is_dir())
        };
        std::env::split_paths(path).find(has_it)
    }

    /// Whether a place belongs to an interpreter or to what an event provides.
    fn is_of_tools(&self, place: &Path) -> bool {
        let mut folders = self.folders.iter().filter(|folder| folder.inside != Path::new(BOT));
        let goes_up = place.components().any(|part| part == Component::ParentDir);
        !goes_up && folders.any(|folder| place.starts_with(&folder.inside))
    }

    fn can_be_warm(&self) -> bool {
        let [interpreter, script] = self.command.as_slice() else { return false };
        let is_of_machine = |program: &Path| program.is_absolute() && !program.starts_with(BOT);
        self.language == LANGUAGE
            && is_of_machine(Path::new(interpreter))
            && Path::new(script).starts_with(BOT)
            && self.environment.iter().all(|variable| self.is_harmless(variable))
    }

    /// Whether a variable leaves what an interpreter loads at its start as it is, or has it load
    /// what belongs to the interpreter.
    fn is_harmless(&self, (name, value): &(OsString, OsString)) -> bool {
        is_harmless(name)
            || name == LIBRARIES
                && std::env::split_paths(value).all(|place| self.is_of_tools(&place))
    }

    /// Returns what a seat keeps ready for it.
    pub(super) fn warm(&self, limits: &Limits) -> Option<Warm> {
        let starts = self.starts(limits);
        if starts.is_cold() {
            return None;
        }
        let path = self.environment.iter().find(|(name, _)| name == PATH).map(|(_, value)| value);
        let folders = path.map(|path| format!("={}", path.to_string_lossy()));
        let mut words = vec![starts.word().to_owned(), folders.unwrap_or_default()];
        let script = Path::new(&self.command[1]).strip_prefix(BOT).unwrap_or(Path::new(""));
        let imported = imports::of(&self.folder, script);
        words.extend(imported.standard);
        let place = path.and_then(|path| self.library_place(path, imported.libraries.first()?));
        if let Some(place) = place {
            let word = |library| format!("{library}@{}", place.display());
            words.extend(imported.libraries.into_iter().map(word));
        }
        Some(Warm {
            stem: self.command.clone(),
            variables: vec![(PATH.into(), OsString::from(Warm::FOLDER))],
            words,
            file: (MODULE.to_owned(), SERVER.to_owned()),
            cold: ColdCost::default(),
        })
    }
}

/// Whether a variable leaves what an interpreter loads at its start as it is.
fn is_harmless(name: &OsStr) -> bool {
    let changes = |prefix: &str| name.as_bytes().starts_with(prefix.as_bytes());
    HARMLESS.iter().any(|harmless| name == *harmless)
        || !["PYTHON", "LD_", "GLIBC_", "GCONV_", "OPENSSL_", "MALLOC_"].into_iter().any(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::time::Duration;

    use joust_model::BuildHash;

    use crate::source::SourceHash;

    fn build(variables: &[(&str, &str)]) -> PlacedBuild {
        let folder = |inside: &str| Folder { host: "/host".into(), inside: inside.into() };
        PlacedBuild {
            hash: BuildHash::of("test", &[]),
            source: SourceHash::of("test", &[]),
            result: SourceHash::of("test", &[]),
            folder: "/none".into(),
            command: vec!["/opt/python/bin/python3".into(), format!("{BOT}/main.py").into()],
            trailing: Vec::new(),
            folders: vec![folder("/opt/python"), folder(BOT)],
            hidden: Vec::new(),
            environment: variables.iter().map(|(n, v)| (n.into(), v.into())).collect(),
            language: LANGUAGE.to_owned(),
            toolchain: String::new(),
            system: Vec::new(),
            log: "/none".into(),
            cached: false,
            took: Duration::ZERO,
        }
    }

    #[test]
    fn libraries_of_the_interpreter_are_harmless_and_those_of_a_bot_are_not() {
        let with = |places: &str| build(&[(LIBRARIES, places)]);
        assert_eq!(with("/opt/python/lib").why_cold(), None);
        for places in
            ["/opt/python/lib:/bot/lib", "/bot", "lib", "", "/scratch", "/opt/python/../bot"]
        {
            let why = with(places).why_cold();
            assert_eq!(why.as_deref(), Some("its environment has `LD_LIBRARY_PATH`"), "{places}");
        }
        let mut with_option = build(&[]);
        with_option.command.insert(1, "-I".into());
        assert!(with_option.why_cold().is_some_and(|why| why.contains("command")));
    }

    #[test]
    fn a_library_is_loaded_first_where_it_is_no_bots() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("site/numpy")).unwrap();
        std::fs::write(folder.path().join("main.py"), "import numpy\n").unwrap();
        let words_with = |inside: &str| {
            let path = format!("/bot/site:{inside}/site");
            let mut build = build(&[(PATH, &path)]);
            build.folder = folder.path().to_owned();
            build.folders.push(Folder { host: folder.path().to_owned(), inside: inside.into() });
            let limits = Limits { starts: Starts::Exact, ..Limits::default() };
            build.warm(&limits).expect("it can be warm").words
        };
        let words = words_with("/libraries/python");
        assert_eq!(words.last().map(String::as_str), Some("numpy@/libraries/python/site"));
        assert_eq!(words_with(BOT).len(), 2);
    }

    #[test]
    fn variables_that_load_something_at_a_start_are_told_from_others() {
        for harmless in ["HOME", "PATH", "PYTHONPATH", "PYTHONHASHSEED", "JOUST_SEED", "LANG"] {
            assert!(is_harmless(OsStr::new(harmless)), "{harmless}");
        }
        for harmful in ["PYTHONHOME", "PYTHONWARNINGS", "LD_PRELOAD", "LD_LIBRARY_PATH"] {
            assert!(!is_harmless(OsStr::new(harmful)), "{harmful}");
        }
    }
}
