//! An agent of Coder One as its author has it: a Python file, or a folder that is
//! itself the package.

use super::{Candidate, Format, Manifest};
use crate::bots::name;
use crate::bots::problem::Problem;

/// The language's id.
const LANGUAGE: &str = "python";

/// The file that makes a folder a package.
const PACKAGE: &str = "__init__.py";

/// A Python file or package.
pub(super) struct PythonModule;

impl Format for PythonModule {
    fn form(&self) -> &'static str {
        "a Python file (`agent.py`) or a package folder (with `__init__.py`)"
    }

    fn is_for(&self, game: &str) -> bool {
        game == "coderone-dungeon"
    }

    fn fits(&self, candidate: &Candidate<'_>) -> bool {
        let path = candidate.path;
        let is_python = path.extension().is_some_and(|extension| extension == "py");
        (is_python && path.is_file()) || path.join(PACKAGE).is_file()
    }

    /// The host is told the name of a package after its path: its folder has
    /// another name in the sandbox, and packages import themselves by name.
    fn read(&self, candidate: &Candidate<'_>) -> Result<Manifest, Vec<Problem>> {
        let wrong = |message: String| vec![Problem::new(candidate.path, message)];
        let is_package = candidate.path.is_dir();
        let file = candidate.path.file_name().and_then(|name| name.to_str());
        let (Some(file), Some(stem)) = (file, candidate.name()) else {
            return Err(wrong("the file's name is not UTF-8".to_owned()));
        };
        let name = name::normalise(stem).map_err(|error| wrong(error.to_string()))?;
        Ok(Manifest {
            name,
            language: LANGUAGE.to_owned(),
            entry: Some(if is_package { PACKAGE.to_owned() } else { file.to_owned() }),
            args: if is_package { vec![stem.to_owned()] } else { Vec::new() },
            enabled: true,
            ..Manifest::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::Languages;
    use crate::bots::manifest;

    fn read(game: &str, paths: &[&str], bot: &str) -> Result<Manifest, String> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for path in paths {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().expect("it is in a folder")).expect("ours");
            std::fs::write(file, "class Agent: pass\n").expect("a file can be written");
        }
        let path = folder.path().join(bot);
        let languages = Languages::shipped();
        let candidate = Candidate { path: &path, game, languages: &languages, called: None };
        manifest::read(&candidate).map_err(|problems| problems[0].to_string())
    }

    #[test]
    fn a_python_file_is_an_agent() {
        let manifest = read("coderone-dungeon", &["flee.py"], "flee.py").unwrap();
        assert_eq!((manifest.name.as_str(), manifest.entry.as_deref()), ("flee", Some("flee.py")));
        assert_eq!((manifest.language.as_str(), manifest.args.len()), ("python", 0));
        assert!(manifest.enabled);
    }

    #[test]
    fn a_package_keeps_its_name() {
        let files = ["arx_ii-13/__init__.py", "arx_ii-13/map.py"];
        let manifest = read("coderone-dungeon", &files, "arx_ii-13").unwrap();
        assert_eq!(manifest.name, "arx_ii-13");
        assert_eq!(manifest.entry.as_deref(), Some("__init__.py"));
        assert_eq!(manifest.args, ["arx_ii-13"]);
    }

    #[test]
    fn other_games_and_other_folders_do_not_have_this_form() {
        assert!(read("bomberman-2016", &["flee.py"], "flee.py").is_err());
        let problem = read("coderone-dungeon", &["bot/agent.py"], "bot").unwrap_err();
        assert!(problem.contains("a Python file (`agent.py`) or a package folder"), "{problem}");
    }
}
