//! Rules tested by data: one situation per file in `tests/cases/<game>/`.
//!
//! How a file is written is said in the game's runner, `tests/cases/<game>.rs`.
//! Every registered game must have cases.

#![expect(
    clippy::disallowed_methods,
    reason = "a test reads its cases from files; the referee itself never does"
)]

#[path = "cases/battlebots.rs"]
mod battlebots;
#[path = "cases/battleships_2017.rs"]
mod battleships_2017;
#[path = "cases/battlesnake.rs"]
mod battlesnake;
#[path = "cases/bomberman_2016.rs"]
mod bomberman_2016;
#[path = "cases/coderone_dungeon.rs"]
mod coderone_dungeon;
#[path = "cases/connect_four.rs"]
mod connect_four;
#[path = "cases/uwcs_bomberman.rs"]
mod uwcs_bomberman;

use std::fs;
use std::path::Path;

use joust_referee::Catalogue;

/// Plays the text of one case; an error names the line, counted from 1.
type Runner = fn(&str) -> Result<(), (usize, String)>;

/// One line per game.
const RUNNERS: &[(&str, Runner)] = &[
    ("battlebots", battlebots::run),
    ("battleships-2017", battleships_2017::run),
    ("battlesnake", battlesnake::run),
    ("bomberman-2016", bomberman_2016::run),
    ("coderone-dungeon", coderone_dungeon::run),
    ("connect-four", connect_four::run),
    ("uwcs-bomberman", uwcs_bomberman::run),
];

fn failures(game: &str, run: Runner) -> (usize, Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(game);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("cases of {game}: {error}"));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    let mut failures = Vec::new();
    for path in &paths {
        let text = fs::read_to_string(path).expect("a case is UTF-8");
        if let Err((line, problem)) = run(&text) {
            failures.push(format!("{}:{line}: {problem}", path.display()));
        }
    }
    (paths.len(), failures)
}

#[test]
fn every_case_holds() {
    for game in &Catalogue::built_in() {
        let runner = RUNNERS.iter().find(|(id, _)| *id == game.id());
        let (id, run) = runner.unwrap_or_else(|| panic!("no cases for {}", game.id()));
        let (cases, failures) = failures(id, *run);
        assert!(cases > 0, "no cases for {id}");
        assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    }
}

#[test]
fn a_case_that_does_not_hold_is_named_with_its_line() {
    let case = "rules documented\naction X N   Y NO\nthen   X hp=9\n";
    let failure = battlebots::run(case).expect_err("nobody was hurt");
    assert_eq!(failure, (3, "`X hp=9`: the position has X hp=10 at 1,0".to_owned()));
}

#[test]
fn a_bomberman_case_that_does_not_hold_is_named_with_its_line() {
    let case = "map\n| ####\n| #A #\n| #  #\n| ####\naction  A right\nthen    A at 2,2\n";
    let failure = bomberman_2016::run(case).expect_err("the way is free");
    assert_eq!(failure, (7, "`A at 2,2`: the position has (3, 2)".to_owned()));
}

#[test]
fn a_bomberman_case_that_claims_nothing_fails() {
    let case = "map\n| ####\n| #A #\n| #  #\n| ####\naction  A right\n";
    let failure = bomberman_2016::run(case).expect_err("no claim");
    assert_eq!(failure, (6, "nothing is claimed after this line".to_owned()));
}

#[test]
fn a_line_that_is_no_statement_is_named() {
    let failure = battlebots::run("rules documented\nthan X hp=9\n").expect_err("misspelt");
    assert_eq!(failure, (2, "unknown statement `than`".to_owned()));
}

#[test]
fn a_case_that_claims_nothing_fails() {
    let failure = battlebots::run("rules documented\naction X N   Y N\n").expect_err("no claim");
    assert_eq!(failure, (2, "nothing is claimed after this line".to_owned()));
}

#[test]
fn every_claim_of_the_dungeon_can_fail() {
    let start = "board   12x10 2 limit 0\ngiven   P0 at 4,4 hp=2   bomb 9,9 of P1 timer=5\n\
                 given   ammo 1,1   wood 2,2   ore 3,3   treasure 5,5   fire 8,8 of P1\n";
    let claims = [
        "P0 at 4,5",
        "P0 hp=3",
        "P0 ammo=2",
        "P0 score=1",
        "P0 judged crash",
        "P0 did u",
        "P0 not asked",
        "P0 wins",
        "P0 rank 1",
        "P0 sleeps",
        "draw",
        "ended limit",
        "tick 2",
        "bomb 9,9 of P0 timer=4",
        "fire 8,8 of P1",
        "metal 1,1",
        "wood 3,3",
        "ore 3,3 hp=2",
        "ammo 1,1 life=3",
        "treasure 1,1",
        "effect ammo 70",
        "no bombs",
        "no blocks",
        "no ammo",
        "no treasure",
    ];
    for claim in claims {
        let case = format!("{start}ticks   1\nthen    {claim}\n");
        let failure = coderone_dungeon::run(&case).expect_err(claim);
        assert_eq!(failure.0, 5, "{claim}: {}", failure.1);
        assert!(failure.1.starts_with(&format!("`{claim}`: ")), "{}", failure.1);
    }
    let failure = coderone_dungeon::run(&format!("{start}ticks 1\nthen no fires\nthen goes on"));
    assert_eq!(failure, Ok(()));
}

#[test]
fn a_line_that_is_not_heard_is_named() {
    let case = "rules documented\nopens alice\nsays alice \"ACTION UP\\n\"\nhears alice\n| UP\n";
    let failure = uwcs_bomberman::run(case).expect_err("no game is on");
    assert_eq!(failure, (5, "documented: heard is `E_NOT_PLAYING`".to_owned()));
}
