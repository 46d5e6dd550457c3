//! Lines N06 to N09 of the catalogue of hostile bots, as they concern the
//! standing server: whatever a client does, the others play on.

use std::io::{Read, Write};
use std::net::Shutdown;

use super::{Client, QUICK, Running, env};

/// Another client still gets its answers and its turns.
fn plays_on(server: &Running) {
    let mut honest = server.client();
    assert_eq!(honest.register("honest", "pw"), "REGISTERED");
    honest.until("TICK");
}

/// N06: connects and sends nothing.
#[test]
fn many_silent_connections_do_no_harm() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["--per-address", "2000"]].concat());
    let silent: Vec<Client> = (0..400).map(|_| server.client()).collect();
    plays_on(&server);
    drop(silent);
    plays_on(&server);
}

/// N06: more of them than the soft limit of descriptors that the server was started with.
#[test]
fn thousands_of_idle_connections_are_served() {
    const IDLE: usize = 3_000;
    let env = env();
    let wide = ["--per-address", "5000", "-o", "tick_ms=5000", "-o", "window_ms=5000"];
    let server = Running::start(&env, &wide);
    // Only now, because a limit is inherited.
    joust_serve::take_all_descriptors();
    let connect = |_| std::net::TcpStream::connect(server.players);
    // As many as the hard limit lets this test have, and the server, which needs some for itself.
    let mut idle: Vec<_> = (0..IDLE).map_while(|number| connect(number).ok()).collect();
    assert!(idle.len() >= 500, "{} connections", idle.len());
    if idle.len() < IDLE {
        let half = idle.len() / 2;
        idle.truncate(half);
    }
    // Each of them receives the same game as the others.
    for stream in &mut idle {
        stream.set_read_timeout(Some(super::PATIENCE)).expect("it can be set");
        let mut heard = [0; 1];
        assert_eq!(stream.read(&mut heard).expect("it is served"), 1);
    }
}

/// N06: connects and sends nothing, for too long.
#[test]
fn a_connection_that_says_nothing_for_too_long_is_closed() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["--idle", "1s"]].concat());
    server.client().drain();
    plays_on(&server);
}

/// N06: byte by byte.
#[test]
fn a_command_may_come_byte_by_byte() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["-o", "window_ms=5000"]].concat());
    let mut slow = server.client();
    slow.stream.set_nodelay(true).expect("it can be set");
    for byte in "ACTION UP\n".split("").filter(|byte| !byte.is_empty()) {
        slow.send(byte);
    }
    // Pauses of ten milliseconds may cut it, which is the game's rule; the
    // connection lives either way.
    assert_eq!(slow.ask("\nACTION UP\n"), "E_NOT_PLAYING");
}

/// N06: more connections than are allowed.
#[test]
fn connections_above_the_cap_of_an_address_are_closed() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["--per-address", "3"]].concat());
    let mut kept: Vec<Client> = (0..3).map(|_| server.client()).collect();
    kept.iter_mut().for_each(|client| drop(client.until("INIT")));
    let mut turned_away = server.client();
    assert_eq!(turned_away.next(), None);
    drop(kept);
    loop {
        let mut later = server.client();
        if later.next().is_some() {
            break;
        }
    }
}

/// N07: takes another's name, registers twice.
#[test]
fn a_name_cannot_be_taken_with_a_wrong_password() {
    let env = env();
    let server = Running::start(&env, QUICK);
    let (mut owner, mut thief) = (server.client(), server.client());
    assert_eq!(owner.register("owner", "pw"), "REGISTERED");
    assert_eq!(thief.register("owner", "guess"), "E_WRONG_PASS");
    assert_eq!(thief.register("thief", "pw"), "REGISTERED");
}

/// N07: guesses passwords.
#[test]
fn who_guesses_passwords_is_cut_off() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["-o", "window_ms=30000"]].concat());
    let mut owner = server.client();
    assert_eq!(owner.ask("REGISTER owner pw\n"), "REGISTERED");
    let mut guesser = server.client();
    for guess in 0..40 {
        if guesser.stream.write_all(format!("REGISTER owner x{guess}\n").as_bytes()).is_err() {
            break;
        }
    }
    guesser.drain();
    assert_eq!(owner.ask("REGISTER owner pw\n"), "REGISTERED");
}

/// N07: makes names without end.
#[test]
fn an_address_makes_no_more_names_than_it_may_and_known_ones_play_on() {
    let env = env();
    let long = ["-o", "window_ms=30000", "--new-names", "3"];
    let server = Running::start(&env, &[QUICK, &long].concat());
    let mut answers = Vec::new();
    for name in ["one", "two", "three", "four", "five", "one"] {
        answers.push(server.client().ask(&format!("REGISTER {name} pw\n")));
    }
    let (yes, no) = ("REGISTERED", "E_WRONG_PASS");
    assert_eq!(answers, [yes, yes, yes, no, no, yes]);
    let (_, said) = server.end_with("-TERM");
    assert_eq!(said.matches("127.0.0.1 has made as many names").count(), 1, "{said}");
    // A restart resets the counts and keeps the names; there may be one more in all.
    let more = ["-o", "window_ms=30000", "--accounts", "4"];
    let server = Running::start(&env, &[QUICK, &more].concat());
    let ask = |name: &str| server.client().ask(&format!("REGISTER {name} pw\n"));
    assert_eq!(["six", "seven", "three"].map(ask), [yes, no, yes]);
    let (_, said) = server.end_with("-TERM");
    assert!(said.contains("as many names as `--accounts` allows"), "{said}");
}

/// N07: a contest in one room, behind one address.
#[test]
fn a_room_full_of_people_behind_one_address_registers() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["-o", "window_ms=60000"]].concat());
    let mut people: Vec<Client> = (0..100).map(|_| server.client()).collect();
    for (number, person) in people.iter_mut().enumerate() {
        assert_eq!(person.ask(&format!("REGISTER person-{number} pw\n")), "REGISTERED");
    }
}

/// N08: thousands of messages in a tick, very long lines, binary.
#[test]
fn a_flood_is_cut_off_and_hurts_nobody() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["-o", "tick_ms=1000"]].concat());
    let floods: [&[u8]; 3] = [b"ACTION UP\n", b"x", b"\xff\x00\n\r"];
    for flood in floods {
        let mut client = server.client();
        let bytes = flood.repeat((4 << 20) / flood.len());
        // Cut off in the middle, or cut at the end: both are errors or an end.
        let _ = client.stream.write_all(&bytes);
        let _ = client.stream.shutdown(Shutdown::Write);
        let _ = client.stream.read_to_end(&mut Vec::new());
    }
    plays_on(&server);
}

/// N08: does not read the server's messages.
#[test]
fn a_client_that_does_not_read_is_cut_off() {
    let env = env();
    let server = Running::start(
        &env,
        &["-o", "tick_ms=10", "-o", "window_ms=10", "-o", "rows=99", "-o", "columns=99"],
    );
    let mut deaf = server.client();
    deaf.stream.set_read_timeout(None).expect("it can be set");
    let mut watcher = Client::connect(server.spectators);
    // Each idle game sends a map of 19 KiB; more than the kernel keeps, and 64 KiB more.
    let mut ended = 0;
    while ended < 600 {
        match watcher.next() {
            Some(line) => ended += u32::from(line.starts_with("END")),
            // On a machine that is too busy the watcher is cut off, too.
            None => watcher = Client::connect(server.spectators),
        }
    }
    deaf.drain();
}

/// N09: drops the connection and comes back.
#[test]
fn who_comes_and_goes_takes_no_place_for_ever() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["--per-address", "4"]].concat());
    for _ in 0..40 {
        let mut client = server.client();
        client.send("REGISTER jumper pw\n");
        drop(client);
        std::thread::yield_now();
    }
    loop {
        let mut honest = server.client();
        if honest.next().is_some() {
            break;
        }
    }
}

/// Client at an address of its own: guesses passwords of `honest` on many connections at once in
/// every window, and waits for no answer.
const GUESSER: &str = r#"
import socket, sys
def connect():
    one = socket.socket()
    one.bind(("127.0.9.1", 0))
    one.connect(("127.0.0.1", int(sys.argv[1])))
    return one
guesses = b"".join(b"REGISTER honest %d\n" % one for one in range(20))
while True:
    all = [connect() for _ in range(50)]
    for line in all[0].makefile("rb"):
        if line == b"INIT\n":
            break
    for one in all:
        one.sendall(guesses)
        one.close()
    print("guessed", flush=True)
"#;

/// N07: a thousand guesses in every window delay no other client.
#[test]
fn guesses_of_passwords_keep_only_their_own_address_waiting() {
    let env = env();
    let server = Running::start(&env, &[QUICK, &["-o", "window_ms=1000"]].concat());
    let port = server.players.port().to_string();
    plays_on(&server);
    let mut guesser = std::process::Command::new("python3");
    guesser.args(["-c", GUESSER, &port]).stdout(std::process::Stdio::piped());
    let mut guesser = guesser.spawn().expect("python runs");
    let mut said = [0; 8];
    let stdout = guesser.stdout.as_mut().expect("it is a pipe");
    stdout.read_exact(&mut said).expect("it guesses");
    assert_eq!(server.client().register("newcomer", "pw"), "REGISTERED");
    plays_on(&server);
    let _ = guesser.kill();
    let _ = guesser.wait();
    assert_eq!(server.end_with("-INT").0, Some(0));
}

/// Client at an address of its own: fifteen connections register one new name after the other, on
/// command, and print how often they were answered.
const FLOODER: &str = r#"
import socket, sys, threading
def connect():
    one = socket.socket()
    one.bind(("127.0.9.2", 0))
    one.connect(("127.0.0.1", int(sys.argv[1])))
    return one
def count(one):
    for line in one.makefile("rb"):
        if line == b"REGISTERED\n":
            print("R", flush=True)
all = [connect() for _ in range(15)]
sys.stdin.readline()
for number, one in enumerate(all):
    one.sendall(b"".join(b"REGISTER f%d-%d pw\n" % (number, turn) for turn in range(500)))
print("flooded!", flush=True)
for one in all:
    threading.Thread(target=count, args=(one,)).start()
"#;

/// N07: endless new names from one address wait until those of all other addresses are answered.
#[test]
fn a_flood_of_new_names_lets_everybody_else_go_first() {
    let env = env();
    let wide = ["-o", "window_ms=60000", "--new-names", "100000"];
    let server = Running::start(&env, &[QUICK, &wide].concat());
    let port = server.players.port().to_string();
    let mut honest: Vec<Client> = (0..60).map(|_| server.client()).collect();
    let mut flooder = std::process::Command::new("python3");
    flooder.args(["-c", FLOODER, &port]).stdout(std::process::Stdio::piped());
    let mut flooder = flooder.stdin(std::process::Stdio::piped()).spawn().expect("python runs");
    flooder.stdin.as_mut().expect("it is a pipe").write_all(b"go\n").expect("it reads");
    let mut stdout = flooder.stdout.take().expect("it is a pipe");
    stdout.read_exact(&mut [0; 9]).expect("it floods");
    for (number, client) in honest.iter_mut().enumerate() {
        client.send(&format!("REGISTER honest-{number} pw\n"));
    }
    for client in &mut honest {
        client.until("REGISTERED");
    }
    let _ = flooder.kill();
    let _ = flooder.wait();
    let mut answered = Vec::new();
    stdout.read_to_end(&mut answered).expect("it can be read");
    let flooded = answered.iter().filter(|byte| **byte == b'R').count();
    // The first of each of the fifteen, and what was done before and after. By turns it would
    // be as many as the others'.
    assert!(flooded < 45, "{flooded}");
}
