//! Writing the rows of bouts, with their seats and logs.

use sqlx::SqliteConnection;

use super::bouts::id_number;
use super::chain::Placing;
use super::insert::{Insert, Values, execute};
use super::row::nanos;
use super::{logs, seats};
use joust_model::{BoutPlan, BoutResult, Pace};

/// Whether a result is part of its event as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counting {
    Counts,
    Stale,
}

/// A bout to be written.
pub(super) struct Row<'a> {
    pub(super) plan: &'a BoutPlan,
    pub(super) result: &'a BoutResult,
    pub(super) placing: Placing,
    /// The link of the chain that tells of the result.
    pub(super) link: i64,
    /// The documents, by their numbers.
    pub(super) options: i64,
    pub(super) limits: i64,
    pub(super) calibrations: Vec<i64>,
}

/// A bout to be written, and the number of its row.
pub(super) type Numbered<'a> = (i64, &'a Row<'a>);

/// Writes bouts that are not there, with their seats and logs.
pub(super) async fn write(
    change: &mut SqliteConnection,
    rows: &[Row<'_>],
) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let last: i64 = sqlx::query_scalar("SELECT coalesce(max(number), 0) FROM bouts")
        .fetch_one(&mut *change)
        .await?;
    let first = last.saturating_add(1);
    let numbered = rows.iter().zip(0..).map(|(row, place)| (first.saturating_add(place), row));
    let numbered: Vec<Numbered<'_>> = numbered.collect();
    let seats = seats::of_bouts(&numbered);
    let statements = BOUTS.rows(&numbered, push);
    let statements = statements.chain(seats::insert(&seats)).chain(logs::insert(&numbered));
    execute(change, statements).await
}

const BOUTS: Insert = Insert(
    "bouts (number, id, event, match_number, bout_number, counts, key, game, revision, rules, \
     options, limits, seed, ended, rounds, state_hash, tier, machine, joust_version, contended, \
     oversubscribed, started_at, took_ns, clock, ticks_late, link)",
);

fn push(values: &mut Values, (number, row): &Numbered<'_>) {
    let (plan, result) = (row.plan, row.result);
    values
        .number(*number)
        .number(id_number(plan.bout))
        .shared(&plan.event)
        .number(row.placing.match_number)
        .number(plan.number)
        .number(row.placing.counts)
        .bytes(&result.key.0)
        .shared(&plan.game)
        .number(plan.revision)
        .shared(&plan.rules)
        .number(row.options)
        .number(row.limits)
        .number(plan.seed.cast_signed())
        .shared(&result.ended)
        .number(result.rounds)
        .text(&result.state_hash)
        .shared(&result.tier)
        .shared(&result.machine)
        .shared(&result.joust_version)
        .number(result.contended)
        .number(result.oversubscribed)
        .number(result.started_at)
        .number(nanos(result.took))
        .optional_text(plan.clock.map(Pace::name))
        .number(result.ticks_late)
        .number(row.link);
}
