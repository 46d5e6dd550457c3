//! Attempts to build: the builds of a recipe, each from the source anew, until one plays.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::Builder;
use super::line_ends;
use super::program::{first_match, missing_program, program_in_bot};
use crate::build::Build;
use crate::build_files;
use crate::build_log::BuildLog;
use crate::build_seat::BuildSeat;
use crate::fetch::network;
use crate::manifest::Command;
use crate::not_built::{self, NotBuilt};
use crate::problem::Fault;
use crate::recipe::{BOT, BuildNetwork, Recipe};
use crate::source::{SourceHash, SourceTree};
use crate::{jar, reasons, trouble};

/// Hint for a file that Python 3 cannot read and Python 2 can.
const IS_PYTHON_2: &str = "; it looks like Python 2: `language: python2` in its manifest or in its \
    entry of `bots:` (`{ path: ..., language: python2 }`) says so";

/// Copies the source aside, so that it cannot change under the build.
pub(crate) fn stage(tree: &SourceTree, recipe: &Recipe, work: &Path) -> Result<PathBuf, NotBuilt> {
    let ours = NotBuilt::of_files("copy the source");
    let staged = work.join("source");
    std::fs::create_dir(&staged).map_err(&ours)?;
    copy(tree, &staged)?;
    for (path, text) in &recipe.decisive.files {
        let path = staged.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(&ours)?;
        }
        std::fs::write(path, text).map_err(&ours)?;
    }
    Ok(staged)
}

/// Copies a source as it was read. Whoever changes it meanwhile, which nobody's machine does, keeps
/// the bot from being built, and no other one.
fn copy(tree: &SourceTree, to: &Path) -> Result<(), NotBuilt> {
    let changed = || {
        let reason = "its files changed while they were read: build it when nobody writes to them";
        NotBuilt::Refused(reason.to_owned())
    };
    let is_ours = |error: &std::io::Error| {
        trouble::is_of_machine(error) || trouble::is_of_names(error.raw_os_error())
    };
    tree.copy_to(to).map_err(|error| match is_ours(&error) {
        true => NotBuilt::of_files("copy the source")(error),
        // A file that is gone, or a folder or a pipe by now.
        false => changed(),
    })?;
    if SourceTree::read_all(to)?.hash() == tree.hash() { Ok(()) } else { Err(changed()) }
}

/// Refuses a project whose folder is not there, before anything is made ready for it.
pub(super) fn refuse_without_folder(recipe: &Recipe, tree: &SourceTree) -> Result<(), NotBuilt> {
    let decisive = &recipe.decisive;
    let inside = decisive.folder.trim_start_matches(BOT).trim_start_matches('/');
    let mut builds = [&decisive.build].into_iter().chain(&decisive.otherwise);
    let is_built = !decisive.optional.is_empty() || builds.any(|commands| !commands.is_empty());
    let files = tree.files.iter().map(|file| file.path.as_str());
    let mut files = files.chain(decisive.files.keys().map(String::as_str));
    if inside.is_empty() || !is_built || files.any(|path| Path::new(path).starts_with(inside)) {
        return Ok(());
    }
    Err(NotBuilt::Refused(format!("the project's folder `{}` is not there", decisive.folder)))
}

/// The builds of a recipe, tried from a source that is laid out.
pub(super) struct Attempts<'a> {
    builder: &'a Builder<'a>,
    recipe: &'a Recipe,
    staged: &'a Path,
    work: &'a Path,
    begun: Instant,
}

/// Output of a build.
pub(super) struct Made {
    /// The folder with the result.
    pub(super) tree: PathBuf,
    /// Checked content of the folder.
    pub(super) result: Checked,
}

/// A result that can play.
pub(super) struct Checked {
    files: SourceTree,
    program: Option<String>,
}

impl<'a> Attempts<'a> {
    /// Begins to build; the build's time runs from here.
    pub(super) fn new(
        builder: &'a Builder<'a>,
        recipe: &'a Recipe,
        staged: &'a Path,
        work: &'a Path,
    ) -> Self {
        Self { builder, recipe, staged, work, begun: Instant::now() }
    }

    /// Tries the recipe's builds, each from the source anew, until one makes the
    /// program of a turn; after all of them, what the source brings.
    pub(super) fn first_that_plays(&self, log: &mut BuildLog) -> Result<Made, NotBuilt> {
        let decisive = &self.recipe.decisive;
        let builds = [&decisive.build].into_iter().chain(&decisive.otherwise);
        let mut failure: Option<NotBuilt> = None;
        for (number, commands) in builds.enumerate() {
            let built = self.build(commands, &self.work.join(format!("result-{number}")), log);
            match built.map_err(|reason| self.whose(reason, log)) {
                Ok(made) => return Ok(made),
                Err(reason @ NotBuilt::Failed { .. }) => {
                    log.line(&reason.summary());
                    failure = Some(telling(failure, reason));
                }
                Err(other) => return Err(other),
            }
        }
        let failure = failure.expect("there is a build");
        let Some(shipped) = &decisive.shipped else { return Err(self.told(failure)) };
        log.line(&format!("every build failed; `{shipped}` of the source plays"));
        let tree = self.staged.to_owned();
        self.check(&tree).map(|result| Made { tree, result }).map_err(|_| self.told(failure))
    }

    fn build(
        &self,
        commands: &[Command],
        result: &Path,
        log: &mut BuildLog,
    ) -> Result<Made, NotBuilt> {
        let tree = self.run(commands, result, log)?;
        let result = self.check(&tree)?;
        Ok(Made { tree, result })
    }

    /// Adds to a failure what the source asked for and did not get.
    fn told(&self, failure: NotBuilt) -> NotBuilt {
        match failure {
            NotBuilt::Failed { command, mut status, lines } => {
                self.recipe.lacking.iter().for_each(|one| status.push_str(&format!("; {one}")));
                let unused = build_files::unused(self.staged, self.recipe.decisive.commands());
                unused.iter().for_each(|one| status.push_str(&format!("; {one}")));
                if let Some(reason) = line_ends::shell_script_of_windows(self.staged, &command) {
                    status.push_str(&format!("; {reason}"));
                }
                if self.recipe.decisive.language == "python" && reasons::is_python_2(&lines) {
                    status.push_str(IS_PYTHON_2);
                }
                NotBuilt::Failed { command, status, lines }
            }
            other => other,
        }
    }

    /// Runs commands and returns the folder with their result.
    fn run(
        &self,
        commands: &[Command],
        result: &Path,
        log: &mut BuildLog,
    ) -> Result<PathBuf, NotBuilt> {
        let decisive = &self.recipe.decisive;
        if commands.is_empty() && decisive.optional.is_empty() {
            log.line("nothing to build");
            return Ok(self.staged.to_owned());
        }
        let end = self.begun + self.builder.limits.time;
        let mut seat = BuildSeat::open(self.builder, self.recipe, self.staged, end)?;
        if let Some(ready) = &self.recipe.ready {
            // Without it the build takes longer.
            match seat.run(&ready.begin, log) {
                Ok(()) | Err(NotBuilt::Failed { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        for command in commands {
            seat.run(command, log)?;
        }
        for command in &decisive.optional {
            match seat.run(command, log) {
                Ok(()) => {}
                // What might have come would be missing in a build that is kept.
                Err(NotBuilt::Failed { .. }) => {
                    self.fault_of_network(log).map_or(Ok(()), Err)?;
                }
                Err(other) => return Err(other),
            }
        }
        seat.collect(result, log)?;
        Ok(result.to_owned())
    }

    /// Checks that a result can play.
    fn check(&self, result: &Path) -> Result<Checked, NotBuilt> {
        let decisive = &self.recipe.decisive;
        let failed = |status: String| NotBuilt::Failed {
            command: decisive.build.last().cloned().unwrap_or_default(),
            status,
            lines: Vec::new(),
        };
        let tree = SourceTree::read_all(result).map_err(|problem| {
            if problem.fault == Fault::Machine {
                return problem.into();
            }
            let place = problem.file.strip_prefix(result).unwrap_or(&problem.file).to_owned();
            failed(format!("made `{}`: {}", place.display(), problem.message))
        })?;
        let program = first_match(&tree, &decisive.program).map_err(failed)?;
        if let Some(reason) = missing_program(self.recipe, &tree) {
            return Err(failed(reason));
        }
        let started = program_in_bot(self.recipe);
        if let Some(reason) = started.and_then(|name| line_ends::broken_first_line(result, name)) {
            return Err(NotBuilt::Refused(reason));
        }
        if let Some(program) = program.as_ref().filter(|_| decisive.run.contains(&"-jar".into())) {
            let checked = jar::check(&result.join(program));
            checked.map_err(|reason| failed(format!("made `{program}`, which {reason}")))?;
        }
        Ok(Checked { files: tree, program })
    }

    /// A command that failed may have met what the machine lacks; limits are the bot's own.
    fn whose(&self, reason: NotBuilt, log: &BuildLog) -> NotBuilt {
        let NotBuilt::Failed { command, .. } = &reason else { return reason };
        match trouble::of(self.builder.host, self.builder.store.root()) {
            Some(trouble) => {
                let command = not_built::shown(command);
                NotBuilt::Infrastructure(format!("{trouble}; `{command}` failed meanwhile"))
            }
            None => self.fault_of_network(log).unwrap_or(reason),
        }
    }

    /// Returns the network's fault where commands that have it say so, and the package manager of the
    /// language cannot reach a registry either when it is alone.
    fn fault_of_network(&self, log: &BuildLog) -> Option<NotBuilt> {
        let decisive = &self.recipe.decisive;
        if decisive.network != BuildNetwork::Open {
            return None;
        }
        network::unreachable(log.text())?;
        let language = self.builder.toolchains.languages().get(&decisive.language)?;
        let libraries = language.libraries.as_ref().filter(|one| !one.probe.is_empty())?;
        match self.builder.registries(&decisive.language, libraries) {
            Ok(registries) => Some(network::fault(registries.trouble.as_deref()?)),
            Err(NotBuilt::Stopped) => Some(NotBuilt::Stopped),
            Err(_) => None,
        }
    }

    /// Describes what was made of the source `source`.
    pub(super) fn build_of(&self, source: SourceHash, result: Checked) -> Build {
        Build {
            source,
            recipe: self.recipe.decisive.clone(),
            result: result.files.hash(),
            files: result.files.files,
            program: result.program,
            start: self.recipe.start.clone(),
            took: self.begun.elapsed(),
        }
    }
}

/// Returns the later of two failures; where no command said why, with what one said
/// in the first.
fn telling(first: Option<NotBuilt>, mut later: NotBuilt) -> NotBuilt {
    if let Some(NotBuilt::Failed { lines: before, .. }) = first
        && let NotBuilt::Failed { lines, .. } = &mut later
        && lines.is_empty()
    {
        *lines = before;
    }
    later
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_changes_while_it_is_read_is_its_own_fault() {
        let folder = tempfile::tempdir().unwrap();
        let (source, main) = (folder.path().join("bot"), folder.path().join("bot/main.py"));
        std::fs::create_dir(&source).unwrap();
        std::fs::write(&main, "print(1)").unwrap();
        let tree = SourceTree::read_all(&source).unwrap();
        let copied = |name: &str| {
            let to = folder.path().join(name);
            std::fs::create_dir(&to).unwrap();
            copy(&tree, &to)
        };
        assert!(copied("as-it-was").is_ok());
        std::fs::write(&main, "print(2)").unwrap();
        let changed = copied("changed").unwrap_err();
        std::fs::remove_file(&main).unwrap();
        let gone = copied("gone").unwrap_err();
        std::fs::create_dir(&main).unwrap();
        let folder = copied("folder").unwrap_err();
        for reason in [changed, gone, folder] {
            assert!(!reason.is_of_machine(), "{reason:?}");
            assert!(reason.summary().starts_with("its files changed while"), "{reason:?}");
        }
    }
}
