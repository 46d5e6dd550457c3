//! Live pages in a browser: newer without being loaded again, also after a restart.

use std::path::Path;

use joust_testkit::browser::{Browser, Screen};
use joust_testkit::env::TestEnv;
use joust_testkit::league::{self, bot};
use joust_testkit::serving::Serving;

use super::played::{DESK, keep_picture};

const PHONE: Screen = Screen { width: 390, height: 844, density: 2, theme: "dark" };

fn played() -> TestEnv {
    let cache = Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/joust-cache"));
    let env = league::small(env!("CARGO_BIN_EXE_joust"), cache);
    env.run(["run"]).expect(0);
    env
}

#[test]
fn pages_that_were_left_and_tabs_that_nobody_sees_hold_no_connection() {
    let env = played();
    let serving = Serving::start(&env, &["report", "--live", "127.0.0.1:0"]);
    let address = serving.address;
    let browser = Browser::open();
    browser.show_on(DESK);
    // A browser has six connections to a server.
    for page in ["index", "league/index", "verify", "league/rules"].iter().cycle().take(10) {
        browser.go(&format!("http://{address}/{page}.html"));
        browser.wait_for("document.querySelector('.live-line')");
        let waited =
            browser.run("return performance.getEntriesByType('navigation')[0].responseStart");
        // Who waits for a connection waits for most of a minute.
        assert!(waited.as_f64().is_some_and(|waited| waited < 10_000.0), "{page}: {waited} ms");
    }
    serving.interrupt();
}

#[test]
fn the_first_board_comes_without_the_page_being_loaded_again() {
    let cache = Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/joust-cache"));
    let env = league::small(env!("CARGO_BIN_EXE_joust"), cache);
    // The field is known and nothing is played.
    env.run(["run", "--budget", "1ms"]).expect(5);
    let serving = Serving::start(&env, &["report", "--live", "127.0.0.1:0"]);
    let browser = Browser::open();
    browser.show_on(DESK);
    browser.go(&format!("http://{}/index.html", serving.address));
    browser.wait_for("document.querySelector('.live-line')");
    browser.run("window.isFirst = true; return 1");
    env.run(["run"]).expect(0);
    browser.wait_for("document.querySelector('.replay.rv-ready')");
    assert_eq!(browser.run("return window.isFirst === true"), true, "it was never loaded again");
    serving.interrupt();
}

/// Lets one more bot play.
fn enter(env: &TestEnv, name: &str) {
    bot(env, name, "echo N");
    env.run(["run"]).expect(0);
}

#[test]
fn a_page_becomes_newer_by_itself_keeps_what_a_reader_did_and_survives_a_restart() {
    let env = played();
    let serving = Serving::start(&env, &["report", "--live", "127.0.0.1:0"]);
    let address = serving.address;
    let browser = Browser::open();
    browser.show_on(DESK);
    browser.go(&format!("http://{address}/league/index.html"));
    browser.wait_for("document.querySelector('.live-line')");
    browser.click("table.sortable th:nth-child(2) button.sort");
    browser.run("window.isFirst = true; return 1");
    let sorted =
        "return document.querySelector('table.sortable th:nth-child(2)').getAttribute('aria-sort')";
    let wanted = browser.run(sorted);
    assert!(wanted.is_string(), "{wanted}");
    enter(&env, "newcomer");
    browser.wait_for("document.getElementById('main').textContent.includes('newcomer')");
    assert_eq!(browser.run(sorted), wanted, "the page is sorted as before");
    serving.interrupt();
    browser.wait_for("document.querySelector('.live-line.is-lost')");
    enter(&env, "latecomer");
    let serving = Serving::start(&env, &["report", "--live", &address.to_string()]);
    browser.wait_for("document.getElementById('main').textContent.includes('latecomer')");
    browser.wait_for("!document.querySelector('.live-line.is-lost')");
    assert_eq!(browser.run("return window.isFirst === true"), true, "it was never loaded again");
    keep_picture("live-event", &browser.screenshot());
    browser.go(&format!("http://{address}/index.html"));
    browser.show_on(PHONE);
    browser.wait_for("document.querySelector('.live-line')");
    keep_picture("live-first-phone", &browser.screenshot());
    let wider = browser.run("return document.documentElement.scrollWidth - innerWidth");
    assert!(wider.as_i64().is_some_and(|wider| wider <= 0), "{wider} pixels too wide");
    serving.interrupt();
}
