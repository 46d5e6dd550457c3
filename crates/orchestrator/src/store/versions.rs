//! The builds that bots have played with, counted from bouts and history.

use std::collections::BTreeMap;

use sqlx::sqlite::SqliteRow;

use super::row::Reader;
use super::{Store, StoreError, StoredBout, seats};
use crate::model::{BotVersion, BuildHash};

impl Store {
    /// Returns every build that each bot of an event has played with, by bot,
    /// the oldest first.
    ///
    /// Bouts are counted whether or not their results still stand: those that
    /// were replaced or amended come from the history.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn versions(&self, event: &str) -> Result<Vec<BotVersion>, StoreError> {
        let mut versions = Versions::default();
        self.count_bouts(event, &mut versions).await?;
        self.count_history(event, &mut versions).await?;
        let mut versions: Vec<_> = versions.0.into_values().collect();
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

    async fn count_bouts(&self, event: &str, versions: &mut Versions) -> Result<(), StoreError> {
        let query = sqlx::query(
            "SELECT number, started_at, counts, seats.* FROM bouts \
             JOIN seats ON seats.bout = bouts.number WHERE event = ? ORDER BY number, seat",
        );
        let mut bout = Open::default();
        self.each_row(query.bind(event), |row| {
            let reader = Reader::new("bouts", "number", row);
            let number = reader.get("number")?;
            if bout.number != number {
                versions.add(&std::mem::take(&mut bout));
                bout = Open {
                    number,
                    started_at: reader.get("started_at")?,
                    counts: reader.get("counts")?,
                    seats: Vec::new(),
                };
            }
            bout.seats.push(seat(row)?);
            Ok(())
        })
        .await?;
        versions.add(&bout);
        Ok(())
    }

    async fn count_history(&self, event: &str, versions: &mut Versions) -> Result<(), StoreError> {
        let query = sqlx::query(
            "SELECT number, document FROM history WHERE document IS NOT NULL \
             AND json_extract(document, '$.plan.event') = ? ORDER BY number",
        );
        self.each_row(query.bind(event), |row| {
            let former: StoredBout = Reader::new("history", "number", row).json("document")?;
            versions.add(&former.into());
            Ok(())
        })
        .await
    }
}

/// A bout whose seats are being read.
#[derive(Default)]
struct Open {
    number: i64,
    started_at: i64,
    counts: bool,
    seats: Vec<Seat>,
}

struct Seat {
    bot: String,
    build: BuildHash,
    rank: u8,
    faults: u32,
}

fn seat(row: &SqliteRow) -> Result<Seat, StoreError> {
    let reader = Reader::new("seats", "bout", row);
    Ok(Seat {
        bot: reader.get("bot")?,
        build: BuildHash(reader.hash("build")?),
        rank: reader.number("rank")?,
        faults: seats::verdicts(&reader)?.faults(),
    })
}

impl From<StoredBout> for Open {
    fn from(former: StoredBout) -> Self {
        let seats = former.result.seats.into_iter().map(|seat| Seat {
            faults: seat.verdicts.faults(),
            bot: seat.bot,
            build: seat.build,
            rank: seat.rank,
        });
        Self {
            number: 0,
            started_at: former.result.started_at,
            counts: false,
            seats: seats.collect(),
        }
    }
}

#[derive(Default)]
struct Versions(BTreeMap<(String, BuildHash), BotVersion>);

impl Versions {
    fn add(&mut self, bout: &Open) {
        let best = bout.seats.iter().map(|seat| seat.rank).min().unwrap_or(1);
        let first = bout.seats.iter().filter(|seat| seat.rank == best).count();
        for seat in &bout.seats {
            let key = (seat.bot.clone(), seat.build);
            let version = self.0.entry(key).or_insert_with(|| empty(seat, bout.started_at));
            version.first_at = version.first_at.min(bout.started_at);
            version.last_at = version.last_at.max(bout.started_at);
            version.bouts += 1;
            version.standing += u32::from(bout.counts);
            version.faults += u64::from(seat.faults);
            *match seat.rank == best {
                true if first == 1 => &mut version.won,
                true => &mut version.drawn,
                false => &mut version.lost,
            } += 1;
        }
    }
}

fn empty(seat: &Seat, at: i64) -> BotVersion {
    BotVersion {
        bot: seat.bot.clone(),
        build: seat.build,
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
