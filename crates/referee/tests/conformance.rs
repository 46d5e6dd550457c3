//! Recorded bouts of the original systems, played again.
//!
//! The recordings are in `tests/conformance/<game>/`. `JOUST_CONFORMANCE=<folder>`
//! names another folder with the same layout to play instead. Every game with a
//! rule set `original` must have at least one recorded match there.

#[path = "conformance/battlebots.rs"]
mod battlebots;
#[path = "conformance/battleships_2017.rs"]
mod battleships_2017;
#[path = "conformance/battleships_2017_faults.rs"]
mod battleships_2017_faults;
#[path = "conformance/battlesnake.rs"]
mod battlesnake;
#[path = "conformance/bomberman_2016.rs"]
mod bomberman_2016;
#[path = "conformance/bomberman_2016_faults.rs"]
mod bomberman_2016_faults;
#[path = "conformance/coderone_dungeon.rs"]
mod coderone_dungeon;
#[path = "conformance/files.rs"]
mod files;
#[path = "conformance/tally.rs"]
mod tally;
#[path = "conformance/uwcs_bomberman.rs"]
mod uwcs_bomberman;

use std::io::Write;
use std::path::Path;

use files::Failure;
use joust_referee::Catalogue;
use tally::Tally;

/// Plays every recording of one game found in a folder.
type Player = fn(&Path) -> Result<Tally, Failure>;

/// One line per game that has recordings.
const PLAYERS: &[(&str, Player)] = &[
    ("battlebots", battlebots::play),
    ("battleships-2017", battleships_2017::play),
    ("battlesnake", battlesnake::play),
    ("bomberman-2016", bomberman_2016::play),
    ("coderone-dungeon", coderone_dungeon::play),
    ("uwcs-bomberman", uwcs_bomberman::play),
];

fn play_all(root: &Path) -> Result<Vec<(String, Tally)>, Failure> {
    let games = Catalogue::built_in();
    let originals = games.iter().filter(|game| game.spec().has_rules("original"));
    originals.map(|game| Ok((game.id().to_owned(), play_game(root, game.id())?))).collect()
}

fn play_game(root: &Path, game: &str) -> Result<Tally, Failure> {
    let folder = root.join(game);
    let player = PLAYERS.iter().find(|(id, _)| *id == game);
    let (_, play) = player.ok_or_else(|| Failure::new(&folder, "no player for this game"))?;
    let tally = play(&folder)?;
    if tally.matches == 0 {
        return Err(Failure::new(&folder, "no recorded match of this game"));
    }
    Ok(tally)
}

#[test]
fn recorded_games_are_played_as_the_originals_played_them() {
    let root = files::root();
    let played = play_all(&root).unwrap_or_else(|failure| panic!("{failure}"));
    let mut screen = std::io::stdout().lock();
    for (game, tally) in played {
        writeln!(screen, "conformance: {game}: {tally}").expect("standard output is open");
    }
}

mod the_runner {
    //! Tests of the runner itself: faults of recordings that it must notice.

    use super::*;

    const HEADER: &str = r#"{"format":1,"game":"battlebots","rules":"original","bouts_per_match":1,"rounds_per_bout":1}"#;

    fn failure_of(folder: &str, name: &str, bytes: &[u8]) -> String {
        let root = files::scratch(folder);
        files::write(&root.join("battlebots").join(name), bytes);
        play_game(&root, "battlebots").expect_err("the recording is wrong").to_string()
    }

    fn first_line_of_a_recording() -> String {
        let lines = files::lines(&files::committed().join("battlebots/031-nop-nop.jsonl.gz"));
        lines.expect("the recording is there").swap_remove(1)
    }

    #[test]
    fn a_missing_folder_fails() {
        let root = files::scratch("missing");
        let failure = play_game(&root.join("nowhere"), "battlebots").expect_err("nothing there");
        assert!(failure.to_string().contains("nowhere/battlebots: "), "{failure}");
    }

    #[test]
    fn a_folder_without_a_recorded_match_fails() {
        let failure = failure_of("empty", "rules-scenarios.json", b"[]");
        assert!(failure.ends_with("no recorded match of this game"), "{failure}");
    }

    #[test]
    fn a_file_that_is_no_gzip_fails() {
        let failure = failure_of("corrupt", "001.jsonl.gz", b"not compressed");
        assert!(failure.contains("001.jsonl.gz:1: "), "{failure}");
    }

    #[test]
    fn a_broken_line_is_named() {
        let text = format!("{HEADER}\n{{\"bout\":\n");
        let failure = failure_of("line", "001.jsonl", text.as_bytes());
        assert!(failure.contains("001.jsonl:2: "), "{failure}");
    }

    #[test]
    fn a_recording_without_its_result_fails() {
        let text = format!("{HEADER}\n{}\n", first_line_of_a_recording());
        let failure = failure_of("cut", "001.jsonl", text.as_bytes());
        assert!(failure.ends_with("001.jsonl:2: the recording ends without a result"), "{failure}");
    }

    #[test]
    fn a_wrong_state_is_found() {
        let line = first_line_of_a_recording().replacen("\"hp\":10", "\"hp\":9", 1);
        let failure = failure_of("state", "001.jsonl", format!("{HEADER}\n{line}\n").as_bytes());
        assert!(failure.contains("001.jsonl:2: bout 0, round 0: state: "), "{failure}");
    }

    #[test]
    fn a_wrong_view_is_found() {
        let line = first_line_of_a_recording().replacen(".Y........", "Y.........", 1);
        let failure = failure_of("view", "001.jsonl", format!("{HEADER}\n{line}\n").as_bytes());
        assert!(failure.contains("001.jsonl:2: bout 0, round 0: view of seat 0: "), "{failure}");
    }

    #[test]
    fn a_wrong_action_is_found() {
        let line = first_line_of_a_recording().replacen("\"actions\":[\"", "\"actions\":[\"S", 1);
        let failure = failure_of("action", "001.jsonl", format!("{HEADER}\n{line}\n").as_bytes());
        assert!(failure.contains("001.jsonl:2: bout 0, round 0: action of seat 0: "), "{failure}");
    }

    #[test]
    fn a_wrong_result_is_found() {
        let line = first_line_of_a_recording();
        let result = r#"{"result":{"bouts":[{"bout":0,"rounds":1,"hp":[10,10],"winner":1}],"bout_wins":[0,1],"winner":1}}"#;
        let text = format!("{HEADER}\n{line}\n{result}\n");
        let failure = failure_of("result", "001.jsonl", text.as_bytes());
        assert!(failure.contains("001.jsonl:3: result: "), "{failure}");
    }

    /// Returns the failure of a short recording of the dungeon in which the
    /// first `from` became `to`.
    fn failure_of_dungeon(from: &str, to: &str) -> String {
        let path = files::committed().join("coderone-dungeon/scenario-no-free-cell.jsonl.gz");
        let text = files::lines(&path).expect("the recording is there").join("\n");
        assert!(text.contains(from), "`{from}` is not in the recording");
        let root = files::scratch(&format!("dungeon-{}", to.len() * 1000 + from.len()));
        let folder = root.join("coderone-dungeon");
        files::write(&folder.join("x.jsonl"), text.replacen(from, to, 1).as_bytes());
        let failure = play_game(&root, "coderone-dungeon").expect_err("the recording is wrong");
        failure.to_string()
    }

    #[test]
    fn whatever_is_wrong_in_a_recorded_tick_is_found() {
        let wrong = [
            (r#""next_tick":9"#, r#""next_tick":10"#, "tick 8: state: "),
            (r#""delivered":[true,true]"#, r#""delivered":[true]"#, "tick 0: delivered"),
            (r#""spawns":[{"kind":"treasure""#, r#""spawns":[{"kind":"ammo""#, ": spawns: "),
            (r#""tick_number":0"#, r#""tick_number":7"#, "tick 0: view: "),
            (r#""iteration":262"#, r#""iteration":71"#, ": result: "),
        ];
        for (from, to, expected) in wrong {
            let failure = failure_of_dungeon(from, to);
            assert!(failure.contains(expected), "{from}: {failure}");
        }
    }

    /// Returns the failure of a short game of Battlesnake in which the first `from` became `to`.
    fn failure_of_snakes(number: usize, from: &str, to: &str) -> String {
        let path = files::committed().join("battlesnake/004-std-2-7-hunters.jsonl.gz");
        let text = files::lines(&path).expect("the recording is there").join("\n");
        assert!(text.contains(from), "`{from}` is not in the recording");
        let root = files::scratch(&format!("snakes-{number}"));
        let text = text.replacen(from, to, 1);
        files::write(&root.join("battlesnake/001.jsonl"), text.as_bytes());
        let failure = play_game(&root, "battlesnake").expect_err("the recording is wrong");
        failure.to_string()
    }

    #[test]
    fn whatever_is_wrong_in_a_recorded_game_of_snakes_is_found() {
        let wrong = [
            (r#""food":[[2,6]"#, r#""food":[[2,5]"#, "jsonl:1: initial position: "),
            (r#""timeout":500,"source""#, r#""timeout":"500","source""#, "jsonl:2: request of "),
            (r#""snake-1":"down""#, r#""snake-1":"up""#, "jsonl:3: move of snake-1, ok: "),
            (r#""body":[[3,4],"#, r#""body":[[3,5],"#, "jsonl:3: position: "),
            (r#"{"answers":{}"#, r#"{"answers":{"snake-1":{}}"#, "jsonl:5: snakes asked: "),
            (r#""turn":3,"winner""#, r#""turn":4,"winner""#, "jsonl:6: turns: "),
        ];
        for (number, (from, to, expected)) in wrong.into_iter().enumerate() {
            let failure = failure_of_snakes(number, from, to);
            assert!(failure.contains(expected), "{from}: {failure}");
        }
    }

    fn uwcs_failure_of(folder: &str, change: impl Fn(usize, String) -> String) -> String {
        let recording = files::committed().join("uwcs-bomberman/005-abuse2.jsonl.gz");
        let lines = files::lines(&recording).expect("the recording is there");
        let lines = lines.into_iter().enumerate().map(|(index, line)| change(index, line));
        let root = files::scratch(folder);
        let text = lines.collect::<Vec<_>>().join("\n");
        files::write(&root.join("uwcs-bomberman/001.jsonl"), text.as_bytes());
        play_game(&root, "uwcs-bomberman").expect_err("the recording is wrong").to_string()
    }

    #[test]
    fn a_wrong_reply_is_found() {
        let failure = uwcs_failure_of("reply", |index, line| match index {
            3 => line.replacen("[\"BOMB\"]", "[\"UP\"]", 1),
            _ => line,
        });
        assert!(failure.contains("001.jsonl:4: turn 1: reply to client 1, "), "{failure}");
    }

    #[test]
    fn a_wrong_broadcast_is_found() {
        let failure = uwcs_failure_of("broadcast", |index, line| match index {
            4 => line.replacen("TICK 2", "TICK 3", 1),
            _ => line,
        });
        assert!(failure.contains("001.jsonl:5: turn 2: broadcast: "), "{failure}");
    }

    #[test]
    fn a_wrong_blast_is_found() {
        let failure = uwcs_failure_of("blast", |index, line| match index {
            3 => line.replacen("\"blast\":[]", "\"blast\":[[0,0]]", 1),
            _ => line,
        });
        assert!(failure.contains("001.jsonl:4: turn 1: blast: "), "{failure}");
    }

    #[test]
    fn a_wrong_message_on_a_connection_is_found() {
        let failure = uwcs_failure_of("wire", |_, line| {
            let is_wire = line.starts_with("{\"wire\":{\"client\":1,");
            if is_wire { line.replacen("REGISTERED", "WELCOME", 1) } else { line }
        });
        assert!(failure.contains("connection 1: message 20: "), "{failure}");
    }

    #[test]
    fn a_game_without_its_result_fails() {
        let failure = uwcs_failure_of("no-result", |_, line| {
            if line.starts_with("{\"result\"") { String::new() } else { line }
        });
        assert!(failure.ends_with("the recording ends without a result"), "{failure}");
    }
}
