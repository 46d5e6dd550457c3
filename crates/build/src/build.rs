//! Build of a bot, independent of its location.
//!
//! A [`Build`] is plain data that travels beside its files. Its hash is that of its source
//! and its recipe, so that every machine that has a build can compute it again. Its start
//! (`StartCommand`) names the places of tools instead of holding paths of one machine; a
//! [`PlacedBuild`](super::PlacedBuild) is the same build with the paths of this one.
//! Its program is the one file of its result that a turn starts.

use std::path::Path;
use std::time::Duration;

use joust_bots::source::{FileKind, SourceFile};
use joust_bots::{BotProblem, FaultParty, SourceHash, SourceTree};
use joust_model::BuildHash;
use joust_toolchain::{BOT, Recipe, RecipeInputs, StartCommand};
use serde::{Deserialize, Serialize};

/// The result of one source with one recipe and its tools: plain data, the same on every
/// machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The hash of the source it was made from.
    pub source: SourceHash,
    /// Commands and tools that made it.
    pub(crate) recipe: RecipeInputs,
    /// The hash of its files.
    pub result: SourceHash,
    /// Its files, sorted by path.
    pub files: Vec<SourceFile>,
    /// The program that `{program}` stands for, relative to the files.
    pub program: Option<String>,
    /// Command, variables and tools of a turn.
    pub(crate) start: StartCommand,
    /// Time that the build took.
    pub took: Duration,
}

impl Build {
    /// Computes the build's identity from its source and its recipe.
    pub fn hash(&self) -> BuildHash {
        self.recipe.key(&self.source)
    }

    /// Returns the language's id.
    pub fn language(&self) -> &str {
        &self.recipe.language
    }

    /// Returns the version texts of the tools.
    pub fn toolchain(&self) -> &str {
        &self.recipe.toolchain
    }

    /// Returns the library set that bots find beside it, by its hash in a store.
    pub fn library_set(&self) -> Option<BuildHash> {
        self.start.libraries.as_ref().map(|libraries| libraries.set)
    }

    /// Returns the hash of the library set's files.
    pub(crate) fn library_content(&self) -> Option<SourceHash> {
        self.recipe.libraries
    }

    /// Checks that this is the build `hash` and that `tree` holds its files.
    ///
    /// # Errors
    ///
    /// [`NotIntact`], with the first file that is not the one that was built.
    pub(crate) fn check(&self, hash: &BuildHash, tree: &Path) -> Result<(), NotIntact> {
        let own = self.hash();
        if own != *hash {
            return Err(NotIntact::Damaged(Damage::Identity(own)));
        }
        if !self.start.is_of(&self.recipe) {
            return Err(NotIntact::Damaged(Damage::Start));
        }
        let listed = SourceTree { root: tree.to_owned(), files: self.files.clone() };
        if listed.hash() != self.result {
            return Err(NotIntact::Damaged(Damage::List));
        }
        if first_match(&listed, &self.recipe.program) != Ok(self.program.clone()) {
            return Err(NotIntact::Damaged(Damage::Start));
        }
        let found = SourceTree::read_all(tree)?;
        first_difference(&self.files, &found.files)
            .map_or(Ok(()), |damage| Err(NotIntact::Damaged(damage)))
    }
}

/// Reason why a build cannot be used as the one that it claims to be.
#[derive(Debug)]
pub(crate) enum NotIntact {
    /// It is another build.
    Damaged(Damage),
    /// An error of the machine prevents the check.
    Machine(BotProblem),
}

impl From<BotProblem> for NotIntact {
    fn from(problem: BotProblem) -> Self {
        match problem.fault {
            FaultParty::Machine => Self::Machine(problem),
            FaultParty::Bot => Self::Damaged(Damage::Unreadable(problem.message)),
        }
    }
}

/// Difference between a build and the one that it claims to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Its record is missing or unreadable.
    #[error("its record cannot be read: {0}")]
    Record(String),
    /// Its source and recipe have another hash.
    #[error("its source and recipe are those of build {}", short(.0))]
    Identity(BuildHash),
    /// Its command or environment is not the one of its recipe.
    #[error("it is not started as its recipe says")]
    Start,
    /// Its list of files has another hash.
    #[error("its list of files is not that of its result")]
    List,
    /// Its files are not those that are known to have played.
    #[error("its files are {}, not {} that played", short(here), short(played))]
    Result {
        /// Hash of its files.
        here: SourceHash,
        /// Hash that is known from elsewhere.
        played: SourceHash,
    },
    /// A file is gone.
    #[error("`{0}` is missing")]
    Missing(String),
    /// A file is another one.
    #[error("`{0}` is not what was built")]
    Changed(String),
    /// A file was added.
    #[error("`{0}` is no part of it")]
    Added(String),
    /// Its files cannot be those of a build.
    #[error("{0}")]
    Unreadable(String),
}

/// Returns the first digits of a hash, enough to find a build by.
pub(crate) fn short(hash: &BuildHash) -> String {
    hash.to_string()[..16].to_owned()
}

/// Compares two lists that are sorted by path.
fn first_difference(built: &[SourceFile], found: &[SourceFile]) -> Option<Damage> {
    let is_there = |list: &[SourceFile], path: &str| {
        list.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok()
    };
    for (one, other) in built.iter().zip(found) {
        if one == other {
            continue;
        }
        return Some(match one.path == other.path {
            true => Damage::Changed(one.path.clone()),
            false if is_there(found, &one.path) => Damage::Added(other.path.clone()),
            false => Damage::Missing(one.path.clone()),
        });
    }
    let missing = built.get(found.len()).map(|file| Damage::Missing(file.path.clone()));
    missing.or_else(|| found.get(built.len()).map(|file| Damage::Added(file.path.clone())))
}

/// Returns the file of the first glob that matches any; `None` when nothing is
/// looked for.
pub(crate) fn first_match(tree: &SourceTree, globs: &[String]) -> Result<Option<String>, String> {
    for glob in globs {
        if let Some(found) = only_match(tree, glob)? {
            return Ok(Some(found));
        }
    }
    match globs {
        [] => Ok(None),
        globs => {
            let made = alike(tree, &globs[0]);
            Err(format!("made nothing that matches `{}`{made}", globs.join("` or `")))
        }
    }
}

/// Names files that end like what was looked for.
fn alike(tree: &SourceTree, wanted: &str) -> String {
    let extension = |path: &str| Path::new(path).extension().map(|end| end.to_ascii_lowercase());
    let wanted = extension(wanted);
    let paths = tree.files.iter().map(|file| file.path.as_str());
    let same = paths.filter(|path| wanted.is_some() && extension(path) == wanted);
    let same: Vec<String> = same.take(4).map(|path| format!("`{path}`")).collect();
    if same.is_empty() { String::new() } else { format!("; it made {}", same.join(", ")) }
}

/// Returns the file that matches, if need be in another case.
fn only_match(tree: &SourceTree, glob: &str) -> Result<Option<String>, String> {
    for any_case in [false, true] {
        let mut builder = globset::GlobBuilder::new(glob);
        let glob_matcher = builder.literal_separator(true).case_insensitive(any_case).build();
        let matcher = glob_matcher.map_err(|error| error.to_string())?.compile_matcher();
        let mut found = tree.files.iter().filter(|file| matcher.is_match(&file.path));
        match (found.next(), found.next()) {
            (Some(one), None) => return Ok(Some(one.path.clone())),
            (None, _) => {}
            (Some(_), Some(_)) => {
                return Err(format!("made more than one file that matches `{glob}`"));
            }
        }
    }
    Ok(None)
}

/// Returns the program of a turn if it is a file of the bot, relative to the bot's folder.
pub(crate) fn program_in_bot(recipe: &Recipe) -> Option<&str> {
    Some(recipe.inputs.run.first()?.strip_prefix(BOT)?.trim_start_matches('/'))
}

/// Describes the fault of the program of a turn, if that is a file of the bot.
pub(crate) fn missing_program(recipe: &Recipe, tree: &SourceTree) -> Option<String> {
    let program = program_in_bot(recipe)?;
    let file = tree.files.iter().find(|file| file.path == program);
    match file.map(|file| &file.kind) {
        None => Some(format!("made no `{program}`")),
        Some(FileKind::Link(_)) => Some(format!("made `{program}`, which is a link")),
        Some(FileKind::Plain { executable: false, .. }) => {
            Some(format!("made `{program}`, which may not be executed"))
        }
        Some(FileKind::Plain { .. }) => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;

    use super::*;

    /// Returns a build whose files are those of the folder `tree`.
    pub(in super::super) fn sample(tree: &Path) -> Build {
        let recipe = serde_json::json!({
            "language": "c", "variant": "gcc", "toolchain": "gcc 12", "network": "None",
            "files": {}, "build": [], "optional": [], "build_environment": {},
            "run": ["{program}", "heap={heap}"], "program": ["bot"],
            "run_environment": { "PATH": "/usr/local/bin:/usr/bin:/bin" },
        });
        let start = serde_json::json!({
            "command": [[{ "text": "{program}" }], [{ "text": "heap={heap}" }]],
            "environment": {}, "tools": [], "libraries": null,
            "made_with": { "values": {}, "libraries": [] },
        });
        let found = SourceTree::read_all(tree).unwrap();
        Build {
            source: SourceHash::of("test", &[b"source"]),
            recipe: serde_json::from_value(recipe).unwrap(),
            start: serde_json::from_value(start).unwrap(),
            result: found.hash(),
            files: found.files,
            program: Some("bot".to_owned()),
            took: Duration::from_millis(5),
        }
    }

    #[test]
    fn a_build_that_was_written_and_read_is_the_same() {
        let tree = tempfile::tempdir().unwrap();
        fs::write(tree.path().join("bot"), "program").unwrap();
        let build = sample(tree.path());
        let text = serde_json::to_string(&build).unwrap();
        let read: Build = serde_json::from_str(&text).unwrap();
        assert_eq!(read, build);
        assert_eq!(read.hash(), build.hash());
        assert!(read.check(&build.hash(), tree.path()).is_ok());
    }

    #[test]
    fn every_difference_is_reported_with_its_file() {
        let tree = tempfile::tempdir().unwrap();
        for name in ["a", "b", "bot", "c"] {
            fs::write(tree.path().join(name), name).unwrap();
        }
        let build = sample(tree.path());
        let damage = || match build.check(&build.hash(), tree.path()) {
            Err(NotIntact::Damaged(damage)) => damage.to_string(),
            other => panic!("{other:?}"),
        };
        fs::write(tree.path().join("b"), "x").unwrap();
        assert_eq!(damage(), "`b` is not what was built");
        fs::remove_file(tree.path().join("b")).unwrap();
        assert_eq!(damage(), "`b` is missing");
        fs::write(tree.path().join("b"), "b").unwrap();
        fs::remove_file(tree.path().join("c")).unwrap();
        assert_eq!(damage(), "`c` is missing");
        fs::write(tree.path().join("c"), "c").unwrap();
        for added in ["aa", "d"] {
            fs::write(tree.path().join(added), "").unwrap();
            assert_eq!(damage(), format!("`{added}` is no part of it"));
            fs::remove_file(tree.path().join(added)).unwrap();
        }
        assert!(build.check(&build.hash(), tree.path()).is_ok());
    }
}
