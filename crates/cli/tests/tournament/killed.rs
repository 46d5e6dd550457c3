//! X01: killed in the middle of a bomb, the same command cleans up and continues.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use joust_testkit::clean_state::{OwnState, StateWatch, Surroundings};
use joust_testkit::env::TestEnv;
use joust_testkit::league::bot;

use crate::league::{self, hostile_bot, results, shooter};

/// C1 to C6 hold so soon, also with 200,000 files.
const PATIENCE: Duration = Duration::from_secs(5);

#[test]
fn a_fork_bomb_survives_nobody_who_killed_joust() {
    killed_in_the_middle("fork_bomb", Duration::from_millis(100));
}

#[test]
fn a_heap_bomb_survives_nobody_who_killed_joust() {
    killed_in_the_middle("heap_bomb", Duration::from_millis(50));
}

#[test]
fn very_many_files_survive_nobody_who_killed_joust() {
    killed_in_the_middle("many_files", Duration::from_millis(50));
}

const OWN_GAME: [(&str, &str); 4] = [
    (
        "game/game.yaml",
        "entry: referee.py\nfiles: [referee.py]\nrules: rules.md\nseats: { min: 2, max: 2 }\n",
    ),
    ("game/rules.md", "# Nothing\n"),
    ("bots/ann.sh", "read line; echo 1\n"),
    ("bots/bob.sh", "read line; echo 2\n"),
];

/// It ends every bout as soon as it begins.
const REFEREE: &str = "\
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if said['t'] == 'hello':
        print(json.dumps({'t': 'game', 'protocol': 1, 'id': 'own', 'version': '1', 'can': []}), flush=True)
    if said['t'] == 'start':
        print(json.dumps({'t': 'end', 'b': said['b'], 'scores': [1, 0], 'reason': 'over'}), flush=True)
";

#[test]
fn a_run_killed_in_its_first_moments_leaves_nothing_once_another_has_run() {
    let env = league::empty();
    env.write(
        "tournament.yaml",
        "database: results.db\ngames: { own: { referee: game } }\n\
         events: [{ game: own, bots: ['bots/*'], bouts: 1 }]\n",
    );
    OWN_GAME.iter().for_each(|(path, text)| env.write(path, text));
    env.write("game/referee.py", REFEREE);
    let temporary = env.path().join("tmp");
    fs::create_dir(&temporary).expect("it can be made");
    let command = || {
        let mut command = env.command(["run"]);
        command.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    for moment in 1..16 {
        let mut child = command().spawn().expect("it can be started");
        std::thread::sleep(Duration::from_millis(20 * moment));
        child.kill().expect("it can be killed");
        child.wait().expect("it can be waited for");
    }
    assert_eq!(command().status().expect("it can be started").code(), Some(0));
    let left: Vec<_> = fs::read_dir(&temporary).expect("it is there").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Plays a calm event, kills the run while the bomb of a second event is at
/// work for `after`, and runs the same command again.
fn killed_in_the_middle(bomb: &str, after: Duration) {
    let run = format!("joust-x01-{bomb}-{}", std::process::id());
    let env = tournament(bomb, &run);
    env.run(["run", "--event", "calm"]).expect(0);
    let finished = results(&env);
    let watch = StateWatch {
        run: run.clone(),
        folders: vec![env.path().join("bots"), env.path().join("calm")],
        observer: std::process::id(),
        surroundings: Surroundings::Shared,
    };
    let before = watch.look();

    let command = || {
        let mut command = env.command(["run"]);
        command.env("TMPDIR", env.path().join("tmp")).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut child = command().spawn().expect("it can be started");
    wait_until("the bomb has started", || !processes_of(&run).is_empty());
    std::thread::sleep(after);
    child.kill().expect("it can be killed");
    child.wait().expect("it can be waited for");

    let status = command().status().expect("it can be started");
    assert_eq!(status.code(), Some(0));
    let left = watch.differences_within(&before, OwnState::Ignored, PATIENCE);
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(processes_of(&run), Vec::<u32>::new());
    assert_eq!(groups_of(child.id()), BTreeSet::new());
    assert_eq!(fs::read_dir(env.path().join("tmp")).expect("it is there").count(), 0);

    env.run(["verify"]).expect(0);
    let after = results(&env);
    for (id, bout) in &finished {
        assert_eq!(after.get(id), Some(bout), "a finished bout is kept as it was");
    }
    let bombs = after.values().filter(|bout| bout["event"] == "bombs").count();
    assert_eq!((finished.len(), bombs), (2, 2));
}

fn tournament(bomb: &str, run: &str) -> TestEnv {
    let env = league::empty();
    let limits = "cpu: 750ms, turn: 1500ms, kill: 1500ms, memory: 1GiB, processes: 64, \
                  disk: 512MiB, files: 1000000";
    env.write(
        "tournament.yaml",
        &format!(
            "name: Killed\nseed: 5\ndatabase: results.db\n\
             defaults:\n  limits: {{ {limits} }}\n  calibration: {{ runs: 1 }}\n\
             events:\n  \
             - {{ id: calm, game: battlebots, bots: [calm/*], bouts: 2, options: {{ max_rounds: 4 }} }}\n  \
             - {{ id: bombs, game: battlebots, bots: [bots/*], bouts: 2, options: {{ max_rounds: 1 }} }}\n"
        ),
    );
    shooter(&env, "ann");
    bot(&env, "bob", "echo E");
    fs::rename(env.path().join("bots"), env.path().join("calm")).expect("it can be moved");
    hostile_bot(&env, "bomb", run, &[bomb]);
    bot(&env, "waiter", "echo NO");
    fs::create_dir(env.path().join("tmp")).expect("it can be made");
    env
}

pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < end, "{what} never came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Processes with the name of the run in their environment.
pub(crate) fn processes_of(run: &str) -> Vec<u32> {
    let wanted = format!("RUN={run}").into_bytes();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|line| line == wanted)
    })
    .collect()
}

/// Control groups named after a process that made them.
fn groups_of(maker: u32) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    find_groups(Path::new("/sys/fs/cgroup"), &format!("joust-{maker}-"), 8, &mut found);
    found
}

fn find_groups(folder: &Path, prefix: &str, depth: usize, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            found.insert(entry.path().display().to_string());
        }
        if depth > 0 {
            find_groups(&entry.path(), prefix, depth - 1, found);
        }
    }
}
