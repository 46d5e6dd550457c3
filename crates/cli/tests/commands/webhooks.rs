//! Webhooks of `joust run`, sent to a real HTTP server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use joust_testkit::env::TestEnv;
use joust_testkit::league::bot;
use serde_json::Value;

use super::small;

/// A server that takes messages.
struct Taker {
    /// Path and body of each.
    taken: Receiver<(String, Value)>,
    address: String,
}

impl Taker {
    /// Starts a server that answers with `status`.
    fn start(status: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (sender, taken) = channel();
        thread::spawn(move || {
            for connection in listener.incoming() {
                let request = take(connection.expect("a connection"), status);
                if sender.send(request).is_err() {
                    break;
                }
            }
        });
        Self { taken, address }
    }

    fn all(&self) -> Vec<(String, Value)> {
        self.taken.try_iter().collect()
    }
}

/// Reads a request and answers it.
fn take(connection: TcpStream, status: &str) -> (String, Value) {
    let mut reader = BufReader::new(connection);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).expect("a request");
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a head");
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().expect("a number");
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    reader.get_mut().write_all(answer.as_bytes()).expect("the answer is taken");
    let path = first.split(' ').nth(1).expect("a path").to_owned();
    (path, serde_json::from_slice(&body).expect("JSON"))
}

/// Runs with webhooks in the variable; returns the output.
fn run_with(env: &TestEnv, webhooks: &str) -> String {
    let output = env.command(["run"]).env("JOUST_WEBHOOKS", webhooks).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

#[test]
fn a_run_tells_of_broken_bots_of_new_leaders_and_of_its_end() {
    let env = small();
    bot(&env, "torn", "if then");
    let taker = Taker::start("204 No Content");
    let address = &taker.address;
    run_with(&env, &format!("{address}/plain?t=1\ndiscord {address}/d slack {address}/s"));
    let all = taker.all();
    let of = |path: &str| -> Vec<&Value> {
        all.iter().filter(|(at, _)| at == path).map(|(_, body)| body).collect()
    };
    let kinds: Vec<_> = of("/plain?t=1").iter().map(|body| body["kind"].clone()).collect();
    assert_eq!(kinds, ["bot-broken", "new-leader", "run-finished"]);
    let [broken, leader, finished] = of("/plain?t=1")[..] else { panic!("{all:?}") };
    assert_eq!(
        (broken["bot"].as_str(), broken["problem"].as_str()),
        (Some("torn"), Some("not built"))
    );
    assert_eq!(leader["leaders"][0], "shooter");
    assert_eq!(
        (finished["ended"].as_str(), &finished["events"][0]["bouts"]),
        (Some("complete"), &6.into())
    );
    assert_eq!((&leader["event"], &leader["title"]), (&"league".into(), &"BattleBots".into()));
    assert_eq!(finished["events"][0]["title"], "BattleBots");
    let said = of("/d")[1]["content"].as_str().expect("text");
    assert!(said.contains("`shooter` in front of `BattleBots` (`league`)"), "{said}");
    assert!(of("/s")[2]["text"].as_str().expect("text").starts_with("`Small`: the run has ended"));
    // Nothing is new the next time.
    run_with(&env, &format!("{address}/again"));
    let kinds: Vec<_> = taker.all().into_iter().map(|(_, body)| body["kind"].clone()).collect();
    assert_eq!(kinds, ["bot-broken", "run-finished"]);
}

#[test]
fn an_address_that_takes_nothing_costs_a_warning_that_does_not_name_it() {
    let env = small();
    let taker = Taker::start("404 Not Found");
    let said = run_with(&env, &format!("{}/my-token", taker.address));
    let warning = "warning: webhook 1 (json) did not take a message: it answered with status 404";
    assert!(said.contains(warning), "{said}");
    let in_all = "warning: webhook 1 (json) did not take 2 messages in all: it answered with";
    assert!(said.contains(in_all), "{said}");
    assert_eq!(said.matches("webhook").count(), 2, "{said}");
    assert!(!said.contains("my-token"), "{said}");
    for file in ["results.db", "results.db-wal"] {
        let bytes = std::fs::read(env.path().join(file)).unwrap_or_default();
        assert!(!bytes.windows(8).any(|part| part == b"my-token"), "{file} has the address");
    }
}

#[test]
fn addresses_come_from_no_file_of_the_repository() {
    let env = small();
    env.write("hooks", "https://example.org/my-token\n");
    let refused = env.run(["run", "--webhooks", "/dev/zero"]).expect(2).stderr;
    assert!(refused.contains("this is a device, not a plain file"), "{refused}");
    let refused = env.run(["run", "--webhooks", "hooks"]).expect(2).stderr;
    assert!(refused.contains("lies in the folder of the tournament"), "{refused}");
    let output = env.command(["run"]).env("JOUST_WEBHOOKS", "http://example.org/my-token").output();
    let output = output.expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("`JOUST_WEBHOOKS`: webhook 1 does not begin with https://"), "{said}");
    assert!(!said.contains("my-token"), "{said}");
    let file = std::fs::read_to_string(env.path().join("tournament.yaml")).expect("a file");
    env.write("tournament.yaml", &format!("{file}webhooks: https://example.org/my-token\n"));
    let refused = env.run(["run"]).expect(2).stderr;
    assert!(refused.contains("JOUST_WEBHOOKS") && !refused.contains("my-token"), "{refused}");
}

#[test]
fn ci_tells_nobody() {
    let env = small();
    let taker = Taker::start("204 No Content");
    let output = env.command(["ci"]).env("JOUST_WEBHOOKS", &taker.address).output();
    output.expect("it starts");
    assert_eq!(taker.all(), []);
}

#[test]
fn what_is_not_encrypted_goes_through_no_proxy() {
    let env = small();
    let (taker, proxy) = (Taker::start("204 No Content"), Taker::start("502 Bad Gateway"));
    let mut command = env.command(["run"]);
    command.env("JOUST_WEBHOOKS", &taker.address);
    for name in ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
        command.env(name, &proxy.address);
    }
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("warning: webhook"), "{said}");
    assert!(!taker.all().is_empty() && proxy.all().is_empty());
}
