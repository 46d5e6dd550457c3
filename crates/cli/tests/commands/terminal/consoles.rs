//! Consoles of games that ask and wait: Battlebots, Bomberman and Battleships.

use std::fs;

use joust_testkit::env::TestEnv;
use joust_testkit::league::bot;

use super::super::{env, small};
use super::{A_WHILE, play, rows};

/// Two bots of a game whose bots are files: one that does nothing.
fn idler() -> TestEnv {
    let env = env();
    env.write(
        "idler/bot.json",
        r#"{"Author":"A","Email":"a@example.org","NickName":"idler","BotType":"Python3","ProjectLocation":"","RunFile":"main.py","RunArgs":""}"#,
    );
    env.write("idler/main.py", "");
    env
}

/// Places the fleet of a bot of Battleships, and shoots at a corner.
const SAILOR: &str = "import json, sys, os\nfolder = sys.argv[2]\nif json.load(open(os.path.join(folder, 'state.json')))['Phase'] == 1:\n    open(os.path.join(folder, 'place.txt'), 'w').write('Battleship 1 0 north\\nCarrier 3 1 East\\nCruiser 4 2 north\\nDestroyer 7 3 north\\nSubmarine 1 8 East\\n')\nelse:\n    open(os.path.join(folder, 'command.txt'), 'w').write('1,0,0\\n')\n";

#[test]
fn nothing_is_drawn_over_what_a_person_is_asked_or_types() {
    let env = small();
    let mut game = play(&env, &["battlebots", "--human", "bots/waiter", "-o", "max_rounds=1"]);
    game.until("Player 1, your action:");
    game.press("b s");
    let screen = game.look_for(A_WHILE);
    assert_eq!(screen.lines().last(), Some("Player 1, your action: b s"), "{screen}");
    assert!(screen.contains("Y hp=10"), "the view stays:\n{screen}");
    game.enter("e");
    let (status, screen) = game.end();
    assert_eq!(status, Some(0), "{screen}");
    assert_eq!(rows(&screen, "Player 1, your action:"), ["Player 1, your action: b se"]);
    assert!(screen.contains("you drew") || screen.contains("you won"), "{screen}");
    let own = rows(&screen, "  seat 0  Player 1  rank");
    assert!(own.len() == 1 && !own[0].contains("cpu") && !own[0].contains("peak"), "{screen}");
}

#[test]
fn a_move_that_the_rules_refuse_is_asked_for_again_with_the_reason() {
    let env = small();
    let mut game = play(&env, &["battlebots", "--human", "bots/waiter", "-o", "max_rounds=2"]);
    game.until("your action:");
    game.enter("n");
    game.until_screen("the second round", |screen| screen.matches("your action:").count() == 2);
    game.enter("n");
    let screen = game
        .until_screen("the question again", |screen| screen.matches("your action:").count() == 3);
    assert!(screen.contains("not possible: the arena ends there"), "{screen}");
    game.enter("no");
    assert_eq!(game.end().0, Some(0));
}

#[test]
fn ctrl_d_asks_before_it_gives_the_seat_away() {
    let env = small();
    let mut game = play(&env, &["battlebots", "--human", "bots/waiter", "-o", "max_rounds=2"]);
    game.until("your action:");
    game.press("\u{4}");
    game.until("leave your seat");
    game.enter("n");
    game.until_screen("the question again", |screen| screen.matches("your action:").count() == 2);
    game.enter("no");
    game.until_screen("the next turn", |screen| screen.matches("your action:").count() == 3);
    game.press("\u{4}");
    game.until_screen("the warning again", |screen| screen.matches("leave your seat").count() == 2);
    game.enter("y");
    let (status, screen) = game.end();
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.contains("no-output 1"), "{screen}");
}

#[test]
fn ctrl_c_says_that_the_bout_is_lost() {
    let env = small();
    let mut game = play(&env, &["battlebots", "--human", "bots/waiter", "-o", "max_rounds=2"]);
    game.until("your action:");
    game.press("\u{3}");
    let (status, screen) = game.end();
    assert_eq!(status, Some(130), "{screen}");
    assert!(screen.contains("interrupted: this bout is lost"), "{screen}");
    assert!(!screen.contains("goes on"), "{screen}");
}

#[test]
fn a_stop_for_trouble_waits_undisturbed() {
    let env = small();
    bot(&env, "grumbler", "echo trouble >&2; echo NO");
    let arguments = ["battlebots", "bots/waiter", "bots/grumbler", "-o", "max_rounds=2", "--debug"];
    let mut game = play(&env, &arguments);
    game.until("press Enter to continue, or type q and Enter to stop:");
    game.press("q");
    let screen = game.look_for(A_WHILE);
    let last = "press Enter to continue, or type q and Enter to stop: q";
    assert_eq!(screen.lines().last(), Some(last), "{screen}");
    assert!(screen.contains("stderr| trouble"), "{screen}");
    game.enter("");
    assert_eq!(game.end().0, Some(130));
}

#[test]
fn a_bout_waits_for_a_bot_that_cannot_be_built_again() {
    let env = small();
    let arguments =
        ["battlebots", "--human", "bots/waiter", "-o", "max_rounds=3", "--reload", "--show"];
    let mut game = play(&env, &arguments);
    game.until("your action:");
    fs::remove_file(env.path().join("bots/waiter/main.sh")).expect("it is there");
    game.until("`bots/waiter` has changed: the bout begins again");
    game.until("waiting for the source of a bot to change; Ctrl-C ends");
    bot(&env, "waiter", "echo E");
    let is_asked_again =
        |screen: &str| screen.lines().last().is_some_and(|row| row.contains("your action:"));
    game.until_screen("the question of the new bout", is_asked_again);
    for _ in 0..3 {
        game.until_screen("a question", is_asked_again);
        game.enter("no");
    }
    game.until_screen("the end", |screen| {
        screen.lines().last().is_some_and(|row| row.contains("waiting for the source of a bot"))
    });
    game.press("\u{3}");
    assert_eq!(game.end().0, Some(0));
}

#[test]
fn bomberman_is_played_with_its_keys_and_fits_the_terminal() {
    let env = idler();
    let mut game = play(&env, &["bomberman-2016", "--human", "idler", "-o", "max_rounds=2"]);
    let screen = game.until("x trigger, n nothing:");
    let heading = rows(&screen, "Map Width: 21, Map Height: 21");
    assert_eq!(heading.len(), 1, "{screen}");
    assert!(heading[0].starts_with("# # # # # "), "beside the map:\n{screen}");
    assert!(rows(&screen, "Seed: ").iter().all(|row| row.starts_with("# ")), "{screen}");
    let mut refused = |key: &str, reason: &str| {
        game.enter(key);
        game.until_screen(reason, |screen| screen.contains(reason) && screen.ends_with("nothing:"));
    };
    refused("q", "the keys are w up");
    refused("w", "not possible: a wall or a bomb is in the way");
    refused("x", "not possible: you have no bomb to trigger");
    game.enter("z");
    game.until_screen("the second round", |screen| screen.contains("fuse:"));
    game.enter("n");
    let (status, screen) = game.end();
    assert_eq!(status, Some(0), "{screen}");
    assert!(["you won", "you drew", "you lost"].iter().any(|end| screen.contains(end)), "{screen}");
}

#[test]
fn a_fleet_is_placed_ship_by_ship_and_shots_are_checked() {
    let env = idler();
    env.write("idler/main.py", SAILOR);
    let mut game = play(&env, &["battleships-2017", "--human", "idler"]);
    game.until("ship 1 of 5:");
    game.enter("Battleship 1 0 north");
    let screen = game.until("ship 2 of 5:");
    assert!(screen.contains("  0   ~  B  ~"), "the fleet so far:\n{screen}");
    let mut say = |line: &str, reason: &str, question: &str| {
        game.enter(line);
        game.until_screen(reason, |screen| screen.contains(reason) && screen.ends_with(question));
    };
    say("Carrier 0 1 east", "two ships overlap", "ship 2 of 5:");
    say("Carrier 8 1 east", "a ship leaves the map", "ship 2 of 5:");
    say("Carrier 3 1 East", "Carrier 3 1 East", "ship 3 of 5:");
    say("Cruiser 4 2 north", "Cruiser 4 2 north", "ship 4 of 5:");
    say("Destroyer 7 3 north", "Destroyer 7 3 north", "ship 5 of 5:");
    say("Submarine 1 8 East", "Shots: 0", "for the codes):");
    say("1,50,2", "not possible: the target lies off the map", "for the codes):");
    say("7,2,2", "not possible: too little energy", "for the codes):");
    say("9,1,1", "no command has the code 9", "for the codes):");
    game.enter("1,1,1");
    game.until_screen("the next round", |screen| screen.contains("Shots: 1"));
    game.press("\u{3}");
    assert_eq!(game.end().0, Some(130));
}
