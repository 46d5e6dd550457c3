//! `joust bot withdraw`, `disqualify` and `restore`: an organiser's decision.

use joust_model::clock::{Clock, SystemClock};
use joust_model::{Decision, DecisionRow, EventInfo, escaped};
use joust_store::{Access, Store};

use crate::args::DecisionArgs;
use crate::commands::failures;
use crate::commands::shared;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) async fn execute(
    args: DecisionArgs,
    decision: Decision,
    screen: Screen,
) -> Result<Status, Failure> {
    let store = shared::store(&args.source, Access::MustExist, screen).await?;
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
    let now = SystemClock.now();
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
    shared::check_events(&args.event, &known)?;
    let chosen =
        |event: &&EventInfo| args.event.is_empty() || args.event.contains(&event.settings.id);
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
        return Err(Failure::new(Status::Usage, message)
            .hint(failures::there_are("bots", &args.bot, &known)));
    }
    Ok(concerned)
}
