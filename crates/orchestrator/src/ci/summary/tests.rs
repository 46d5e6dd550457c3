//! A summary with everything in it, as people read it.

use std::path::PathBuf;
use std::sync::Arc;

use joust_model::{BotRow, BoutId, BoutSummary, EventInfo, Round, SeatSummary, Seed, Verdict};
use joust_report::PairBouts;
use joust_standings::event_results::EventResults;
use joust_standings::standings::{BotMovement, PairRecord, PairingChange, TableChanges, TableRank};

use super::super::report::{
    BotFiles, BotReport, BotState, BotTrial, BoutAgainst, BuildFault, EventChangeReport,
    EventTable, FileProblem, LastFault, PlannedBouts, RatingInterval, RatingMoved, RebuiltBot,
    Refusal, ReplayFile, TurnTiming,
};
use super::*;
use crate::candidate::{GateReport, TestAnswer, TestState};
use crate::ci::ChangeKind;

/// Name that tries to be mark-up.
const HOSTILE: &str = "e|v`e*<b>@joust\n# [x](y)";

fn bout(number: u32, ranks: [(&str, u8); 2]) -> BoutSummary {
    let seat = |(bot, rank): (&str, u8)| SeatSummary {
        bot: Arc::from(bot),
        rank,
        score: i64::from(10 - rank).into(),
        verdicts: Arc::default(),
    };
    BoutSummary {
        bout: BoutId::of("cup", &[&number.to_le_bytes()]),
        match_number: u64::from(number),
        number: 0,
        seed: Seed(u64::from(number)),
        rounds: 1,
        is_isolated: true,
        seats: ranks.map(seat).to_vec(),
    }
}

fn table() -> EventTable {
    let row = |name: &str| BotRow {
        name: name.to_owned(),
        build: Some(joust_model::BuildHash::of("test", &[name.as_bytes()])),
        ..BotRow::default()
    };
    let event = EventInfo {
        settings: joust_testkit::fixtures::event("league"),
        bots: ["ann", "bob", HOSTILE].map(row).to_vec(),
        decisions: Vec::new(),
        referee_errors: 0,
    };
    let mut gathered = EventResults::of(&event, None);
    for (number, ranks) in
        [[("ann", 1), ("bob", 2)], [(HOSTILE, 2), ("ann", 1)], [("bob", 1), (HOSTILE, 1)]]
            .into_iter()
            .enumerate()
    {
        gathered.add(&bout(u32::try_from(number).unwrap(), ranks));
    }
    let (standings, ratings) = gathered.into_board(&event);
    let bouts = PairBouts::of(&standings);
    EventTable { standings, ratings, bouts }
}

fn bot(name: &str, change: ChangeKind) -> BotReport {
    BotReport {
        bot: name.to_owned(),
        change,
        author: None,
        language: Some("bash".to_owned()),
        path: Some(PathBuf::from("bots").join(name)),
        not_built: None,
        trial: None,
        state: BotState::Fine,
    }
}

fn trial(name: &str) -> BotTrial {
    let mut trial = BotTrial { bouts: 3, turns: 40, faults_percent: 7.5, ..BotTrial::default() };
    (0..37).for_each(|_| trial.verdicts.add(Verdict::Ok));
    (0..3).for_each(|_| trial.verdicts.add(Verdict::Timeout));
    trial.last_fault = Some(LastFault {
        bout: "0123456789abcdef".to_owned(),
        round: Round(6),
        verdict: "timeout",
        reason: format!("too late for `{name}`"),
        stderr: vec!["```".to_owned(), "<script>".to_owned()],
    });
    let met = |bout: usize| BoutAgainst {
        bout: format!("{bout:016x}"),
        opponents: vec!["ann".to_owned(), HOSTILE.to_owned()],
    };
    trial.won = vec![met(99)];
    trial.lost = (0..12).map(met).collect();
    trial.replays = vec![ReplayFile {
        bout: format!("{:016x}", 1),
        name: "bout-00000000.html".to_owned(),
        page: String::new(),
    }];
    trial.timing = TurnTiming {
        median_ms: 5.0,
        slowest_ms: 512.3,
        limit_ms: Some(2034.0),
        cpu_ms: 11.6,
        cpu_limit_ms: Some(1020.0),
    };
    trial
}

fn event() -> EventChangeReport {
    let stood = |rank: u32, points: i64| Some(TableRank { rank, points: points_of(points) });
    let moved = |bot: &str, before, after| BotMovement { bot: bot.to_owned(), before, after };
    let rating =
        |rating: f64| Some(RatingInterval { rating, low: Some(rating - 40.0), high: Some(77.4) });
    let cell = |won, drawn, lost| PairRecord { won, drawn, lost, ..PairRecord::default() };
    let mut broken = bot("bob", ChangeKind::Changed);
    broken.state = BotState::Broken;
    broken.trial = Some(trial("bob"));
    let mut hostile = bot(HOSTILE, ChangeKind::Renamed { from: "eve`".to_owned() });
    hostile.trial = Some(BotTrial { turns: 9, ..BotTrial::default() });
    let mut unbuilt = bot("cid", ChangeKind::New);
    unbuilt.not_built = Some(BuildFault {
        word: "build-failed",
        reason: "build of `cid` exited\nwith code 2".to_owned(),
        log: vec!["main.c:3: <b>".to_owned(), "````".to_owned()],
        file: None,
        line: None,
        ours: false,
    });
    let mut silent = bot("dan", ChangeKind::New);
    silent.not_built = Some(BuildFault {
        word: "missing-toolchain",
        reason: "no `gcc` is here\ninstall it".to_owned(),
        log: Vec::new(),
        file: None,
        line: None,
        ours: true,
    });
    EventChangeReport {
        event: "league".to_owned(),
        planned: Some(PlannedBouts { matches: 3, bouts: 6, seconds: Some(130) }),
        played: 5,
        missing: 1,
        left: 2,
        bots: vec![broken, hostile, unbuilt, silent, bot("fay", ChangeKind::Removed)],
        rebuilt: vec![
            RebuiltBot {
                bot: "ann".to_owned(),
                before: Some("gcc 1 ".to_owned()),
                after: Some("gcc 2".to_owned()),
            },
            RebuiltBot { bot: "ida".to_owned(), before: None, after: None },
        ],
        movement: TableChanges {
            bots: vec![
                moved("ann", stood(2, 1), stood(1, 2)),
                moved("bob", stood(1, 2), stood(2, 2)),
                moved(HOSTILE, None, stood(3, 0)),
                moved("fay", stood(3, 1), None),
            ],
            pairings: vec![
                PairingChange {
                    bot: "ann".to_owned(),
                    opponent: HOSTILE.to_owned(),
                    before: None,
                    after: cell(1, 0, 0),
                },
                PairingChange {
                    bot: "ann".to_owned(),
                    opponent: "bob".to_owned(),
                    before: Some(cell(0, 1, 0)),
                    after: cell(1, 1, 0),
                },
            ],
        },
        ratings: vec![
            RatingMoved { bot: "ann".to_owned(), before: rating(0.3), after: rating(12.6) },
            RatingMoved { bot: "bob".to_owned(), before: rating(-12.5), after: None },
            RatingMoved {
                bot: HOSTILE.to_owned(),
                before: None,
                after: Some(RatingInterval { rating: -0.4, low: None, high: None }),
            },
        ],
        table: Some(table()),
    }
}

fn points_of(points: i64) -> joust_standings::standings::Quarters {
    joust_standings::standings::Quarters(4 * points)
}

fn gate(answer: TestAnswer, played: bool) -> GateReport {
    GateReport {
        event: "league".to_owned(),
        gate_event: "gate-league-bob-01234567".to_owned(),
        bot: "bob".to_owned(),
        test: TestState {
            answer,
            llr: if played { -2.956 } else { 0.0 },
            bounds: [-2.944, 2.944],
            elo: [0.0, 50.0],
            rates: [0.05, 0.05],
        },
        reason: (answer == TestAnswer::NotAsked).then(|| "`it` cannot be built".to_owned()),
        classes: if played { vec![9, 0, 3, 1, 0] } else { vec![0; 5] },
        recorded: if played { 26 } else { 0 },
        difference: played.then_some([-120.4, -200.0, -39.5]),
        superiority: played.then_some(0.0123),
    }
}

fn report() -> ChangeReport {
    ChangeReport {
        outcome: CheckOutcome::Broken,
        base: "origin/main at 0123456789".to_owned(),
        author: Some("eve`".to_owned()),
        dry_run: false,
        notes: vec!["the working tree has `changes`".to_owned()],
        refusals: vec![Refusal {
            event: Some("league".to_owned()),
            bot: Some("bob".to_owned()),
            file: Some("bots/bob/x|y".into()),
            reason: "it belongs to `ann`, and the change is by `eve`".to_owned(),
        }],
        problems: vec![
            FileProblem {
                file: "bots/a/bot.yaml".into(),
                line: Some(3),
                column: Some(1),
                message: "unknown key `x`".to_owned(),
                hint: Some("did you mean `y`?".to_owned()),
            },
            FileProblem {
                file: "bots/b".into(),
                line: None,
                column: None,
                message: "no manifest".to_owned(),
                hint: None,
            },
        ],
        bot_files: vec![BotFiles {
            bot: HOSTILE.to_owned(),
            files: (0..62).map(|number| PathBuf::from(format!("bots/e/{number}"))).collect(),
        }],
        other_files: (0..61).map(|number| PathBuf::from(format!("docs/`{number}`"))).collect(),
        events: vec![event()],
        gates: vec![
            gate(TestAnswer::Weaker, true),
            gate(TestAnswer::Stronger, true),
            gate(TestAnswer::Undecided, true),
            gate(TestAnswer::Unfinished, false),
            gate(TestAnswer::NotAsked, false),
        ],
    }
}

#[test]
fn a_summary_has_everything_of_a_report_and_no_mark_up_of_a_bot() {
    let text = markdown(&report());
    assert!(text == include_str!("golden.md"), "{text}");
}

#[test]
fn a_change_of_which_nothing_is_known_has_a_short_summary() {
    let report = ChangeReport {
        outcome: CheckOutcome::Ok,
        base: "base.db".to_owned(),
        author: None,
        dry_run: true,
        notes: Vec::new(),
        refusals: Vec::new(),
        problems: Vec::new(),
        bot_files: Vec::new(),
        other_files: Vec::new(),
        events: Vec::new(),
        gates: Vec::new(),
    };
    assert_eq!(
        markdown(&report),
        "## Joust: a dry run, nothing was played\n\nCompared with `base.db`.\nNo bot is new, changed \
         or removed.\n"
    );
}

#[test]
fn a_summary_that_is_too_long_leaves_whole_blocks_out() {
    let mut report = report();
    let lines = vec!["x".repeat(300); 40];
    for bot in &mut report.events[0].bots {
        bot.not_built = Some(BuildFault {
            word: "build-failed",
            reason: "it failed".to_owned(),
            log: lines.clone(),
            file: None,
            line: None,
            ours: false,
        });
    }
    let text = markdown(&report);
    assert!(text.len() <= LONGEST, "{}", text.len());
    let [begun, ended] = ["<details>", "</details>"].map(|tag| text.matches(tag).count());
    assert!(begun > 0 && begun == ended, "{begun} blocks, {ended} ends: {text}");
    assert!(text.ends_with("cut short; `summary.json` has everything.\n"), "{text}");
}
