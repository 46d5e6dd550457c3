//! Agents of Coder One as their authors have them: a Python file, or a folder that is
//! itself the package.

use std::path::{Path, PathBuf};

use super::python_imports::{PACKAGE, closure};
use super::{Candidate, Format, Manifest};
use crate::problem::BotProblem;
use joust_referee::GameSpec;

/// The language's id.
const LANGUAGE: &str = "python";

/// The format's name.
const NAME: &str = "python-module";

/// Usual names of the agent in a folder that is no package, the likeliest first.
const LIKELY: [&str; 4] = ["agent.py", "my_agent.py", "main.py", "bot.py"];

/// A Python file or package.
pub(super) const FORMAT: Format = Format {
    name: NAME,
    form: "a Python file (`agent.py`) or a package folder (with `__init__.py`)",
    fits: |candidate| {
        let path = candidate.path;
        let is_python = path.extension().is_some_and(|extension| extension == "py");
        (is_python && path.is_file()) || path.join(PACKAGE).is_file()
    },
    read,
};

/// Reads the module. The host takes the name of a package as a second argument, after its
/// path: its folder has another name in the sandbox, and packages import themselves by name.
fn read(candidate: &Candidate<'_>) -> Result<Manifest, Vec<BotProblem>> {
    let manifest = candidate.plain(LANGUAGE)?;
    if candidate.path.is_dir() {
        let (entry, args) = (Some(PACKAGE.to_owned()), candidate.name().map(str::to_owned));
        return Ok(Manifest { entry, args: args.into_iter().collect(), ..manifest });
    }
    let found = closure(candidate.path, candidate.bots)
        .ok_or_else(|| vec![BotProblem::new(candidate.path, "it is in no folder")])?;
    Ok(Manifest { entry: Some(found.entry), beside: found.beside, ..manifest })
}

/// Returns the agent that a path stands for as the original read it: the file's name may
/// lack its `.py`, and a package may be named by its `__init__.py`.
pub(crate) fn agent_of_path(game: &GameSpec, path: &Path) -> PathBuf {
    if !game.accepts(NAME) {
        return path.to_owned();
    }
    if path.ends_with(PACKAGE) && path.is_file() {
        let folder = path.parent().unwrap_or(path);
        let is_here = folder.as_os_str().is_empty();
        let here = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        return if is_here { here() } else { folder.to_owned() };
    }
    let mut with_ending = path.as_os_str().to_owned();
    with_ending.push(".py");
    let with_ending = PathBuf::from(with_ending);
    if !path.exists() && with_ending.is_file() { with_ending } else { path.to_owned() }
}

/// Returns the file that is most likely the agent of a folder that is no bot.
pub(super) fn likely(candidate: &Candidate<'_>) -> Option<PathBuf> {
    if !candidate.game.accepts(NAME) || !candidate.path.is_dir() {
        return None;
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(candidate.path)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    let known = LIKELY.map(|name| candidate.path.join(name));
    let known = known.into_iter().find(|path| files.contains(path));
    known.or_else(|| files.pop().filter(|_| files.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest;
    use crate::source_language::tests::shipped;

    fn read(game: &str, paths: &[&str], bot: &str) -> Result<Manifest, String> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for path in paths {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().expect("it is in a folder")).expect("ours");
            std::fs::write(file, "class Agent: pass\n").expect("a file can be written");
        }
        let path = folder.path().join(bot);
        let (languages, game) = (shipped(), crate::game(game));
        let candidate = Candidate::new(&path, game.spec(), &languages);
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
    fn a_file_s_modules_belong_to_it() {
        let manifest = read("coderone-dungeon", &["team/__init__.py", "team/a.py"], "team/a.py");
        let manifest = manifest.unwrap();
        assert_eq!((manifest.name.as_str(), manifest.entry.as_deref()), ("a", Some("team/a.py")));
        assert_eq!(manifest.beside, ["team/__init__.py"]);
    }

    #[test]
    fn a_path_is_read_as_the_original_did() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("pack")).unwrap();
        for file in ["one.py", "pack/__init__.py", "pack/x.py"] {
            std::fs::write(at(file), "").unwrap();
        }
        let (dungeon, arena) = (crate::game("coderone-dungeon"), crate::game("battlebots"));
        for (path, meant) in [
            ("one", "one.py"),
            ("one.py", "one.py"),
            ("pack", "pack"),
            ("pack/__init__.py", "pack"),
            ("pack/x", "pack/x.py"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(agent_of_path(dungeon.spec(), &at(path)), at(meant), "{path}");
            assert_eq!(agent_of_path(arena.spec(), &at(path)), at(path), "{path}");
        }
    }

    #[test]
    fn a_folder_that_is_no_bot_names_the_file_that_may_be_one() {
        let problem = read("coderone-dungeon", &["x/help.py", "x/my_agent.py"], "x").unwrap_err();
        assert!(problem.contains("; here it may be `x/my_agent.py`"));
        let problem = read("coderone-dungeon", &["x/one.py", "x/two.py"], "x").unwrap_err();
        assert!(!problem.contains("here it may be"), "{problem}");
    }

    #[test]
    fn other_games_and_other_folders_do_not_have_this_form() {
        assert!(read("bomberman-2016", &["flee.py"], "flee.py").is_err());
        let problem = read("coderone-dungeon", &["bot/agent.py"], "bot").unwrap_err();
        assert!(problem.contains("a Python file (`agent.py`) or a package folder"), "{problem}");
    }
}
