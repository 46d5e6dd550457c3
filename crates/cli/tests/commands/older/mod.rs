//! A database from before there was a chain: `schema-3.db.gz` was written by the last
//! program of schema 3, with six bouts, an amended one and a bot that was withdrawn.

use std::path::Path;
use std::process::Command;

use joust_testkit::env::TestEnv;

use super::env;

/// The bout that was amended.
const AMENDED: &str = "f146c348c11f3352";

/// A folder with the database, called `old.db`.
fn old() -> TestEnv {
    let env = env();
    let script = "import gzip, sys; open('old.db', 'wb').write(gzip.open(sys.argv[1]).read())";
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/older/schema-3.db.gz");
    let mut python = Command::new("python3");
    let status = python.args(["-c", script]).arg(packed).current_dir(env.path()).status();
    assert!(status.expect("python runs").success());
    env
}

#[test]
fn who_only_reads_is_told_what_to_do_and_changes_nothing() {
    let env = old();
    let bytes = || std::fs::read(env.path().join("old.db")).expect("it is there");
    let before = bytes();
    let commands: [&[&str]; 6] = [
        &["standings", "--database", "old.db"],
        &["verify", "--database", "old.db"],
        &["history", AMENDED, "--database", "old.db"],
        &["replay", AMENDED, "--database", "old.db"],
        &["report", "--out", "site", "--database", "old.db"],
        &["merge", "new.db", "old.db"],
    ];
    for words in commands {
        let ran = env.run(words).expect(3);
        assert_eq!(
            ran.stderr,
            "error: database `old.db` is of an older version: it has schema 3, this program needs 4\n\
             hint: `joust verify --upgrade` brings its tables up to date and changes no result; the \
             older program cannot read it then\n",
            "{words:?}"
        );
        assert_eq!(bytes(), before, "{words:?}");
    }
}

#[test]
fn brought_up_to_date_it_is_verified_chained_and_shows_its_history() {
    let env = old();
    let ran = env.run(["verify", "--upgrade", "--database", "old.db"]).expect(0);
    assert!(ran.stdout.contains("6 bouts agree"), "{}", ran.stdout);
    let history = env.run(["history", AMENDED, "--database", "old.db"]).expect(0).stdout;
    for part in
        ["amended, the result before is superseded: the power failed", "withdrawn", "moved away"]
    {
        assert!(history.contains(part), "{part}: {history}");
    }
    let table = env.run(["standings", "--database", "old.db"]).expect(0).stdout;
    let last = table.lines().last().expect("a line");
    // The tournament, the event, its field, a line of history, six results, a decision, three builds.
    assert!(last.starts_with("chain: 14 links, head "), "{table}");
    assert!(table.contains("moved away"), "{table}");
    let again = env.run(["verify", "--upgrade", "--database", "old.db"]).expect(0);
    assert_eq!(again.stdout, ran.stdout, "a second time nothing is to be done");
    let rows = env.run(["standings", "--database", "old.db", "--format", "csv"]).expect(0).stdout;
    assert!(rows.contains("ann,somebody,,bash,playing"), "{rows}");
}

#[test]
fn what_is_changed_after_that_is_found() {
    let env = old();
    env.run(["verify", "--upgrade", "--database", "old.db"]).expect(0);
    let script = "import sqlite3\n\
                  with sqlite3.connect('old.db') as d: d.execute('UPDATE seats SET score = 99')";
    let status = Command::new("python3").args(["-c", script]).current_dir(env.path()).status();
    assert!(status.expect("python runs").success());
    let ran = env.run(["verify", "--database", "old.db"]).expect(1);
    assert!(ran.stdout.contains("6 do not"), "{}", ran.stdout);
}
