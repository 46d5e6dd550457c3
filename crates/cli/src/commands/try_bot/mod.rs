//! `joust try`: a candidate against the field, outside the league.

mod text;

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use joust_model::cancel::Cancel;
use joust_model::escaped;
use joust_model::notices::{Listener, Notice, relay};
use joust_orchestrator::candidate::{self, CandidateError, TryOutcome, TryReport, TryRequest};
use joust_orchestrator::pipeline::{RunError, RunOptions};
use joust_report::json;
use joust_report::progress::{self, ProgressMode, Timed};
use joust_store::StoreError;

use super::{named_bots, run, shared};
use crate::args::{TextFormat, TryArgs};
use crate::commands::failures;
use crate::error::{Failure, Status};
use crate::output::{Screen, TERMINAL};

/// Advice where the bouts of tries cannot be kept.
const NOT_WRITABLE: &str = "the bouts of tries are kept in `.joust/try` beside the tournament's file: make it writable, \
                            or copy the tournament with its bots to a folder that is, and name the copy with `--file`";

pub(super) async fn execute(args: TryArgs, screen: Screen) -> Result<Status, Failure> {
    let request = request(&args, screen)?;
    let cancel = Cancel::default();
    run::stop_on_signal(cancel.clone(), screen);
    let line = line(&args, screen);
    let watch = |report: &TryReport| {
        if let Some(line) = line.as_ref().filter(|_| report.course.bouts > 0) {
            line.show(text::progress(report));
        }
    };
    let report =
        candidate::try_bot(&request, listener(line.as_ref(), screen), &watch, cancel).await;
    line.iter().for_each(|line| line.end());
    let report = report.map_err(|error| failure(&error, &args.bot))?;
    match args.output.format {
        TextFormat::Json => screen.result(&json::pretty(&report)),
        TextFormat::Text => {
            screen.result(&text::text(&report));
            if let Some(next) = text::next(&report, args.file.path()) {
                screen.message(&next);
            }
        }
    }
    screen.error(&text::referee_errors(&report));
    match report.course.ended {
        TryOutcome::Interrupted => Err(failures::interrupted()),
        _ if !report.referee_errors.is_empty() => Ok(Status::Failed),
        TryOutcome::Decided | TryOutcome::TimeOver | TryOutcome::RefereeFailed => Ok(Status::Done),
    }
}

fn request(args: &TryArgs, screen: Screen) -> Result<TryRequest, Failure> {
    let tournament = shared::tournament(args.file.path(), screen)?;
    Ok(TryRequest {
        bot: args.bot.clone(),
        event: args.event.clone(),
        against: named_bots::names_in(&args.against, &tournament)?,
        tournament,
        time: args.budget,
        run: RunOptions {
            jobs: args.jobs.jobs.map(usize::from),
            ..RunOptions::new(run::isolation(args.isolation.allow_unsafe)?, shared::cache_folder())
        },
    })
}

/// Returns the line that shows the progress, if there is a terminal.
fn line(args: &TryArgs, screen: Screen) -> Option<Arc<Timed>> {
    let is_seen = !screen.quiet && std::io::stderr().is_terminal();
    is_seen.then(|| Arc::new(Timed::new(TERMINAL.clone(), args.budget)))
}

/// Returns the listener for builds, and for bouts where there is a line for them.
fn listener(line: Option<&Arc<Timed>>, screen: Screen) -> Arc<dyn Listener> {
    if let Some(line) = line {
        return Arc::<Timed>::clone(line);
    }
    let style = if screen.quiet { ProgressMode::Quiet } else { ProgressMode::Plain };
    let listener = Arc::from(progress::for_terminal(style, &TERMINAL));
    relay(listener, |notice, listener| {
        if !matches!(notice, Notice::BoutStarted(_) | Notice::BoutFinished(_)) {
            listener.notice(notice);
        }
    })
}

fn failure(error: &CandidateError, bot: &Path) -> Failure {
    let usage = || Failure::from_error(Status::Usage, error);
    match error {
        CandidateError::SeveralEvents(_) => {
            usage().hint("name the one that is meant with `--event`")
        }
        CandidateError::NoCandidate { known, .. } => {
            usage().hint(format!("name a bot's folder, or one of the field: {}", list(known)))
        }
        CandidateError::NoSuchOpponent { known, .. } => {
            usage().hint(format!("its bots are: {}", list(known)))
        }
        CandidateError::TooFew { .. } => {
            usage().hint("`joust run --dry-run` lists bots that cannot be built, and why")
        }
        CandidateError::Unreadable(problems) => failures::bot_problems(problems),
        CandidateError::NotBuilt { game, .. } => {
            let check = format!(
                "joust bot check {game} {}",
                shared::shell_quoted(&bot.display().to_string())
            );
            Failure::from_error(Status::BotBroken, error).hint(format!("`{check}` tells more"))
        }
        CandidateError::Folder { .. } => Failure::machine(error).hint(NOT_WRITABLE),
        CandidateError::Run(RunError::Store(error)) | CandidateError::Store(error) => store(error),
        CandidateError::Run(error) => error.into(),
    }
}

/// Makes a failure of a database error; the place of the databases of tries is in no file.
fn store(error: &StoreError) -> Failure {
    match error {
        StoreError::Io { .. } | StoreError::ReadOnly { .. } => {
            Failure::from_error(Status::Database, error).hint(NOT_WRITABLE)
        }
        _ => Failure::from(error),
    }
}

/// Names of bots, escaped; not all of a large field.
fn list(names: &[String]) -> String {
    const LISTED: usize = 20;
    let mut listed: Vec<String> = names.iter().take(LISTED).map(|name| escaped(name)).collect();
    if names.len() > LISTED {
        listed.push(format!("and {} more", names.len() - LISTED));
    }
    if listed.is_empty() { "there is none".to_owned() } else { listed.join(", ") }
}
