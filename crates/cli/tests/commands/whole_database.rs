//! A database is one file once a command has ended, so that a copy or an upload of it is complete.

use joust_testkit::env::TestEnv;
use joust_testkit::league::bout_ids;

use super::small;

#[track_caller]
fn assert_alone(env: &TestEnv, command: &str) {
    let rest = env.path().join("results.db-wal");
    let left = std::fs::metadata(&rest).map_or(0, |file| file.len());
    assert_eq!(left, 0, "`{command}` leaves {left} bytes beside the database");
}

#[test]
fn what_a_command_has_written_is_in_the_database_file() {
    let env = small();
    env.run(["run"]).expect(0);
    assert_alone(&env, "run");
    let id = bout_ids(&env).remove(0);
    env.run(["rerun", &id, "--amend", "--reason", "the power failed"]).expect(0);
    assert_alone(&env, "rerun --amend");
    env.run(["bot", "withdraw", "walker", "--reason", "moved away"]).expect(0);
    assert_alone(&env, "bot withdraw");
    std::fs::copy(env.path().join("results.db"), env.path().join("copy.db")).expect("a copy");
    let table = env.run(["standings", "--database", "copy.db", "--format", "csv"]).expect(0).stdout;
    assert!(table.contains("withdrawn"), "{table}");
}
