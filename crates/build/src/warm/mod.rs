//! Warm starts: conditions for turns as copies of a started interpreter, and the modules that the
//! interpreter preloads.
//!
//! No untrusted code may run in the server, because it would outlive turns. So a bot is started
//! warm only if its language has a server here, its command is an interpreter of the machine and a
//! file, without options of the bot's choice, and no variable changes what an interpreter loads at
//! its start. All other bots are started cold, whatever the event says.

mod python;
mod ruby;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use joust_model::{Limits, StartMode};
use joust_sandbox::{ColdCost, WarmServer};

use crate::placed::PlacedBuild;
use joust_toolchain::BOT;

/// The languages that can be kept ready.
const LANGUAGES: [&WarmLanguage; 2] = [&python::PYTHON, &ruby::RUBY];
/// The variable that says where the loader looks for shared libraries first.
const LIBRARIES: &str = "LD_LIBRARY_PATH";
/// Prefix of the variables of the system's own libraries.
const OF_SYSTEM: [&str; 5] = ["LD_", "GLIBC_", "GCONV_", "OPENSSL_", "MALLOC_"];

/// A language whose interpreter can be kept ready.
struct WarmLanguage {
    id: &'static str,
    /// Options allowed between the interpreter and the file.
    options: &'static [&'static str],
    /// Its server's file.
    file: &'static str,
    text: &'static str,
    /// The variable that has an interpreter load that, and what it is then.
    variable: &'static str,
    value: &'static str,
    /// Prefix of its variables.
    prefix: &'static str,
    /// Those of its variables that do not affect what is loaded at a start.
    harmless: &'static [&'static str],
    /// Those of its variables that name folders from which something is loaded then.
    folders: &'static [&'static str],
    /// Returns the reason why a file cannot be started warm, if there is one.
    refuses: fn(&PlacedBuild) -> Option<String>,
    /// Arguments of its server after the word for the ending of copies.
    words: fn(&PlacedBuild) -> Vec<String>,
}

impl PlacedBuild {
    /// Returns how this build is started under the given limits.
    pub fn starts(&self, limits: &Limits) -> StartMode {
        if self.kept().is_some() { limits.starts } else { StartMode::Cold }
    }

    /// Returns the name under which the cost of its start is measured.
    pub fn measured_as(&self, limits: &Limits) -> String {
        self.starts(limits).of_language(&self.language)
    }

    /// Returns the reason why this build, whose language can be kept warm, is started cold whatever
    /// the limits.
    pub fn why_cold(&self) -> Option<String> {
        self.refusal(LANGUAGES.into_iter().find(|one| one.id == self.language)?)
    }

    /// Its language, where it can be kept warm.
    fn kept(&self) -> Option<&'static WarmLanguage> {
        let is_its = |one: &&WarmLanguage| one.id == self.language && self.refusal(one).is_none();
        LANGUAGES.into_iter().find(is_its)
    }

    fn refusal(&self, language: &WarmLanguage) -> Option<String> {
        let is_harmful = |variable: &&(OsString, OsString)| !self.is_harmless(variable, language);
        if let Some((name, _)) = self.environment.iter().find(is_harmful) {
            return Some(format!("its environment has `{}`", name.to_string_lossy()));
        }
        if !self.is_plain(language) {
            return Some("its command is not an interpreter and a file of the bot".to_owned());
        }
        (language.refuses)(self)
    }

    /// Returns whether its command is an interpreter of the machine and a file of the bot.
    fn is_plain(&self, language: &WarmLanguage) -> bool {
        let [interpreter, options @ .., script] = self.command.as_slice() else { return false };
        let interpreter = Path::new(interpreter);
        interpreter.is_absolute()
            && !interpreter.starts_with(BOT)
            && options.iter().all(|option| language.options.iter().any(|known| option == known))
            && Path::new(script).starts_with(BOT)
    }

    /// The file that its interpreter runs, in its folder.
    fn script(&self) -> &Path {
        let script = self.command.last().map_or(Path::new(""), Path::new);
        script.strip_prefix(BOT).unwrap_or(Path::new(""))
    }

    /// Returns whether a place belongs to an interpreter or to the event's provisions.
    fn is_of_tools(&self, place: &Path) -> bool {
        let mut folders = self.folders.iter().filter(|folder| folder.inside != Path::new(BOT));
        let goes_up = place.components().any(|part| part == Component::ParentDir);
        !goes_up && folders.any(|folder| place.starts_with(&folder.inside))
    }

    /// Returns whether a variable leaves the modules that an interpreter loads at its start as they
    /// are, or makes it load only those that belong to the interpreter.
    fn is_harmless(&self, (name, value): &(OsString, OsString), language: &WarmLanguage) -> bool {
        let is_of_tools = |place: &Path| self.is_of_tools(place) || is_of_system(place);
        language.leaves_alone(name)
            || name == LIBRARIES
                && std::env::split_paths(value).all(|place| self.is_of_tools(&place))
            || language.folders.iter().any(|one| name == one)
                && std::env::split_paths(value).all(|place| is_of_tools(&place))
    }

    /// Returns the server that a seat keeps ready for it.
    pub(super) fn warm(&self, limits: &Limits) -> Option<WarmServer> {
        let language = self.kept().filter(|_| !limits.starts.is_cold())?;
        let ending = limits.starts.word().to_owned();
        Some(WarmServer {
            stem: self.command.clone(),
            variables: vec![(language.variable.into(), language.value.into())],
            words: [vec![ending], (language.words)(self)].concat(),
            file: (language.file.to_owned(), language.text.to_owned()),
            cold: ColdCost::default(),
        })
    }
}

impl WarmLanguage {
    /// Returns whether a variable changes nothing that an interpreter loads at its start.
    fn leaves_alone(&self, name: &OsStr) -> bool {
        let begins = |prefix: &&str| name.as_bytes().starts_with(prefix.as_bytes());
        self.harmless.iter().any(|harmless| name == *harmless)
            || !OF_SYSTEM.iter().chain([&self.prefix]).any(begins)
    }
}

/// Returns whether a place belongs to the system, where a bot has no files.
fn is_of_system(place: &Path) -> bool {
    let goes_up = place.components().any(|part| part == Component::ParentDir);
    !goes_up && place.starts_with("/usr")
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;
    use std::time::Duration;

    use joust_model::BuildHash;
    use joust_sandbox::Folder;
    use tempfile::TempDir;

    use joust_bots::SourceHash;

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
            language: "python".to_owned(),
            toolchain: String::new(),
            system: Vec::new(),
            log: "/none".into(),
            cached: false,
            took: Duration::ZERO,
            unused_files: Vec::new(),
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
            let mut build = build(&[(python::PATH, &path)]);
            build.folder = folder.path().to_owned();
            build.folders.push(Folder { host: folder.path().to_owned(), inside: inside.into() });
            let limits = Limits { starts: StartMode::Exact, ..Limits::default() };
            build.warm(&limits).expect("it can be warm").words
        };
        let words = words_with("/libraries/python");
        assert_eq!(words.last().map(String::as_str), Some("numpy@/libraries/python/site"));
        assert_eq!(words_with(BOT).len(), 2);
    }

    #[test]
    fn variables_that_load_code_at_start_are_recognised() {
        let leaves_alone = |name: &str| python::PYTHON.leaves_alone(OsStr::new(name));
        for harmless in ["HOME", "PATH", "PYTHONPATH", "PYTHONHASHSEED", "JOUST_SEED", "RUBYOPT"] {
            assert!(leaves_alone(harmless), "{harmless}");
        }
        for harmful in ["PYTHONHOME", "PYTHONWARNINGS", "LD_PRELOAD", "LD_LIBRARY_PATH"] {
            assert!(!leaves_alone(harmful), "{harmful}");
        }
    }

    fn ruby(folder: &TempDir, options: &[&str], script: &str) -> PlacedBuild {
        fs::write(folder.path().join("main.rb"), script).unwrap();
        let mut ruby = build(&[("RUBYLIB", "/usr/lib/ruby/3.1.0:/opt/python/ruby")]);
        ruby.language = "ruby".to_owned();
        ruby.folder = folder.path().to_owned();
        let words = ["/usr/bin/ruby"].iter().chain(options).copied();
        ruby.command = words.chain(["/bot/main.rb"]).map(OsString::from).collect();
        ruby
    }

    #[test]
    fn a_ruby_bot_is_kept_warm_as_its_recipe_starts_it() {
        let limits = Limits { starts: StartMode::Exact, ..Limits::default() };
        let folder = tempfile::tempdir().unwrap();
        for options in [&[][..], &["--disable=gems"]] {
            let build =
                ruby(&folder, options, "#!/usr/bin/ruby -w\nrequire 'set'\nrequire 'socket'\n");
            assert_eq!(build.why_cold(), None);
            assert_eq!(build.measured_as(&limits), "ruby (exact)");
            let warm = build.warm(&limits).expect("it can be warm");
            assert_eq!(warm.words, ["exact", "", "set"]);
            assert_eq!((warm.stem, warm.file.0), (build.command.clone(), "server.rb".to_owned()));
        }
    }

    #[test]
    fn a_ruby_bot_that_changes_how_it_is_started_is_cold() {
        let folder = tempfile::tempdir().unwrap();
        let why = |build: PlacedBuild| build.why_cold().unwrap_or_default();
        let ruby = |options: &[&str], script: &str| ruby(&folder, options, script);
        assert!(why(ruby(&["-I/bot"], "")).contains("command"));
        for line in ["#!/usr/bin/ruby -s", "#!ruby -I. -rmine", "#! /bin/sh", "#!ruby -w -x"] {
            let reason = why(ruby(&[], &format!("{line}\np 1\n")));
            assert_eq!(reason, "its first line has options of the interpreter", "{line}");
        }
        for (name, value) in [("RUBYLIB", "/bot/lib"), ("RUBYOPT", "-w"), ("RUBYLIB", "lib")] {
            let mut build = ruby(&[], "p 1\n");
            build.environment = vec![(name.into(), value.into())];
            assert_eq!(why(build), format!("its environment has `{name}`"));
        }
    }
}
