//! The builds that bots have played with, counted from bouts and history.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::LazyLock;

use sqlx::sqlite::SqliteRow;

use super::bounds::MOST_COUNTED;
use super::row::Reader;
use super::{Store, StoreError, StoredBout, columns};
use joust_model::{BotVersion, BuildHash, VersionDay};

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// The builds of an event's bots with their bouts of each day, whether or not these count.
static PLAYED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT bot, build, min(started_at) AS first_at, max(started_at) AS last_at, \
         count(*) AS bouts, sum(counts) AS standing, sum(rank = 1 AND winners = 1) AS won, \
         sum(rank = 1 AND winners > 1) AS drawn, sum(rank <> 1) AS lost, sum(faults) AS faults \
         FROM (SELECT bot, build, rank, {} AS faults, started_at, counts, \
         (SELECT count(*) FROM seats AS first WHERE first.bout = number AND first.rank = 1) AS winners \
         FROM bouts JOIN seats ON seats.bout = number WHERE event = ?) \
         GROUP BY bot, build, started_at / {DAY}",
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
        let mut versions = Versions::new();
        for played in self.all_rows(sqlx::query(PLAYED.as_str()).bind(event), read).await? {
            add(&mut versions, played);
        }
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
    let build = BuildHash(reader.hash("build")?);
    let played = VersionDay {
        at: reader.timestamp("first_at")?,
        bouts: reader.number("bouts")?,
        won: reader.number("won")?,
        drawn: reader.number("drawn")?,
    };
    Ok(BotVersion {
        last_at: reader.timestamp("last_at")?,
        standing: reader.number("standing")?,
        lost: reader.number("lost")?,
        faults: reader.bounded("faults", MOST_COUNTED)?.unsigned_abs(),
        ..of_day(reader.get("bot")?, build, played)
    })
}

/// Returns a version with its bouts of one day; the first bout began at `played.at`.
fn of_day(bot: &str, build: BuildHash, played: VersionDay) -> BotVersion {
    let VersionDay { at, bouts, won, drawn } = played;
    BotVersion {
        bot: bot.to_owned(),
        build,
        language: String::new(),
        toolchain: String::new(),
        log_head: String::new(),
        first_at: at,
        last_at: at,
        bouts,
        standing: 0,
        won,
        drawn,
        lost: bouts - won - drawn,
        faults: 0,
        days: vec![VersionDay { at: at - at.rem_euclid(DAY), ..played }],
    }
}

/// Adds bouts of a day.
fn add(versions: &mut Versions, played: BotVersion) {
    let version = match versions.entry((played.bot.clone(), played.build)) {
        Entry::Vacant(place) => {
            place.insert(played);
            return;
        }
        Entry::Occupied(place) => place.into_mut(),
    };
    version.first_at = version.first_at.min(played.first_at);
    version.last_at = version.last_at.max(played.last_at);
    version.bouts += played.bouts;
    version.standing += played.standing;
    version.won += played.won;
    version.drawn += played.drawn;
    version.lost += played.lost;
    version.faults += played.faults;
    for day in played.days {
        match version.days.binary_search_by_key(&day.at, |known| known.at) {
            Err(place) => version.days.insert(place, day),
            Ok(place) => {
                let known = &mut version.days[place];
                known.bouts += day.bouts;
                known.won += day.won;
                known.drawn += day.drawn;
            }
        }
    }
}

/// Counts a bout of the history, which does not count for the standings.
fn count_former(versions: &mut Versions, former: &StoredBout) {
    let (seats, at) = (&former.result.seats, former.result.started_at);
    let winners = seats.iter().filter(|seat| seat.rank == 1).count();
    for seat in seats {
        let (won, drawn) = (seat.rank == 1 && winners == 1, seat.rank == 1 && winners > 1);
        let played = VersionDay { at, bouts: 1, won: won.into(), drawn: drawn.into() };
        let faults = u64::from(seat.verdicts.faults());
        add(versions, BotVersion { faults, ..of_day(&seat.bot, seat.occupant.identity(), played) });
    }
}
