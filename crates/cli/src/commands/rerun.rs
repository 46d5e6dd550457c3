//! `joust rerun`: play a disputed bout again and compare it action by action.

use std::sync::Arc;

use joust_orchestrator::clock::{Clock, SystemClock};
use joust_orchestrator::dispute::{Comparison, compare};
use joust_orchestrator::executor::bout::{Manner, play_plan};
use joust_orchestrator::executor::{Cores, available};
use joust_orchestrator::model::StoredBout;
use joust_orchestrator::play::{Silent, cores_needed};
use joust_orchestrator::store::{Access, Store};
use serde_json::json;

use super::bout::{headline, summary};
use super::{run, shared};
use crate::args::{RerunArgs, TextFormat};
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) async fn execute(args: RerunArgs, screen: Screen) -> Result<Status, Failure> {
    let access = if args.amend { Access::MustExist } else { Access::ReadOnly };
    let store = shared::store(&args.source, access, screen).await?;
    let recorded = shared::bout(&store, &args.bout).await?;
    let now = play_again(&args, &recorded, screen)?;
    let comparison = compare(&recorded, &now)
        .map_err(|error| Failure::from_error(Status::NotInOrder, &error))?;
    report(&args, &recorded, &now, &comparison, screen);
    if let Some(reason) = &args.reason {
        amend(&store, &now, reason).await?;
        screen.message(&format!(
            "bout {} is amended; the old result is kept beside the new one",
            now.plan.bout
        ));
    }
    Ok(if comparison.is_reproduced() { Status::Done } else { Status::NotInOrder })
}

fn play_again(
    args: &RerunArgs,
    recorded: &StoredBout,
    screen: Screen,
) -> Result<StoredBout, Failure> {
    let file = args.source.file.file.exists().then_some(args.source.file.file.as_path());
    let tournament = shared::tournament_or_default(file, screen)?;
    let (workshop, cancel) = run::workshop(&tournament, run::isolation(args.allow_unsafe), screen)?;
    let plan = &recorded.plan;
    let mut builds = Vec::new();
    for seat in &plan.seats {
        let build = workshop.stored_build(seat.build).ok_or_else(|| {
            let message = format!("the build {} of `{}` is gone", seat.build, seat.bot);
            Failure::new(Status::Usage, message)
                .hint("a rerun uses the stored builds; `joust verify` judges the bout without them")
        })?;
        builds.push(Arc::new(build));
    }
    let calibrations = recorded.result.seats.iter().map(|seat| seat.calibration.clone());
    let equipment = workshop.equip(builds, calibrations, cancel);
    let cores = Cores::new(available());
    let loan = cores
        .take(
            cores_needed(plan, cores.total())
                .map_err(|error| Failure::from_error(Status::Usage, &error))?,
        )
        .map_err(|error| Failure::from_error(Status::Machine, &error))?;
    let manner = Manner {
        cores: loan.numbers(),
        limiting: joust_orchestrator::channel::Limiting::Configured,
        watcher: &mut Silent,
        oversubscribed: false,
        recorded: Some(&recorded.result.action_log),
    };
    let result =
        play_plan(&equipment, plan, manner).map_err(|error| super::play::failure(&error.into()))?;
    Ok(StoredBout { plan: plan.clone(), result })
}

fn report(
    args: &RerunArgs,
    recorded: &StoredBout,
    now: &StoredBout,
    comparison: &Comparison,
    screen: Screen,
) {
    let divergence = comparison.divergence.as_ref().map(ToString::to_string);
    match args.format {
        TextFormat::Json => {
            let object = json!({
                "bout": recorded.plan.bout.to_string(),
                "reproduced": comparison.is_reproduced(),
                "same_turns": comparison.same_turns,
                "same_result": comparison.same_result,
                "divergence": comparison.divergence.as_ref().map(|found| json!({
                    "round": found.round, "seat": found.seat, "bot": found.bot,
                    "recorded": found.recorded, "now": found.now, "why": found.why,
                })),
                "recorded_state_hash": recorded.result.state_hash,
                "state_hash": now.result.state_hash,
            });
            screen.result(&format!("{object:#}\n"));
        }
        TextFormat::Text => {
            screen.result(&headline(recorded));
            screen.result(&format!("recorded: {}", summary(recorded)));
            screen.result(&format!("now:      {}", summary(now)));
            let turns = comparison.same_turns;
            screen.result(&match divergence {
                None => format!("reproduced: all {turns} turns are the same\n"),
                Some(text) => {
                    format!("not reproducible: {turns} turns are the same, then {text}\n")
                }
            });
        }
    }
}

async fn amend(store: &Store, now: &StoredBout, reason: &str) -> Result<(), Failure> {
    store
        .amend(&now.result, reason, SystemClock.now())
        .await
        .map_err(|error| shared::database(&error))
}
