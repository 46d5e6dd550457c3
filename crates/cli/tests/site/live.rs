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
    browser.go(&format!("http://{address}/now.html"));
    browser.show_on(PHONE);
    browser.wait_for("document.querySelector('.live-line')");
    keep_picture("live-now-phone", &browser.screenshot());
    let wider = browser.run("return document.documentElement.scrollWidth - innerWidth");
    assert!(wider.as_i64().is_some_and(|wider| wider <= 0), "{wider} pixels too wide");
    serving.interrupt();
}
