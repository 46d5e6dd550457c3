//! Tests of the look of each format.

use joust_model::{RoundState, TieBreak};
use joust_report::{Colours, Leaderboard, PairBouts, Superiority, TextStyle, find, formats};
use joust_standings::standings::{Standings, table};
use unicode_width::UnicodeWidthStr;

use crate::fixtures::{bout, event, league, written};

#[test]
fn every_format_has_its_name() {
    let names: Vec<_> = formats(TextStyle::default()).iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["text", "markdown", "json", "csv", "classic"]);
}

#[test]
fn the_table_shows_leaderboard_cross_table_and_who_does_not_play() {
    insta::assert_snapshot!(written("text", &league(), TextStyle::default()), @r#"
    league: battlebots, documented rules, 5 of 6 bouts
    ┌───┬──────┬─────────┬───────┬────────┬───────┬──────────────┐
    │ # ┆ bot  ┆ matches ┆ bouts ┆ points ┆ score ┆ faults       │
    ╞═══╪══════╪═════════╪═══════╪════════╪═══════╪══════════════╡
    │ 1 ┆ anna ┆  1-0-0* ┆ 3-0-0 ┆      3 ┆    27 ┆ 0            │
    │ 2 ┆ bert ┆   1-0-1 ┆ 1-1-2 ┆    1.5 ┆    34 ┆ 2: 2 timeout │
    │ 3 ┆ cleo ┆  0-0-1* ┆ 0-1-2 ┆    0.5 ┆    25 ┆ 2: 2 timeout │
    └───┴──────┴─────────┴───────┴────────┴───────┴──────────────┘
    ranked by matches won, then bouts won, results against level bots, Sonneborn–Berger, fewer faults

    ┌───┬────────────────┬────────┬───────┬────────┐
    │   ┆ won-drawn-lost ┆      1 ┆     2 ┆      3 │
    ╞═══╪════════════════╪════════╪═══════╪════════╡
    │ 1 ┆ anna           ┆      · ┆ 2-0-0 ┆ 1-0-0* │
    │ 2 ┆ bert           ┆  0-0-2 ┆     · ┆  1-1-0 │
    │ 3 ┆ cleo           ┆ 0-0-1* ┆ 0-1-1 ┆      · │
    └───┴────────────────┴────────┴───────┴────────┘
    * unfinished: a match counts once all of its bouts are played
    not built: emil: exit status 1 | bot.c:1: error
    disqualified on 2026-09-21: dora: a copy of bert
    "#);
}

#[test]
fn markdown_shows_the_same_as_tables_of_a_pull_request() {
    insta::assert_snapshot!(written("markdown", &league(), TextStyle::default()), @r#"
    ### `league`

    `battlebots`, rules `documented`, 5 of 6 bouts

    | # | bot | matches | bouts | points | score | faults |
    | ---: | :--- | ---: | ---: | ---: | ---: | ---: |
    | 1 | `anna` | 1-0-0\* | 3-0-0 | 3 | 27 | 0 |
    | 2 | `bert` | 1-0-1 | 1-1-2 | 1.5 | 34 | 2: 2 timeout |
    | 3 | `cleo` | 0-0-1\* | 0-1-2 | 0.5 | 25 | 2: 2 timeout |

    ranked by matches won, then bouts won, results against level bots, Sonneborn–Berger, fewer faults

    |  | won-drawn-lost | 1 | 2 | 3 |
    | ---: | :--- | ---: | ---: | ---: |
    | 1 | `anna` | · | 2-0-0 | 1-0-0\* |
    | 2 | `bert` | 0-0-2 | · | 1-1-0 |
    | 3 | `cleo` | 0-0-1\* | 0-1-1 | · |

    \* unfinished: a match counts once all of its bouts are played

    - not built: `emil`: `exit status 1` `bot.c:1: error`
    - disqualified on 2026-09-21: `dora`: `a copy of bert`
    "#);
}

#[test]
fn a_leaderboard_says_when_bots_were_not_isolated() {
    let standings = Standings { unisolated: 2, ..league() };
    for format in ["text", "markdown"] {
        let text = written(format, &standings, TextStyle::default());
        assert!(text.contains("5 of 6 bouts, 2 of them without isolation (tier D)"), "{text}");
    }
    let text = written("json", &standings, TextStyle::default());
    let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(value["unisolated_bouts"], 2);
}

#[test]
fn a_leaderboard_of_rounds_says_which_is_open() {
    let shown = |open, is_over| {
        let rounds = Some(RoundState { open, of: 7, is_over });
        written("text", &Standings { rounds, ..league() }, TextStyle::default())
    };
    assert!(shown(3, false).contains("5 of 6 bouts, round 3 of 7 is open"), "{}", shown(3, false));
    assert!(shown(7, true).contains("5 of 6 bouts, all 7 rounds over"), "{}", shown(7, true));
    let early = "3 of 7 rounds over, nobody is left to meet";
    assert!(shown(3, true).contains(early), "{}", shown(3, true));
}

#[test]
fn csv_has_a_line_for_each_bot() {
    insta::assert_snapshot!(written("csv", &league(), TextStyle::default()), @r#"
    rank,bot,author,owner,language,status,reason,matches_won,matches_drawn,matches_lost,matches_unfinished,bouts_won,bouts_drawn,bouts_lost,bouts,points,score,faults,infrastructure_error,memory_limit,output_limit,cpu_limit,timeout,disk_limit,protocol_violation,crash,exit_nonzero,no_output,illegal_output,tie_break_1_match_wins,tie_break_2_bout_wins,tie_break_3_head_to_head,tie_break_4_sonneborn_berger,tie_break_5_fewer_faults,vs anna,vs bert,vs cleo
    1,anna,,,python3,playing,,1,0,0,1,3,0,0,3,3,27,0,0,0,0,0,0,0,0,0,0,0,0,1,3,,3.5,0,,w2 d0 l0,w1 d0 l0
    2,bert,,,python3,playing,,1,0,1,0,1,1,2,4,1.5,34,2,0,0,0,0,2,0,0,0,0,0,0,1,1,,0.75,2,w0 d0 l2,,w1 d1 l0
    3,cleo,,,python3,playing,,0,0,1,1,0,1,2,3,0.5,25,2,0,0,0,0,2,0,0,0,0,0,0,0,0,,0.75,2,w0 d0 l1,w0 d1 l1,
    ,emil,,,python3,not built,exit status 1\u{a}bot.c:1: error,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,,,,,,,
    ,dora,,,python3,disqualified,a copy of bert,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,,,,,,,
    "#);
}

#[test]
fn the_classic_table_is_in_the_order_of_registration() {
    let (standings, game) = (league(), joust_testkit::game("battlebots"));
    let superiority = Superiority::default();
    let board = Leaderboard {
        game: Some(&game),
        standings: &standings,
        ratings: None,
        superiority,
        bouts: None,
    };
    let text = find("classic", TextStyle::default()).expect("a format").leaderboard(&board);
    let expected = "cleo vs bert\n0 1 \ncleo vs anna\n0 \nbert vs anna\n0 1 \n\
                    \nResults:\nBot\tMatches\tBouts\ncleo\t0\t0\nbert\t1\t1\nanna\t2\t3\n";
    assert_eq!(text, expected);
}

#[test]
fn json_has_every_documented_field() {
    let text = written("json", &league(), TextStyle::default());
    let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(value["bouts"], 5);
    assert_eq!(value["expected"], 6);
    assert_eq!(value["tie_breaks"][2], "head-to-head");
    let anna = &value["rows"][0];
    assert_eq!((&anna["bot"], &anna["rank"]), (&"anna".into(), &1.into()));
    assert_eq!(anna["matches"]["unfinished"], 1);
    assert_eq!(anna["tie_breaks"]["sonneborn-berger"], 3.5);
    let emil = &value["rows"][3];
    assert_eq!((&emil["status"], &emil["rank"]), (&"not built".into(), &serde_json::Value::Null));
    assert_eq!(value["rows"][4]["date"], "2026-09-21");
    assert_eq!(value["cross"][0]["opponent"], "bert");
    assert_eq!(value["cross"][0]["won"], 2);
    assert_eq!(value["cross"].as_array().map(Vec::len), Some(3));
}

#[test]
fn json_names_ten_bouts_of_a_pair_however_many_there_are() {
    let bouts: Vec<_> = (0..30).map(|number| bout(["anna", "bert"], [1, 2], number)).collect();
    let event = event(&["anna", "bert"]);
    let standings =
        table(&event, &bouts, &TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT));
    let mut of_pairs = PairBouts::of(&standings);
    bouts.iter().rev().for_each(|bout| of_pairs.add(bout));
    let board = Leaderboard {
        game: None,
        standings: &standings,
        ratings: None,
        superiority: Superiority::default(),
        bouts: Some(&of_pairs),
    };
    let text = find("json", TextStyle::default()).expect("a format").leaderboard(&board);
    let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let first: Vec<String> = bouts[..10].iter().map(|bout| bout.bout.to_string()).collect();
    assert_eq!(value["cross"][0]["bout_ids"], serde_json::json!(first));
}

#[test]
fn what_is_written_a_part_at_a_time_is_the_same() {
    let (standings, game) = (league(), joust_testkit::game("battlebots"));
    let board = Leaderboard {
        game: Some(&game),
        standings: &standings,
        ratings: None,
        superiority: Superiority::default(),
        bouts: None,
    };
    for (_, format) in formats(TextStyle::default()) {
        let mut bytes = Vec::new();
        format.write(&board, &mut bytes).expect("memory takes it");
        assert_eq!(String::from_utf8(bytes).expect("text"), format.leaderboard(&board));
    }
}

#[test]
fn a_narrow_terminal_gets_a_narrow_table() {
    let look = TextStyle { width: Some(50), colours: Colours::Off };
    let text = written("text", &league(), look);
    let drawn = text.lines().filter(|line| line.starts_with(['│', '┌']));
    let widest = drawn.map(UnicodeWidthStr::width).max();
    assert!(widest.is_some_and(|width| width <= 50), "{text}");
    let note = "left out for width: score; `--format csv` has them";
    assert!(text.replace("\n  ", " ").contains(note), "{text}");
    assert!(
        !written("text", &league(), TextStyle::default()).contains("left out"),
        "all of it fits"
    );
}

#[test]
fn a_long_name_is_shortened_and_points_stay() {
    let long = "a-name-of-forty-characters-and-then-some-".to_owned() + &"ü".repeat(20);
    let standings = joust_standings::standings::table(&event(&[&long, "bert"]), &[], &[]);
    let look = TextStyle { width: Some(80), colours: Colours::Off };
    let text = written("text", &standings, look);
    assert!(text.contains("┆ a-name-of-forty-cha… ┆"), "{text}");
    let mut drawn = text.lines().filter(|line| line.starts_with('│'));
    assert!(drawn.all(|line| line.width() <= 80), "{text}");
    assert!(text.contains(" points "), "{text}");
    let whole = written("text", &standings, TextStyle::default());
    assert!(whole.contains(&long), "{whole}");
}

#[test]
fn a_cross_table_that_does_not_fit_says_where_it_is() {
    let names: Vec<_> = (0..30).map(|number| format!("bot {number}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let standings = joust_standings::standings::table(&event(&names), &[], &[]);
    let look = TextStyle { width: Some(80), colours: Colours::Off };
    let text = written("text", &standings, look);
    assert!(text.contains("cross table: needs"), "{text}");
    assert!(text.contains("`--format csv`"), "{text}");
}

#[test]
fn colours_are_used_only_when_asked_for() {
    let coloured = written("text", &league(), TextStyle { width: None, colours: Colours::On });
    let plain = written("text", &league(), TextStyle::default());
    assert!(coloured.contains('\u{1b}'));
    assert!(!plain.contains('\u{1b}'));
}
