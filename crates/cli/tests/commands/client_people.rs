//! People and clients of UWCS Bomberman that take part in one bout: at the keyboard, and over the
//! network.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use super::at_the_keyboard;
use super::clients::{PUBLISHED, folder};

/// Client that prints every line it receives, and registers and acts on its own.
const PEN_FRIEND: &str = r#"
import socket, sys
stream = socket.create_connection((sys.argv[1], int(sys.argv[2])))
for line in stream.makefile("r"):
    print(line, end="", flush=True)
    if line == "INIT\n":
        stream.sendall(b"REGISTER friend pw\r\n")
    elif line.startswith("TICK"):
        stream.sendall(b"ACTION LEFT")
"#;

#[test]
fn a_person_plays_key_by_key_and_registers_without_a_key() {
    let env = folder(&[("published.py", PUBLISHED)]);
    let arguments = ["play", "uwcs-bomberman", "--human", "published.py", "--format", "json"];
    let options = ["--turns", "-o", "turns=8", "-o", "tick_ms=60", "-o", "window_ms=500"];
    let command = env.command(arguments.into_iter().chain(options));
    // Up, no key of the game, left, a bomb, then end of input.
    let text = at_the_keyboard(command, b"w?\x1b[D ");
    assert!(text.contains("Player"), "the board is drawn: {text}");
    let json = &text[text.find("{\n").expect("an object follows the drawings")..];
    let bout: serde_json::Value = serde_json::from_str(json).expect("it is JSON");
    assert_eq!((&bout["clock"], &bout["seats"][0]["bot"]), (&"realtime".into(), &"Player".into()));
    let turns = bout["turns"].as_array().expect("a list").iter();
    let own = turns.filter(|turn| turn["seat"] == 0).map(|turn| turn["action"].as_str());
    let own: Vec<_> = own.flatten().filter(|action| !action.is_empty()).collect();
    assert_eq!(own, ["UP", "LEFT", "BOMB"]);
}

#[test]
fn clients_join_over_the_network_and_speak_the_wire() {
    let env = folder(&[("published.py", PUBLISHED)]);
    env.write("friend.py", PEN_FRIEND);
    let arguments = ["play", "uwcs-bomberman", "--listen", "0", "published.py", "--format", "json"];
    let options = ["--turns", "-o", "turns=6", "-o", "tick_ms=200", "-o", "window_ms=2000"];
    let mut playing = env
        .command(arguments.into_iter().chain(options))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it can be started");
    let mut heard = BufReader::new(playing.stderr.take().expect("a pipe"));
    let mut until = |wanted: &str| loop {
        let mut line = String::new();
        assert!(heard.read_line(&mut line).is_ok_and(|read| read > 0), "no `{wanted}`");
        if line.contains(wanted) {
            return line;
        }
    };
    let listening = until("listening at ");
    let (_, port) = listening.trim().rsplit_once(':').expect("an address");
    let friend = Command::new("python3")
        .args(["friend.py", "127.0.0.1", port])
        .current_dir(env.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python is here");
    until("Guest 1 has joined");
    let mut person =
        TcpStream::connect(("127.0.0.1", port.parse().expect("a port"))).expect("it listens");
    until("Guest 2 has joined");
    let mut host = playing.stdin.take().expect("a pipe");
    host.write_all(b"start\n").expect("the host reads");
    drop(heard);
    // A person who types, and sees all messages that the server sends to everyone.
    let mut lines =
        BufReader::new(person.try_clone().expect("it is open")).lines().map_while(Result::ok);
    assert_eq!(lines.next().as_deref(), Some("INIT"));
    person.write_all(b"REGISTER me me\n").expect("it is open");
    assert_eq!(lines.next().as_deref(), Some("REGISTERED"));
    assert!(lines.any(|line| line.starts_with("TICK")), "the game begins");
    person.write_all(b"ACTION BOMB\n").expect("it is open");
    assert!(lines.any(|line| line == "BOMB"), "it was heard");
    let scores: Vec<String> = lines.skip_while(|line| !line.starts_with("SCORES")).collect();
    assert_eq!(scores.len(), 4, "{scores:?}");

    let friend = friend.wait_with_output().expect("it ends");
    let friend = String::from_utf8(friend.stdout).expect("it is text");
    assert!(friend.starts_with("INIT\nREGISTERED\n") && friend.contains("SCORES 3"), "{friend}");
    let output = playing.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("it is text");
    let json = &text[text.find("{\n").expect("an object follows the drawings")..];
    let bout: serde_json::Value = serde_json::from_str(json).expect("it is JSON");
    let names: Vec<_> =
        bout["seats"].as_array().expect("seats").iter().map(|it| &it["bot"]).collect();
    assert_eq!(names, ["friend", "me", "published"]);
    let turns = bout["turns"].as_array().expect("a list");
    assert!(turns.iter().all(|turn| turn["verdict"] == "ok"), "{bout}");
    let acted = |seat: u64, word: &str| {
        turns.iter().any(|turn| turn["seat"] == seat && turn["action"] == word)
    };
    assert!(acted(0, "LEFT") && acted(1, "BOMB") && acted(2, "UP"), "{bout}");
}
