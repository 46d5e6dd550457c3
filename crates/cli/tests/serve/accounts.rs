//! Names, passwords and totals outlive the server.

use joust_testkit::env::TestEnv;

use super::{QUICK, Running, env};

/// Registers, plays one game to its end and stops the server.
fn play_once(env: &TestEnv) -> String {
    let server = Running::start(env, QUICK);
    let mut alice = server.client();
    assert_eq!(alice.register("alice", "secret"), "REGISTERED");
    alice.until("END");
    alice.until("INIT");
    let (status, said) = server.end_with("-INT");
    assert_eq!(status, Some(0), "{said}");
    said
}

fn database(env: &TestEnv) -> Vec<u8> {
    std::fs::read(env.path().join("server.db")).expect("the database is there")
}

#[test]
fn a_name_belongs_to_its_password_also_after_a_restart() {
    let env = env();
    let said = play_once(&env);
    assert!(said.contains("alice 0"), "{said}");
    let server = Running::start(&env, QUICK);
    let mut thief = server.client();
    assert_eq!(thief.register("alice", "wrong"), "E_WRONG_PASS");
    let mut alice = server.client();
    assert_eq!(alice.register("alice", "secret"), "REGISTERED");
}

#[test]
fn a_password_is_kept_as_a_hash_alone() {
    let env = env();
    play_once(&env);
    let kept = database(&env);
    let holds = |text: &[u8]| kept.windows(text.len()).any(|window| window == text);
    assert!(holds(b"$argon2id$"));
    assert!(!holds(b"secret"));
}

#[test]
fn two_clients_of_one_name_and_password_both_play() {
    let env = env();
    let server = Running::start(&env, QUICK);
    let (mut one, mut other) = (server.client(), server.client());
    loop {
        one.until("INIT");
        other.until("INIT");
        one.send("REGISTER twin pw\n");
        other.send("REGISTER twin pw\n");
        let players = one.until("TICK");
        if players.contains(&"PLAYERS 2".to_owned()) {
            assert_eq!(players.iter().filter(|line| line.starts_with("twin ")).count(), 2);
            return;
        }
    }
}
