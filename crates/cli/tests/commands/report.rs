//! `joust report`: the site of a small tournament, written, replaced, refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use joust_testkit::env::TestEnv;
use joust_testkit::html::{Page, files, problems};
use joust_testkit::league::{bot, bout_ids};

use super::{by_hand, env, small};

/// A small tournament that has been played.
fn played() -> TestEnv {
    let env = small();
    bot(&env, "moody", "echo 'sorry, me@secret.example' >&2; exit 3");
    env.run(["run"]).expect(0);
    env
}

fn page(env: &TestEnv, path: &str) -> Page {
    let text = fs::read_to_string(env.path().join("site").join(path)).expect("the page");
    Page::read(&text).expect("well-formed")
}

fn entries(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into()).collect()
}

#[test]
fn a_site_has_a_page_for_everything_and_reaches_nothing_outside() {
    let env = played();
    let said = env.run(["report", "--out", "site"]).expect(0);
    assert!(said.stdout.contains("1 event, 4 bots, 12 bouts: "), "{}", said.stdout);
    let site = files(&env.path().join("site")).expect("a site");
    assert_eq!(problems(&site), Vec::<String>::new());
    for id in bout_ids(&env) {
        assert!(site.contains_key(&format!("league/bouts/{id}.html")), "{id}");
        assert!(site.contains_key(&format!("replays/{id}.js")), "{id}");
    }
    let leaderboard = page(&env, "league/index.html").text;
    for name in ["shooter", "walker", "waiter", "moody"] {
        assert!(leaderboard.contains(name), "{leaderboard}");
    }
}

#[test]
fn a_bots_standard_error_is_public_only_when_the_tournament_says_so() {
    let env = played();
    env.run(["report", "--out", "site"]).expect(0);
    let all = |env: &TestEnv| {
        let site = files(&env.path().join("site")).expect("a site");
        let texts = site.into_values().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        texts.collect::<String>()
    };
    assert!(!all(&env).contains("sorry"));
    let file = fs::read_to_string(env.path().join("tournament.yaml")).expect("a file");
    env.write("tournament.yaml", &format!("{file}report: {{ public: [verdicts, stderr] }}\n"));
    env.run(["report", "--out", "site", "--force"]).expect(0);
    let text = all(&env);
    assert!(text.contains("sorry, [e-mail]") && !text.contains("secret.example"));
}

#[test]
fn the_same_database_gives_the_same_bytes() {
    let env = played();
    env.run(["report", "--out", "one"]).expect(0);
    env.run(["report", "--out", "two"]).expect(0);
    let read = |name: &str| files(&env.path().join(name)).expect("a site");
    assert_eq!(read("one"), read("two"));
}

#[test]
fn a_folder_is_replaced_only_when_joust_made_it_and_force_is_given() {
    let env = played();
    env.run(["report", "--out", "site"]).expect(0);
    let again = env.run(["report", "--out", "site"]).expect(2);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
    fs::write(env.path().join("site/index.html"), "old").expect("written");
    env.run(["report", "--out", "site", "--force"]).expect(0);
    assert!(page(&env, "index.html").title.contains("Small"));
    env.write("site/CNAME", "contest.example");
    let added = env.run(["report", "--out", "site", "--force"]).expect(2);
    assert!(added.stderr.contains("`CNAME`"), "{}", added.stderr);
    env.write("mine/thesis.txt", "years of work");
    let foreign = env.run(["report", "--out", "mine", "--force"]).expect(2);
    assert!(foreign.stderr.contains("not made by"), "{}", foreign.stderr);
    assert!(env.path().join("mine/thesis.txt").exists());
}

#[test]
fn nothing_is_left_beside_a_site() {
    let env = played();
    fs::create_dir(env.path().join("public")).expect("a folder");
    for force in [&[][..], &["--force"]] {
        let arguments = ["report", "--out", "public/site"].iter().chain(force);
        env.run(arguments).expect(0);
        assert_eq!(entries(&env.path().join("public")), ["site".to_owned()].into());
    }
    env.run(["report", "--out", "public/other", "--event", "nobody"]).expect(2);
    assert_eq!(entries(&env.path().join("public")), ["site".to_owned()].into());
}

#[test]
fn an_empty_folder_that_is_there_is_used() {
    let env = played();
    fs::create_dir(env.path().join("site")).expect("a folder");
    env.run(["report", "--out", "site"]).expect(0);
    assert!(env.path().join("site/index.html").exists());
}

#[test]
fn a_database_alone_is_enough() {
    let env = played();
    fs::remove_file(env.path().join("tournament.yaml")).expect("removed");
    env.run(["report", "--database", "results.db", "--out", "site"]).expect(0);
    let wrong = ["report", "--database", "results.db", "--event", "no", "--out", "x"];
    let said = env.run(wrong).expect(2).stderr;
    assert!(said.contains("the events are `league`"), "{said}");
    let said = env.run(["report", "--database", "none.db", "--out", "x"]).expect(3).stderr;
    assert!(said.contains("none.db"), "{said}");
}

#[test]
fn a_damaged_recording_costs_no_other_page_and_is_named() {
    let env = played();
    let id = bout_ids(&env).remove(0);
    let number = i64::from_be_bytes(u64::from_str_radix(&id, 16).expect("a number").to_be_bytes());
    by_hand(
        &env,
        &format!(
            "UPDATE logs SET action_log = x'00' WHERE bout = (SELECT number FROM bouts WHERE id = {number})"
        ),
    );
    let said = env.run(["report", "--out", "site", "--quiet"]).expect(0).stderr;
    assert!(
        said.contains(&format!("1 of these bouts cannot be drawn, as their pages say: {id}")),
        "{said}"
    );
    let text = page(&env, &format!("league/bouts/{id}.html")).text;
    assert!(text.contains("This recording cannot be drawn: the action log is damaged"), "{text}");
    let site = files(&env.path().join("site")).expect("a site");
    assert_eq!(site.keys().filter(|path| path.starts_with("replays/")).count(), 11);
    assert_eq!(problems(&site), Vec::<String>::new());
}

#[test]
fn what_an_amendment_superseded_is_on_the_page_of_the_bout() {
    let env = played();
    let id = bout_ids(&env).remove(0);
    env.run(["rerun", &id, "--amend", "--reason", "the power failed"]).expect(0);
    env.run(["report", "--out", "site"]).expect(0);
    let text = page(&env, &format!("league/bouts/{id}.html")).text;
    for part in ["Result, superseded since", "Result, which stands", "the power failed"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn before_anything_was_run_there_is_no_site() {
    let env = env();
    env.write("tournament.yaml", joust_testkit::league::SMALL);
    env.run(["report", "--out", "site"]).expect(3);
    assert!(!env.path().join("site").exists());
}
