//! Changes between two tables.

use std::collections::BTreeMap;

use joust_model::{BoutSummary, TieBreak};
use joust_standings::standings::{
    PairRecord, Quarters, Standings, TableChanges, TableRank, compare_tables, table,
};

use super::fixtures::{bout, event};

fn standings(bots: &[&str], bouts: &[BoutSummary]) -> Standings {
    table(&event(bots, 1), bouts, &TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT))
}

/// Anna beats bert, bert beats cleo, cleo does not meet anna.
fn before() -> Standings {
    let bouts = [bout(["anna", "bert"], [1, 2], 0), bout(["bert", "cleo"], [1, 2], 0)];
    standings(&["anna", "bert", "cleo"], &bouts)
}

fn none() -> BTreeMap<String, String> {
    BTreeMap::new()
}

fn stood(rank: u32, points: i64) -> Option<TableRank> {
    Some(TableRank { rank, points: Quarters::whole(points) })
}

#[test]
fn the_same_tables_have_nothing_that_moved() {
    let movement = compare_tables(Some(&before()), &before(), &none());
    assert!(movement.bots.iter().all(|bot| bot.before == bot.after), "{movement:?}");
    assert_eq!((movement.bots.len(), movement.pairings.len()), (3, 0));
}

#[test]
fn a_bot_that_loses_its_bout_changes_places_and_the_pairing_is_named() {
    let bouts = [bout(["anna", "bert"], [2, 1], 0), bout(["bert", "cleo"], [1, 2], 0)];
    let after = standings(&["anna", "bert", "cleo"], &bouts);
    let movement = compare_tables(Some(&before()), &after, &none());
    let bert = movement.bots.iter().find(|bot| bot.bot == "bert").unwrap();
    assert_eq!((bert.before, bert.after), (stood(2, 1), stood(1, 2)));
    let [pairing] = movement.pairings.as_slice() else { panic!("{movement:?}") };
    assert_eq!((pairing.bot.as_str(), pairing.opponent.as_str()), ("bert", "anna"));
    let lost = PairRecord { lost: 1, ..PairRecord::default() };
    assert_eq!(
        (pairing.before, pairing.after),
        (Some(lost), PairRecord { won: 1, ..PairRecord::default() })
    );
}

#[test]
fn who_came_and_who_left_stood_on_one_side_only() {
    let after = standings(&["anna", "dora"], &[bout(["anna", "dora"], [2, 1], 0)]);
    let TableChanges { bots, pairings } = compare_tables(Some(&before()), &after, &none());
    let of = |name: &str| bots.iter().find(|bot| bot.bot == name).unwrap();
    assert_eq!((of("dora").before, of("dora").after), (None, stood(1, 1)));
    assert_eq!((of("bert").before, of("bert").after), (stood(2, 1), None));
    assert_eq!(pairings.len(), 1, "no pairing of removed bots is listed: {pairings:?}");
    assert_eq!(pairings[0].before, None);
}

#[test]
fn a_bot_that_is_called_otherwise_stood_where_it_stood() {
    let bouts = [bout(["anna", "bella"], [1, 2], 0), bout(["bella", "cleo"], [1, 2], 0)];
    let after = standings(&["anna", "bella", "cleo"], &bouts);
    let renamed = BTreeMap::from([("bella".to_owned(), "bert".to_owned())]);
    let movement = compare_tables(Some(&before()), &after, &renamed);
    assert_eq!(movement.bots.len(), 3, "{movement:?}");
    assert!(movement.bots.iter().all(|bot| bot.before == bot.after), "{movement:?}");
    assert!(movement.pairings.is_empty(), "{movement:?}");
}

#[test]
fn without_an_earlier_table_everybody_is_new() {
    let movement = compare_tables(None, &before(), &none());
    assert!(movement.bots.iter().all(|bot| bot.before.is_none() && bot.after.is_some()));
    assert_eq!(movement.pairings.len(), 2, "those that met");
}
