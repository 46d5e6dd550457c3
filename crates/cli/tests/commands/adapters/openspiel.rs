//! OpenSpiel, with its real library.

use super::{adapter, with_adapter};
use crate::env;

const TOURNAMENT: &str = "\
games:
  openspiel-connect-four: { referee: openspiel }
  openspiel-leduc-poker: { referee: openspiel }
  openspiel-goofspiel: { referee: openspiel }
events:
  - { game: openspiel-connect-four, bots: [openspiel/bots/uniform.py, openspiel/bots/mcts.py], provides: openspiel/libraries.txt, bouts: 2, options: { columns: 4, rows: 4 } }
  - { game: openspiel-leduc-poker, bots: [openspiel/bots/*], provides: openspiel/libraries.txt, bouts: 1, players_per_match: 3 }
  - { game: openspiel-goofspiel, bots: [openspiel/bots/uniform.py, openspiel/bots/mcts.py], provides: openspiel/libraries.txt, bouts: 1, options: { num_cards: 4 } }
";

#[test]
#[ignore = "long: many starts of a referee"]
fn open_hidden_and_simultaneous_games_are_played_and_judged_again() {
    let env = env();
    with_adapter(&env, "openspiel");
    env.write("tournament.yaml", TOURNAMENT);
    env.run(["run"]).expect(0);
    env.run(["verify"]).expect(0);
    let bouts = env.run(["bouts", "--format", "csv"]).expect(0).stdout;
    // A line for each seat of two, four and one bouts.
    assert_eq!(bouts.lines().count(), 1 + 2 * 2 + 4 * 3 + 2, "{bouts}");
    let faults = env.run(["bouts", "--faults", "--format", "csv"]).expect(0).stdout;
    assert_eq!(faults.lines().count(), 1, "{faults}");
    let said = env
        .run([
            "play",
            "openspiel/games/openspiel-tic-tac-toe.yaml",
            "openspiel/bots/first.py",
            "openspiel/bots/last.py",
            "--seed",
            "1",
        ])
        .expect(0)
        .stdout;
    assert!(said.contains("over after 5 rounds"), "{said}");
}

#[test]
#[ignore = "long: many starts of a referee"]
fn every_game_of_the_list_has_its_file_and_its_event() {
    let list =
        std::fs::read_to_string(adapter("../../../bots/openspiel.yaml")).expect("it is there");
    let files = std::fs::read_dir(adapter("openspiel/games")).expect("they are there");
    let names = files.map(|file| file.expect("it can be read").path());
    let mut count = 0;
    for name in names {
        let id = name.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        assert!(list.contains(&format!("  {id}: {{")), "{id} is not under `games:`");
        assert!(list.contains(&format!("game: {id},")), "{id} has no event");
        count += 1;
    }
    assert_eq!((count, list.matches("{ game: ").count()), (99, 99));
}
