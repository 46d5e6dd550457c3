//! Tests of faults that the player of Battleships recordings must notice.

#![expect(
    clippy::disallowed_methods,
    reason = "a test reads recorded files; the referee itself never does"
)]

use std::fs;
use std::path::PathBuf;

use crate::battleships_2017;
use crate::files;

/// A short match, elimination in round 21.
const SHORT: &str = "p-012";

/// A match with kept files.
const WITH_FILES: &str = "p-000";

/// A match in which the harness kills `B`.
const ABORTED: &str = "p-031";

fn recorded(name: &str) -> Vec<String> {
    let path = files::committed().join("battleships-2017").join(format!("{name}.jsonl.gz"));
    files::lines(&path).expect("the recording is there")
}

fn problem(scratch: &str, lines: &[String]) -> String {
    let folder = folder(scratch);
    files::write(&folder.join("p.jsonl"), lines.join("\n").as_bytes());
    battleships_2017::play(&folder).expect_err("the recording is wrong").to_string()
}

fn folder(scratch: &str) -> PathBuf {
    files::scratch(&format!("ships-{scratch}"))
}

/// Replaces the first `from` of one line, counted from 0.
fn with(name: &str, line: usize, (from, to): (&str, &str)) -> Vec<String> {
    let mut lines = recorded(name);
    assert!(lines[line].contains(from), "line {line} of {name} has no {from}");
    lines[line] = lines[line].replacen(from, to, 1);
    lines
}

fn with_result(name: &str, change: (&str, &str)) -> Vec<String> {
    with(name, recorded(name).len() - 1, change)
}

#[test]
fn a_wrong_number_is_found() {
    let problem = problem("number", &with(SHORT, 3, ("\"energy\":", "\"energy\":1")));
    assert!(problem.contains("p.jsonl:4: round 2: state of A: "), "{problem}");
}

#[test]
fn a_wrong_cell_of_b_is_found() {
    let mut lines = recorded(SHORT);
    let place = lines[2].rfind("\"flags\":[\"0").expect("B has flags") + "\"flags\":[\"".len();
    lines[2].replace_range(place..=place, "4");
    let problem = problem("cell", &lines);
    assert!(problem.contains("p.jsonl:3: round 1: state of B: "), "{problem}");
}

#[test]
fn a_wrong_reading_of_a_command_is_found() {
    let change = ("\"parsed\":{\"A\":\"", "\"parsed\":{\"A\":\"Not");
    let problem = problem("reading", &with(SHORT, 2, change));
    assert!(problem.contains("round 1: command of A: recorded \"Not"), "{problem}");
}

#[test]
fn a_wrong_winner_is_found() {
    let problem = problem("winner", &with_result(SHORT, ("\"winner\":\"A\"", "\"winner\":\"B\"")));
    assert!(problem.contains("result: winner: "), "{problem}");
}

#[test]
fn wrong_points_are_found() {
    let problem = problem("points", &with_result(SHORT, ("\"points\":[420", "\"points\":[421")));
    assert!(problem.contains("result: points: "), "{problem}");
}

#[test]
fn a_missing_round_is_found() {
    let mut lines = recorded(SHORT);
    lines.remove(5);
    let problem = problem("round", &lines);
    assert!(problem.contains("number of the round: recorded 5, here 4"), "{problem}");
}

#[test]
fn a_match_that_ends_later_is_found() {
    let mut lines = recorded(SHORT);
    lines.remove(lines.len() - 2);
    let problem = problem("end", &lines);
    assert!(problem.contains("result: the bout is not over here"), "{problem}");
}

#[test]
fn a_wrong_position_at_the_crash_is_found() {
    let lines = recorded(ABORTED);
    let change = ("\"do_nothing_run\":21", "\"do_nothing_run\":20");
    let problem = problem("crash", &with(ABORTED, lines.len() - 2, change));
    assert!(problem.contains("round 22: state of B: "), "{problem}");
}

#[test]
fn a_wrong_result_at_the_crash_is_found() {
    let points = problem("crash-points", &with_result(ABORTED, ("[20,0]", "[120,0]")));
    assert!(points.contains("result: points: recorded [120, 0], here [20, 0]"), "{points}");
    let leaders = problem("crash-board", &with_result(ABORTED, ("[\"A\",\"B\"]", "[\"B\",\"A\"]")));
    assert!(leaders.contains("result: leader board: "), "{leaders}");
    let killed = problem("crash-killed", &with_result(ABORTED, ("[\"B\"]", "[]")));
    assert!(killed.contains("result: killed: "), "{killed}");
}

#[test]
fn a_crash_that_is_none_is_found() {
    let change = ("\"aborted\":true", "\"aborted\":false");
    let lines = with(ABORTED, recorded(ABORTED).len() - 2, change);
    let problem = problem("no-crash", &lines);
    assert!(problem.contains("round 22: state of A: "), "{problem}");
}

/// Copies a recording with one kept file, which `change` alters.
fn with_file(scratch: &str, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> String {
    let folder = folder(scratch);
    let committed = files::committed().join("battleships-2017");
    let mut bytes = fs::read(committed.join("p-000.files/round-009").join(name))
        .unwrap_or_else(|_| b"new".to_vec());
    change(&mut bytes);
    files::write(&folder.join("p.jsonl"), recorded(WITH_FILES).join("\n").as_bytes());
    files::write(&folder.join("p.files/round-009").join(name), &bytes);
    match battleships_2017::play(&folder) {
        Ok(tally) => format!("{} file agrees", tally.files),
        Err(failure) => failure.to_string(),
    }
}

#[test]
fn a_wrong_byte_of_a_kept_file_is_found() {
    for (index, name) in
        ["A/state.json", "B/map.txt", "B - map.txt", "state.json", "roundCommand.json"]
            .into_iter()
            .enumerate()
    {
        assert_eq!(with_file(&format!("same-{index}"), name, |_| ()), "1 file agrees");
        let problem = with_file(&format!("file-{index}"), name, |bytes| bytes[150] ^= 1);
        assert!(problem.contains(&format!("round-009/{name}: byte 150: ")), "{problem}");
    }
}

#[test]
fn a_kept_file_that_is_never_written_is_found() {
    let problem = with_file("extra", "extra.txt", |_| ());
    assert!(problem.contains("extra.txt` was never written here"), "{problem}");
}
