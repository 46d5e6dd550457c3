//! Tests of faults that the player of Bomberman recordings must notice.

use std::path::PathBuf;

use crate::bomberman_2016;
use crate::files;

/// A short match with kept files, five rounds.
const SHORT: &str = "m25-p4";

fn recorded() -> Vec<String> {
    let folder = files::committed().join("bomberman-2016/matches");
    files::lines(&folder.join(format!("{SHORT}.jsonl.gz"))).expect("the recording is there")
}

fn folder(scratch: &str) -> PathBuf {
    files::scratch(&format!("bomberman-{scratch}"))
}

fn problem(folder: &std::path::Path, lines: &[String]) -> String {
    files::write(&folder.join(format!("matches/{SHORT}.jsonl")), lines.join("\n").as_bytes());
    bomberman_2016::play(folder).expect_err("the recording is wrong").to_string()
}

/// Replaces the first `from` of one line, counted from 0, and plays the match.
fn problem_with(scratch: &str, line: usize, (from, to): (&str, &str)) -> String {
    let mut lines = recorded();
    assert!(lines[line].contains(from), "line {line} has no {from}");
    lines[line] = lines[line].replacen(from, to, 1);
    problem(&folder(scratch), &lines)
}

#[test]
fn a_wrong_wall_is_found() {
    let problem = problem_with("wall", 3, ("#  +++ +", "#  ++  +"));
    assert!(problem.contains(".jsonl:4: round 2: rows: "), "{problem}");
}

#[test]
fn a_wrong_outcome_is_found() {
    let problem = problem_with("outcome", 1, ("\"D\":\"rejected\"", "\"D\":\"done\""));
    assert!(problem.contains(".jsonl:2: round 0: outcomes: "), "{problem}");
}

#[test]
fn a_wrong_bomb_is_found() {
    let problem = problem_with("bomb", 2, ("\"timer\":1", "\"timer\":2"));
    assert!(problem.contains(".jsonl:3: round 1: bombs: "), "{problem}");
}

#[test]
fn a_wrong_line_of_map_txt_is_found() {
    let problem = problem_with("map", 2, ("Current Round: 2", "Current Round: 3"));
    assert!(problem.contains(".jsonl:3: round 1: map_txt: "), "{problem}");
}

#[test]
fn a_wrong_hash_is_found() {
    let problem =
        problem_with("hash", 1, ("\"state_json_sha256\":\"", "\"state_json_sha256\":\"0"));
    assert!(problem.contains(".jsonl:2: round 0: state_json_sha256: "), "{problem}");
}

#[test]
fn a_movement_conflict_that_there_was_not_is_found() {
    let resolved = "\"resolved\":[{\"rolls\":[[\"A\",1],[\"B\",2]],\"loser\":\"A\"}],\"state\":{";
    let problem = problem_with("resolved", 1, ("\"state\":{", resolved));
    assert!(problem.contains(".jsonl:2: round 0: resolved: "), "{problem}");
}

#[test]
fn a_wrong_seed_is_found() {
    let problem = problem_with("seed", 0, ("\"seed\":648633905", "\"seed\":648633906"));
    assert!(problem.contains(".jsonl:1: "), "{problem}");
}

#[test]
fn a_wrong_result_is_found() {
    let problem = problem_with("result", 6, ("\"points\":1,", "\"points\":2,"));
    assert!(problem.contains(".jsonl:7: result: "), "{problem}");
}

#[test]
fn a_missing_result_is_found() {
    let mut lines = recorded();
    lines.pop();
    let problem = problem(&folder("cut"), &lines);
    assert!(problem.ends_with(".jsonl:6: the recording ends without a result"), "{problem}");
}

#[test]
fn a_kept_file_that_differs_is_found() {
    let folder = folder("file");
    let file = folder.join("files").join(SHORT).join("round-2/map.txt");
    files::write(&file, b"Map Width: 21\n");
    let problem = problem(&folder, &recorded());
    assert!(problem.contains("round-2/map.txt: recorded "), "{problem}");
}

#[test]
fn a_kept_file_of_a_round_that_was_not_played_is_found() {
    let folder = folder("surplus");
    files::write(&folder.join("files").join(SHORT).join("round-9/map.txt"), b"");
    let problem = problem(&folder, &recorded());
    assert!(problem.contains(".jsonl:7: files of the match: "), "{problem}");
}

#[test]
fn a_wrong_fresh_map_is_found() {
    let path = files::committed().join("bomberman-2016/maps/small.jsonl.gz");
    let line = files::lines(&path).expect("the maps are there").swap_remove(0);
    let folder = folder("fresh");
    let wrong = line.replacen("#A ++", "#A  +", 1);
    files::write(&folder.join("maps/one.jsonl"), wrong.as_bytes());
    let problem = problem(&folder, &recorded());
    assert!(problem.contains("one.jsonl:1: seed 1 with 2 players: rows: "), "{problem}");
}

#[test]
fn a_wrong_number_of_the_generator_is_found() {
    let folder = folder("generator");
    let lists =
        r#"[{"seed":0,"Next()":[1559595547],"Next(0,100)":[],"Next(1,11)":[],"Next(7)":[]}]"#;
    files::write(&folder.join("rng.json"), lists.as_bytes());
    let problem = problem(&folder, &recorded());
    assert!(problem.contains("rng.json: seed 0: Next(): "), "{problem}");
}

#[test]
fn a_wrong_command_of_a_move_file_is_found() {
    let folder = folder("move");
    let cases = r#"[{"move_txt_hex":"33","note":"digit 3","command":"left"}]"#;
    files::write(&folder.join("harness/move-file-cases.json"), cases.as_bytes());
    let problem = problem(&folder, &recorded());
    assert!(problem.contains("move-file-cases.json: digit 3: command: "), "{problem}");
}
