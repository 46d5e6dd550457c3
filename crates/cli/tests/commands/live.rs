//! `joust run --live` and `joust report --live`: pages while bouts are played.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};

use joust_testkit::env::TestEnv;
use joust_testkit::html::Page;
use joust_testkit::http::{Events, connect, get};
use joust_testkit::league::{bot, bout_ids};
use joust_testkit::serving::Serving;

use super::run::contents;
use super::small;

/// Reads the events that every page receives, until a bout has ended.
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
    let first = Page::read(&get(address, "/").body).expect("well-formed");
    assert_eq!(first.shortcomings(), Vec::<String>::new());
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

#[test]
fn a_board_is_seen_while_its_bout_is_played() {
    let env = small();
    bot(&env, "waiter", "sleep 0.4; echo NO");
    let serving = Serving::start(&env, &["run", "--live", "127.0.0.1:0"]);
    for path in ["/boards", "/boards-dark"] {
        let mut boards = Events::follow(serving.address, path);
        let seen = loop {
            let data = boards.next_data().expect("the stream goes on");
            let boards: serde_json::Value = serde_json::from_str(&data).expect("JSON");
            if boards[0]["picture"].as_str().is_some_and(|picture| !picture.is_empty()) {
                break boards;
            }
        };
        assert!(seen[0]["bots"].to_string().contains("waiter"), "{seen}");
        assert!(seen[0]["round"].is_u64(), "{seen}");
    }
    _ = serving.end();
}

/// Opens connections that send nothing, or never finish a request, or read nothing.
fn hostile(address: SocketAddr) -> Vec<TcpStream> {
    let begin = |words: &str| {
        let mut connection = connect(address);
        // Whoever is shown out has been dealt with.
        _ = connection.write_all(words.as_bytes());
        connection
    };
    let huge = format!("GET /index.html HTTP/1.1\r\nX: {}", "x".repeat(100_000));
    let events = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let many = "GET /index.html HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(200);
    let kinds = ["", "GET /index.html HT", &huge, events, &many];
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
    for path in ["/boards", "/boards-dark"] {
        assert_eq!(get(address, path).status, 404, "{path}");
    }
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
    let mut serving = Serving::start(&env, &["report", "--live", "0.0.0.0:0"]);
    let warning = serving.next_line();
    assert!(warning.starts_with("warning: 0.0.0.0:"), "{warning}");
    assert!(warning.contains("without a password"), "{warning}");
    serving.interrupt();
    env.run(["run", "--dry-run", "--live", "127.0.0.1:0"]).expect(2);
    env.run(["report"]).expect(2);
    env.run(["report", "--live-delay", "1m", "--out", "site"]).expect(2);
}
