//! `joust run`: the main job.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use joust_config::Tournament;
use joust_live::{Live, RunSource};
use joust_model::cancel::Cancel;
use joust_model::notices::{
    EventEstimate, ExpectedTime, Listener, Notice, guard_panics, relay, tee,
};
use joust_model::{Shard, counted, escaped, on_one_line};
use joust_orchestrator::machine::Machine;
use joust_orchestrator::pipeline::{
    self, BotSelection, BoutFilter, BoutSelection, EventReport, RunMode, RunOptions, RunOutcome,
    RunReport, Strictness, UnbuiltBot,
};
use joust_orchestrator::workers::WorkersOptions;
use joust_play::executor::Sharing;
use joust_report::progress::{self, ProgressMode, span};
use joust_sandbox::{HostOptions, Tier};
use joust_store::{Access, Store, UnjudgedBout};

use super::webhooks::{self, RunWebhooks};
use super::{live, named_bots, report, shared, standings};
use crate::args::{IsolationArg, RunArgs, TableFormat};
use crate::error::{Failure, Status};
use crate::output::{Screen, TERMINAL};
use crate::signals;

pub(super) async fn execute(args: RunArgs, screen: Screen) -> Result<Status, Failure> {
    let mut tournament = shared::tournament(args.tournament.file().path(), screen)?;
    if let Some(database) = &args.database.database {
        database.clone_into(&mut tournament.database);
    }
    let wanted = &args.selection.events.event;
    for event in
        tournament.events.iter().filter(|event| wanted.is_empty() || wanted.contains(&event.id))
    {
        standings::check_format(args.format, &event.id, event.game.id())?;
    }
    let options = options(&args, &tournament)?;
    let pages = live_pages(&args, &tournament, screen)?;
    let mut listener = end_listener(&args, screen);
    if let Some(pages) = &pages {
        listener = tee(guard_panics(listener), guard_panics(pages.listener()));
    }
    let hooks = match args.mode.dry_run {
        true => None,
        false => webhooks::start(args.webhooks.as_deref(), &tournament, screen).await?,
    };
    if let Some(hooks) = &hooks {
        listener = tee(guard_panics(listener), guard_panics(hooks.listener()));
    }
    let cancel = Cancel::default();
    stop_on_signal(cancel.clone(), screen);
    let bots = if args.mode.follow { BotSelection::Watched } else { BotSelection::Discovered };
    let played = pipeline::run(&tournament, &options, bots, listener, cancel).await;
    let report = match played {
        Ok(report) => report,
        Err(error) => {
            hooks.into_iter().for_each(RunWebhooks::flush);
            return Err(Failure::from(&error));
        }
    };
    if let Some(estimate) = &report.estimate {
        screen.result(&describe(estimate));
        screen.error(&describe_losses(&report));
        return end(&report.ended, screen);
    }
    let store = Store::open(&tournament.database, Access::ReadOnly).await?;
    let wanted = standings::StandingsOptions {
        events: args.selection.events.event.clone(),
        format: args.format,
        listed_elsewhere: unbuilt_bots(&report),
        hides_chain: args.format == TableFormat::Text,
        ..Default::default()
    };
    standings::print(&store, &wanted, screen).await?;
    let status = conclude(&report, &args, screen);
    if args.format == TableFormat::Text {
        screen.message(&suggest_commands(&args));
    }
    if let Some(hooks) = hooks {
        hooks.finish(&report, &store).await;
    }
    pages.into_iter().for_each(Live::stop);
    status
}

/// Starts to serve live pages, if they are wanted.
fn live_pages(
    args: &RunArgs,
    tournament: &Tournament,
    screen: Screen,
) -> Result<Option<Live>, Failure> {
    if args.live.live.is_none() {
        return Ok(None);
    }
    let mut site = report::site_options(tournament, Vec::new())?;
    site.games = shared::playable_games(&args.tournament.file(), &Cancel::default(), screen)?;
    let (database, name) = (tournament.database.clone(), tournament.name.clone());
    let contents = live::LiveContents { database, name, site };
    live::start(&args.live, contents, RunSource::ThisProcess, screen)
}

/// Suggests commands for the results.
fn suggest_commands(args: &RunArgs) -> String {
    let file = args.tournament.file();
    let file = file.named().map(|file| format!(" -f {}", file.display())).unwrap_or_default();
    format!(
        "next: `joust bouts{file}` lists the bouts and `joust replay{file} BOUT` shows one; \
         `joust report{file} --out site` makes the pages, `joust verify{file}` judges all again"
    )
}

fn options(args: &RunArgs, tournament: &Tournament) -> Result<RunOptions, Failure> {
    let credentials = &args.execution.credentials.credentials;
    check_key_file(credentials.as_deref())?;
    Ok(RunOptions {
        selection: BoutFilter {
            events: args.selection.events.event.clone(),
            only: named_bots::names_in(&args.selection.only, tournament)?,
            shard: args.selection.shard,
            ..BoutFilter::default()
        },
        jobs: args.execution.jobs.jobs.map(usize::from),
        workers: args.execution.workers.as_ref().map(|url| WorkersOptions {
            url: url.clone(),
            credentials: credentials.clone(),
            lease: args.execution.workers_lease,
        }),
        sharing: if args.execution.oversubscribe {
            Sharing::Oversubscribe
        } else {
            Sharing::OneBotACore
        },
        budget: args.mode.budget.budget,
        replay: if args.mode.fresh { BoutSelection::Everything } else { BoutSelection::Unfinished },
        strictness: if args.mode.strict { Strictness::Strict } else { Strictness::Lenient },
        isolation: isolation(args.execution.isolation.allow_unsafe)?,
        mode: if args.mode.dry_run { RunMode::DryRun } else { RunMode::Play },
        cache: shared::cache_folder(),
    })
}

/// Returns the isolation from `--unsafe`, else from the environment's `JOUST_TIER`: a tier to use
/// instead of the best that works here.
pub(super) fn isolation(allow_unsafe: bool) -> Result<HostOptions, Failure> {
    let tier = if allow_unsafe { None } else { tier()? };
    Ok(HostOptions { tier, unsafe_allowed: allow_unsafe, ..HostOptions::default() })
}

/// Returns the environment's `JOUST_TIER`.
pub(super) fn tier() -> Result<Option<Tier>, Failure> {
    Tier::from_environment().map_err(|other| {
        let message = format!("`JOUST_TIER` is A, B or C, not `{}`", escaped(&other));
        Failure::usage(message).hint("tier D is played with `--unsafe`")
    })
}

/// Returns the listener for the progress of a run, whose end lists the bots that were not built;
/// where failed builds end the run, there is no list.
fn end_listener(args: &RunArgs, screen: Screen) -> Arc<dyn Listener> {
    let listener = listener(screen);
    if args.mode.strict {
        return listener;
    }
    relay(listener, |notice, listener| match notice {
        Notice::NotBuilt { bot, .. } => {
            let (bot, reason) = (bot.clone(), String::new());
            listener.notice(&Notice::NotBuilt { bot, reason });
        }
        other => listener.notice(other),
    })
}

/// Returns the listener for progress.
pub(super) fn listener(screen: Screen) -> Arc<dyn Listener> {
    let style = if screen.quiet {
        ProgressMode::Quiet
    } else if std::io::stderr().is_terminal() {
        ProgressMode::Bar
    } else {
        ProgressMode::Plain
    };
    Arc::from(progress::for_terminal(style, &TERMINAL))
}

/// Makes the machine ready; Ctrl-C and similar signals stop the work on it.
pub(super) fn open_machine(
    tournament: &Tournament,
    isolation: &IsolationArg,
    screen: Screen,
) -> Result<(Machine, Cancel), Failure> {
    let cancel = Cancel::default();
    stop_on_signal(cancel.clone(), screen);
    let machine = open_stoppable_machine(&cancel, tournament, isolation)?;
    Ok((machine, cancel))
}

/// Makes the machine ready for a caller that handles signals.
pub(super) fn open_stoppable_machine(
    cancel: &Cancel,
    tournament: &Tournament,
    isolation: &IsolationArg,
) -> Result<Machine, Failure> {
    let isolation = self::isolation(isolation.allow_unsafe)?;
    Ok(Machine::open(tournament, &shared::cache_folder(), &isolation, cancel)?)
}

/// Stops after the current turns at the first signal, at once at the second.
pub(super) fn stop_on_signal(cancel: Cancel, screen: Screen) {
    signals::stop_on_signal(cancel, move |sign| signals::report_stopping(sign, screen));
}

/// Refuses a file that is to have a key and has none, before anything else is done.
pub(super) fn check_key_file(file: Option<&Path>) -> Result<(), Failure> {
    let read = file.map(joust_cluster::transport::nats::key_in).transpose();
    read.map(drop).map_err(|error| Failure::usage(error.to_string()))
}

fn describe(estimate: &[EventEstimate]) -> String {
    let line = |event: &EventEstimate| {
        let round = event
            .round
            .map_or_else(String::new, |round| format!(", round {} of {}", round.open, round.of));
        let bouts = counted(event.bouts, "bout");
        if event.bouts == 0 {
            return format!("{}{round}: {bouts} to play\n", event.event);
        }
        let time = match event.time {
            ExpectedTime::Measured(time) => format!(", about {}", span(time)),
            ExpectedTime::AtMost(time) => format!(", at most {}", span(time)),
            ExpectedTime::Unknown => {
                "; `joust run --budget 1m` plays the first of them and measures \
                                      how long they take"
                    .to_owned()
            }
        };
        format!("{}{round}: {bouts} to play{time}\n", event.event)
    };
    estimate.iter().map(line).collect()
}

/// Describes the bouts without a result; empty when none is missing.
fn describe_missing(event: &EventReport, shard: Option<Shard>) -> String {
    let EventReport { event, share, missing, elsewhere, round, .. } = event;
    let of_shard = shard.map(|shard| format!(" of shard {shard}")).unwrap_or_default();
    let mut text = String::new();
    if *missing > 0 {
        let share = counted(*share, "bout");
        let has = if *missing == 1 { "has" } else { "have" };
        text = format!("{event}: {missing} of {share}{of_shard} {has} no result yet\n");
    }
    if *elsewhere > 0 {
        let bouts = if *elsewhere == 1 {
            "bout of another shard has"
        } else {
            "bouts of other shards have"
        };
        text += &format!(
            "{event}: {elsewhere} {bouts} no result here; `joust merge` joins their databases\n"
        );
    }
    if let Some(round) = round.filter(|round| !round.is_over) {
        text += &format!("{event}: round {} of {} is open\n", round.open, round.of);
        if *elsewhere > 0 && *missing == 0 && round.open < round.of {
            text += &format!(
                "{event}: `joust merge` of all shards opens the next round; run each shard again on a \
                 copy of the joined database\n"
            );
        }
    }
    text
}

/// Returns the bots that [`losses`] lists, with their events.
fn unbuilt_bots(report: &RunReport) -> Vec<(String, String)> {
    let lost = |event: &EventReport| -> Vec<(String, String)> {
        let lost = event.not_built.iter();
        lost.map(|lost| (event.event.clone(), lost.bot.clone())).collect()
    };
    report.events.iter().flat_map(lost).collect()
}

/// Lists the bots that were not built and those that failed in every turn, a line each.
fn describe_losses(report: &RunReport) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut add = |line: String| {
        // A bot may be in several events.
        if !lines.contains(&line) {
            lines.push(line);
        }
    };
    for event in &report.events {
        event.not_built.iter().for_each(|lost| add(not_built(lost)));
        for failing in &event.failing {
            let (event, bot) = (escaped(&event.event), escaped(&failing.bot));
            add(format!("failed in every turn of {event}: {bot}: {failing}\n"));
            failing.hint().into_iter().for_each(|hint| add(format!("hint: {hint}\n")));
        }
    }
    lines.concat()
}

fn not_built(lost: &UnbuiltBot) -> String {
    let (bot, reason) = (escaped(&lost.bot), on_one_line(&lost.reason.to_string()));
    let log = lost.log.as_deref().map(|log| format!(" (the whole log: {})", log.display()));
    format!("not built: {bot}: {reason}{}\n", log.unwrap_or_default())
}

fn conclude(report: &RunReport, args: &RunArgs, screen: Screen) -> Result<Status, Failure> {
    screen.error(&describe_losses(report));
    for event in &report.events {
        screen.error(&describe_missing(event, args.selection.shard));
        screen.error(&unfinished(event));
    }
    let is_whole =
        |event: &EventReport| event.missing == 0 && event.round.is_none_or(|it| it.is_over);
    let ended = match &report.ended {
        // No bout lacks a result, and still not all were played again.
        RunOutcome::BudgetUsedUp if args.mode.fresh => {
            screen.error(FRESH_BEGINS_AGAIN);
            return Ok(Status::BudgetUsedUp);
        }
        // There is nothing to continue with.
        RunOutcome::BudgetUsedUp if report.events.iter().all(is_whole) => &RunOutcome::Complete,
        ended => ended,
    };
    match end(ended, screen)? {
        Status::Done if report.events.iter().any(|event| !event.referee_errors.is_empty()) => {
            Ok(Status::Failed)
        }
        Status::Done if lacks_bots(report) => {
            screen.error(NONE_BUILT);
            Ok(Status::Failed)
        }
        status => Ok(status),
    }
}

/// Returns whether there are bots, and none of them could be built.
fn lacks_bots(report: &RunReport) -> bool {
    let events = &report.events;
    events.iter().all(|event| event.players == 0)
        && events.iter().any(|event| !event.not_built.is_empty())
}

/// Message of a run in which no bot could be built.
const NONE_BUILT: &str = "no bot could be built, so nothing is played\n\
    hint: fix them as said above and run again; `joust doctor` says which tools are missing\n";

/// Fate of `--fresh` when the budget is used up.
const FRESH_BEGINS_AGAIN: &str = "the budget is used up; what was not played again keeps its earlier \
    result; `--fresh` begins with the first bout again\n";

/// Advice on bouts that a referee could not finish.
const AFTER_REFEREE_ERROR: &str = "hint: `joust history BOUT` says at whose answer, \
    `joust game check FOLDER` what the referee writes\n";

/// Lists the bouts that a referee could not finish, a line each.
fn unfinished(event: &EventReport) -> String {
    let line = |UnjudgedBout { bout, reason }: &UnjudgedBout| {
        format!("{}: bout {bout}: {}\n", escaped(&event.event), on_one_line(reason))
    };
    let lines: String = event.referee_errors.iter().map(line).collect();
    match lines.is_empty() {
        true => lines,
        false => lines + AFTER_REFEREE_ERROR,
    }
}

fn end(ended: &RunOutcome, screen: Screen) -> Result<Status, Failure> {
    match ended {
        RunOutcome::Complete => Ok(Status::Done),
        RunOutcome::BudgetUsedUp => {
            screen.error("the budget is used up; run the same command to continue\n");
            Ok(Status::BudgetUsedUp)
        }
        RunOutcome::Interrupted => {
            screen.error("interrupted; run the same command to continue\n");
            Ok(Status::Interrupted)
        }
        RunOutcome::MachineFailed(reason) => Err(Failure::new(Status::Machine, reason.clone())
            .hint("every finished bout is kept; run the same command to continue")),
    }
}
