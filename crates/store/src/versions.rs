//! The builds that bots have played with, counted from bouts and history.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::bout_scan::{ColumnLists, Text};
use super::row::Reader;
use super::{Store, StoreError, StoredBout, columns};
use joust_model::{BotVersion, BuildHash};

/// The bouts of an event, whether or not they count.
const BOUTS: &str = "SELECT json_group_array(number) AS number, \
    json_group_array(started_at) AS started_at, json_group_array(counts) AS counts \
    FROM bouts WHERE number BETWEEN ?1 AND ?2 AND +event = ?3";

/// The seats of all bouts, with the number of verdicts that were not `ok`.
static SEATS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT json_group_array(bout) AS bout, json_group_array(bot) AS bot, \
         json_group_array(hex(build)) AS build, json_group_array(rank) AS rank, \
         json_group_array({}) AS faults \
         FROM seats WHERE bout BETWEEN ?1 AND ?2 AND ?3 IS NOT NULL",
        columns::faults(),
    )
});

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
        let mut sweep = self.scan_bouts().await?;
        while let Some(rows) = sweep.next().await? {
            let bouts = sweep.read("bouts", BOUTS, (rows, event)).await?;
            if !bouts.is_empty("number")? {
                let seats = sweep.read("seats", &SEATS, (rows, event)).await?;
                versions.add_page(&bouts, &seats)?;
            }
        }
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

/// A bout and its seats.
#[derive(Default)]
struct OpenBout {
    started_at: i64,
    counts: bool,
    seats: Vec<VersionSeat>,
}

struct VersionSeat {
    bot: String,
    build: BuildHash,
    rank: u8,
    faults: u32,
}

/// Returns the seats of bouts by the bouts' rows.
fn read_seats(seats: &ColumnLists) -> Result<HashMap<i64, Vec<VersionSeat>>, StoreError> {
    let bouts: Vec<i64> = seats.list("bout")?;
    let names: Vec<Text<'_>> = seats.list("bot")?;
    let builds: Vec<BuildHash> = seats.hashes("build", &bouts)?;
    let ranks: Vec<i64> = seats.list("rank")?;
    let faults: Vec<i64> = seats.list("faults")?;
    let mut found: HashMap<i64, Vec<VersionSeat>> = HashMap::new();
    for (index, bout) in bouts.into_iter().enumerate() {
        found.entry(bout).or_default().push(VersionSeat {
            bot: names[index].0.clone().into_owned(),
            build: builds[index],
            rank: seats.number("rank", (bout, ranks[index]))?,
            faults: seats.number("faults", (bout, faults[index]))?,
        });
    }
    Ok(found)
}

impl From<StoredBout> for OpenBout {
    fn from(former: StoredBout) -> Self {
        let seats = former.result.seats.into_iter().map(|seat| VersionSeat {
            faults: seat.verdicts.faults(),
            bot: seat.bot,
            build: seat.occupant.identity(),
            rank: seat.rank,
        });
        Self { started_at: former.result.started_at, counts: false, seats: seats.collect() }
    }
}

#[derive(Default)]
struct Versions(BTreeMap<(String, BuildHash), BotVersion>);

impl Versions {
    fn add_page(&mut self, bouts: &ColumnLists, seats: &ColumnLists) -> Result<(), StoreError> {
        let mut seats = read_seats(seats)?;
        let numbers: Vec<i64> = bouts.list("number")?;
        let started: Vec<i64> = bouts.list("started_at")?;
        let counts: Vec<i64> = bouts.list("counts")?;
        for (number, (started_at, counts)) in numbers.iter().zip(started.into_iter().zip(counts)) {
            let seats = seats.remove(number).unwrap_or_default();
            self.add(&OpenBout { started_at, counts: counts != 0, seats });
        }
        Ok(())
    }

    fn add(&mut self, bout: &OpenBout) {
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

fn empty(seat: &VersionSeat, at: i64) -> BotVersion {
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
