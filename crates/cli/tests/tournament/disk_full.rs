//! X03: a full disk under the database stops the run; nothing wrong is stored,
//! and with room again the same command continues.

use std::fs;
use std::process::Command;

use joust_testkit::env::TestEnv;
use joust_testkit::league::bot;

use crate::league::{JOUST, bare, cache, empty, is_root, results, shooter};

/// Fills a small disk after the first event, and makes room again.
const SCRIPT: &str = "\
mount -t tmpfs -o size=4m none disk || exit 125
$JOUST run --quiet --event calm >/dev/null || exit 124
cat /dev/zero >disk/filler 2>/dev/null
$JOUST run --quiet >/dev/null 2>full.txt; echo $?
$JOUST standings --event calm --format json >calm.json || exit 123
rm disk/filler
$JOUST run --quiet >/dev/null || exit 122
$JOUST verify >/dev/null || exit 121
cp disk/results.db .
";

fn tournament(database: &str) -> TestEnv {
    let env = empty();
    env.write(
        "tournament.yaml",
        &format!(
            "name: Full\nseed: 5\ndatabase: {database}\ndefaults:\n  calibration: {{ runs: 1 }}\n\
             events:\n  \
             - {{ id: calm, game: battlebots, bots: [bots/*], bouts: 2, options: {{ max_rounds: 4 }} }}\n  \
             - {{ id: long, game: battlebots, bots: [bots/*], bouts: 40, options: {{ max_rounds: 10 }} }}\n"
        ),
    );
    shooter(&env, "ann");
    bot(&env, "bob", "echo E");
    env
}

#[test]
fn a_full_disk_stops_the_run_and_the_same_command_goes_on_with_room() {
    if !is_root() {
        return;
    }
    let env = tournament("disk/results.db");
    fs::create_dir(env.path().join("disk")).expect("it can be made");
    let ran = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "sh", "-c", SCRIPT])
        .current_dir(env.path())
        .env("JOUST", JOUST)
        .env("JOUST_CACHE", cache())
        .output()
        .expect("unshare is here");
    let (said, wrong) =
        (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!((ran.status.code(), said.trim()), (Some(0), "3"), "{said}{wrong}");
    let full = fs::read_to_string(env.path().join("full.txt")).expect("it was written");
    assert!(full.contains("is full"), "the cause is named: {full}");
    assert!(full.contains("free some space"), "and what to do: {full}");
    assert!(!full.contains("somebody is reading"), "nobody is: {full}");

    let whole = tournament("results.db");
    whole.run(["run"]).expect(0);
    env.write(
        "tournament.yaml",
        &fs::read_to_string(whole.path().join("tournament.yaml")).expect("text"),
    );
    env.run(["verify"]).expect(0);
    let (expected, found) = (results(&whole), results(&env));
    assert_eq!(expected.len(), 42);
    for (id, bout) in &expected {
        assert_eq!(bare(found[id].clone()), bare(bout.clone()));
    }
}
