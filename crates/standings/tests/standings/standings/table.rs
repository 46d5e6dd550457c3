//! Matches, bouts and who is listed where.

use std::sync::Arc;

use joust_model::{Decision, EventInfo, Reason, RoundState, ScheduleKind, TieBreak, Verdict};
use joust_standings::standings::{
    PairRecord, Quarters, Record, Standings, StandingsRow, Status, table,
};

use super::fixtures::{bout, decide, event};

fn names(standings: &Standings) -> Vec<(&str, Option<u32>)> {
    standings.rows.iter().map(|row| (row.bot.name.as_str(), row.rank)).collect()
}

fn row<'a>(standings: &'a Standings, name: &str) -> &'a StandingsRow {
    standings.rows.iter().find(|row| row.bot.name == name).expect("a row for every bot")
}

/// Three bots, two bouts a match: anna beats bert twice, bert and cleo win one
/// each, and of anna's match against cleo one bout is missing.
fn league() -> (EventInfo, Standings) {
    let event = event(&["cleo", "bert", "anna"], 2);
    let bouts = [
        bout(["anna", "bert"], [1, 2], 0),
        bout(["bert", "anna"], [2, 1], 1),
        bout(["bert", "cleo"], [1, 2], 0),
        bout(["cleo", "bert"], [1, 2], 1),
        bout(["anna", "cleo"], [1, 2], 0),
    ];
    let standings =
        table(&event, &bouts, &TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT));
    (event, standings)
}

#[test]
fn more_bout_wins_take_the_match() {
    let (_, standings) = league();
    let anna = row(&standings, "anna");
    assert_eq!(anna.matches, Record { won: 1, drawn: 0, lost: 0, unfinished: 1 });
    assert_eq!(anna.bouts, Record { won: 3, drawn: 0, lost: 0, unfinished: 0 });
    let bert = row(&standings, "bert");
    assert_eq!(bert.matches, Record { won: 0, drawn: 1, lost: 1, unfinished: 0 });
}

#[test]
fn an_unfinished_match_is_marked_and_not_counted() {
    let (_, standings) = league();
    assert_eq!(names(&standings), [("anna", Some(1)), ("bert", Some(2)), ("cleo", Some(2))]);
    let cell = PairRecord { won: 1, drawn: 0, lost: 0, unfinished: true };
    assert_eq!(standings.cross.cell(0, 2), cell);
    assert!(!standings.cross.cell(0, 0).unfinished);
    assert_eq!((standings.bouts, standings.expected), (5, Some(6)));
}

#[test]
fn a_criterion_decides_where_it_parts_bots_that_are_level() {
    let event = event(&["anna", "bert", "cleo"], 1);
    let ranking = TieBreak::ranking(TieBreak::Points, &[TieBreak::HeadToHead, TieBreak::Score]);
    let won = [bout(["anna", "bert"], [1, 2], 0), bout(["bert", "cleo"], [1, 2], 0)];
    let decided = |bouts: &[_]| {
        let standings = table(&event, bouts, &ranking);
        [0, 1, 2].map(|place| standings.decided(place))
    };
    // anna and bert have a point each, and anna has beaten bert.
    assert_eq!(decided(&won), [true, true, false]);
    assert_eq!(decided(&won[..1]), [true, false, true]);
    assert_eq!(decided(&[]), [false, false, false]);
}

#[test]
fn rounds_are_told_with_the_bouts_up_to_the_open_one() {
    let mut event = event(&["cleo", "bert", "anna", "dora"], 2);
    event.settings.schedule = ScheduleKind::Swiss { rounds: 3 };
    let (mut bouts, mut number) = (Vec::new(), RoundState::first_match(0));
    for pair in [["anna", "bert"], ["cleo", "dora"]] {
        for one in [0, 1] {
            let mut bout = bout(pair, [1, 2], one);
            bout.match_number = number;
            bouts.push(bout);
        }
        number += 1;
    }
    let shown = |bouts: &[_]| {
        let standings =
            table(&event, bouts, &TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT));
        (standings.rounds.map(|rounds| (rounds.open, rounds.is_over)), standings.expected)
    };
    assert_eq!(shown(&[]), (Some((1, false)), Some(4)));
    assert_eq!(shown(&bouts[..3]), (Some((1, false)), Some(4)));
    assert_eq!(shown(&bouts), (Some((2, false)), Some(8)));
}

#[test]
fn the_cross_table_mirrors_itself() {
    let (_, standings) = league();
    for own in 0..standings.cross.bots() {
        for (other, cell) in standings.cross.line(own, standings.cross.bots()).enumerate() {
            let mirrored = standings.cross.cell(other, own);
            assert_eq!(
                (cell.won, cell.drawn, cell.lost),
                (mirrored.lost, mirrored.drawn, mirrored.won)
            );
        }
    }
}

#[test]
fn bots_that_nothing_separates_share_their_rank_and_are_listed_by_name() {
    let event = event(&["d", "c", "b", "a"], 1);
    let bouts = [bout(["d", "b"], [1, 2], 0), bout(["c", "b"], [1, 2], 0)];
    let standings = table(&event, &bouts, &[TieBreak::BoutWins]);
    assert_eq!(names(&standings), [("c", Some(1)), ("d", Some(1)), ("a", Some(3)), ("b", Some(3))]);
}

#[test]
fn bouts_of_bots_that_do_not_play_count_for_nobody() {
    let mut event = event(&["anna", "bert", "cleo", "dora"], 1);
    decide(&mut event, "bert", Decision::Disqualified);
    decide(&mut event, "cleo", Decision::Withdrawn);
    event.bots[3].sits_out = Some(Reason::ours("no compiler"));
    let bouts = [bout(["anna", "bert"], [1, 2], 0), bout(["cleo", "anna"], [1, 2], 0)];
    let standings =
        table(&event, &bouts, &TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT));
    let listed = [("anna", Some(1)), ("dora", None), ("cleo", None), ("bert", None)];
    assert_eq!(names(&standings), listed);
    assert_eq!(row(&standings, "anna").bouts, Record::default());
    let reason = "why".to_owned();
    assert_eq!(row(&standings, "bert").status, Status::Disqualified { reason, at: 1 });
}

#[test]
fn a_restored_bot_plays_as_before() {
    let mut event = event(&["anna", "bert"], 1);
    decide(&mut event, "bert", Decision::Disqualified);
    decide(&mut event, "bert", Decision::Restored);
    let standings = table(
        &event,
        &[bout(["anna", "bert"], [2, 1], 0)],
        &TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT),
    );
    assert_eq!(names(&standings), [("bert", Some(1)), ("anna", Some(2))]);
}

#[test]
fn bouts_of_strangers_do_not_count() {
    let standings = table(&event(&["anna"], 1), &[bout(["anna", "zoe"], [1, 2], 0)], &[]);
    assert_eq!((standings.bouts, names(&standings)), (0, vec![("anna", Some(1))]));
}

#[test]
fn faults_are_added_up_by_verdict_and_the_fewer_the_better() {
    let event = event(&["anna", "bert"], 2);
    let mut faulty = bout(["anna", "bert"], [1, 1], 0);
    Arc::make_mut(&mut faulty.seats[0].verdicts).add(Verdict::Crash);
    Arc::make_mut(&mut faulty.seats[1].verdicts).add(Verdict::Ok);
    let mut again = bout(["anna", "bert"], [1, 1], 1);
    Arc::make_mut(&mut again.seats[0].verdicts).add(Verdict::Crash);
    let standings = table(&event, &[faulty, again], &[TieBreak::FewerFaults]);
    assert_eq!(names(&standings), [("bert", Some(1)), ("anna", Some(2))]);
    assert_eq!(row(&standings, "anna").verdicts.of(Verdict::Crash), 2);
    assert_eq!(row(&standings, "anna").tie_breaks, [Some(Quarters::whole(2).into())]);
}

#[test]
fn with_more_seats_every_opponent_ranked_behind_is_a_point() {
    let mut event = event(&["anna", "bert", "cleo"], 1);
    event.settings.bots_per_match = 3;
    let bouts = [bout(["anna", "bert", "cleo"], [2, 1, 2], 0)];
    let standings = table(&event, &bouts, &[TieBreak::Points]);
    let points = standings.rows.iter().map(|row| row.points).collect::<Vec<_>>();
    assert_eq!(points, [Quarters::whole(2), Quarters::halves(1), Quarters::halves(1)]);
    assert_eq!(row(&standings, "bert").matches.won, 1);
    assert_eq!(row(&standings, "cleo").matches.lost, 1);
}

/// Four bots in matches of three with three bouts, one of them played.
fn threes() -> Standings {
    let mut event = event(&["anna", "bert", "cleo", "dora"], 3);
    event.settings.bots_per_match = 3;
    table(
        &event,
        &[bout(["anna", "bert", "cleo"], [1, 2, 3], 0)],
        &TieBreak::ranking(TieBreak::Points, &TieBreak::DEFAULT),
    )
}

#[test]
fn an_event_of_groups_knows_how_many_bouts_it_has() {
    assert_eq!(threes().expected, Some(12));
}

#[test]
fn a_bout_of_three_is_one_meeting_of_each_pair() {
    let standings = threes();
    assert_eq!(
        standings.cross.cell(0, 2),
        PairRecord { won: 1, drawn: 0, lost: 0, unfinished: true }
    );
    assert_eq!(
        standings.cross.cell(2, 1),
        PairRecord { won: 0, drawn: 0, lost: 1, unfinished: true }
    );
    assert_eq!(
        standings.cross.cell(0, 3),
        PairRecord { unfinished: true, ..PairRecord::default() }
    );
}

#[test]
fn ranks_of_four_give_three_two_one_and_no_points() {
    let mut event = event(&["anna", "bert", "cleo", "dora"], 1);
    event.settings.bots_per_match = 4;
    let bouts = [bout(["dora", "cleo", "bert", "anna"], [4, 3, 2, 1], 0)];
    let standings = table(&event, &bouts, &TieBreak::ranking(TieBreak::Points, &TieBreak::DEFAULT));
    let points = standings.rows.iter().map(|row| row.points).collect::<Vec<_>>();
    assert_eq!(points, [3, 2, 1, 0].map(Quarters::whole));
}

#[test]
fn a_pair_that_the_schedule_leaves_out_is_not_unfinished() {
    let mut event = event(&["anna", "bert", "cleo"], 1);
    event.settings.schedule = ScheduleKind::Gauntlet { bots: vec!["cleo".to_owned()] };
    let standings = table(&event, &[], &TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT));
    assert_eq!(standings.expected, Some(2));
    assert!(!standings.cross.cell(0, 1).unfinished);
}

#[test]
fn an_event_without_bots_has_empty_standings() {
    let standings =
        table(&event(&[], 5), &[], &TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT));
    assert_eq!((standings.rows.len(), standings.expected), (0, Some(0)));
}
