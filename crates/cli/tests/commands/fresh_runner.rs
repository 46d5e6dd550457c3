//! `rerun` on a machine that does not have the builds: where they come from,
//! and that another build is named.

use std::fs;

use joust_testkit::env::TestEnv;
use joust_testkit::league::{SMALL, bot, bout_ids};

use super::{by_hand, git};

/// A tournament that was run, with a build cache of its own.
fn played() -> TestEnv {
    let env = unplayed();
    env.run(["run"]).expect(0);
    env
}

fn unplayed() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    env.write("tournament.yaml", SMALL);
    bot(&env, "shooter", "echo 'B SE'");
    bot(&env, "walker", "echo E");
    env
}

fn forget_builds(env: &TestEnv) {
    fs::remove_dir_all(env.path().join("cache")).expect("removed");
}

/// Returns the id of the first bout, after checking that `verify` accepts the test's own changes.
fn first_bout(env: &TestEnv) -> String {
    let verified = env.run(["verify", "--format", "json"]).json();
    verified["bouts"][0]["bout"].as_str().expect("an id").to_owned()
}

/// Reruns the first bout and returns what was printed.
fn rerun(env: &TestEnv, more: &[&str], status: i32) -> String {
    let id = first_bout(env);
    let ran = env.run(["rerun", &id].iter().chain(more)).expect(status);
    ran.stdout + &ran.stderr
}

#[test]
fn with_an_empty_cache_builds_are_made_again_from_the_kept_source() {
    let env = played();
    assert!(rerun(&env, &[], 0).contains("build of `walker`: from this machine's cache\n"));
    forget_builds(&env);
    bot(&env, "walker", "echo S");
    let said = rerun(&env, &[], 0);
    assert!(said.contains("made again from the source kept in the database\n"), "{said}");
    assert!(said.contains("reproduced: all"), "{said}");
}

#[test]
fn a_database_alone_is_enough_on_another_machine() {
    let (env, other) = (played(), TestEnv::new(env!("CARGO_BIN_EXE_joust")));
    fs::copy(env.path().join("results.db"), other.path().join("copy.db")).expect("copied");
    let id = bout_ids(&env).remove(0);
    let arguments = ["rerun", &id, "--database", "copy.db", "--format", "json"];
    let ran = other.run(arguments).expect(0).json();
    assert_eq!(ran["reproduced"], true);
    for build in ran["builds"].as_array().expect("a list") {
        assert_eq!(build["origin"], "made again from the source kept in the database");
        assert_eq!(build["played"], build["build"]);
        assert!(build["difference"].is_null());
    }
}

#[test]
fn exported_builds_are_taken_unless_somebody_changed_them() {
    let env = played();
    let exported = env.run(["builds", "export", "kept"]).expect(0);
    assert!(exported.stdout.contains("2 builds copied"), "{}", exported.stdout);
    let again = env.run(["builds", "export", "kept"]).expect(0);
    assert!(again.stdout.contains("0 builds copied, 2 were there"), "{}", again.stdout);
    forget_builds(&env);
    by_hand(&env, "DELETE FROM sources");
    fs::remove_dir_all(env.path().join("bots")).expect("removed");
    let said = rerun(&env, &["--builds", "kept"], 0);
    assert!(said.contains("build of `walker`: from `kept`\n"), "{said}");
    forget_builds(&env);
    for build in fs::read_dir(env.path().join("kept/builds")).expect("read").flatten() {
        fs::write(build.path().join("tree/main.sh"), "echo N\n").expect("written");
    }
    let said = rerun(&env, &["--builds", "kept"], 2);
    assert!(said.contains("is damaged: `main.sh` is not what was built"), "{said}");
}

#[test]
fn sources_that_shall_not_be_kept_are_not_and_a_dispute_says_what_it_needs() {
    let env = unplayed();
    env.write("tournament.yaml", &format!("{SMALL}keep_sources: false\n"));
    env.run(["run"]).expect(0);
    env.run(["builds", "export", "kept"]).expect(0);
    forget_builds(&env);
    let said = rerun(&env, &[], 0);
    assert!(said.contains("build of `walker`: made again from `"), "the folder is here: {said}");
    forget_builds(&env);
    fs::rename(env.path().join("bots"), env.path().join("elsewhere")).expect("renamed");
    let said = rerun(&env, &[], 2);
    assert!(said.contains("the database does not keep its source"), "{said}");
    assert!(said.contains("hint: `--builds DIR` takes builds"), "{said}");
    let export = env.run(["builds", "export", "other"]).expect(0);
    assert!(export.stdout.contains("2 are not on this machine"), "{}", export.stdout);
    assert!(
        export.stderr.contains("no commit has it: a rerun needs `walker` as it was"),
        "{}",
        export.stderr
    );
    let said = rerun(&env, &["--builds", "kept"], 0);
    assert!(said.contains("build of `walker`: from `kept`\n"), "{said}");
}

#[test]
fn sources_are_added_once_they_shall_be_kept() {
    let env = unplayed();
    env.write("tournament.yaml", &format!("{SMALL}keep_sources: false\n"));
    env.run(["run"]).expect(0);
    env.write("tournament.yaml", SMALL);
    env.run(["run", "--fresh"]).expect(0);
    forget_builds(&env);
    bot(&env, "walker", "echo S");
    bot(&env, "shooter", "echo S");
    let said = rerun(&env, &[], 0);
    assert!(said.contains("made again from the source kept in the database\n"), "{said}");
}

#[test]
fn what_is_too_large_for_the_database_comes_from_its_commit() {
    let env = unplayed();
    env.write(".gitignore", "cache\n*.db*\n");
    git(env.path(), &["init", "-q"]);
    git(env.path(), &["add", "-A"]);
    git(env.path(), &["commit", "-qm", "two bots"]);
    env.run(["run"]).expect(0);
    by_hand(&env, "UPDATE sources SET files = NULL");
    forget_builds(&env);
    let said = rerun(&env, &[], 0);
    assert!(said.contains("made again from commit "), "{said}");
    bot(&env, "walker", "echo S");
    bot(&env, "shooter", "echo S");
    git(env.path(), &["commit", "-qam", "other bots"]);
    forget_builds(&env);
    let said = rerun(&env, &[], 0);
    assert!(said.contains("made again from commit "), "{said}");
    by_hand(&env, "UPDATE sources SET commit_id = NULL");
    forget_builds(&env);
    let said = rerun(&env, &[], 2);
    for part in ["too large to be kept", "its files are not those that were built"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_source_that_was_changed_since_the_commit_names_none() {
    let env = unplayed();
    env.write(".gitignore", "cache\n*.db*\n");
    git(env.path(), &["init", "-q"]);
    git(env.path(), &["add", "-A"]);
    git(env.path(), &["commit", "-qm", "two bots"]);
    bot(&env, "walker", "echo W");
    env.run(["run"]).expect(0);
    by_hand(&env, "UPDATE sources SET files = NULL");
    forget_builds(&env);
    let said = rerun(&env, &[], 0);
    assert!(said.contains("build of `shooter`: made again from commit "), "{said}");
    assert!(said.contains("build of `walker`: made again from `"), "{said}");
}

#[test]
fn another_build_is_named_in_the_verdict_and_amends_nothing() {
    let env = played();
    forget_builds(&env);
    let other = format!("{SMALL}languages:\n  bash:\n    environment: {{ EXTRA: \"1\" }}\n");
    env.write("tournament.yaml", &other);
    let said = rerun(&env, &[], 0);
    assert!(
        said.contains("; it is build ") && said.contains(" that played: another recipe"),
        "{said}"
    );
    let said = rerun(&env, &["--amend", "--reason", "other tools"], 1);
    assert!(said.contains("not amended"), "{said}");
    let id = bout_ids(&env).remove(0);
    let history = env.run(["history", &id]).expect(0).stdout;
    assert!(
        history.contains("rerun: reproduced") && history.contains("another recipe"),
        "{history}"
    );
}
