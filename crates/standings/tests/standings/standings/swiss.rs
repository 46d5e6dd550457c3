//! Standings of Swiss events with an odd field, in which some bots have a match more.

use joust_model::{BoutSummary, EventInfo, RoundState, ScheduleKind, TieBreak, digest_number};
use joust_standings::schedule::{Rounds, SeatFinish};
use joust_standings::standings::{Standings, table};

use super::fixtures::{bout, event};

const BOTS: [&str; 9] = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"];

/// Plays a Swiss event in which the larger number wins both bouts of each match.
fn play(bots: &[&'static str], rounds: u32, seed: u64) -> Standings {
    let draw_seed = digest_number("joust-selection-1", &[&seed.to_le_bytes(), b"num"]);
    let mut info = event(bots, 2);
    info.settings.schedule = ScheduleKind::Swiss { rounds };
    info.settings.draw_seed = draw_seed;
    info.settings.tie_breaks = TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT);
    let bouts = bouts(&info, bots);
    table(&info, &bouts, &info.settings.tie_breaks)
}

fn bouts(info: &EventInfo, bots: &[&'static str]) -> Vec<BoutSummary> {
    let settings = &info.settings;
    let mut rounds = Rounds::new(&settings.schedule, bots, 2, settings.draw_seed).expect("rounds");
    let (mut bouts, mut round) = (Vec::new(), 0);
    while let Some(groups) = rounds.next_round() {
        for (group, match_number) in groups.iter().zip(RoundState::first_match(round)..) {
            let [weak, strong] = [group[0], group[1]];
            for number in 0..2 {
                let mut played = bout([bots[strong], bots[weak]], [1, 2], number);
                played.match_number = match_number;
                bouts.push(played);
                let finish = |bot, rank| SeatFinish { bot, rank };
                rounds.add_results([vec![finish(strong, 1), finish(weak, 2)]]);
            }
        }
        round += 1;
    }
    bouts
}

fn rank(standings: &Standings, bot: &str) -> u32 {
    let row = standings.rows.iter().find(|row| row.bot.name == bot);
    row.and_then(|row| row.rank).expect("it plays")
}

#[test]
fn the_strongest_of_seven_is_first_whoever_has_a_match_more() {
    for seed in [14, 21, 34, 43, 58] {
        let standings = play(&BOTS[..7], 2, seed);
        assert_eq!(
            rank(&standings, "s7"),
            1,
            "seed {seed}: {:?}",
            standings
                .playing()
                .iter()
                .map(|row| (&row.bot.name, row.matches, row.rank))
                .collect::<Vec<_>>()
        );
    }
    let standings = play(&BOTS[..7], 2, 14);
    let matches = |bot: &str| {
        let row = standings.rows.iter().find(|row| row.bot.name == bot).expect("it plays");
        (row.matches.won, row.matches.lost)
    };
    assert_eq!([matches("s7"), matches("s6"), matches("s4")], [(2, 0), (3, 0), (2, 1)]);
    assert!(rank(&standings, "s4") > rank(&standings, "s6"));
}

#[test]
fn a_bot_that_lost_nothing_is_never_behind_one_that_lost_a_match() {
    for (bots, seed) in [3, 5, 7, 9].into_iter().flat_map(|it| (0..200).map(move |seed| (it, seed)))
    {
        for rounds in 1..=4 {
            let standings = play(&BOTS[..bots], rounds, seed);
            let of = |is_unbeaten: bool| {
                let rows = standings.playing().iter();
                rows.filter(move |row| (row.matches.lost == 0) == is_unbeaten).map(|row| row.rank)
            };
            assert!(of(true).max() < of(false).min(), "{bots} bots, {rounds} rounds, seed {seed}");
        }
    }
}
