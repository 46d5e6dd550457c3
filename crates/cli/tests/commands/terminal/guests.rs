//! Host and guests of a bout: lobby, waiting and leaving.

use joust_testkit::env::TestEnv;
use joust_testkit::pty::Pty;

use super::super::small;
use super::{A_WHILE, Guest, address, play, rows};

fn host(env: &TestEnv, arguments: &[&str]) -> Pty {
    play(env, &[&["battlebots", "--listen", "127.0.0.1:0"], arguments].concat())
}

#[test]
fn what_the_host_types_stays_whoever_comes() {
    let env = small();
    let mut host = host(&env, &["bots/waiter"]);
    address(&mut host);
    host.press("sta");
    host.until("> sta");
    let _ann = Guest::join(&mut host, "ann");
    let screen = host.look_for(A_WHILE);
    assert_eq!(screen.lines().last(), Some("> sta"), "{screen}");
    assert_eq!(rows(&screen, "ann has joined"), ["ann has joined (1 here)"], "{screen}");
    host.press("\u{7f}\u{7f}\u{7f}end\r");
    let (status, screen) = host.end();
    assert_eq!(status, Some(130), "{screen}");
    assert!(screen.contains("called off; nothing was played"), "{screen}");
}

#[test]
fn everybody_hears_who_is_waited_for_and_who_leaves_and_sees_the_table() {
    let env = small();
    let mut host = host(&env, &["-o", "max_rounds=4"]);
    let mut ann = Guest::join(&mut host, "ann");
    let mut bob = Guest::join(&mut host, "bob");
    host.press("start\r");
    ann.hear("ann, your action: ");
    bob.hear("waiting for ann\r\n");
    let screen = host.until("waiting for ann; s skips this turn");
    assert!(screen.contains("0 ann hp=10"), "the table:\n{screen}");
    let late = std::net::TcpStream::connect(address_of(&screen));
    assert!(late.is_err(), "nobody is let in once the bout has begun");
    ann.say("no");
    bob.hear("bob, your action: ");
    ann.hear("waiting for bob\r\n");
    bob.say("no");
    // The second turn of ann has begun, and the host loses patience.
    ann.hear("ann, your action: ");
    host.until("waiting for ann; s skips this turn");
    host.press("s");
    bob.hear("ann has taken too long and is skipped\r\n");
    host.until("ann has taken too long and is skipped");
    bob.hear("bob, your action: ");
    drop(ann);
    bob.hear("ann has left; the seat does nothing from now on\r\n");
    host.until("ann has left; the seat does nothing from now on");
    for _ in 0..3 {
        bob.say("no");
    }
    bob.hear("the game is over\r\nyou ");
    let (status, screen) = host.end();
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.contains("no-output 3 ok 1"), "{screen}");
}

fn address_of(screen: &str) -> std::net::SocketAddr {
    let after = screen.split("listening at ").nth(1).expect("an address");
    after.split_whitespace().next().expect("an address").parse().expect("an address")
}

#[test]
fn a_guest_who_is_idle_is_skipped_after_the_time_that_the_host_sets() {
    let env = small();
    let mut host = host(&env, &["bots/waiter", "-o", "max_rounds=2", "--guest-time", "1s"]);
    let mut ann = Guest::join(&mut host, "ann");
    host.press("start\r");
    ann.hear("ann, your action: ");
    ann.hear("ann has taken too long and is skipped\r\n");
    ann.hear("ann, your action: ");
    ann.say("no");
    ann.hear("the game is over\r\n");
    let (status, screen) = host.end();
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.contains("no-output 1 ok 1"), "{screen}");
}
