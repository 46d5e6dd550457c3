//! Pages: tables, ways from one to the other, names for those who do not see.

use super::played::{Clean, GAMES, address, bout_of, bouts};

#[test]
fn a_click_on_a_column_sorts_the_table() {
    let clean = Clean::open(&address("battlebots/index.html"));
    let scores = "return [...document.querySelectorAll('table.standings tbody tr')].map((row) => \
                  row.querySelector('th').textContent.trim())";
    let before = clean.0.run(scores);
    let button = "table.standings thead th:nth-child(2) button";
    clean.0.click(button);
    let sorted = clean.0.run(scores);
    let mut names: Vec<_> = before
        .as_array()
        .expect("rows")
        .iter()
        .map(|name| name.as_str().expect("a name"))
        .collect();
    assert_eq!(names.len(), 3);
    names.sort_unstable();
    let reversed: Vec<_> = names.iter().rev().copied().collect();
    assert!(
        sorted == serde_json::json!(names) || sorted == serde_json::json!(reversed),
        "{sorted}"
    );
    clean.0.click(button);
    let again = clean.0.run(scores);
    assert_ne!(sorted, again);
    clean.end();
}

/// Follows links alone, from the front page to a replay that runs.
#[test]
fn links_lead_from_the_front_page_to_a_bout_of_every_game() {
    let clean = Clean::open(&address("index.html"));
    for game in GAMES {
        clean.0.go(&address("index.html"));
        clean.0.click(&format!("a[href='{game}/index.html']"));
        clean.0.click("table.standings tbody th a");
        clean.0.click("main a[href*='matches/']");
        clean.0.click("main a[href*='bouts/']");
        clean.await_replay();
        let place = clean.0.address();
        assert!(place.contains(&format!("/{game}/bouts/")), "{place}");
    }
    clean.end();
}

/// Every control has a name, and no id is repeated.
#[test]
fn everything_that_can_be_used_has_a_name() {
    let nameless = "const named = (node) => node.getAttribute('aria-label') || node.textContent.trim() \
        || node.labels?.length || node.title || document.getElementById(node.getAttribute('aria-labelledby'))?.textContent;\n\
        const all = [...document.querySelectorAll('a[href], button, input, select, canvas, summary, [role=region]')];\n\
        const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);\n\
        return all.filter((node) => !node.closest('[hidden], [aria-hidden=true]') && !named(node)).map((node) => node.outerHTML)\n\
          .concat(ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => 'twice: ' + id))\n\
          .concat(document.documentElement.lang && document.title ? [] : ['no language or title'])\n\
          .concat(document.querySelectorAll('h1').length === 1 ? [] : ['not one h1'])";
    let clean = Clean::watch(bout_of("battlebots"));
    for page in ["index.html", "battlebots/index.html"] {
        assert_eq!(clean.0.run(nameless), serde_json::json!([]));
        clean.0.go(&address(page));
    }
    assert_eq!(clean.0.run(nameless), serde_json::json!([]));
    clean.end();
}

#[test]
fn every_bout_has_its_page_and_replays_are_loaded_one_at_a_time() {
    let bout = bout_of("battlebots");
    let clean = Clean::watch(bout);
    let loaded = clean.0.requests();
    let replays: Vec<_> = loaded.iter().filter(|address| address.contains("/replays/")).collect();
    assert_eq!(replays, [&address(&format!("replays/{}.js", bout.id()))]);
    for bout in bouts() {
        let data = super::played::pages().join(format!("replays/{}.js", bout.id()));
        assert!(data.is_file(), "{}", data.display());
    }
    clean.end();
}
