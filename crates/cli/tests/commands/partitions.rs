//! A database of several files: every command reads and changes it as one, and names a file
//! that is missing or was changed.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use joust_testkit::env::TestEnv;
use joust_testkit::league::{SMALL, bot, bout_ids};

use super::small;

/// Returns the closed files of a database.
fn closed(env: &TestEnv, database: &str) -> Vec<PathBuf> {
    let numbered = |number: u32| env.path().join(format!("{database}-{number:04}.db"));
    (1..).map(numbered).take_while(|file| file.exists()).collect()
}

/// A tournament of four bots in as many files as there were occasions to close one, played with
/// a killed run on the way.
fn in_many_files() -> TestEnv {
    let env = small();
    env.write("tournament.yaml", &format!("{SMALL}bouts_per_file: 2\n"));
    env.run(["run"]).expect(0);
    bot(&env, "runner", "echo SW");
    let mut child = env.start(["run"]);
    std::thread::sleep(Duration::from_millis(300));
    // It may have come to its end.
    _ = child.kill();
    child.wait().expect("it can be waited for");
    env.run(["run"]).expect(0);
    env
}

/// The standings but for the chain's head, by formats and models.
fn standings(env: &TestEnv, database: &str, ways: &[(&str, &str)]) -> Vec<String> {
    let of = |(format, model): &(&str, &str)| {
        let words = ["standings", "--database", database, "--format", format, "--model", model];
        let ran = env.run(words).expect(0);
        let of_chain = |line: &str| {
            ["chain: ", "\"links\": ", "\"hash\": "]
                .iter()
                .any(|it| line.trim_start().starts_with(it))
        };
        let lines = ran.stdout.lines().filter(|line| !of_chain(line));
        lines.collect::<Vec<_>>().join("\n")
    };
    ways.iter().map(of).collect()
}

/// Every format, by the model that asks only what each pair did.
const PAIRS: [(&str, &str); 4] = [
    ("table", "bradley-terry"),
    ("markdown", "bradley-terry"),
    ("csv", "bradley-terry"),
    ("json", "bradley-terry"),
];
/// Models that take one bout after the other, in the order of the schedule by which each was played.
const SKILLS: [(&str, &str); 2] = [("json", "plackett-luce"), ("csv", "trueskill")];

#[test]
fn every_command_reads_and_changes_a_database_of_several_files_as_one() {
    let env = in_many_files();
    assert!(closed(&env, "results").len() >= 2, "{:?}", closed(&env, "results"));
    env.write("whole.yaml", &SMALL.replace("results.db", "whole.db"));
    env.run(["run", "whole.yaml"]).expect(0);
    assert!(closed(&env, "whole").is_empty(), "a small league stays one file");
    let whole = standings(&env, "whole.db", &PAIRS);
    assert_eq!(standings(&env, "results.db", &PAIRS), whole);
    // With the same past, in one file.
    env.run(["merge", "one.db", "results.db"]).expect(0);
    assert!(closed(&env, "one").is_empty(), "a small league stays one file");
    let skills = standings(&env, "one.db", &SKILLS);
    assert_eq!(standings(&env, "results.db", &SKILLS), skills);
    let ids = bout_ids(&env);
    assert_eq!(ids.len(), 12);
    let listed = env.run(["bouts"]).expect(0).stdout;
    assert!(ids.iter().all(|id| listed.contains(&id[..8])), "{listed}");
    for id in [&ids[0], &ids[11]] {
        env.run(["replay", id]).expect(0);
        env.run(["rerun", id, "--amend", "--reason", "the power failed"]).expect(0);
        let history = env.run(["history", id]).expect(0).stdout;
        assert!(history.contains("the power failed"), "{history}");
    }
    assert_eq!(standings(&env, "results.db", &PAIRS), whole);
    env.run(["report", "--out", "site"]).expect(0);
    env.run(["merge", "joined.db", "results.db", "--bouts-per-file", "5"]).expect(0);
    assert_eq!(closed(&env, "joined").len(), 2);
    assert_eq!(standings(&env, "joined.db", &PAIRS), whole);
    assert_eq!(standings(&env, "joined.db", &SKILLS), skills);
    for database in ["results.db", "joined.db"] {
        let verified = env.run(["verify", "--database", database]).expect(0).stdout;
        assert!(verified.contains("12 bouts agree"), "{verified}");
    }
    let again = env.run(["run", "--dry-run"]).expect(0).stdout;
    assert!(again.contains("0 bouts to play"), "{again}");
}

#[test]
fn a_file_that_is_missing_or_was_changed_is_named_by_every_command() {
    let env = in_many_files();
    let id = bout_ids(&env).remove(0);
    let file = closed(&env, "results").remove(0);
    let whole = fs::read(&file).expect("it can be read");
    let commands: [&[&str]; 7] = [
        &["standings"],
        &["bouts"],
        &["verify"],
        &["replay", &id],
        &["report", "--out", "site"],
        &["merge", "joined.db", "results.db"],
        &["run"],
    ];
    fs::remove_file(&file).expect("it can be removed");
    for words in commands {
        let said = env.run(words).expect(3).stderr;
        assert!(said.contains("lacks its partition") && said.contains("results-0001.db"), "{said}");
    }
    fs::write(&file, &whole[..whole.len() - 4096]).expect("it can be written");
    for words in commands {
        let said = env.run(words).expect(3).stderr;
        assert!(said.contains("was changed after it was closed"), "{said}");
    }
    fs::write(&file, &whole).expect("it can be written");
    env.run(["verify"]).expect(0);
}
