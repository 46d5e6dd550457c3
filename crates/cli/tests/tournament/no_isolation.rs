//! X07: without isolation a run is refused; with `--unsafe` it is marked.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use joust_testkit::env::TestEnv;
use joust_testkit::league::{SMALL, bot};

use crate::league::{JOUST, empty, is_root, open_to_all, programs, results, shooter};

/// Runs `joust` as an ordinary user of a machine that refuses name spaces.
fn ordinary(env: &TestEnv, arguments: &[&str]) -> Output {
    std::process::Command::new(env.path().join("stage"))
        .args(["private", "container", "user", "--", "./joust"])
        .args(arguments)
        .current_dir(env.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", env.path())
        .env("TMPDIR", env.path())
        .env("JOUST_CACHE", env.path().join("cache"))
        .output()
        .expect("the stage can be started")
}

/// A tournament in a folder where another user may work.
fn tournament() -> TestEnv {
    let env = empty();
    env.write("tournament.yaml", SMALL);
    shooter(&env, "ann");
    bot(&env, "bob", "echo E");
    // The folder of the program under test may be closed to others.
    for (program, name) in [(PathBuf::from(JOUST), "joust"), (programs().stage.clone(), "stage")] {
        fs::copy(program, env.path().join(name)).expect("it can be copied");
    }
    open_to_all(env.path());
    env
}

#[test]
fn without_isolation_a_run_is_refused_with_a_hint() {
    if !is_root() {
        return;
    }
    let env = tournament();
    let ran = ordinary(&env, &["run"]);
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(4), "{said}");
    assert!(said.contains("hint: "), "{said}");
    assert!(!env.path().join("results.db").exists(), "nothing was played");
}

#[test]
fn with_unsafe_it_runs_and_every_result_and_table_is_marked() {
    if !is_root() {
        return;
    }
    let env = tournament();
    let ran = ordinary(&env, &["run", "--unsafe"]);
    let (shown, said) =
        (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{said}");
    assert!(shown.contains("2 of them without isolation (tier D)"), "{shown}");
    assert!(said.contains("warning: 2 bouts of `league` were played without isolation"), "{said}");
    let bouts = results(&env);
    assert_eq!(bouts.len(), 2);
    assert!(bouts.values().all(|bout| bout["tier"] == "D"), "{bouts:?}");
    for format in ["text", "markdown", "json", "csv", "classic"] {
        let table = env.run(["standings", "--format", format]).expect(0);
        assert!(table.stderr.contains("tier D"), "{format}: {}", table.stderr);
    }
    let json = env.run(["standings", "--format", "json"]).expect(0).json();
    assert_eq!(json[0]["unisolated_bouts"], 2);
}
