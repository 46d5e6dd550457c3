//! The site works without a mouse, and a screen reader announces every element.

use super::played::{Clean, address, bout_of};

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";

/// Returns the id of the element that has the focus.
fn focused(clean: &Clean) -> String {
    let id = clean.0.run("return document.activeElement.id");
    id.as_str().expect("a text").to_owned()
}

/// Goes on from control to control to the one with this id; each can be seen to
/// have the focus.
fn tab_to(clean: &Clean, id: &str) {
    for _ in 0..80 {
        clean.0.press(TAB);
        let shown = clean.0.run(
            "const node = document.activeElement; const box = node.getBoundingClientRect(); \
             return node === document.body || (getComputedStyle(node).outlineStyle !== 'none' && box.width > 0 && box.bottom > 0 && box.top < innerHeight)",
        );
        assert_eq!(shown, true, "the focus is not seen before {id}");
        if focused(clean) == id {
            return;
        }
    }
    panic!("no tab leads to {id}");
}

#[test]
fn a_replay_is_watched_with_the_keyboard_alone() {
    let clean = Clean::watch(bout_of("coderone-dungeon"));
    clean.0.press(TAB);
    assert_eq!(clean.0.run("return document.activeElement.className"), "skip");
    clean.0.press(ENTER);
    assert_eq!(focused(&clean), "main");
    tab_to(&clean, "replay-play");
    clean.0.press(" ");
    clean.0.wait_for("joustViewer.player.isPlaying && joustViewer.player.frame > 1");
    clean.0.press(" ");
    clean.0.wait_for("!joustViewer.player.isPlaying");
    let stopped = clean.frame();
    clean.0.press(RIGHT);
    clean.0.press(RIGHT);
    assert_eq!(clean.frame(), stopped + 2);
    clean.0.press(LEFT);
    assert_eq!(clean.frame(), stopped + 1);
    tab_to(&clean, "replay-forward");
    clean.0.press(ENTER);
    assert_eq!(clean.frame(), stopped + 2);
    tab_to(&clean, "replay-slider");
    clean.0.press(RIGHT);
    assert_eq!(clean.frame(), stopped + 3);
    tab_to(&clean, "replay-speed");
    tab_to(&clean, "replay-link");
    tab_to(&clean, "replay-eyes");
    clean.end();
}

#[test]
fn a_table_is_sorted_and_a_bot_opened_with_the_keyboard_alone() {
    let clean = Clean::open(&address("battlebots/index.html"));
    let on_sort = "document.activeElement.matches('table.standings th:nth-child(2) .sort')";
    for _ in 0..40 {
        clean.0.press(TAB);
        if clean.0.run(&format!("return {on_sort}")) == true {
            break;
        }
    }
    clean.0.press(ENTER);
    let sorted =
        "document.querySelector('table.standings th:nth-child(2)').getAttribute('aria-sort')";
    assert_eq!(clean.0.run(&format!("return {sorted}")), "ascending");
    for _ in 0..20 {
        clean.0.press(TAB);
        if clean.0.run("return document.activeElement.matches('tbody th a')") == true {
            break;
        }
    }
    clean.0.press(ENTER);
    clean.0.wait_for("location.pathname.includes('/bots/')");
    clean.end();
}

#[test]
fn a_screen_reader_is_told_what_everything_of_the_viewer_is() {
    let clean = Clean::watch(bout_of("battlebots"));
    let told = [
        ("#replay", "region", "Replay"),
        (".rv-controls", "group", "Replay"),
        ("#replay-first", "button", "First (Home)"),
        ("#replay-back", "button", "Step back (left arrow)"),
        ("#replay-play", "button", "Play"),
        ("#replay-forward", "button", "Step forward (right arrow)"),
        ("#replay-last", "button", "Last (End)"),
        ("#replay-slider", "slider", "Position in the bout"),
        ("#replay-speed", "combobox", "rounds per second"),
        ("#replay-link", "link", "link"),
        ("#replay-eyes", "combobox", "Show"),
        (".rv-seats", "list", "Seats"),
        (".rv-scroll", "region", "All rounds"),
    ];
    for (selector, role, name) in told {
        assert_eq!(clean.0.role_and_name(selector), [role, name], "{selector}");
    }
    let [role, name] = clean.0.role_and_name("#replay-board");
    assert!(role == "img" || role == "image", "{role}");
    assert!(name.starts_with("Board of BattleBots, start"), "{name}");
    assert_eq!(clean.0.role_and_name("#replay-live")[0], "status");
    clean.0.click("#replay-play");
    assert_eq!(clean.0.role_and_name("#replay-play"), ["button", "Pause"]);
    clean.end();
}

#[test]
fn a_screen_reader_is_told_what_the_parts_of_a_page_are() {
    let clean = Clean::open(&address("battlebots/index.html"));
    let told = [
        (".skip", "link", "Skip to the content"),
        (".masthead nav", "navigation", "Main"),
        (".crumbs", "navigation", "You are here"),
        ("table.standings", "table", "Standings, best first, ranked by matches won"),
        ("table.standings thead th", "columnheader", "#"),
        ("table.standings tbody th", "rowheader", ""),
        (".theme", "button", "Dark theme"),
    ];
    for (selector, role, name) in told {
        let [is, called] = clean.0.role_and_name(selector);
        assert_eq!(is, role, "{selector}");
        assert!(called == name || name.is_empty() && !called.is_empty(), "{selector}: {called}");
    }
    assert_eq!(clean.0.role_and_name("main")[0], "main");
    clean.0.click(".theme");
    assert_eq!(clean.0.role_and_name(".theme"), ["button", "Light theme"]);
    clean.end();
}
