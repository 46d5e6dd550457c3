//! The bots of a bout, read and built.

use std::path::PathBuf;
use std::sync::Arc;

use joust_bots::BotSource;
use joust_build::PlacedBuild;
use joust_config::Event;
use joust_model::escaped;
use joust_orchestrator::machine::Machine;
use joust_toolchain::NotBuilt;

use crate::commands::{failures, run};
use crate::error::{Failure, Status};
use crate::output::Screen;

/// Reads the bots at `paths`.
pub(super) fn read(
    machine: &Machine,
    event: &Event,
    paths: &[PathBuf],
) -> Result<Vec<BotSource>, Failure> {
    let sources = paths.iter().map(|path| machine.read_bot(path, &event.game));
    sources.collect::<Result<_, _>>().map_err(|problems| failures::bot_problems(&problems))
}

/// Builds the bots at `paths`; one that cannot be built is an error.
pub(in crate::commands) fn build(
    machine: &Machine,
    event: &Event,
    paths: &[PathBuf],
    screen: Screen,
) -> Result<Vec<(String, Arc<PlacedBuild>)>, Failure> {
    let sources = read(machine, event, paths)?;
    let built = machine.build(&sources, event, &*run::listener(screen));
    let named = sources.into_iter().zip(built).map(|(source, built)| match built {
        Ok(build) => Ok((source.name().to_owned(), build)),
        Err(NotBuilt::Stopped) => Err(failures::interrupted()),
        Err(reason) => {
            // The listener has reported the reason already.
            let message = format!("`{}` could not be built", source.name());
            let failure = |status| Failure::new(status, format!("{message}: {}", reason.word()));
            Err(match reason.is_of_machine() {
                true => failure(Status::Machine).hint(failures::TRY_AGAIN),
                false => failure(Status::Failed),
            })
        }
    });
    let named: Vec<(String, Arc<PlacedBuild>)> = named.collect::<Result<_, _>>()?;
    warn_of_cold_starts(machine, event, &named, screen);
    Ok(named)
}

/// Names bots that are started from nothing though the event wants languages kept ready, as a run
/// does.
fn warn_of_cold_starts(
    machine: &Machine,
    event: &Event,
    bots: &[(String, Arc<PlacedBuild>)],
    screen: Screen,
) {
    if event.limits.starts.is_cold() {
        return;
    }
    if let Some(reason) = machine.why_not_warm(event) {
        screen.message(&format!("played with cold starts: {reason}"));
        return;
    }
    for (name, build) in bots {
        if let Some(reason) = build.why_cold() {
            screen.message(&format!("`{}` is started cold: {reason}", escaped(name)));
        }
    }
}
