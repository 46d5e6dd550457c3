//! Attempts to build: the builds of a recipe, each from a fresh copy of the source, until one
//! plays.
//!
//! A shortage of this machine is no fault of a bot: no room on a file system that no bot fills
//! beyond its limit, no threads, a sandbox that fails its self-test when the bot's processes are
//! gone.

use std::path::{Path, PathBuf};
use std::time::Instant;

use joust_bots::archive::check_jar;
use joust_bots::manifest::Command;
use joust_bots::{FaultParty, SourceHash, SourceTree};
use joust_model::BuildHash;
use joust_sandbox::{Host, Tier};
use joust_toolchain::{BOT, BuildNetwork, NotBuilt, Recipe, build_error, threads};
use nix::sys::statvfs::statvfs;

use crate::build::{Build, first_match, missing_program, program_in_bot};
use crate::build_log::BuildLog;
use crate::build_seat::BuildSeat;
use crate::context::{BuildContext, BuildJob, stage};
use crate::store::{NewBuild, StoreError, StoredBuild};
use crate::{build_files, error_extract, registries};

/// Hint for a file that Python 3 cannot read and Python 2 can.
const IS_PYTHON_2: &str = "; it looks like Python 2: `language: python2` in its manifest or in its \
    entry of `bots:` (`{ path: ..., language: python2 }`) says so";

/// Refuses a project whose folder does not exist, before any preparation.
pub(crate) fn refuse_without_folder(recipe: &Recipe, tree: &SourceTree) -> Result<(), NotBuilt> {
    let inputs = &recipe.inputs;
    let inside = inputs.folder.trim_start_matches(BOT).trim_start_matches('/');
    let mut builds = [&inputs.build].into_iter().chain(&inputs.otherwise);
    let is_built = !inputs.optional.is_empty() || builds.any(|commands| !commands.is_empty());
    let files = tree.files.iter().map(|file| file.path.as_str());
    let mut files = files.chain(inputs.files.keys().map(String::as_str));
    if inside.is_empty() || !is_built || files.any(|path| Path::new(path).starts_with(inside)) {
        return Ok(());
    }
    Err(NotBuilt::Refused(format!("the project's folder `{}` is not there", inputs.folder)))
}

/// Builds a job's source, and stores the result under `hash`.
///
/// # Errors
///
/// [`NotBuilt`]; the log is kept unless the run is being stopped.
pub(crate) fn make_build(
    context: BuildContext<'_>,
    job: &BuildJob,
    tree: &SourceTree,
    hash: &BuildHash,
) -> Result<StoredBuild, NotBuilt> {
    let work =
        context.store.work().map_err(NotBuilt::infrastructure("make a folder to build in"))?;
    let staged = stage(tree, &job.recipe, work.path())?;
    let recipe = job.recipe.lay_out(work.path());
    let recipe = recipe.map_err(NotBuilt::infrastructure("copy the plugins of a build tool"))?;
    let job = &BuildJob { recipe, ..job.clone() };
    let mut log = BuildLog::new(context.limits.output.0.0);
    let attempts =
        Attempts { context, job, staged: &staged, work: work.path(), begun: Instant::now() };
    let made = attempts.try_builds(&mut log).and_then(|made| {
        let build = attempts.describe_build(tree.hash(), made.result);
        let new = NewBuild { build: &build, tree: &made.tree, log: &log.text };
        context.store.keep(&new).map_err(|error| match error {
            StoreError::Io(error) => NotBuilt::of_files("store the build")(error),
            damaged => NotBuilt::Infrastructure(damaged.to_string()),
        })
    });
    if matches!(&made, Err(reason) if *reason != NotBuilt::Stopped) {
        let kept = std::fs::write(context.store.failed_log(hash), &log.text);
        kept.map_err(NotBuilt::infrastructure("keep the build's log"))?;
    }
    made
}

/// The builds of a recipe, tried from a source that is laid out; the build's time runs from
/// `begun`.
struct Attempts<'a> {
    context: BuildContext<'a>,
    job: &'a BuildJob,
    staged: &'a Path,
    work: &'a Path,
    begun: Instant,
}

/// Output of a build.
struct BuildOutput {
    /// The folder with the result.
    tree: PathBuf,
    /// Checked content of the folder.
    result: PlayableResult,
}

/// A result that can play.
struct PlayableResult {
    files: SourceTree,
    program: Option<String>,
}

impl Attempts<'_> {
    /// Tries the recipe's builds, each from a fresh copy of the source, until one makes the
    /// program of a turn; when all fail, the program that the source ships.
    fn try_builds(&self, log: &mut BuildLog) -> Result<BuildOutput, NotBuilt> {
        let inputs = &self.job.recipe.inputs;
        let builds = [&inputs.build].into_iter().chain(&inputs.otherwise);
        let mut failure: Option<NotBuilt> = None;
        for (number, commands) in builds.enumerate() {
            let built = self.build(commands, &self.work.join(format!("result-{number}")), log);
            match built.map_err(|reason| self.attribute_failure(reason, log)) {
                Ok(made) => return Ok(made),
                Err(reason @ NotBuilt::Failed { .. }) => {
                    log.line(&reason.summary());
                    failure = Some(merge_failures(failure, reason));
                }
                Err(other) => return Err(other),
            }
        }
        let failure = failure.expect("there is a build");
        let Some(shipped) = &inputs.shipped else { return Err(self.add_hints(failure)) };
        log.line(&format!("every build failed; `{shipped}` of the source plays"));
        let tree = self.staged.to_owned();
        self.check(&tree)
            .map(|result| BuildOutput { tree, result })
            .map_err(|_| self.add_hints(failure))
    }

    fn build(
        &self,
        commands: &[Command],
        result: &Path,
        log: &mut BuildLog,
    ) -> Result<BuildOutput, NotBuilt> {
        let tree = self.run(commands, result, log)?;
        let result = self.check(&tree)?;
        Ok(BuildOutput { tree, result })
    }

    /// Adds to a failure the parts that the source asked for and the machine lacks.
    fn add_hints(&self, failure: NotBuilt) -> NotBuilt {
        match failure {
            NotBuilt::Failed { command, mut status, lines } => {
                self.job.recipe.lacking.iter().for_each(|one| status.push_str(&format!("; {one}")));
                let unused = build_files::unused(self.staged, self.job.recipe.inputs.commands());
                unused.iter().for_each(|one| status.push_str(&format!("; {one}")));
                if let Some(reason) = build_files::shell_script_of_windows(self.staged, &command) {
                    status.push_str(&format!("; {reason}"));
                }
                if self.job.recipe.inputs.language == "python" && error_extract::is_python_2(&lines)
                {
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
        let inputs = &self.job.recipe.inputs;
        if commands.is_empty() && inputs.optional.is_empty() {
            log.line("nothing to build");
            return Ok(self.staged.to_owned());
        }
        let end = self.begun + self.context.limits.time.0;
        let mut seat = BuildSeat::open(self.context, self.job, self.staged, end)?;
        if let Some(prebuilt) = &self.job.prebuilt {
            // Without it the build takes longer.
            match seat.run(&prebuilt.begin, log) {
                Ok(()) | Err(NotBuilt::Failed { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        for command in commands {
            seat.run(command, log)?;
        }
        for command in &inputs.optional {
            match seat.run(command, log) {
                Ok(()) => {}
                // A build is kept, and would lack the files that a working network had brought.
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
    fn check(&self, result: &Path) -> Result<PlayableResult, NotBuilt> {
        let inputs = &self.job.recipe.inputs;
        let failed = |status: String| NotBuilt::Failed {
            command: inputs.build.last().cloned().unwrap_or_default(),
            status,
            lines: Vec::new(),
        };
        let tree = SourceTree::read_all(result).map_err(|problem| {
            if problem.fault == FaultParty::Machine {
                return problem.into();
            }
            let place = problem.file.strip_prefix(result).unwrap_or(&problem.file).to_owned();
            failed(format!("made `{}`: {}", place.display(), problem.message))
        })?;
        let program = first_match(&tree, &inputs.program).map_err(failed)?;
        if let Some(reason) = missing_program(&self.job.recipe, &tree) {
            return Err(failed(reason));
        }
        let started = program_in_bot(&self.job.recipe);
        if let Some(reason) = started.and_then(|name| build_files::broken_first_line(result, name))
        {
            return Err(NotBuilt::Refused(reason));
        }
        if let Some(program) = program.as_ref().filter(|_| inputs.run.contains(&"-jar".into())) {
            let checked = check_jar(&result.join(program));
            checked.map_err(|reason| failed(format!("made `{program}`, which {reason}")))?;
        }
        Ok(PlayableResult { files: tree, program })
    }

    /// Blames the machine or the network for a failed command if one of them is the cause; a
    /// reached limit is always the bot's fault.
    fn attribute_failure(&self, reason: NotBuilt, log: &BuildLog) -> NotBuilt {
        let NotBuilt::Failed { command, .. } = &reason else { return reason };
        match shortage_of_machine(self.context.host, &self.context.store.root) {
            Some(trouble) => {
                let command = build_error::shown_command(command);
                NotBuilt::Infrastructure(format!("{trouble}; `{command}` failed meanwhile"))
            }
            None => self.fault_of_network(log).unwrap_or(reason),
        }
    }

    /// Returns an error that blames the network if the output of commands with an open network
    /// shows that, and the package manager of the language alone cannot reach a registry either.
    fn fault_of_network(&self, log: &BuildLog) -> Option<NotBuilt> {
        let inputs = &self.job.recipe.inputs;
        if inputs.network != BuildNetwork::Open {
            return None;
        }
        registries::unreachable(&log.text)?;
        let language = self.context.toolchains.languages().get(&inputs.language)?;
        let libraries = language.libraries.as_ref().filter(|one| !one.probe.is_empty())?;
        match registries::find(self.context, &inputs.language, libraries) {
            Ok(registries) => Some(registries::fault(registries.trouble.as_deref()?)),
            Err(NotBuilt::Stopped) => Some(NotBuilt::Stopped),
            Err(_) => None,
        }
    }

    /// Describes what was made of the source `source`.
    fn describe_build(&self, source: SourceHash, result: PlayableResult) -> Build {
        Build {
            source,
            recipe: self.job.recipe.inputs.clone(),
            result: result.files.hash(),
            files: result.files.files,
            program: result.program,
            start: self.job.recipe.start.clone(),
            took: self.begun.elapsed(),
        }
    }
}

/// Returns the later of two failures; where no command said why, with what one said
/// in the first.
fn merge_failures(first: Option<NotBuilt>, mut later: NotBuilt) -> NotBuilt {
    if let Some(NotBuilt::Failed { lines: before, .. }) = first
        && let NotBuilt::Failed { lines, .. } = &mut later
        && lines.is_empty()
    {
        *lines = before;
    }
    later
}

/// Least free space for builds, bytes.
const LEAST_ROOM: u64 = 1 << 20;

/// Returns the machine's shortage, if any, after a build has failed and its processes and files are
/// gone; `kept` is the folder of kept builds.
fn shortage_of_machine(host: &Host, kept: &Path) -> Option<String> {
    let scratch = std::env::temp_dir();
    let has_own_scratch = matches!(host.tier(), Tier::A | Tier::B);
    let folders = [kept].into_iter().chain((!has_own_scratch).then_some(scratch.as_path()));
    folders.filter_map(no_room).next().or_else(threads::shortage).or_else(|| {
        let error = host.self_test().err()?;
        Some(format!("the sandbox fails its self-test: {error}"))
    })
}

/// Returns the shortage of a folder's file system, if any.
fn no_room(folder: &Path) -> Option<String> {
    let room = statvfs(folder).ok()?;
    let bytes = room.blocks_available().saturating_mul(room.fragment_size());
    let counts_files = room.files() > 0;
    let what = match () {
        () if bytes < LEAST_ROOM => "has no room left",
        () if counts_files && room.files_available() == 0 => "can hold no more files",
        () => return None,
    };
    Some(format!("the disk under `{}` {what}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_with_room_lacks_nothing() {
        assert_eq!(no_room(&std::env::temp_dir()), None);
        assert_eq!(threads::shortage(), None);
    }
}
