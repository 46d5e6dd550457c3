//! Tests of the owners of bots.

use super::{Repository, TOURNAMENT};

/// Returns the reasons of the last refusal.
fn reasons(repository: &Repository) -> Vec<String> {
    let report = repository.report();
    let refusals = report["refusals"].as_array().expect("a list");
    refusals.iter().map(|one| one["reason"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_change_to_anothers_bot_is_refused_and_nothing_is_played() {
    let repository = Repository::new();
    repository.bot("bob", "echo W");
    repository.commit("better");
    let ran = repository.ci(&["--author", "Mallory"]).expect(8);
    assert_eq!(reasons(&repository), ["it belongs to `bob`, and the change is by `Mallory`"]);
    assert!(ran.stdout.contains("Nothing was built or played."), "{}", ran.stdout);
    assert!(!repository.path("results.db").exists());
    repository.ci(&["--author", "Bob"]).expect(0);
}

#[test]
fn bots_that_nobody_owns_are_told_where_owners_are_asked_about() {
    let repository = Repository::new();
    repository
        .write("bots/ownerless/bot.yaml", "name: ownerless\nlanguage: bash\nentry: main.sh\n");
    repository.write("bots/ownerless/main.sh", "echo E\n");
    repository.commit("one more");
    let notes = |arguments: &[&str]| {
        repository.ci(arguments).expect(0);
        repository.report()["notes"].to_string()
    };
    assert!(!notes(&["--dry-run"]).contains("ownerless"));
    let told = notes(&["--dry-run", "--author", "ann"]);
    assert!(told.contains("nobody owns `ownerless`: anybody may change such a bot"), "{told}");
}

#[test]
fn anothers_bot_cannot_be_taken_over_renamed_removed_or_spoilt() {
    let repository = Repository::new();
    let refused = |what: &str| {
        repository.commit(what);
        repository.ci(&["--author", "mallory"]).expect(8);
        repository.git(["reset", "--quiet", "--hard", "main"]);
        reasons(&repository)
    };
    repository.bot_of("mallory", "bob", "echo E");
    assert_eq!(refused("mine")[0], "it belongs to `bob`, and the change is by `mallory`");
    std::fs::remove_dir_all(repository.path("bots/bob")).unwrap();
    assert_eq!(refused("gone").len(), 1);
    std::fs::rename(repository.path("bots/bob"), repository.path("bots/other")).unwrap();
    repository.bot_of("mallory", "other/..", "echo E");
    assert!(!refused("renamed").is_empty());
    // The file is no part of its source, but only its owner may change it.
    repository.write("bots/bob/.gitattributes", "* text\n");
    assert_eq!(refused("hidden").len(), 1);
}

#[test]
fn a_bot_cannot_be_entered_in_anothers_name() {
    let repository = Repository::new();
    repository.bot_of("bob", "dan", "echo W");
    repository.commit("one more");
    repository.ci(&["--author", "mallory"]).expect(8);
    assert_eq!(
        reasons(&repository),
        ["it names `bob` as its owner, and the change is by `mallory`"]
    );
}

#[test]
fn a_second_bot_of_one_owner_is_refused_where_that_is_forbidden() {
    let one = format!("{TOURNAMENT}    one_per_owner: true\n");
    let repository = Repository::with(&one);
    repository.bot_of("bob", "second", "echo W");
    repository.commit("one more");
    repository.ci(&[]).expect(8);
    let second = "`bob` has entered `bob` already, and the event allows one bot per owner";
    assert_eq!(reasons(&repository), [second]);
    // Removing the owner does not help, nor does loosening the rule: a bot without an owner would
    // not count when the author adds the next one.
    let nameless = |author: &str| {
        format!(
            "it names no owner, and the event allows one bot per owner: add `owner: {author}` to its \
             `bot.yaml`"
        )
    };
    repository.write("bots/second/bot.yaml", "name: second\nlanguage: bash\nentry: main.sh\n");
    repository.write("tournament.yaml", TOURNAMENT);
    repository.commit("one more");
    repository.ci(&["--author", "bob"]).expect(8);
    let other = "`bob` may change bots only, and this file belongs to none";
    assert_eq!(reasons(&repository), [other, &nameless("bob"), second]);
    repository.write("tournament.yaml", &one);
    repository.commit("one more, and no more");
    repository.ci(&["--author", "bob"]).expect(8);
    assert_eq!(reasons(&repository), [&nameless("bob"), second]);
    repository.ci(&["--author", "eve"]).expect(8);
    assert_eq!(reasons(&repository), [nameless("eve")]);
    let second = "name: second\nlanguage: bash\nentry: main.sh\nowner: eve\n";
    repository.write("bots/second/bot.yaml", second);
    repository.commit("hers");
    repository.ci(&["--author", "eve"]).expect(0);
}

#[test]
fn a_bot_stays_its_owners_where_one_of_each_is_allowed() {
    let one = format!("{TOURNAMENT}    one_per_owner: true\n");
    let repository = Repository::with(&one);
    repository.write("bots/bob/bot.yaml", "name: bob\nlanguage: bash\nentry: main.sh\n");
    repository.commit("nobody's");
    repository.ci(&["--author", "bob"]).expect(8);
    let reasons = reasons(&repository);
    assert!(reasons[0].starts_with("it names no owner"), "{reasons:?}");
    repository.ci(&[]).expect(0);
}

#[test]
fn owners_maintainers_and_other_files_are_those_of_the_base() {
    let rules = "entries:\n  owners: { cid: carol }\n  maintainers: [root]\n  \
                 unowned: maintainers\n  other_files: refuse\n";
    let repository = Repository::with(&format!("{TOURNAMENT}{rules}"));
    repository.bot("cid", "echo W");
    repository.commit("better");
    repository.ci(&["--author", "cid"]).expect(8);
    assert_eq!(reasons(&repository), ["it belongs to `carol`, and the change is by `cid`"]);
    repository.ci(&["--author", "carol"]).expect(8);
    assert!(reasons(&repository)[0].starts_with("it names `cid` as its owner"));
    repository.write("tournament.yaml", TOURNAMENT);
    repository.commit("no rules any more");
    repository.ci(&["--author", "mallory"]).expect(8);
    assert_eq!(reasons(&repository).len(), 3, "{:?}", reasons(&repository));
    repository.ci(&["--author", "root"]).expect(0);
}

#[test]
fn a_bot_whose_manifest_was_wrong_is_nobodys_new_one() {
    let repository = Repository::made(TOURNAMENT, |repository| {
        repository.bot("ann", "echo B SE");
        repository.bot("bob", "echo E");
        let wrong = "name: ann\nlanguage: bash\nentry: main.sh\nowner: ann\nsped: 1\n";
        repository.write("bots/old/bot.yaml", &wrong.replace("ann", "old"));
        repository.write("bots/old/main.sh", "echo E\n");
    });
    repository.bot_of("mallory", "old", "echo W");
    repository.commit("mended");
    repository.ci(&["--author", "mallory", "--dry-run"]).expect(8);
    let reasons = reasons(&repository);
    assert!(reasons.iter().all(|reason| reason.contains("belongs to none")), "{reasons:?}");
}

#[test]
fn owners_and_rules_of_an_older_base_are_not_in_force_any_more() {
    let repository = Repository::new();
    repository.git(["checkout", "--quiet", "main"]);
    repository.bot_of("carol", "cid", "echo NO");
    repository.commit("cid is carol's now");
    repository.git(["checkout", "--quiet", "pr"]);
    repository.bot("cid", "echo W");
    repository.commit("better");
    repository.ci(&["--author", "cid", "--dry-run"]).expect(8);
    let told = reasons(&repository);
    assert!(told.iter().any(|one| one.contains("merge the base into the change")), "{told:?}");
    repository.git(["reset", "--quiet", "--hard", "HEAD^"]);
    repository.bot("dan", "echo W");
    repository.commit("one more");
    repository.ci(&["--author", "dan", "--dry-run"]).expect(0);
    repository.git(["checkout", "--quiet", "main"]);
    let more = format!("{TOURNAMENT}entries: {{ maintainers: [root] }}\n");
    repository.write("tournament.yaml", &more);
    repository.commit("other rules");
    repository.git(["checkout", "--quiet", "pr"]);
    repository.ci(&["--author", "dan", "--dry-run"]).expect(8);
    repository.git(["merge", "--quiet", "--no-edit", "main"]);
    repository.ci(&["--author", "dan", "--dry-run"]).expect(0);
}

#[test]
fn a_stranger_may_not_name_programs_that_run_outside_the_sandbox() {
    let repository = Repository::new();
    let evil = "languages:\n  evil:\n    title: Evil\n    extensions: [evil]\n    variants:\n      \
                - name: evil\n        programs:\n          evil: { find: [sh], version: [-c, 'touch \
                ../spoilt'], accept: x }\n        run: ['{evil}']\n";
    repository.write("tournament.yaml", &format!("{TOURNAMENT}{evil}"));
    repository.write("bots/x/bot.yaml", "name: x\nlanguage: evil\nentry: a.evil\n");
    repository.write("bots/x/a.evil", "");
    repository.commit("another language");
    repository.ci(&["--author", "mallory"]).expect(8);
    // The file belongs to the tournament; a file of a bot whose language is not in force belongs to
    // that bot.
    let reason = "`mallory` may change bots only, and this file belongs to none";
    assert_eq!(reasons(&repository), [reason]);
    repository.ci(&["--dry-run"]).expect(6);
    assert!(!repository.path("../spoilt").exists());
}
