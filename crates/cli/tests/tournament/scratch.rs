//! X03: temporary folders and caches that cannot be written to stop the run,
//! or do not matter; they never change a result.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use joust_testkit::env::TestEnv;
use joust_testkit::league::{SMALL, bot};

use crate::league::{JOUST, bare, empty, is_root, open_to_all, programs, results, shooter};

/// Exit status for a fault of the machine, not of a bot.
const MACHINE_FAILED: i32 = 4;

fn tournament() -> TestEnv {
    let env = empty();
    env.write("tournament.yaml", SMALL);
    shooter(&env, "ann");
    bot(&env, "bob", "echo E");
    env
}

fn same_results(one: &TestEnv, other: &TestEnv) {
    let (one, other) = (results(one), results(other));
    assert_eq!(one.len(), other.len());
    for (id, bout) in &one {
        assert_eq!(bare(bout.clone()), bare(other[id].clone()));
    }
}

#[test]
fn no_folder_for_temporary_files_changes_no_result() {
    let (whole, env) = (tournament(), tournament());
    whole.run(["run"]).expect(0);
    let ran = env.command(["run"]).env("TMPDIR", "/nowhere").output().expect("it starts");
    stopped_or_done(&ran);
    env.run(["run"]).expect(0);
    same_results(&whole, &env);
}

#[test]
fn a_cache_that_cannot_be_written_to_is_the_machine_s_fault() {
    let env = tournament();
    env.write("file", "no folder");
    let ran = env.command(["run"]).env("JOUST_CACHE", "file/cache").output().expect("it starts");
    assert_eq!(ran.status.code(), Some(MACHINE_FAILED));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(said.contains("hint: JOUST_CACHE"), "{said}");
    env.run(["run"]).expect(0);
}

/// In a container the scratches are folders on disk.
#[test]
fn a_read_only_scratch_root_in_a_container_is_the_machine_s_fault() {
    if !is_root() {
        return;
    }
    let env = tournament();
    let ran = in_container(&env, "/proc");
    assert_eq!(ran.status.code(), Some(MACHINE_FAILED), "{}", String::from_utf8_lossy(&ran.stderr));
    let temporary = env.path().join("tmp");
    fs::create_dir(&temporary).expect("it can be made");
    open_to_all(&temporary);
    let ran = in_container(&env, temporary.to_str().expect("a plain name"));
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    let bouts = results(&env);
    assert!(bouts.values().all(|bout| bout["tier"] == "C"), "{bouts:?}");
    assert_eq!(fs::read_dir(&temporary).expect("it is there").count(), 0);

    let whole = tournament();
    whole.run(["run"]).expect(0);
    let (one, other) = (results(&whole), results(&env));
    for (id, bout) in &one {
        assert_eq!(other[id]["state_hash"], bout["state_hash"]);
    }
}

/// Runs the tournament as root of a container without extra rights.
fn in_container(env: &TestEnv, temporary: &str) -> Output {
    fs::set_permissions(env.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
    std::process::Command::new(&programs().stage)
        .args(["private", "container", "--", JOUST, "run"])
        .current_dir(env.path())
        .env("TMPDIR", temporary)
        .env("JOUST_CACHE", Path::new("cache"))
        .output()
        .expect("the stage is here")
}

/// It either did all, or said that the machine is at fault.
fn stopped_or_done(ran: &Output) {
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(matches!(ran.status.code(), Some(0 | MACHINE_FAILED)), "{:?}: {said}", ran.status);
}
