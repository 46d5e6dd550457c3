//! `joust rerun`: play a disputed bout again and compare it action by action.

use std::sync::Arc;

use joust_model::cancel::Cancel;
use joust_model::{
    BoutPlan, BoutResult, BoutSummary, Occupant, PlainScore, ProgramLifetime, StoredBout, clock,
    counted, escaped,
};
use joust_orchestrator::dispute::{Agreement, RerunComparison, compare};
use joust_orchestrator::machine::{BuildQuery, BuildSources, FoundBuild, MissingBuild};
use joust_play::executor::bout::{PlayOptions, play_plan};
use joust_play::executor::persistent::play_match;
use joust_play::executor::{self, CoreNeeds, Cores, Equipment, available};
use joust_play::{NullObserver, game_of};
use joust_store::{Access, Change, Store, StoreError};
use serde_json::{Value, json};

use super::bout::{headline, summary};
use super::{find, run, shared};
use crate::args::{RerunArgs, TextFormat};
use crate::error::{Failure, Status};
use crate::output::Screen;

/// A bout and all its reruns.
struct Dispute {
    recorded: StoredBout,
    /// The first rerun, which --amend records, and how it compares.
    first: StoredBout,
    comparison: RerunComparison,
    agreement: Agreement,
    builds: Vec<FoundBuild>,
}

pub(super) async fn execute(args: RerunArgs, screen: Screen) -> Result<Status, Failure> {
    if let Some(folder) = args.builds.as_deref().filter(|folder| !folder.is_dir()) {
        let folder = escaped(&folder.display().to_string());
        return Err(Failure::usage(format!("`{folder}` is no folder of builds"))
            .hint("`joust builds export DIR` makes one"));
    }
    let store = open(&args, screen).await?;
    let settled = run_dispute(&store, &args, screen).await;
    store.close().await;
    settled
}

async fn run_dispute(store: &Store, args: &RerunArgs, screen: Screen) -> Result<Status, Failure> {
    let recorded = find::bout(store, &args.which, screen).await?;
    let wanted = wanted(store, &recorded).await?;
    let earlier = earlier(store, &recorded.plan).await?;
    let dispute = play_again(args, recorded, earlier, &wanted, screen)?;
    match args.output.format {
        TextFormat::Json => screen.result(&format!("{:#}\n", object(&dispute))),
        TextFormat::Text => screen.result(&text(&dispute)),
    }
    note(store, &dispute, screen).await?;
    if args.amend && dispute.builds.iter().any(|build| build.difference.is_some()) {
        let message = "not amended: the rerun used different builds";
        return Err(Failure::new(Status::Failed, message)
            .hint("keep builds with `joust builds export`, and rerun with `--builds`"));
    }
    if let Some(reason) = &args.reason {
        amend(store, &dispute.first, reason).await?;
        screen.message(&format!(
            "bout {} is amended; the old result is kept beside the new one",
            dispute.first.plan.bout
        ));
    }
    Ok(if dispute.agreement.is_complete() { Status::Done } else { Status::Failed })
}

/// Opens the database; one that cannot be written is read when nothing must be.
async fn open(args: &RerunArgs, screen: Screen) -> Result<Store, Failure> {
    let path = shared::database_path(&args.which.source, screen)?;
    match Store::open(&path, Access::MustExist).await {
        Ok(store) => Ok(store),
        Err(StoreError::ReadOnly { .. } | StoreError::Io { .. }) if !args.amend => {
            let store = Store::open(&path, Access::ReadOnly).await;
            store.map_err(Failure::from)
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads the database's data on the bout's builds.
async fn wanted(store: &Store, recorded: &StoredBout) -> Result<Vec<BuildQuery>, Failure> {
    let mut all = Vec::new();
    for seat in &recorded.plan.seats {
        let build = seat.occupant.identity();
        all.push(BuildQuery {
            bot: seat.bot.clone(),
            build,
            row: store.build(&build).await?,
            source: store.source(&build).await?,
        });
    }
    Ok(all)
}

/// Returns the bouts of the same match before one whose bots kept their programs.
async fn earlier(store: &Store, plan: &BoutPlan) -> Result<Vec<BoutPlan>, Failure> {
    if plan.limits.programs == ProgramLifetime::Bout || plan.number == 0 {
        return Ok(Vec::new());
    }
    let (of_match, number) = (plan.match_number, plan.number);
    let is_before = move |it: &BoutSummary| it.match_number == of_match && it.number < number;
    let mut before = store.results_that(&plan.event, is_before).await?;
    before.sort_by_key(|it| it.number);
    let mut plans = Vec::new();
    for bout in &before {
        plans.extend(store.bout(&bout.bout.to_string()).await?.map(|it| it.plan));
    }
    if plans.len() == plan.number as usize {
        return Ok(plans);
    }
    let message = "bouts before it in its match have no result that counts";
    let hint = "its bots keep their programs over the match: `joust run` plays it whole";
    Err(Failure::usage(message).hint(hint))
}

fn play_again(
    args: &RerunArgs,
    recorded: StoredBout,
    earlier: Vec<BoutPlan>,
    wanted: &[BuildQuery],
    screen: Screen,
) -> Result<Dispute, Failure> {
    let file = args.which.source.file.existing();
    let tournament = shared::tournament_or_default(file, screen)?;
    let (machine, cancel) = run::open_machine(&tournament, &args.isolation, screen)?;
    let plan = &recorded.plan;
    let places = BuildSources { tournament: &tournament, plan, exported: args.builds.as_deref() };
    let find =
        |wanted: &BuildQuery| machine.find_build(wanted, &places).map_err(|error| gone(&error));
    let found = wanted.iter().map(find).collect::<Result<Vec<FoundBuild>, Failure>>()?;
    let mut plans = earlier;
    plans.push(recorded.plan.clone());
    for seat in plans.iter_mut().flat_map(|plan| &mut plan.seats) {
        let of_bot = found.iter().find(|rebuilt| rebuilt.bot == seat.bot);
        seat.occupant = of_bot.map_or(seat.occupant, |it| Occupant::Build(it.build.hash));
    }
    let builds: Vec<_> = found.iter().map(|rebuilt| Arc::clone(&rebuilt.build)).collect();
    let calibrations = recorded.result.seats.iter().map(|seat| seat.calibration.clone());
    let equipment = machine.equip(builds, calibrations, cancel.clone());
    let mut agreement = Agreement::default();
    let mut first = None;
    for _ in 0..args.times {
        let now = play_once(&equipment, &plans, &recorded, &cancel)?;
        let comparison = compare(&machine.games, &recorded, &now)
            .map_err(|error| Failure::from_error(Status::Failed, &error))?;
        agreement.add(&recorded, &now, &comparison);
        first.get_or_insert((now, comparison));
    }
    let (first, comparison) = first.expect("it is played at least once");
    Ok(Dispute { recorded, first, comparison, agreement, builds: found })
}

fn gone(error: &MissingBuild) -> Failure {
    Failure::usage(escaped(&error.to_string())).hint(
        "`--builds DIR` takes builds that `joust builds export DIR` kept; `joust verify` judges the \
         bout without them",
    )
}

fn play_once(
    equipment: &Equipment,
    plans: &[BoutPlan],
    recorded: &StoredBout,
    cancel: &Cancel,
) -> Result<StoredBout, Failure> {
    let (plan, earlier) = plans.split_last().expect("the bout itself is among them");
    if cancel.is_cancelled() {
        return Err(Failure::new(Status::Interrupted, "interrupted"));
    }
    let game = game_of(&equipment.games, plan)
        .map_err(|error| Failure::from_error(Status::Usage, &error))?;
    let cores = Cores::new(available());
    let loan = cores
        .take(CoreNeeds::of(plan, game.spec().thinking).on(cores.total()))
        .map_err(|error| Failure::machine(&error))?;
    let mut observer = NullObserver;
    let recorded_log = Some(&*recorded.result.action_log).filter(|log| !log.is_empty());
    let options =
        PlayOptions { recorded: recorded_log, ..PlayOptions::new(loan.numbers(), &mut observer) };
    let played = match earlier {
        [] => play_plan(equipment, plan, options),
        _ => play_last(equipment, plans, options),
    };
    let result = played.map_err(|error| super::play::failure(&error.into()))?;
    Ok(StoredBout { plan: plan.clone(), result })
}

/// Plays a match up to a bout, and returns the result of that bout.
fn play_last(
    equipment: &Equipment,
    plans: &[BoutPlan],
    options: PlayOptions<'_>,
) -> Result<BoutResult, executor::Failure> {
    let mut results = play_match(equipment, &plans.iter().collect::<Vec<_>>(), options)?;
    let none = || executor::Failure::Infrastructure("the match gave no result".to_owned());
    results.pop().ok_or_else(none)
}

fn object(dispute: &Dispute) -> Value {
    let Dispute { recorded, first, comparison, agreement, builds } = dispute;
    let builds = builds.iter().map(|rebuilt| {
        json!({
            "bot": rebuilt.bot, "played": rebuilt.played.to_string(),
            "build": rebuilt.build.hash.to_string(), "origin": rebuilt.origin.to_string(),
            "difference": rebuilt.difference,
        })
    });
    let outcomes = agreement.outcomes.iter().map(|(outcome, times)| {
        let scores: Vec<_> = outcome.scores.iter().copied().map(PlainScore).collect();
        json!({
            "ranks": outcome.ranks, "scores": scores, "ended": outcome.ended,
            "times": times,
        })
    });
    let diverged =
        agreement.diverged.iter().map(|(round, times)| json!({ "round": round, "times": times }));
    let mut object = json!({
        "bout": recorded.plan.bout.to_string(),
        "reproduced": agreement.is_complete(),
        "times": agreement.times,
        "reproduced_times": agreement.same_turns,
        "same_result_times": agreement.same_result,
        "same_ranks_times": agreement.same_ranks,
        "outcomes": outcomes.collect::<Vec<_>>(),
        "diverged": diverged.collect::<Vec<_>>(),
        "recorded_state_hash": recorded.result.state_hash,
        "state_hash": first.result.state_hash,
        "builds": builds.collect::<Vec<_>>(),
    });
    if let (Value::Object(object), Value::Object(compared)) = (&mut object, json!(comparison)) {
        object.extend(compared);
    }
    object
}

fn text(dispute: &Dispute) -> String {
    let Dispute { recorded, first, comparison, agreement, builds } = dispute;
    let mut text = headline(recorded);
    text += &builds.iter().map(build_line).collect::<String>();
    text += &format!("recorded: {}", summary(recorded));
    text += &format!("now:      {}", summary(first));
    text += &verdict(comparison);
    if agreement.times > 1 {
        text += &statistics(agreement);
    }
    text
}

/// Describes the source of a build, and whether it is the one that played.
fn build_line(rebuilt: &FoundBuild) -> String {
    let (bot, origin) = (escaped(&rebuilt.bot), &rebuilt.origin);
    let other = rebuilt.difference.as_ref().map(|text| format!("; {}", escaped(text)));
    format!("build of `{bot}`: {origin}{}\n", other.unwrap_or_default())
}

/// Reports that no turn differs.
fn all_same(turns: u64) -> String {
    match turns {
        1 => "its one turn is the same".to_owned(),
        _ => format!("all {turns} turns are the same"),
    }
}

fn verdict(comparison: &RerunComparison) -> String {
    let turns = comparison.same_turns;
    match &comparison.divergence {
        None if !comparison.has_turns && comparison.same_result => {
            "reproduced: it ended in the same position after as many rounds; its turns were not kept\n"
                .to_owned()
        }
        None if !comparison.has_turns => {
            "not reproducible: it ended otherwise; its turns were not kept\n".to_owned()
        }
        None if !comparison.same_result => {
            let (same, why) = (all_same(turns), comparison.cause.unwrap_or_default());
            format!("not reproducible: {same}, and the result is another one: {why}\n")
        }
        None if !comparison.same_numbers => format!(
            "not reproducible: all turns are the same ({turns}), and the referee counts other numbers\n"
        ),
        None if !comparison.same_end => {
            let (same, why) = (all_same(turns), comparison.cause.unwrap_or_default());
            format!("reproduced: {same}; the state at the end is another one: {why}\n")
        }
        None => format!("reproduced: {}\n", all_same(turns)),
        Some(found) => {
            let is = if turns == 1 { "is" } else { "are" };
            let turns = counted(turns, "turn");
            format!("not reproducible: {turns} {is} the same, then {found}\n")
        }
    }
}

fn statistics(agreement: &Agreement) -> String {
    let Agreement { times, same_turns, same_result, same_ranks, outcomes, diverged } = agreement;
    let mut text = format!(
        "{times} reruns: {same_turns} the same in every turn, {same_result} with the same ranks and \
         scores, {same_ranks} with the same ranks\n"
    );
    for (outcome, count) in outcomes {
        let (ranks, scores) = (list(&outcome.ranks), list(&outcome.scores));
        let times = counted(*count, "time");
        text += &format!("  {times}: {}, ranks {ranks}, scores {scores}\n", outcome.ended);
    }
    for (round, count) in diverged {
        text += &format!("  {} another way from round {round}\n", counted(*count, "time"));
    }
    text
}

fn list<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// Records the result of the reruns in the bout's history, if the database can be written.
async fn note(store: &Store, dispute: &Dispute, screen: Screen) -> Result<(), Failure> {
    let agreement = &dispute.agreement;
    let mut outcome = match agreement.times {
        1 => verdict(&dispute.comparison),
        _ => statistics(agreement),
    };
    let others = dispute.builds.iter().filter(|build| build.difference.is_some());
    outcome += &others.map(build_line).collect::<String>();
    outcome.truncate(outcome.trim_end().len());
    match store.put_change(dispute.recorded.plan.bout, Change::Rerun, &outcome, clock::now()).await
    {
        Ok(()) => Ok(()),
        Err(StoreError::ReadOnly { .. }) => {
            screen.message("the database cannot be written: the rerun is not noted in it");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

async fn amend(store: &Store, now: &StoredBout, reason: &str) -> Result<(), Failure> {
    store.amend(&now.result, reason, clock::now()).await.map_err(Failure::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_referee_that_does_not_repeat_is_named_where_no_answer_differs() {
        let same = RerunComparison {
            same_turns: 1,
            divergence: None,
            same_result: true,
            same_end: true,
            cause: None,
            same_numbers: true,
            has_turns: true,
        };
        assert_eq!(verdict(&same), "reproduced: its one turn is the same\n");
        let cause = Some("the referee does not repeat");
        let result = RerunComparison { same_result: false, cause, ..same.clone() };
        let told = "not reproducible: its one turn is the same, and the result is another one: the \
                    referee does not repeat\n";
        assert_eq!(verdict(&result), told);
        assert!(!result.is_reproduced());
        let end = RerunComparison { same_end: false, same_turns: 3, cause, ..same };
        let told = "reproduced: all 3 turns are the same; the state at the end is another one: the \
                    referee does not repeat\n";
        assert_eq!(verdict(&end), told);
    }
}
