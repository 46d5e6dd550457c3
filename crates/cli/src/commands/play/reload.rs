//! `joust play --reload`: the bout is played again from the start whenever the source of a bot
//! changes.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use joust_model::cancel::Cancel;
use joust_orchestrator::pipeline::SourceWatch;

use super::execute_until;
use crate::args::PlayArgs;
use crate::commands::run;
use crate::error::{Failure, Status};
use crate::output::Screen;

/// Time between two questions for news of the sources.
const INTERVAL: Duration = Duration::from_millis(100);

/// Plays until a signal comes; a bout that is over waits for the next change.
pub(super) fn execute(args: &PlayArgs, screen: Screen) -> Result<Status, Failure> {
    // A folder of an earlier command is replaced only on request, one of this command always.
    let is_new = args.recording.log.as_ref().is_some_and(|folder| !folder.exists());
    let mut args = args.clone();
    args.recording.force |= is_new;
    let bots = args.bots.clone();
    let sources =
        SourceWatch::start(move || bots.clone()).map_err(|error| Failure::machine(&error))?;
    let sources = Arc::new(sources);
    let mut seen = sources.take().seen;
    let stop = Cancel::default();
    run::stop_on_signal(stop.clone(), screen);
    let mut is_first = true;
    loop {
        let bout = Cancel::default();
        let stopped = bout.clone();
        let _registration = stop.on_cancel(move || stopped.cancel());
        let watching = stop_on_change(&sources, bout.clone());
        match execute_until(Some(&bout), &args, screen) {
            Err(failure) if stop.is_cancelled() || is_fatal(&failure, is_first) => {
                return Err(failure);
            }
            Err(failure) if failure.status == Status::Interrupted => {}
            Err(failure) => screen.error(&failure.render()),
            Ok(status) if stop.is_cancelled() => return Ok(status),
            Ok(_) => {}
        }
        if !bout.is_cancelled() {
            screen.message("waiting for the source of a bot to change; Ctrl-C ends");
        }
        _ = watching.join();
        if stop.is_cancelled() {
            return Ok(Status::Done);
        }
        let now = sources.take().seen;
        for (path, _) in now.iter().filter(|(path, stamp)| seen.get(*path) != Some(stamp)) {
            screen.message(&format!("`{}` has changed: the bout begins again", path.display()));
        }
        (seen, is_first) = (now, false);
    }
}

/// Returns whether no change of a bot can help.
fn is_fatal(failure: &Failure, is_first: bool) -> bool {
    failure.status == Status::Machine || is_first && failure.status == Status::Usage
}

/// Stops a bout when one of its sources has changed and is still.
fn stop_on_change(sources: &Arc<SourceWatch>, bout: Cancel) -> thread::JoinHandle<()> {
    let sources = Arc::clone(sources);
    thread::spawn(move || {
        while !bout.is_cancelled() {
            if sources.has_news() {
                return bout.cancel();
            }
            thread::sleep(INTERVAL);
        }
    })
}
