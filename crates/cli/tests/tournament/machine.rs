//! A faulty machine costs no bot its place: the fault is reported, the others play, the run ends
//! with status 4, and the same command continues once the machine is in order.

use std::fs;
use std::process::Command;

use joust_testkit::env::TestEnv;
use joust_testkit::league::bot;
use serde_json::Value;

use crate::league::{JOUST, empty, is_root, shooter};

const TOURNAMENT: &str = "name: Ill\nseed: 5\ndefaults:\n  calibration: { runs: 1 }\n  build: { disk: 8MiB }\n\
    events:\n  - { id: calm, game: battlebots, bots: [bots/*], bouts: 2, options: { max_rounds: 4 } }\n";

fn tournament() -> TestEnv {
    let env = empty();
    env.write("tournament.yaml", TOURNAMENT);
    fs::create_dir(env.path().join("disk")).expect("it can be made");
    shooter(&env, "ann");
    bot(&env, "bob", "echo E");
    env
}

/// Runs a script in a mount name space of its own, with `disk` as the cache, and returns its
/// output; if it fails, it has a status of its own.
fn script(env: &TestEnv, text: &str) -> String {
    let ran = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "sh", "-c", text])
        .current_dir(env.path())
        .env("JOUST", JOUST)
        .env("JOUST_CACHE", env.path().join("disk"))
        .output()
        .expect("unshare is here");
    let (said, wrong) =
        (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{said}{wrong}");
    said.into_owned()
}

/// Bots, their status and how many bouts each played, in a table that was kept as JSON.
fn table(env: &TestEnv, name: &str) -> Vec<(String, String, u64)> {
    let text = fs::read_to_string(env.path().join(name)).expect("it was written");
    let tables: Value = serde_json::from_str(&text).expect("it is JSON");
    let rows = tables[0]["rows"].as_array().unwrap_or_else(|| panic!("no rows: {text}"));
    let row = |row: &Value| {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let bouts = row["bouts"].as_object().expect("a record").values();
        (text("bot"), text("status"), bouts.filter_map(Value::as_u64).sum())
    };
    let mut rows: Vec<_> = rows.iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn builds_on_a_full_disk_wait_for_room() {
    if !is_root() {
        return;
    }
    let env = tournament();
    let said = script(
        &env,
        "mount -t tmpfs -o size=2m none disk || exit 125
        cat /dev/zero >disk/filler 2>/dev/null
        $JOUST run --quiet >/dev/null 2>full.txt; echo $?
        $JOUST bot check battlebots bots/bob >/dev/null 2>check.txt; echo $?
        $JOUST play battlebots bots/bob bots/ann >/dev/null 2>play.txt; echo $?
        $JOUST calibrate --game battlebots --language bash >/dev/null 2>calibrate.txt; echo $?
        $JOUST standings --format json >full.json || exit 123
        rm disk/filler
        $JOUST run --quiet >/dev/null || exit 122
        $JOUST standings --format json >room.json || exit 121",
    );
    for name in ["full.txt", "check.txt", "play.txt", "calibrate.txt"] {
        let text = fs::read_to_string(env.path().join(name)).expect("it was written");
        assert!(text.contains("No space left on device") || name != "full.txt", "{name}: {text}");
        assert!(text.contains("infrastructure-error"), "{name}: {text}");
    }
    assert_eq!(said, "4\n4\n4\n4\n");
    let place = |bouts| {
        [("ann", "playing", bouts), ("bob", "playing", bouts)]
            .map(|(bot, status, bouts)| (bot.to_owned(), status.to_owned(), bouts))
    };
    assert_eq!(table(&env, "full.json"), place(0));
    assert_eq!(table(&env, "room.json"), place(2));
}

#[test]
fn who_has_a_build_plays_on_a_read_only_disk() {
    if !is_root() {
        return;
    }
    let env = tournament();
    env.write("new/bot.yaml", "name: carl\nlanguage: bash\nentry: main.sh\n");
    env.write("new/main.sh", "echo N\n");
    let said = script(
        &env,
        "mount -t tmpfs -o size=9m none disk || exit 125
        $JOUST run --quiet >/dev/null || exit 124
        mv new bots/carl
        mount -o remount,ro disk || exit 123
        $JOUST run >/dev/null 2>closed.txt; echo $?
        $JOUST standings --format json >closed.json || exit 122
        mount -o remount,rw disk || exit 121
        $JOUST run --quiet >/dev/null || exit 120
        $JOUST standings --format json >open.json || exit 119
        $JOUST verify --quiet >/dev/null || exit 118",
    );
    assert_eq!(said, "4\n");
    let text = fs::read_to_string(env.path().join("closed.txt")).expect("it was written");
    assert!(text.contains("`carl`") && text.contains("Read-only file system"), "{text}");
    // What the others have they keep.
    let closed = table(&env, "closed.json");
    let of = |bot: &str| closed.iter().find(|row| row.0 == bot).map(|row| (row.1.as_str(), row.2));
    assert_eq!((of("ann"), of("bob")), (Some(("playing", 2)), Some(("playing", 2))), "{closed:?}");
    assert!(of("carl").is_none_or(|found| found == ("playing", 0)), "{closed:?}");
    assert!(table(&env, "open.json").iter().all(|row| row.2 == 4));
}

#[test]
fn the_rest_plays_where_there_is_no_room_for_one() {
    if !is_root() {
        return;
    }
    let env = tournament();
    let manifest = "name: wide\nlanguage: bash\nentry: main.sh\n\
        build: [[bash, -c, 'head -c 5000000 /dev/zero >filler']]\n";
    env.write("bots/wide/bot.yaml", manifest);
    env.write("bots/wide/main.sh", "echo N\n");
    let said = script(
        &env,
        "mount -t tmpfs -o size=3m none disk || exit 125
        $JOUST run >/dev/null 2>narrow.txt; echo $?
        $JOUST standings --format json >narrow.json || exit 124
        mount -o remount,size=30m disk || exit 123
        $JOUST run --quiet >/dev/null || exit 122
        $JOUST standings --format json >wide.json || exit 121",
    );
    let text = fs::read_to_string(env.path().join("narrow.txt")).expect("it was written");
    assert_eq!(said, "4\n", "{text}");
    assert!(text.contains("`wide` was not built on this machine"), "{text}");
    assert!(text.contains("4 of 6 bouts have no result yet"), "{text}");
    let played = |name| table(&env, name).into_iter().map(|row| row.2).collect::<Vec<_>>();
    assert_eq!(played("narrow.json"), [2, 2, 0]);
    assert_eq!(played("wide.json"), [4, 4, 4]);
}

/// A failure that a bot can bring about is its own, however much it looks like the machine's.
#[test]
fn a_bot_that_fills_its_own_limits_or_has_endless_names_loses_its_place_alone() {
    let env = tournament();
    let manifest = |name: &str, build: &str| {
        format!("name: {name}\nlanguage: bash\nentry: main.sh\nbuild: [[bash, -c, '{build}']]\n")
    };
    let deep = "n=$(printf %0200d 0); for i in {1..30}; do mkdir $n && cd $n; done; :";
    let bomb = "head -c 99000000 /dev/zero >filler";
    for (name, build) in [("deep", deep), ("bomb", bomb), ("large", ":")] {
        env.write(&format!("bots/{name}/bot.yaml"), &manifest(name, build));
        env.write(&format!("bots/{name}/main.sh"), "echo N\n");
    }
    fs::write(env.path().join("bots/large/data"), vec![0; 9 << 20]).expect("it can be written");
    let ran = env.run(["run"]).expect(0);
    for (name, word) in [("deep", "too long"), ("bomb", "disk limit"), ("large", "disk limit")] {
        let said =
            ran.stderr.split("not built: ").find(|part| part.starts_with(&format!("{name}: ")));
        assert!(said.is_some_and(|said| said.contains(word)), "{name}: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("infrastructure-error"), "{}", ran.stderr);
}

/// A control group of 200 MiB around Joust, in the version that this machine has.
const AROUND: &str = "root=/sys/fs/cgroup/memory; limit=memory.limit_in_bytes; processes=tasks
    [ -d $root ] || { root=/sys/fs/cgroup; limit=memory.max; processes=cgroup.procs; }
    around=$root/joust-around-$$
    mkdir $around 2>/dev/null && echo 200M >$around/$limit 2>/dev/null || { rmdir $around; echo none; exit 0; }
    trap 'echo $$ >$root/$processes; find $around -depth -type d -exec rmdir {} +' EXIT
    echo $$ >$around/$processes";

/// Adds a bot whose build takes 400 MB. As a compiler does whose part was killed, the build itself
/// ends with a status.
fn with_wide_build(env: &TestEnv) {
    let manifest = "name: wide\nlanguage: bash\nentry: main.sh\n\
        build: [[bash, -c, 'head -c 400M /dev/zero | tail -c 400M >/dev/null || exit 1']]\n";
    env.write("bots/wide/bot.yaml", manifest);
    env.write("bots/wide/main.sh", "echo N\n");
}

#[test]
fn a_build_ended_by_a_group_around_joust_is_not_its_bot_s_failure() {
    if !is_root() {
        return;
    }
    for tier in ["A", "B"] {
        let env = tournament();
        with_wide_build(&env);
        let limits = TOURNAMENT.replace("{ disk: 8MiB }", "{ memory: 1GiB }");
        env.write(
            "tournament.yaml",
            &limits.replace("  cal", "  limits: { memory: 64MiB }\n  cal"),
        );
        let run = "JOUST_TIER=TIER $JOUST run --quiet >/dev/null 2>around.txt; echo $?
            $JOUST standings --format json >around.json || exit 124";
        let said = script(&env, &format!("{AROUND}\n{}", run.replace("TIER", tier)));
        if said == "none\n" {
            return;
        }
        let text = fs::read_to_string(env.path().join("around.txt")).expect("it was written");
        assert_eq!(said, "4\n", "{tier}: {text}");
        assert!(text.contains("`wide` was not built on this machine"), "{tier}: {text}");
        assert!(text.contains("ran out of memory"), "{tier}: {text}");
        let played: Vec<_> = table(&env, "around.json").into_iter().map(|row| row.2).collect();
        assert_eq!(played, [2, 2, 0], "{tier}");
    }
}

#[test]
fn a_build_above_its_own_memory_loses_its_bot_s_place_alone() {
    let env = tournament();
    with_wide_build(&env);
    env.write("tournament.yaml", &TOURNAMENT.replace("{ disk: 8MiB }", "{ memory: 64MiB }"));
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stderr.contains("memory limit"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("infrastructure-error"), "{}", ran.stderr);
}
