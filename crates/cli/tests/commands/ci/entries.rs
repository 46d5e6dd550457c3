//! Entries of `bots:` are compared whole.

use super::{Repository, TOURNAMENT};

fn with_entries(entries: &str) -> String {
    TOURNAMENT.replace("[bots/*]", entries)
}

/// A contest whose entries name each bot.
const ENTRIES: &str =
    "[{ path: bots/ann, language: bash }, bots/bob, { path: bots/cid, name: cid }]";

#[test]
fn a_change_adds_its_own_entry_beside_those_of_others() {
    let repository = Repository::with(&with_entries(ENTRIES));
    repository.bot("dan", "echo E");
    let added = ENTRIES.replace("bots/bob,", "bots/bob, { path: bots/dan, name: dan },");
    repository.write("tournament.yaml", &with_entries(&added));
    repository.commit("one more");
    repository.ci(&["--author", "dan", "--dry-run"]).expect(0);
    assert_eq!(repository.report()["other_files"].as_array().unwrap().len(), 0);
    assert_eq!(repository.of_bot("dan")["change"], "new");
}

#[test]
fn a_change_of_anothers_entry_is_refused_and_the_entry_is_named() {
    let variants = [
        ("bots/ann", "{ path: bots/ann, language: bash }", "{ path: bots/ann, language: python }"),
        ("bots/ann", "{ path: bots/ann, language: bash }", "bots/ann"),
        ("bots/ann", "{ path: bots/ann, language: bash }", "{ path: bots/ann, name: anna }"),
        ("bots/ann", "path: bots/ann, language", "path: ./bots/ann, language"),
        ("bots/bob", "bots/bob", "{ path: bots/bob, name: rob }"),
        ("bots/bob", "bots/bob,", ""),
        ("bots/bob", "bots/bob", "bots/./bob/"),
        ("bots/cid", "name: cid", "name: CID"),
        ("bots/cid", "name: cid", "name: cid, language: bash"),
        ("bots/cid", "{ path: bots/cid, name: cid }", "'bots/ci[d]'"),
        ("bots/cid", "bots/cid, name: cid }", "bots/cid, name: cid }, { path: bots/cid, name: x }"),
        ("bots/../bots/cid", "bots/cid, name: cid }", "bots/cid, name: cid }, bots/../bots/cid"),
    ];
    let repository = Repository::with(&with_entries(ENTRIES));
    for (entry, from, to) in variants {
        repository.git(["reset", "--quiet", "--hard", "main"]);
        repository.bot("dan", "echo E");
        let changed = ENTRIES.replacen(from, to, 1).replacen('[', "[bots/dan, ", 1);
        assert!(changed.contains(to), "{changed}");
        repository.write("tournament.yaml", &with_entries(&changed));
        repository.commit("one more");
        let ran = repository.ci(&["--author", "dan", "--dry-run"]).expect(8);
        let refusals = repository.report()["refusals"].to_string();
        let named = format!("the entry `{entry}` of `bots:`");
        assert!(refusals.contains(&named), "{changed}: {refusals}");
        assert!(ran.stdout.contains("tournament.yaml"), "{}", ran.stdout);
    }
}

#[test]
fn a_changed_entry_is_refused_where_other_files_are_only_reported() {
    let rules = "entries: { other_files: report }\n";
    let tournament = format!("{}{rules}", with_entries(ENTRIES));
    let repository = Repository::with(&tournament);
    repository.bot("dan", "echo E");
    let changed =
        tournament.replace("bots/bob,", "{ path: bots/bob, language: python }, bots/dan,");
    repository.write("tournament.yaml", &changed);
    repository.commit("one more");
    repository.ci(&["--author", "dan", "--dry-run"]).expect(8);
    repository.ci(&["--dry-run"]).expect(0);
    assert_eq!(repository.of_bot("dan")["change"], "new");
}

#[test]
fn no_more_than_a_thousand_entries_are_added() {
    let repository = Repository::new();
    let with = |count: usize| {
        let entries: Vec<String> = (0..count).map(|number| format!("bots/x{number}")).collect();
        with_entries(&format!("[bots/*, {}]", entries.join(", ")))
    };
    repository.bot("dan", "echo E");
    repository.write("tournament.yaml", &with(1000));
    repository.commit("many");
    repository.ci(&["--author", "dan", "--dry-run"]).expect(6);
    assert_eq!(repository.report()["refusals"], serde_json::json!([]));
    repository.write("tournament.yaml", &with(20_000));
    repository.commit("more");
    repository.ci(&["--author", "dan", "--dry-run"]).expect(8);
    let refusals = repository.report()["refusals"].to_string();
    assert!(refusals.contains("is one of more than 1,000 that the change adds"), "{refusals}");
    assert!(refusals.len() < 100_000, "{} bytes", refusals.len());
}
