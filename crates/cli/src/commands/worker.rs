//! `joust worker`: bouts of other machines' tournaments.

use joust_cluster::{ExitConditions, WorkerExit, WorkerNotice};
use joust_model::escaped;
use joust_orchestrator::workers::{self, ProcessorError, WorkerError, WorkerOptions};
use tokio::sync::watch;

use super::{failures, run, shared};
use crate::args::WorkerArgs;
use crate::error::{Failure, Status};
use crate::output::Screen;
use crate::signals::Signals;

/// Advice where a disk is full.
const ROOM: &str = "make room on the disk of the worker's cache, or name another folder by \
                    `JOUST_CACHE`";
/// Advice about a machine that is refused.
const SAME_TOOLS: &str = "have the same version of Joust and of each language on both machines; `joust \
    doctor` lists what is here";
/// Advice about a sandbox of another tier.
const TIER: &str = "`joust doctor` says what keeps this machine from a better tier; where the run is \
    started with the environment `JOUST_TIER=B` or `C`, and the workers too, all of them play in \
    that one";

pub(super) async fn execute(args: WorkerArgs, screen: Screen) -> Result<Status, Failure> {
    run::check_key_file(args.credentials.credentials.as_deref())?;
    let isolation = run::isolation(args.isolation.allow_unsafe)?;
    let languages = (!args.language.is_empty()).then(|| args.language.into_iter().collect());
    let name = args.name.unwrap_or_else(workers::usual_name);
    let options = WorkerOptions {
        url: args.url.clone(),
        credentials: args.credentials.credentials,
        name: name.clone(),
        cores: args.cores.map(usize::from),
        languages,
        languages_file: args.languages_file,
        exit_conditions: ExitConditions { once: args.once, idle: args.idle },
        isolation,
        cache: shared::cache_folder(),
        most_kept: args.cache_size,
    };
    let tell = {
        let name = name.clone();
        move |news: WorkerNotice| report_news(&name, &news, screen)
    };
    let stop = stop_on_signal()?;
    let ended = workers::work(options, Box::new(tell), stop).await;
    end(&ended.map_err(|error| failure(&error))?)
}

/// Returns what becomes true at the first signal; the second ends the process.
fn stop_on_signal() -> Result<watch::Receiver<bool>, Failure> {
    let (sender, stop) = watch::channel(false);
    let mut signals = Signals::listen()?;
    tokio::spawn(async move {
        signals.next().await;
        signals.exit_on_next();
        let _ = sender.send(true);
        // Whoever waits for it would take its end for an error.
        sender.closed().await;
    });
    Ok(stop)
}

fn report_news(name: &str, news: &WorkerNotice, screen: Screen) {
    let line = format!("worker `{name}` {}", escaped(&news.to_string()));
    match news {
        WorkerNotice::Waiting
        | WorkerNotice::Joined { .. }
        | WorkerNotice::Played(_)
        | WorkerNotice::MeasuresAgain
        | WorkerNotice::Draining(_)
        | WorkerNotice::Idle(_) => {
            screen.message(&line);
        }
        WorkerNotice::Refused(_)
        | WorkerNotice::Without(_)
        | WorkerNotice::Away(_)
        | WorkerNotice::Undelivered(_)
        | WorkerNotice::Lapsed(_)
        | WorkerNotice::Stopped(_) => screen.error(&format!("warning: {line}\n")),
    }
}

fn end(ended: &WorkerExit) -> Result<Status, Failure> {
    match ended {
        WorkerExit::Done | WorkerExit::Drained => Ok(Status::Done),
        WorkerExit::Refused(why) => {
            let text = format!("this machine cannot run the current tournament: {}", escaped(why));
            let hint = match () {
                () if why.contains("No space left") => ROOM,
                () if why.starts_with("tier ") => TIER,
                () => SAME_TOOLS,
            };
            Err(Failure::new(Status::Machine, text).hint(hint))
        }
        WorkerExit::Broken(why) => {
            let text = format!("this machine has failed, and plays no more: {}", escaped(why));
            Err(Failure::new(Status::Machine, text)
                .hint("its bouts are played elsewhere; `joust doctor` shows more"))
        }
    }
}

fn failure(error: &WorkerError) -> Failure {
    match error {
        WorkerError::Server(error) => failures::server_failure(error),
        WorkerError::Languages(_) => Failure::from_error(Status::Usage, error)
            .hint("the file has a section `languages:` as in `tournament.yaml`, and nothing else"),
        WorkerError::NotReady(error) => error.into(),
        WorkerError::Processors(ProcessorError::Taken { .. }) => {
            Failure::machine(error).hint("ask for fewer with `--cores`, or stop another worker")
        }
        WorkerError::Processors(ProcessorError::Folder { .. }) => Failure::machine(error)
            .hint("make it writable for this user, or name another folder by `JOUST_CACHE`"),
    }
}
