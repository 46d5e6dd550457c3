//! Changes between two tables of one event.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::table::{Standings, StandingsRow};
use super::tally::PairRecord;
use super::value::Quarters;

/// Rank and points of a bot in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TableRank {
    /// 1 is best.
    pub rank: u32,
    /// Its points.
    pub points: Quarters,
}

/// A bot that is in at least one of two tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BotMovement {
    /// Its name; in the later table, where it is in both.
    pub bot: String,
    /// Standing in the earlier table; `None` when it did not play.
    pub before: Option<TableRank>,
    /// Standing in the later table; `None` when it does not play.
    pub after: Option<TableRank>,
}

/// Two bots whose bouts against each other ended otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PairingChange {
    /// The better placed in the later table.
    pub bot: String,
    /// The other one.
    pub opponent: String,
    /// Results of the first against the other in the earlier table; `None` when they had not met.
    pub before: Option<PairRecord>,
    /// Results in the later table.
    pub after: PairRecord,
}

/// Changes between two tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TableChanges {
    /// Every bot that plays or played: first those of the later table, in its order.
    pub bots: Vec<BotMovement>,
    /// Pairings that changed, in the order of the later table.
    pub pairings: Vec<PairingChange>,
}

/// Compares two tables of one event. `renamed` has the earlier name of bots that
/// are called otherwise now.
pub fn compare_tables(
    before: Option<&Standings>,
    after: &Standings,
    renamed: &BTreeMap<String, String>,
) -> TableChanges {
    let earlier = EarlierTable::new(before, renamed);
    let mut bots: Vec<BotMovement> = after
        .playing()
        .iter()
        .map(|row| BotMovement {
            bot: row.bot.name.clone(),
            before: earlier.row(&row.bot.name).and_then(|(_, row)| rank_in_table(row)),
            after: rank_in_table(row),
        })
        .collect();
    bots.extend(earlier.removed_bots(after));
    TableChanges { bots, pairings: pairings(&earlier, after) }
}

fn rank_in_table(row: &StandingsRow) -> Option<TableRank> {
    Some(TableRank { rank: row.rank?, points: row.points })
}

/// The earlier table, asked by the later names.
struct EarlierTable<'a> {
    table: Option<&'a Standings>,
    renamed: &'a BTreeMap<String, String>,
    places: BTreeMap<&'a str, usize>,
}

impl<'a> EarlierTable<'a> {
    fn new(table: Option<&'a Standings>, renamed: &'a BTreeMap<String, String>) -> Self {
        let rows = table.map(Standings::playing).unwrap_or_default().iter();
        let places = rows.zip(0..).map(|(row, place)| (row.bot.name.as_str(), place)).collect();
        Self { table, renamed, places }
    }

    fn name<'b>(&'b self, name: &'b str) -> &'b str {
        self.renamed.get(name).map_or(name, String::as_str)
    }

    fn row(&self, name: &str) -> Option<(usize, &'a StandingsRow)> {
        let place = *self.places.get(self.name(name))?;
        Some((place, self.table?.playing().get(place)?))
    }

    /// Returns the places behind `place` whose bots it met, in either table.
    fn opponents(&self, after: &Standings, place: usize) -> BTreeSet<usize> {
        let now = after.cross.met(place).map(|met| met.opponent);
        let own = self.row(&after.playing()[place].bot.name).map(|(own, _)| own);
        let met = own.zip(self.table).map(|(own, table)| table.cross.met(own));
        let met: BTreeSet<usize> = met.into_iter().flatten().map(|met| met.opponent).collect();
        let before = after.playing().iter().enumerate().skip(place + 1).filter(|(_, row)| {
            !met.is_empty() && self.row(&row.bot.name).is_some_and(|(it, _)| met.contains(&it))
        });
        now.filter(|other| *other > place).chain(before.map(|(other, _)| other)).collect()
    }

    /// Returns the bots that played and do not any more.
    fn removed_bots(&self, after: &Standings) -> Vec<BotMovement> {
        let stayed: Vec<&str> =
            after.playing().iter().map(|row| self.name(&row.bot.name)).collect();
        let rows = self.table.map(Standings::playing).unwrap_or_default().iter();
        let removed_bots = rows.filter(|row| !stayed.contains(&row.bot.name.as_str()));
        removed_bots
            .map(|row| BotMovement {
                bot: row.bot.name.clone(),
                before: rank_in_table(row),
                after: None,
            })
            .collect()
    }

    fn cell(&self, bot: &str, opponent: &str) -> Option<PairRecord> {
        let (own, _) = self.row(bot)?;
        let (other, _) = self.row(opponent)?;
        self.table.map(|table| table.cross.cell(own, other))
    }
}

fn pairings(earlier: &EarlierTable<'_>, after: &Standings) -> Vec<PairingChange> {
    let rows = after.playing();
    let mut changed = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        for other in earlier.opponents(after, place) {
            let now = after.cross.cell(place, other);
            let (bot, opponent) = (row.bot.name.clone(), rows[other].bot.name.clone());
            let before = earlier.cell(&bot, &opponent);
            if results(before.unwrap_or_default()) != results(now) {
                changed.push(PairingChange { bot, opponent, before, after: now });
            }
        }
    }
    changed
}

fn results(cell: PairRecord) -> [u32; 3] {
    [cell.won, cell.drawn, cell.lost]
}
