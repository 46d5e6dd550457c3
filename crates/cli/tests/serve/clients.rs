//! Clients of every kind: those that play, come late, leave, send no line ends.

use super::{QUICK, Running, env};

#[test]
fn two_clients_play_a_game_to_its_end() {
    let env = env();
    let server = Running::start(&env, QUICK);
    let (mut alice, mut bob) = (server.client(), server.client());
    loop {
        alice.until("INIT");
        bob.until("INIT");
        let answers = [alice.ask("REGISTER alice pw\n"), bob.ask("REGISTER bob pw\n")];
        if answers == ["REGISTERED", "REGISTERED"] {
            break;
        }
    }
    assert!(alice.until("PLAYERS").contains(&"PLAYERS 2".to_owned()));
    alice.until("TICK 1");
    assert_eq!(alice.ask("ACTION BOMB\n"), "BOMB");
    assert_eq!(alice.until("ACTIONS 1").last().expect("a line"), "ACTIONS 1");
    assert_eq!(alice.next().as_deref(), Some("alice BOMB"));
    let end = bob.until("INIT");
    let scores = end.iter().position(|line| line == "SCORES 2").expect("the scores of two");
    assert_eq!(end[scores - 1], "END");
    assert!(end[scores + 1].starts_with("alice ") && end[scores + 2].starts_with("bob "));
}

#[test]
fn who_plays_alone_is_told_of_the_rules_that_let_them() {
    let env = env();
    for (rules, is_told) in [("documented", true), ("original", false)] {
        let server = Running::start(&env, &[QUICK, &["--rules", rules]].concat());
        let mut alice = server.client();
        assert_eq!(alice.register("alice", "pw"), "REGISTERED");
        alice.until("END");
        alice.until("INIT");
        let (_, said) = server.end_with("-INT");
        assert_eq!(said.contains("`--rules original` lets a lone player"), is_told, "{said}");
    }
}

#[test]
fn several_commands_in_one_packet_and_one_in_several_are_understood() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["-o", "tick_ms=1000"]].concat());
    let mut alice = server.client();
    alice.until("INIT");
    alice.send("REGISTER\nREGISTER alice\nREGISTER alice p");
    assert_eq!(alice.ask("w\nACTION UP\n"), "E_NO_NAME");
    assert_eq!(alice.ask(""), "E_NO_PASS");
    assert_eq!(alice.ask(""), "REGISTERED");
    assert_eq!(alice.ask(""), "E_NOT_PLAYING");
}

#[test]
fn a_command_without_a_line_end_is_one_after_a_moment() {
    let env = env();
    let server = Running::start(&env, QUICK);
    let mut alice = server.client();
    alice.until("INIT");
    assert_eq!(alice.ask("REGISTER alice pw"), "REGISTERED");
}

#[test]
fn who_comes_late_watches_and_plays_the_next_game() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["-o", "turns=40"]].concat());
    let (mut alice, mut bob) = (server.client(), server.client());
    assert_eq!(alice.register("alice", "pw"), "REGISTERED");
    bob.register("bob", "pw");
    alice.until("TICK");
    let mut late = server.client();
    let answer = late.ask("REGISTER late pw\n");
    assert!(["E_NOT_INIT", "REGISTERED"].contains(&&*answer), "{answer}");
    assert_eq!(late.register("late", "pw"), "REGISTERED");
    assert!(late.until("TICK").iter().any(|line| line.starts_with("late ")));
}

#[test]
fn a_player_who_leaves_is_not_in_the_scores() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["--rules", "original"]].concat());
    let mut alice = server.client();
    let mut bob = server.client();
    loop {
        alice.until("INIT");
        bob.until("INIT");
        alice.send("REGISTER alice pw\n");
        bob.send("REGISTER bob pw\n");
        if alice.until("PLAYERS").contains(&"PLAYERS 2".to_owned()) {
            break;
        }
    }
    drop(bob);
    let end = alice.until("SCORES");
    assert_eq!(end.last().expect("a line"), "SCORES 1");
    assert!(alice.next().expect("a line").starts_with("alice "));
}

#[test]
fn the_map_has_the_size_that_was_asked_for() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["-o", "rows=7", "-o", "columns=9"]].concat());
    let mut alice = server.client();
    alice.until("MAP 7 9");
    let row = alice.next().expect("a row");
    assert_eq!(row.split(' ').count(), 9);
}

#[test]
fn a_client_that_closes_its_sending_side_still_listens() {
    let env = env();
    let slow = ["--rules", "original", "-o", "tick_ms=2000", "-o", "turns=1"];
    let server = Running::start(&env, &[QUICK, &slow].concat());
    let mut listener = server.client();
    assert_eq!(listener.register("half", "pw"), "REGISTERED");
    listener.until("TICK");
    // Its last word has no line end, and is whole all the same.
    listener.send("ACTION UP");
    listener.stream.shutdown(std::net::Shutdown::Write).expect("it is open");
    assert!(listener.until("SCORES 1").contains(&"UP".to_owned()));
    listener.until("TICK");
}

#[test]
fn one_that_listens_no_more_leaves_its_place() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["--per-address", "2"]].concat());
    let mut stays = server.client();
    let mut leaves = server.client();
    leaves.until("INIT");
    leaves.stream.shutdown(std::net::Shutdown::Write).expect("it is open");
    leaves.until("INIT");
    drop(leaves);
    // The place is free once something could not be sent to it.
    loop {
        stays.until("INIT");
        if server.client().next().is_some() {
            break;
        }
    }
}
