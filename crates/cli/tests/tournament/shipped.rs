//! The demo bots of the two Entelect games: each one builds, plays a bout
//! against itself without a fault, and plays the same bout again.
//!
//! A bot whose language is not installed, or whose Maven has no plugins in its cache, is skipped
//! with a message.

use std::path::{Path, PathBuf};

use joust_testkit::env::{Ran, TestEnv};
use serde_json::Value;

use crate::league::empty;

/// A bot in the repository.
fn shipped(game: &str, bot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bots").join(game).join(bot)
}

/// Lends the tests' home the Maven cache of the person who runs them.
fn lend_maven(env: &TestEnv) {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    if home.join(".m2/repository/org/apache/maven/plugins/maven-jar-plugin").is_dir() {
        std::os::unix::fs::symlink(home.join(".m2"), env.path().join(".m2"))
            .expect("a link can be made");
    }
}

/// Plays one bout of these bots.
fn play(env: &TestEnv, game: &str, bots: [&str; 2], option: &str) -> Ran {
    let paths = bots.map(|bot| shipped(game, bot).to_string_lossy().into_owned());
    let fixed = ["--seed", "2026", "--option", option, "--format", "json"];
    env.run(["play", game, &paths[0], &paths[1]].into_iter().chain(fixed))
}

/// Returns whether a bot could not be built because something is missing here.
fn is_missing(env: &TestEnv, ran: &Ran, bots: &[&str]) -> bool {
    let maven = bots.iter().any(|bot| ["hermit", "admiral"].contains(bot));
    let missing = ran.stderr.contains("install it with")
        || maven && !env.path().join(".m2").exists() && ran.stderr.contains("not built");
    if missing {
        eprintln!("left out: {bots:?} cannot be built here");
    }
    missing
}

fn verdicts(bout: &Value) -> Vec<String> {
    let seats = bout["seats"].as_array().expect("a bout has seats");
    let counted = seats.iter().filter_map(|seat| seat["verdicts"].as_object());
    counted.flat_map(|verdicts| verdicts.keys().cloned()).collect()
}

fn plays_without_a_fault_and_again(game: &str, bot: &str, option: &str) {
    let env = empty();
    lend_maven(&env);
    let first = play(&env, game, [bot, bot], option);
    if is_missing(&env, &first, &[bot]) {
        return;
    }
    let bout = first.expect(0).json();
    assert_eq!(verdicts(&bout), ["ok", "ok"], "{bout}");
    let again = play(&env, game, [bot, bot], option).expect(0).json();
    assert_eq!(bout["state_hash"], again["state_hash"]);
    assert_eq!(bout["rounds"], again["rounds"]);
}

macro_rules! bots {
    ($game:literal, $option:literal, $folder:ident: $($(#[$long:meta])? $bot:ident),*) => {
        mod $folder {
            /// The bots that have a test.
            const TESTED: &[&str] = &[$(stringify!($bot)),*];

            $(#[test]
            $(#[$long])?
            fn $bot() {
                super::plays_without_a_fault_and_again($game, stringify!($bot), $option);
            })*

            #[test]
            fn every_bot_has_its_test() {
                let folders = std::fs::read_dir(super::shipped($game, "")).expect("it is there");
                let folders = folders.map(|entry| entry.expect("it can be read").path());
                let folders = folders.filter(|path| path.is_dir());
                let name = |path: std::path::PathBuf| {
                    path.file_name().expect("it has a name").to_string_lossy().into_owned()
                };
                let mut found: Vec<String> = folders.map(name).collect();
                found.sort();
                assert_eq!(found, TESTED);
            }
        }
    };
}

bots!("battleships-2017", "map_size=small", battleships:
    #[ignore = "long: one bot of each game is played"]
    admiral,
    #[ignore = "long: one bot of each game is played"]
    checker,
    oracle,
    #[ignore = "long: one bot of each game is played"]
    phoenix,
    #[ignore = "long: one bot of each game is played"]
    splasher,
    #[ignore = "long: one bot of each game is played"]
    tracker,
    #[ignore = "long: one bot of each game is played"]
    warden);

bots!("bomberman-2016", "max_rounds=25", bomberman:
    #[ignore = "long: one bot of each game is played"]
    collector,
    #[ignore = "long: one bot of each game is played"]
    digger,
    #[ignore = "long: one bot of each game is played"]
    hermit,
    hunter,
    #[ignore = "long: one bot of each game is played"]
    stroller,
    trapper);

/// A bot that counts the places in which ships may be beats one that guesses.
#[test]
#[ignore = "long: statistics of many bouts"]
fn counting_beats_guessing_from_either_seat() {
    let env = empty();
    for (bots, winner) in [(["oracle", "splasher"], 0), (["splasher", "oracle"], 1)] {
        let ran = play(&env, "battleships-2017", bots, "map_size=small");
        if is_missing(&env, &ran, &bots) {
            return;
        }
        let bout = ran.expect(0).json();
        assert_eq!(bout["seats"][winner]["rank"], 1, "{bout}");
        assert_eq!(bout["seats"][1 - winner]["rank"], 2, "{bout}");
    }
}
