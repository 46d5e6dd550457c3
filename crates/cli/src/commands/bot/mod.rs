//! `joust bot`: what concerns one bot.

use joust_bots::scaffold::{self, Starter};
use joust_model::{Decision, DecisionRow, EventInfo, clock, escaped};
use joust_store::{Access, Store};

use crate::args::{BotCommand, BotNewArgs, DecisionArgs};
use crate::commands::{failures, init, named_bots, shared};
use crate::error::{Failure, Status};
use crate::output::Screen;

mod check;
mod faulty_turn;
mod fetch;
mod samples;
mod turn;

pub(super) async fn execute(command: BotCommand, screen: Screen) -> Result<Status, Failure> {
    match command {
        BotCommand::New(args) => make_starter(&args, screen),
        BotCommand::Check(args) => check::execute(&args, screen),
        BotCommand::Fetch(args) => fetch::execute(&args, screen),
        BotCommand::Turn(args) => turn::execute(args, screen).await,
        BotCommand::Samples(args) => samples::execute(&args, screen),
        BotCommand::Withdraw(args) => record_decision(args, Decision::Withdrawn, screen).await,
        BotCommand::Disqualify(args) => record_decision(args, Decision::Disqualified, screen).await,
        BotCommand::Restore(args) => record_decision(args, Decision::Restored, screen).await,
    }
}

fn make_starter(args: &BotNewArgs, screen: Screen) -> Result<Status, Failure> {
    let shared::FoundGame { game, tournament } = shared::find_game(&args.game, screen)?;
    let author = args.author.clone().or_else(|| std::env::var("USER").ok()).unwrap_or_default();
    let starter = Starter {
        game: game.id(),
        language: &args.language,
        folder: &args.folder,
        author: &author,
    };
    let own = tournament.external.iter().find(|one| one.game.id() == game.id());
    let made = match own {
        Some(own) => scaffold::copy(&own.folder.join("bots"), &starter),
        None => scaffold::make(&starter),
    };
    let files = made.map_err(|error| init::failure(&error))?;
    for file in &files {
        screen.result(&format!("{}\n", file.display()));
    }
    let folder = shared::shell_quoted(&args.folder.display().to_string());
    // What begins with a dash would be taken for an option.
    let place = if folder.starts_with('-') { "./" } else { "" };
    screen.message(&format!(
        "try it: joust bot check {} {place}{folder}",
        shared::shell_quoted(&args.game.game)
    ));
    Ok(Status::Done)
}

/// Records an organiser's decision.
async fn record_decision(
    mut args: DecisionArgs,
    decision: Decision,
    screen: Screen,
) -> Result<Status, Failure> {
    let store = shared::store(&args.source, Access::MustExist, screen).await?;
    let named = named_bots::names(std::slice::from_ref(&args.bot), &args.source.file, screen)?;
    args.bot = named.into_iter().next().expect("one word has one name");
    let decided = decide(&store, &args, decision).await;
    store.close().await;
    let ids = decided?;
    let bot = escaped(&args.bot);
    if ids.is_empty() {
        screen.message(&format!("`{bot}` takes part already; nothing was written"));
    } else {
        screen.message(&format!("`{bot}` is {} in {}", decision.name(), ids.join(", ")));
        if decision == Decision::Restored {
            screen.message("its earlier bouts will count again after the next `joust run`");
        }
    }
    Ok(Status::Done)
}

/// Writes the decision for every event it concerns; returns their ids. Who takes part already is
/// not restored.
async fn decide(
    store: &Store,
    args: &DecisionArgs,
    decision: Decision,
) -> Result<Vec<String>, Failure> {
    let events = shared::events(store).await?;
    let mut concerned = concerned(&events, args)?;
    if decision == Decision::Restored {
        concerned.retain(|event| event.decision(&args.bot).is_some());
    }
    let now = clock::now();
    let row = DecisionRow { bot: args.bot.clone(), decision, reason: args.reason.clone(), at: now };
    for event in &concerned {
        store.decide(&event.settings.id, &row).await?;
    }
    Ok(concerned.iter().map(|event| event.settings.id.clone()).collect())
}

fn concerned<'a>(
    events: &'a [EventInfo],
    args: &DecisionArgs,
) -> Result<Vec<&'a EventInfo>, Failure> {
    let known = events.iter().map(|event| &*event.settings.id).collect::<Vec<_>>();
    shared::check_events(&args.events.event, &known)?;
    let chosen = |event: &&EventInfo| {
        args.events.event.is_empty() || args.events.event.contains(&event.settings.id)
    };
    let has_bot = |event: &&EventInfo| event.bots.iter().any(|bot| bot.name == args.bot);
    let concerned: Vec<_> = events.iter().filter(chosen).filter(has_bot).collect();
    if concerned.is_empty() {
        let mut known: Vec<&str> = events
            .iter()
            .flat_map(|event| event.bots.iter().map(|bot| bot.name.as_str()))
            .collect();
        known.sort_unstable();
        known.dedup();
        let message = format!("there is no bot `{}`", escaped(&args.bot));
        return Err(Failure::usage(message).hint(failures::there_are("bots", &args.bot, &known)));
    }
    Ok(concerned)
}
