//! Tournaments of hostile and of honest bots, and their results.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use joust_testkit::env::TestEnv;
use joust_testkit::hostile::{self, Programs};
use joust_testkit::league::bot;
use serde_json::Value;

/// The program under test.
pub(crate) const JOUST: &str = env!("CARGO_BIN_EXE_joust");

/// Returns the folder in which builds are shared between tests.
pub(crate) fn cache() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/joust-cache"))
}

/// Makes an empty folder.
pub(crate) fn empty() -> TestEnv {
    TestEnv::new(JOUST).with_cache(cache())
}

/// Writes a tournament of one event `league` with all bots, these limits and
/// options.
pub(crate) fn configure(env: &TestEnv, limits: &str, bouts: u32, max_rounds: u32) {
    env.write(
        "tournament.yaml",
        &format!(
            "name: Hostile\nseed: 5\ndatabase: results.db\n\
             defaults:\n  limits: {{ {limits} }}\n  calibration: {{ runs: 2 }}\n\
             events:\n  - id: league\n    game: battlebots\n    bots: [bots/*]\n    \
             bouts: {bouts}\n    options: {{ max_rounds: {max_rounds} }}\n"
        ),
    );
}

/// Limits of a test that plays many turns which end at their limit.
pub(crate) const TIGHT: &str = "cpu: 100ms, turn: 300ms, kill: 300ms, memory: 64MiB, \
                                processes: 32, descriptors: 64, disk: 8MiB, files: 1000";

/// Writes a bot that shoots at the opponent's corner in every round: a bullet
/// flies three squares a round.
pub(crate) fn shooter(env: &TestEnv, name: &str) {
    bot(env, name, "case \"$1\" in *$'\\n.Y........'*) echo B SE;; *) echo B NW;; esac");
}

/// Writes a bot that runs behaviours of the hostile program, one after the
/// other, with `run` as the name of its run. The answer is the last one's.
pub(crate) fn hostile_bot(env: &TestEnv, name: &str, run: &str, behaviours: &[&str]) {
    let (last, first) = behaviours.split_last().expect("at least one behaviour");
    let mut source = format!("export SCRATCH=/scratch PROGRAM=\"${{0%/*}}\" RUN={run}\n");
    for behaviour in first {
        source.push_str(&format!("\"$PROGRAM/hostile\" {behaviour} \"$1\" >/dev/null\n"));
    }
    source.push_str(&format!("exec \"$PROGRAM/hostile\" {last} \"$1\"\n"));
    bot(env, name, &source);
    let program = env.path().join("bots").join(name).join("hostile");
    fs::copy(&programs().hostile, program).expect("the program can be copied");
}

/// The hostile programs, compiled once.
pub(crate) fn programs() -> &'static Programs {
    static PROGRAMS: OnceLock<Programs> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let name = format!("/hostile-{}", std::process::id());
        let folder = PathBuf::from(concat!(env!("CARGO_TARGET_TMPDIR")).to_owned() + &name);
        hostile::build(&folder).expect("a C compiler is here")
    })
}

/// A result as people compare it: nothing of times, memory and the schedule.
pub(crate) fn bare(mut bout: Value) -> Value {
    const VARYING: [&str; 6] =
        ["cpu_ms", "wall_ms", "stall_ms", "peak_memory_bytes", "match_number", "contended"];
    match &mut bout {
        Value::Object(fields) => {
            fields.retain(|name, _| !VARYING.contains(&name.as_str()));
            fields.values_mut().for_each(|value| *value = bare(value.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| *value = bare(value.take())),
        _ => {}
    }
    bout
}

/// Every bout in the database with its turns, by its id; all agree with their
/// record.
pub(crate) fn results(env: &TestEnv) -> BTreeMap<String, Value> {
    let turns = |id: String| {
        let shown = env.run(["replay", &id, "--format", "json", "--turns"]).expect(0).json();
        (id, shown)
    };
    joust_testkit::league::bout_ids(env).into_iter().map(turns).collect()
}

/// Returns whether every seat of a bout is one of `bots`.
pub(crate) fn is_among(bout: &Value, bots: &[&str]) -> bool {
    let seats = bout["seats"].as_array().expect("a bout has seats");
    seats.iter().all(|seat| bots.contains(&seat["bot"].as_str().expect("a name")))
}

/// Returns whether the tests run as root; prints a note when they do not.
pub(crate) fn is_root() -> bool {
    let root = fs::metadata("/proc/self").is_ok_and(|own| {
        use std::os::unix::fs::MetadataExt;
        own.uid() == 0
    });
    if !root {
        eprintln!("skipped: this test needs root");
    }
    root
}

/// Lets every user write here.
pub(crate) fn open_to_all(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).expect("the folder is ours");
}
