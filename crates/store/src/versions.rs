//! The builds that bots have played with, counted from bouts and history.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use sqlx::sqlite::SqliteRow;

use super::bounds::MOST_COUNTED;
use super::row::Reader;
use super::{Store, StoreError, StoredBout, columns};
use joust_model::{BotVersion, BuildHash};

/// The builds of an event's bots with their bouts, whether or not these count.
static PLAYED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT bot, build, min(started_at) AS first_at, max(started_at) AS last_at, \
         count(*) AS bouts, sum(counts) AS standing, sum(rank = 1 AND winners = 1) AS won, \
         sum(rank = 1 AND winners > 1) AS drawn, sum(rank <> 1) AS lost, sum(faults) AS faults \
         FROM (SELECT bot, build, rank, {} AS faults, started_at, counts, \
         (SELECT count(*) FROM seats AS first WHERE first.bout = number AND first.rank = 1) AS winners \
         FROM bouts JOIN seats ON seats.bout = number WHERE event = ?) GROUP BY bot, build",
        columns::faults(),
    )
});

/// Versions by bot and build.
type Versions = BTreeMap<(String, BuildHash), BotVersion>;

impl Store {
    /// Returns every build that each bot of an event has played with, grouped by bot, the oldest
    /// first.
    ///
    /// Bouts are counted whether or not their results are current: replaced and amended ones come
    /// from the history.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn versions(&self, event: &str) -> Result<Vec<BotVersion>, StoreError> {
        let played = self.all_rows(sqlx::query(PLAYED.as_str()).bind(event), read).await?;
        let mut versions: Versions =
            played.into_iter().map(|one| ((one.bot.clone(), one.build), one)).collect();
        self.count_history(event, &mut versions).await?;
        let mut versions: Vec<_> = versions.into_values().collect();
        versions.sort_by(|one, other| {
            (&one.bot, one.first_at, one.build).cmp(&(&other.bot, other.first_at, other.build))
        });
        for version in &mut versions {
            if let Some(build) = self.build(&version.build).await? {
                (version.language, version.toolchain) = (build.language, build.toolchain);
                version.log_head = build.log_head;
            }
        }
        Ok(versions)
    }

    async fn count_history(&self, event: &str, versions: &mut Versions) -> Result<(), StoreError> {
        let query = sqlx::query(
            "SELECT number, document FROM history WHERE document IS NOT NULL \
             AND json_extract(document, '$.plan.event') = ? ORDER BY number",
        );
        self.each_row(query.bind(event), |row| {
            let former: StoredBout = Reader::new("history", "number", row).json("document")?;
            count_former(versions, &former);
            Ok(())
        })
        .await
    }
}

fn read(row: &SqliteRow) -> Result<BotVersion, StoreError> {
    let reader = Reader::new("seats", "bot", row);
    Ok(BotVersion {
        last_at: reader.timestamp("last_at")?,
        bouts: reader.number("bouts")?,
        standing: reader.number("standing")?,
        won: reader.number("won")?,
        drawn: reader.number("drawn")?,
        lost: reader.number("lost")?,
        faults: reader.bounded("faults", MOST_COUNTED)?.unsigned_abs(),
        ..unplayed(
            reader.get("bot")?,
            BuildHash(reader.hash("build")?),
            reader.timestamp("first_at")?,
        )
    })
}

/// Returns a version without a bout.
fn unplayed(bot: &str, build: BuildHash, at: i64) -> BotVersion {
    BotVersion {
        bot: bot.to_owned(),
        build,
        language: String::new(),
        toolchain: String::new(),
        log_head: String::new(),
        first_at: at,
        last_at: at,
        bouts: 0,
        standing: 0,
        won: 0,
        drawn: 0,
        lost: 0,
        faults: 0,
    }
}

/// Counts a bout of the history, which does not count for the standings.
fn count_former(versions: &mut Versions, former: &StoredBout) {
    let (seats, at) = (&former.result.seats, former.result.started_at);
    let winners = seats.iter().filter(|seat| seat.rank == 1).count();
    for seat in seats {
        let build = seat.occupant.identity();
        let version = versions.entry((seat.bot.clone(), build));
        let version = version.or_insert_with(|| unplayed(&seat.bot, build, at));
        version.first_at = version.first_at.min(at);
        version.last_at = version.last_at.max(at);
        version.bouts += 1;
        version.faults += u64::from(seat.verdicts.faults());
        *match (seat.rank, winners) {
            (1, 1) => &mut version.won,
            (1, _) => &mut version.drawn,
            _ => &mut version.lost,
        } += 1;
    }
}
