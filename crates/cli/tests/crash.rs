//! Crashes: killed at any instant, the same command continues, and nothing is lost, doubled or
//! changed.
//!
//! `JOUST_CRASHES` sets how often the tournament is killed (200 when unset; the nightly run takes
//! 1,000).

use std::collections::BTreeMap;
use std::time::Duration;

use joust_testkit::env::TestEnv;
use joust_testkit::league::{bot, bout_ids};

const LEAGUE: &str = "\
name: Crash
seed: 11
database: results.db
defaults:
  calibration: { runs: 1 }
events:
  - id: league
    game: battlebots
    bots: [bots/*]
    bouts: 6
    options: { max_rounds: 10 }
";

fn league() -> TestEnv {
    let cache = std::path::Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/joust-cache"));
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust")).with_cache(cache);
    env.write("tournament.yaml", LEAGUE);
    for (name, action) in [("ann", "B SE"), ("bob", "E"), ("cid", "NO"), ("dot", "L S")] {
        bot(&env, name, &format!("echo '{action}'"));
    }
    env
}

/// Returns every bout's final state hash.
fn results(env: &TestEnv) -> BTreeMap<String, String> {
    bout_ids(env)
        .into_iter()
        .map(|id| {
            let bout = env.run(["replay", &id, "--format", "json"]).expect(0).json();
            (id, bout["state_hash"].as_str().expect("a hash").to_owned())
        })
        .collect()
}

/// Instants from 1 to 400 ms, the same in every run of the test.
struct Instants(u64);

impl Iterator for Instants {
    type Item = Duration;
    fn next(&mut self) -> Option<Duration> {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        Some(Duration::from_millis(1 + (self.0 >> 33) % 400))
    }
}

#[test]
fn a_tournament_killed_again_and_again_ends_as_if_never_interrupted() {
    let crashes = std::env::var("JOUST_CRASHES").ok().and_then(|text| text.parse().ok());
    let crashes: u32 = crashes.unwrap_or(200);
    let whole = league();
    whole.run(["run"]).expect(0);
    let expected = results(&whole);
    let mut instants = Instants(1);
    let mut killed = 0;
    while killed < crashes {
        let env = league();
        killed += kill_until_done(&env, crashes - killed, &mut instants);
        env.run(["run"]).expect(0);
        env.run(["verify"]).expect(0);
        assert_eq!(results(&env), expected, "after {killed} kills");
    }
}

/// Starts and kills the tournament until it is done or `most` kills are used
/// up; returns how many were needed.
fn kill_until_done(env: &TestEnv, most: u32, instants: &mut Instants) -> u32 {
    for kills in 0..most {
        let mut child = env.start(["run", "--quiet"]);
        std::thread::sleep(instants.next().expect("it never ends"));
        let is_done = child.try_wait().expect("it can be asked").is_some();
        child.kill().expect("it can be killed");
        child.wait().expect("it can be waited for");
        if is_done {
            return kills.max(1);
        }
    }
    most
}

/// Start-up, the making of the database, builds, calibration and the first launchers:
/// whatever is cut off, the same command continues.
#[test]
fn a_start_that_is_cut_off_at_any_instant_is_gone_on_from() {
    let crashes = std::env::var("JOUST_CRASHES").ok().and_then(|text| text.parse().ok());
    let starts: u32 = crashes.map_or(60, |crashes: u32| crashes.max(60));
    let env = league();
    env.run(["run", "--quiet"]).expect(0);
    let database = env.path().join("results.db");
    let mut instants = Instants(7);
    for start in 0..starts {
        forget_database(&env);
        // Two kills, so that the second start finds the remains of the first.
        for _ in 0..2 {
            let mut child = env.start(["run", "--quiet"]);
            let instant = instants.next().expect("it never ends").as_micros() as u64;
            // Most instants are early: a database is made in a few milliseconds.
            let early = instant / if start % 3 == 0 { 1 } else { 8 };
            std::thread::sleep(Duration::from_micros(early));
            child.kill().expect("it can be killed");
            child.wait().expect("it can be waited for");
            if database.exists() {
                env.run(["verify"]).expect(0);
            }
        }
        env.run(["run", "--dry-run", "--quiet"]).expect(0);
        env.run(["verify"]).expect(0);
        let left = std::fs::read_dir(env.path()).expect("a folder").flatten();
        let left: Vec<_> = left.map(|file| file.file_name()).collect();
        let is_swept = left.iter().all(|name| !name.to_string_lossy().contains(".making"));
        assert!(is_swept, "start {start}: {left:?}");
    }
    env.run(["run", "--quiet"]).expect(0);
    env.run(["verify"]).expect(0);
}

fn forget_database(env: &TestEnv) {
    for file in std::fs::read_dir(env.path()).expect("a folder").flatten() {
        if file.file_name().to_string_lossy().starts_with("results.db") {
            std::fs::remove_file(file.path()).expect("it can be removed");
        }
    }
}
