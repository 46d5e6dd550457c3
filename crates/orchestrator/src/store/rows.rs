//! Writing the rows of bouts: each statement takes many of them, because a
//! statement costs more than a row.

use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::bouts::id_number;
use super::chain::Placing;
use super::row::nanos;
use super::{logs, seats};
use crate::model::{BoutPlan, BoutResult, Pace};

/// How many rows a statement takes.
pub(super) const MOST_AT_ONCE: usize = 64;

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
    for rows in numbered.chunks(MOST_AT_ONCE) {
        write_bouts(change, rows).await?;
        seats::write(change, rows).await?;
        logs::write(change, rows).await?;
    }
    Ok(())
}

async fn write_bouts(
    change: &mut SqliteConnection,
    rows: &[Numbered<'_>],
) -> Result<(), sqlx::Error> {
    let mut insert = QueryBuilder::<Sqlite>::new(
        "INSERT INTO bouts (number, id, event, match_number, bout_number, counts, key, game, \
         revision, rules, options, limits, seed, ended, rounds, state_hash, tier, machine, \
         joust_version, contended, oversubscribed, started_at, took_ns, clock, ticks_late, link) ",
    );
    insert.push_values(rows, |mut values, (number, row)| {
        let (plan, result) = (row.plan, row.result);
        values
            .push_bind(*number)
            .push_bind(id_number(plan.bout))
            .push_bind(plan.event.as_str())
            .push_bind(row.placing.match_number)
            .push_bind(plan.number)
            .push_bind(row.placing.counts)
            .push_bind(result.key.0.as_slice())
            .push_bind(plan.game.as_str())
            .push_bind(plan.revision)
            .push_bind(plan.rules.as_str())
            .push_bind(row.options)
            .push_bind(row.limits)
            .push_bind(plan.seed.cast_signed())
            .push_bind(result.ended.as_str())
            .push_bind(result.rounds)
            .push_bind(result.state_hash.as_str())
            .push_bind(result.tier.as_str())
            .push_bind(result.machine.as_str())
            .push_bind(result.joust_version.as_str())
            .push_bind(result.contended)
            .push_bind(result.oversubscribed)
            .push_bind(result.started_at)
            .push_bind(nanos(result.took))
            .push_bind(plan.clock.map(Pace::name))
            .push_bind(result.ticks_late)
            .push_bind(row.link);
    });
    insert.build().execute(change).await.map(drop)
}
