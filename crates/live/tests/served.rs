//! Live pages over real connections: the contents served from a database, and resistance to misuse.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use joust_live::{Live, LiveError, RunSource, Settings};
use joust_model::notices::Notice;
use joust_model::{EventSettings, Mirror, Seed};
use joust_referee::{Catalogue, Game, GameSpec, Judge, Outputs, Referee, Setup, StartError};
use joust_store::{Access, Store, TournamentRow};
use joust_testkit::http::{Events, ask, connect, get};
use joust_testkit::{fixtures, game};
use tempfile::TempDir;

const EVENT: &str = "league";

fn settings(folder: &TempDir) -> Settings {
    let database = folder.path().join("results.db");
    Settings { base: "/joust".parse().expect("a base"), ..Settings::new("Cup", database) }
}

fn serve(settings: Settings) -> Live {
    Live::start(settings, RunSource::ThisProcess).expect("the pages are served")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Makes a database with an event.
async fn database(path: &Path) -> Store {
    let store = Store::open(path, Access::CreateOrOpen).await.expect("a database");
    name(&store, "Cup <1>").await;
    let settings = EventSettings { mirror: Mirror::Off, ..fixtures::event(EVENT) };
    store.put_event(&settings).await.expect("an event");
    store
}

async fn name(store: &Store, name: &str) {
    let row = TournamentRow { name: name.to_owned(), seed: Seed(7), seed_is_drawn: false };
    store.put_tournament(&row).await.expect("a tournament");
}

/// Waits until an event of the stream has other pages than `before`.
fn newer_pages(events: &mut Events, before: &str) -> String {
    let pages = |data: &str| -> serde_json::Value { serde_json::from_str(data).expect("JSON") };
    loop {
        let data = events.next_data().expect("the stream goes on");
        let stamp = pages(&data)["pages"].as_str().expect("a stamp").to_owned();
        if stamp != before {
            return stamp;
        }
    }
}

#[tokio::test]
async fn a_page_is_that_of_the_site_and_newer_once_the_database_is() {
    let folder = folder();
    let settings = settings(&folder);
    let store = database(&settings.database).await;
    let live = serve(settings);
    let address = live.address();
    let mut events = Events::follow(address, "/events");
    let stamp = newer_pages(&mut events, "");
    // The first look at the database may have come before or after that.
    let path = "/league/index.html";
    let page = loop {
        let page = get(address, path);
        if page.status == 200 {
            break page;
        }
    };
    assert!(page.body.contains("Cup &lt;1&gt;"), "{}", page.body);
    assert!(page.body.contains("assets/live.js"), "{}", page.body);
    name(&store, "Cup <2>").await;
    let mut stamp = newer_pages(&mut events, &stamp);
    while !get(address, path).body.contains("Cup &lt;2&gt;") {
        stamp = newer_pages(&mut events, &stamp);
    }
    let tag = get(address, path).header("etag").expect("a tag").to_owned();
    let again = ask(
        address,
        &format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: {tag}\r\nConnection: close\r\n\r\n"
        ),
    );
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    store.close().await;
}

/// A game that cannot be asked anything for a while, as after a mistake of ours.
struct Moody {
    spec: GameSpec,
    is_broken: Arc<AtomicBool>,
}

impl Referee for Moody {
    fn spec(&self) -> &GameSpec {
        assert!(!self.is_broken.load(Ordering::SeqCst), "a mistake");
        &self.spec
    }

    fn start(&self, _: &Setup<'_>, _: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        unreachable!("no bout is looked at")
    }
}

#[tokio::test]
async fn a_panic_costs_the_page_that_is_being_made_and_no_other() {
    let (folder, is_broken) = (folder(), Arc::new(AtomicBool::new(false)));
    let mut settings = settings(&folder);
    let spec = game("battlebots").spec().clone();
    let moody = Game::new(Arc::new(Moody { spec, is_broken: Arc::clone(&is_broken) }));
    settings.site.games = Catalogue::empty().with(moody).expect("its id is free");
    let store = database(&settings.database).await;
    let live = serve(settings);
    let mut events = Events::follow(live.address(), "/events");
    newer_pages(&mut events, "");
    assert_eq!(get(live.address(), "/").status, 200);
    let is_newest = || {
        let page = get(live.address(), "/league/index.html");
        assert!([200, 503].contains(&page.status), "{}", page.status);
        page.status == 200 && page.header("joust-older").is_none()
    };
    for number in 0..2 {
        is_broken.store(true, Ordering::SeqCst);
        name(&store, &format!("Cup {number}")).await;
        while is_newest() {}
        is_broken.store(false, Ordering::SeqCst);
        while !is_newest() {}
    }
    store.close().await;
}

#[tokio::test]
async fn the_picture_of_links_is_there_whatever_was_asked_for_before() {
    let folder = folder();
    let mut settings = settings(&folder);
    settings.site.words.url = Some("https://cup.example.org/".to_owned());
    settings.site.words.titles.insert(EVENT.to_owned(), "Arena".to_owned());
    let store = database(&settings.database).await;
    let live = serve(settings);
    let mut events = Events::follow(live.address(), "/events");
    let mut stamp = newer_pages(&mut events, "");
    for number in 0..2 {
        for path in ["/preview.png", "/league/preview.png"] {
            let answer = get(live.address(), path);
            assert_eq!((answer.status, answer.header("content-type")), (200, Some("image/png")));
        }
        if number == 0 {
            assert_eq!(get(live.address(), "/").status, 200);
            name(&store, "Another cup").await;
            stamp = newer_pages(&mut events, &stamp);
        }
    }
    assert!(!stamp.is_empty());
}

#[test]
fn before_there_is_a_database_there_is_a_first_page_and_the_stream_says_what_is_done() {
    let folder = folder();
    let live = serve(settings(&folder));
    live.listener().notice(&Notice::BuildStarted { bot: "ann".to_owned(), number: 2, of: 5 });
    let mut events = Events::follow(live.address(), "/events");
    while !events.next_data().expect("an event").contains("building bots, 2 of 5") {}
    let page = get(live.address(), "/");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<title>") && page.body.contains("Cup"), "{}", page.body);
}

#[test]
fn what_is_no_page_is_refused() {
    let folder = folder();
    let live = serve(settings(&folder));
    let address = live.address();
    for path in ["/nothing.html", "/league/bouts/0123456789abcdef.html", "/..%2f..", "/A", "//"] {
        assert_eq!(get(address, path).status, 404, "{path}");
    }
    let post =
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc";
    assert_eq!(ask(address, post).status, 405);
    assert_eq!(get(address, "/joust").header("location"), Some("/joust/"));
    assert_eq!(get(address, "/joust/assets/live.js").status, 200);
    assert_eq!(
        get(address, "/assets/style.css").header("content-type"),
        Some("text/css; charset=utf-8")
    );
}

#[tokio::test]
async fn paths_that_nobody_has_keep_nobody_waiting() {
    let folder = folder();
    let settings = Settings { share: 1, ..settings(&folder) };
    let store = database(&settings.database).await;
    let live = serve(settings);
    let address = live.address();
    while get(address, "/league/index.html").status != 200 {}
    name(&store, "Another cup").await;
    // More requests than may wait for pages; making one page takes a while.
    let ask = |number: usize| {
        let mut connection = connect(address);
        let path = format!("/league/bouts/{number:016x}.html");
        let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        connection.write_all(head.as_bytes()).expect("it is taken");
        connection
    };
    let junk: Vec<_> = (0..400).map(ask).collect();
    assert_eq!(get(address, "/league/rules.html").status, 200);
    for mut connection in junk {
        let mut answer = String::new();
        connection.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    }
    store.close().await;
}

#[test]
fn heads_that_are_too_large_or_never_end_are_given_up() {
    let folder = folder();
    let mut settings = settings(&folder);
    settings.caps.head = Duration::from_millis(200);
    let live = serve(settings);
    let address = live.address();
    let huge = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(64 << 10));
    let mut connection = connect(address);
    // It may be closed before all of it was sent.
    _ = connection.write_all(huge.as_bytes());
    let mut answer = Vec::new();
    _ = connection.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    for begun in ["", "GET / HTTP/1.1\r\nHost: localhost\r\nX: "] {
        let mut connection = connect(address);
        connection.write_all(begun.as_bytes()).expect("the beginning is taken");
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer).expect("the server ends it");
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{begun:?}");
    }
    assert_eq!(get(address, "/index.html").status, 200);
}

#[test]
fn there_are_only_so_many_connections_and_a_place_is_free_again() {
    let folder = folder();
    let mut settings = settings(&folder);
    settings.caps.connections = 2;
    let live = serve(settings);
    let address = live.address();
    let mut held: Vec<_> = (0..2).map(|_| Events::follow(address, "/events")).collect();
    held.iter_mut().for_each(|events| _ = events.next_data().expect("a place"));
    let mut refused = Events::follow(address, "/events");
    assert_eq!(refused.next_data(), None);
    held.pop();
    while Events::follow(address, "/events").next_data().is_none() {}
}

#[test]
fn an_address_in_use_is_an_error_that_names_it() {
    let folder = folder();
    let live = serve(settings(&folder));
    let second = Settings { address: live.address(), ..settings(&folder) };
    let error = Live::start(second, RunSource::ThisProcess).expect_err("the address is taken");
    assert!(matches!(&error, LiveError::Listen { address, .. } if *address == live.address()));
    assert_eq!(error.to_string(), format!("cannot serve pages at {}", live.address()));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_reads_the_database_once_the_run_closes_it() {
    let folder = folder();
    let settings = settings(&folder);
    let path = settings.database.clone();
    let store = database(&path).await;
    let live = serve(settings);
    while !get(live.address(), "/").body.contains("Cup &lt;1&gt;") {}
    let listener = live.listener();
    let (sender, told) = mpsc::channel();
    std::thread::spawn(move || {
        listener.notice(&Notice::Closing);
        sender.send(()).expect("the test waits");
    });
    told.recv_timeout(Duration::from_secs(60)).expect("the database is let go");
    assert!(matches!(store.close().await, joust_store::CheckpointOutcome::Complete));
    let page = get(live.address(), "/");
    assert!(page.status == 200 && page.body.contains("Cup &lt;1&gt;"), "the last form is kept");
    let mut events = Events::follow(live.address(), "/events");
    assert!(events.next_data().expect("an event").contains("\"over\":true"));
}
