//! `joust run --live` and `joust report --live`: pages while bouts are played.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStderr};

use joust_testkit::env::TestEnv;
use joust_testkit::html::Page;
use joust_testkit::http::{Events, connect, get};
use joust_testkit::league::{bot, bout_ids};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::run::contents;
use super::small;

/// A program that serves pages, with what it says.
struct Serving {
    program: Child,
    said: BufReader<ChildStderr>,
    address: SocketAddr,
}

impl Serving {
    fn start(env: &TestEnv, words: &[&str]) -> Self {
        let mut program = env.start(words);
        let mut said = BufReader::new(program.stderr.take().expect("a pipe"));
        let address = loop {
            let mut line = String::new();
            assert!(said.read_line(&mut line).expect("lines") > 0, "no address is said");
            if let Some(address) = line.strip_prefix("live pages: http://") {
                break address.split('/').next().unwrap_or_default().parse().expect("an address");
            }
        };
        Self { program, said, address }
    }

    /// Waits for its end and returns the rest of what it said.
    fn end(mut self) -> String {
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).expect("text");
        let status = self.program.wait().expect("it ends");
        assert!(status.success(), "{status}: {rest}");
        rest
    }

    fn interrupt(self) -> String {
        let pid = Pid::from_raw(i32::try_from(self.program.id()).expect("a process"));
        kill(pid, Signal::SIGINT).expect("it runs");
        self.end()
    }
}

/// Returns what every page is told, until a bout has ended.
fn until_a_bout_has_ended(events: &mut Events) {
    while !events.next_data().expect("the stream goes on").contains(" of 6 bouts") {}
    loop {
        let data = events.next_data().expect("the stream goes on");
        if !data.contains(": 0 of 6 bouts") {
            return;
        }
    }
}

/// A small tournament that takes some seconds.
fn slow() -> TestEnv {
    let env = small();
    bot(&env, "waiter", "sleep 0.2; echo NO");
    env
}

#[test]
fn spectators_see_a_run_and_change_nothing_of_it() {
    let quiet = slow();
    quiet.run(["run"]).expect(0);
    let env = slow();
    let serving = Serving::start(&env, &["run", "--live", "127.0.0.1:0"]);
    let address = serving.address;
    let _hostile = hostile(address);
    let mut events = Events::follow(address, "/events");
    until_a_bout_has_ended(&mut events);
    let now = Page::read(&get(address, "/now.html").body).expect("well-formed");
    assert_eq!(now.shortcomings(), Vec::<String>::new());
    assert!(now.text.contains("league") && now.text.contains("of 6 bouts"), "{}", now.text);
    let mut last = String::new();
    while let Some(data) = events.next_data() {
        last = data;
        if last.contains("\"over\":true") {
            break;
        }
    }
    assert!(last.contains("the run is over"), "{last}");
    let table = get(address, "/index.html");
    assert!(table.status == 200 && table.body.contains("Small"), "{}", table.body);
    let said = serving.end();
    assert!(!said.contains("somebody is reading"), "{said}");
    assert_eq!(contents(&env), contents(&quiet));
}

/// Spectators who say nothing, or never end what they say, or read nothing.
fn hostile(address: SocketAddr) -> Vec<TcpStream> {
    let begin = |words: &str| {
        let mut connection = connect(address);
        // Whoever is shown out has been dealt with.
        _ = connection.write_all(words.as_bytes());
        connection
    };
    let huge = format!("GET /now.html HTTP/1.1\r\nX: {}", "x".repeat(100_000));
    let events = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";
    let many = "GET /now.html HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200);
    let kinds = ["", "GET /now.html HT", &huge, events, &many];
    (0..100).map(|number| begin(kinds[number % kinds.len()])).collect()
}

#[test]
fn what_the_tournament_holds_back_is_held_back_from_live_pages() {
    let env = small();
    bot(&env, "moody", "echo 'sorry, me@secret.example' >&2; exit 3");
    env.run(["run"]).expect(0);
    let file = std::fs::read_to_string(env.path().join("tournament.yaml")).expect("a file");
    env.write("tournament.yaml", &format!("{file}report: {{ public: [] }}\n"));
    let serving = Serving::start(&env, &["report", "--live", "127.0.0.1:0"]);
    let address = serving.address;
    let id = bout_ids(&env).remove(0);
    let page = wait_for(address, &format!("/league/bouts/{id}.html"));
    assert!(page.contains(&id[..8]) && !page.contains("replay.js"), "{page}");
    assert_eq!(get(address, &format!("/replays/{id}.js")).status, 404);
    for path in ["/league/index.html", "/index.html", "/verify.html"] {
        let page = wait_for(address, path);
        assert!(!page.contains("sorry") && !page.contains("exit-nonzero"), "{page}");
    }
    serving.interrupt();
}

#[test]
fn a_delay_holds_results_back_and_an_hour_shows_none_of_them() {
    let env = small();
    env.run(["run"]).expect(0);
    let words = ["report", "--live", "127.0.0.1:0", "--live-delay", "1h", "--live-base", "/cup"];
    let serving = Serving::start(&env, &words);
    let base = SocketAddr::new(serving.address.ip(), serving.address.port());
    let page = wait_for(base, "/cup/league/index.html");
    assert!(page.contains("0 of 6 bouts") || page.contains(" 0 bouts"), "{page}");
    let id = bout_ids(&env).remove(0);
    assert_eq!(get(base, &format!("/cup/league/bouts/{id}.html")).status, 404);
    serving.interrupt();
}

/// Returns a page once the database has been read.
fn wait_for(address: SocketAddr, path: &str) -> String {
    loop {
        let page = get(address, path);
        if page.status == 200 && page.body.contains("league") {
            return page.body;
        }
    }
}

#[test]
fn other_machines_are_let_in_with_a_warning_alone_and_never_to_a_dry_run() {
    let env = small();
    env.run(["run"]).expect(0);
    let mut program = env.start(["report", "--live", "0.0.0.0:0"]);
    let mut said = BufReader::new(program.stderr.take().expect("a pipe"));
    let (mut first, mut second) = (String::new(), String::new());
    said.read_line(&mut first).expect("the address");
    said.read_line(&mut second).expect("the warning");
    assert!(second.starts_with("warning: 0.0.0.0:"), "{second}");
    assert!(second.contains("without a password"), "{second}");
    let pid = Pid::from_raw(i32::try_from(program.id()).expect("a process"));
    kill(pid, Signal::SIGTERM).expect("it runs");
    assert!(program.wait().expect("it ends").success());
    env.run(["run", "--dry-run", "--live", "127.0.0.1:0"]).expect(2);
    env.run(["report"]).expect(2);
    env.run(["report", "--live-delay", "1m", "--out", "site"]).expect(2);
}
