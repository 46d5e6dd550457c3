//! Tests of the start and the stop of the server.

use super::{QUICK, Running, env};

#[test]
fn ctrl_c_stops_it_and_closes_every_connection() {
    let env = env();
    let server = Running::start(&env, QUICK);
    let mut client = server.client();
    client.until("INIT");
    let (status, said) = server.end_with("-INT");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("stopped"), "{said}");
    client.drain();
}

#[test]
fn a_polite_request_to_end_stops_it_too() {
    let env = env();
    let (status, said) = Running::start(&env, QUICK).end_with("-TERM");
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn an_address_that_strangers_reach_is_warned_of() {
    let env = env();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has one").to_string();
    let ran = env.run(["serve", "uwcs-bomberman", "--listen", &address]).expect(4);
    assert!(ran.stderr.contains("cannot listen on"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    assert_eq!(std::fs::read_dir(env.path()).expect("a folder").count(), 0, "nothing is left");
    // The port is taken for every address, so this one ends at once as well.
    let everywhere = address.replace("127.0.0.1", "0.0.0.0");
    let ran = env.run(["serve", "uwcs-bomberman", "--listen", &everywhere]).expect(4);
    assert!(ran.stderr.contains("warning: "), "{}", ran.stderr);
}

#[test]
fn a_game_that_is_played_without_a_server_is_refused() {
    let ran = env().run(["serve", "battlebots"]).expect(2);
    assert!(ran.stderr.contains("`battlebots` has no server"), "{}", ran.stderr);
}

#[test]
fn an_impossible_option_is_refused() {
    let ran = env().run(["serve", "uwcs-bomberman", "-o", "rows=2"]).expect(2);
    assert!(ran.stderr.contains("option `rows` is `2`"), "{}", ran.stderr);
}

#[test]
fn a_second_server_on_the_same_accounts_is_refused() {
    let env = env();
    let server = Running::start(&env, QUICK);
    let ran = env.run(["serve", "uwcs-bomberman", "--listen", "127.0.0.1:0"]).expect(3);
    assert!(ran.stderr.contains("another server (process "), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
    drop(Running::start(&env, &["--database", "other.db"]));
    assert_eq!(server.end_with("-HUP").0, Some(0));
    assert_eq!(Running::start(&env, QUICK).end_with("-TERM").0, Some(0));
}
