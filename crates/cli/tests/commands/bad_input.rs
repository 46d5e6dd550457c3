//! Bad input: one clear message with the place and the remedy, a documented exit status, nothing
//! lost.

use std::fs;
use std::path::Path;
use std::process::Command;

use joust_testkit::env::TestEnv;
use joust_testkit::league::{SMALL, bot, bout_ids};

use super::{env, small};

#[test]
fn malformed_yaml_is_shown_with_its_place() {
    let env = env();
    env.write("tournament.yaml", "name: x\nevents: [\n");
    let ran = env.run(["run"]).expect(2);
    assert!(ran.stderr.contains("tournament.yaml:"), "{}", ran.stderr);
}

#[test]
fn an_unknown_key_gets_a_suggestion_and_every_problem_is_told_at_once() {
    let env = small();
    let text = SMALL.replace("bouts: 2", "bots_per: 1\n    buots: 2").replace("seed: 7", "seed: x");
    env.write("tournament.yaml", &text);
    let ran = env.run(["run"]).expect(2);
    assert!(ran.stderr.contains("did you mean `bouts`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("seed"), "{}", ran.stderr);
    assert!(!env.path().join("results.db").exists());
}

#[test]
fn an_empty_glob_names_the_glob_and_its_line() {
    let env = small();
    env.write("tournament.yaml", &SMALL.replace("bots/*", "robots/*"));
    let ran = env.run(["run"]).expect(2);
    let told = "error: no bot matches `robots/*`\n --> tournament.yaml:9:12\n  |\n\
                9 |     bots: [robots/*]\n  |            ^\nhint: looked beneath `.`\n";
    assert!(ran.stderr.ends_with(told), "{}", ran.stderr);
}

#[test]
fn the_second_of_two_bots_of_one_name_after_case_folding_is_not_built() {
    let env = small();
    env.write("bots/other/bot.yaml", "name: Walker\nlanguage: bash\nentry: main.sh\n");
    env.write("bots/other/main.sh", "echo N\n");
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stderr.contains("is taken by"), "{}", ran.stderr);
    assert!(ran.stderr.to_lowercase().contains("not built: `walker"), "{}", ran.stderr);
}

#[test]
fn a_folder_that_is_no_bot_is_told_the_accepted_forms() {
    let env = small();
    env.write("bots/notes/readme.txt", "nothing");
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stderr.contains("not built: `notes`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("bot.yaml"), "{}", ran.stderr);
}

#[test]
fn the_second_bot_of_an_owner_is_not_built_where_each_may_enter_one() {
    let env = small();
    env.write("tournament.yaml", &SMALL.replace("bouts: 2", "bouts: 2\n    one_per_owner: true"));
    for name in ["one", "two"] {
        bot(&env, name, "echo N");
        let manifest = format!("name: {name}\nowner: ann\nlanguage: bash\nentry: main.sh\n");
        env.write(&format!("bots/{name}/bot.yaml"), &manifest);
    }
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stderr.contains("not built: `two`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`ann` has entered `one` already"), "{}", ran.stderr);
}

#[test]
fn a_damaged_database_is_named_and_left_as_it_is() {
    let env = small();
    env.write("results.db", "this is no database, whatever its name says");
    let ran = env.run(["run"]).expect(3);
    assert!(ran.stderr.contains("results.db"), "{}", ran.stderr);
    let kept = fs::read_to_string(env.path().join("results.db")).expect("it is there");
    assert!(kept.starts_with("this is no database"));
}

/// Writes the journal of a change that SQLite would undo, after which it deletes the file `named`.
fn leave_journal(env: &TestEnv, named: &Path) {
    let magic = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    let number = |number: usize| u32::try_from(number).expect("small").to_be_bytes().to_vec();
    let database = fs::read(env.path().join("results.db")).expect("it is there");
    let page = usize::from(u16::from_be_bytes([database[16], database[17]]));
    let numbers = [0, 1, database.len() / page, 512, page].map(number).concat();
    let mut journal = [&magic[..], &numbers].concat();
    journal.resize(512, 0);
    let name = named.to_str().expect("a test's folder").as_bytes();
    let sum = name.iter().copied().map(usize::from).sum();
    journal.extend([number((1 << 30) / page + 1), name.to_vec()].concat());
    journal.extend([number(name.len()), number(sum), magic.to_vec()].concat());
    fs::write(env.path().join("results.db-journal"), journal).expect("written");
}

#[test]
fn a_file_that_the_journal_of_a_stranger_s_database_names_stays() {
    let env = small();
    env.run(["run"]).expect(0);
    env.write("letter", "dear");
    let letter = env.path().join("letter");
    leave_journal(&env, &letter);
    for words in [&["standings"][..], &["verify"], &["run"], &["merge", "all.db", "results.db"]] {
        let ran = env.run(words).expect(3);
        assert!(ran.stderr.contains("a journal of several databases"), "{words:?}: {}", ran.stderr);
        assert!(letter.exists(), "{words:?}");
    }
    let script = "import sqlite3; sqlite3.connect('results.db').execute('SELECT * FROM bouts')";
    let opened = Command::new("python3").args(["-c", script]).current_dir(env.path()).status();
    assert!(opened.expect("Python runs").success() && !letter.exists(), "SQLite itself takes it");
}

#[test]
fn a_missing_database_is_told_for_standings() {
    let env = small();
    let ran = env.run(["standings"]).expect(3);
    assert!(ran.stderr.contains("results.db"), "{}", ran.stderr);
}

#[test]
fn a_file_that_was_named_and_is_not_there_is_refused_by_every_command() {
    let env = small();
    env.run(["run"]).expect(0);
    let bout = bout_ids(&env).swap_remove(0);
    let database = ["--file", "nowhere.yaml", "--database", "results.db"];
    for words in [
        ["calibrate", "--file", "nowhere.yaml"].to_vec(),
        [&["rerun", &bout], &database[..]].concat(),
        [&["replay", &bout], &database[..]].concat(),
        [&["verify"], &database[..]].concat(),
        [&["bot", "turn", "bots/walker", "--round=1", "--bout", &bout], &database[..]].concat(),
    ] {
        let said = env.run(words.iter().copied()).expect(2).stderr;
        assert!(said.contains("nowhere.yaml"), "{words:?}: {said}");
    }
}

#[test]
fn a_run_without_a_bot_that_can_be_built_fails() {
    let env = small();
    for bot in ["shooter", "walker", "waiter"] {
        let manifest =
            format!("name: {bot}\nlanguage: bash\nentry: main.sh\nbuild: [[\"false\"]]\n");
        env.write(&format!("bots/{bot}/bot.yaml"), &manifest);
    }
    let said = env.run(["run"]).expect(1).stderr;
    assert!(said.contains("no bot could be built, so nothing is played"), "{said}");
}

#[test]
fn an_unknown_bout_is_a_usage_error() {
    let env = small();
    env.run(["run"]).expect(0);
    env.run(["replay", "ffffffffffffffff"]).expect(2);
    env.run(["replay", "not-an-id"]).expect(2);
}

#[test]
fn a_build_that_hangs_is_ended_at_its_limit() {
    let env = small();
    env.write(
        "tournament.yaml",
        &SMALL
            .replace("calibration: { runs: 2 }", "calibration: { runs: 2 }\n  build: { time: 1s }"),
    );
    let manifest = "name: hanging\nlanguage: bash\nentry: main.sh\nbuild: [[bash, -c, sleep 60]]\n";
    env.write("bots/hanging/bot.yaml", manifest);
    env.write("bots/hanging/main.sh", "echo N\n");
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stderr.contains("hanging"), "{}", ran.stderr);
    assert_eq!(bout_ids(&env).len(), 6);
}

#[test]
fn a_build_that_floods_its_log_is_ended_and_the_log_is_cut() {
    let env = small();
    let manifest = "name: flooding\nlanguage: bash\nentry: main.sh\nbuild: [[bash, -c, yes]]\n";
    env.write("bots/flooding/bot.yaml", manifest);
    env.write("bots/flooding/main.sh", "echo N\n");
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stderr.contains("flooding"), "{}", ran.stderr);
    assert!(ran.stderr.len() < 100_000, "{} bytes of messages", ran.stderr.len());
}

#[test]
fn a_wrong_option_of_the_command_line_is_a_usage_error() {
    let env = small();
    env.run(["run", "--jobs", "0"]).expect(2);
    env.run(["run", "--budget", "soon"]).expect(2);
    env.run(["run", "--event", "cup"]).expect(2);
    env.run(["run", "--only", "nobody"]).expect(2);
    env.run(["play", "battlebots", "bots/walker"]).expect(2);
    env.run(["play", "battlebots", "bots/walker", "bots/waiter", "-o", "max_round=3"]).expect(2);
    env.run(["standigns"]).expect(2);
}

#[test]
fn a_machine_without_sandbox_is_told_what_would_help() {
    let env = small();
    let Some(ran) = env.run_without_sandbox("run") else { return };
    let ran = ran.expect(4);
    assert!(ran.stderr.contains("cannot hold a bot in a sandbox"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: run as root"), "{}", ran.stderr);
    assert!(!env.path().join("results.db").exists());
}

#[test]
fn a_build_that_vanishes_while_playing_voids_the_bout_and_costs_no_bot() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    env.write("tournament.yaml", &SMALL.replace("bouts: 2", "bouts: 40"));
    for name in ["ann", "bob"] {
        bot(&env, name, "sleep 0.02; echo NO");
    }
    let child = env.start(["run"]);
    while bouts_so_far(&env) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    fs::remove_dir_all(env.path().join("cache/builds")).expect("builds can be removed");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("is gone from"), "{said}");
    env.run(["run"]).expect(0);
    assert_eq!(bout_ids(&env).len(), 40);
    env.run(["verify"]).expect(0);
}

/// Returns how many bouts the database of a run under way has.
fn bouts_so_far(env: &TestEnv) -> usize {
    match env.run(["verify", "--format", "json"]) {
        ran if ran.status == Some(0) => ran.json()["bouts"].as_array().map_or(0, Vec::len),
        _ => 0,
    }
}

#[test]
fn a_database_that_cannot_be_written_is_told_and_can_still_be_read() {
    let env = small();
    env.run(["run"]).expect(0);
    env.write("elsewhere.yaml", &SMALL.replace("results.db", "no/such/folder/results.db"));
    let ran = env.run(["run", "elsewhere.yaml"]).expect(3);
    assert!(ran.stderr.contains("must exist and be writable"), "{}", ran.stderr);
    env.write("folder.yaml", &SMALL.replace("results.db", "bots"));
    env.run(["run", "folder.yaml"]).expect(3);
}

#[test]
fn a_cache_that_cannot_be_written_is_told_with_its_variable() {
    let env = small();
    let mut command = env.command(["run"]);
    let output = command.env("JOUST_CACHE", "/dev/null").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("hint: JOUST_CACHE"), "{said}");
}

#[test]
fn without_a_home_builds_are_kept_beside_the_tournament() {
    let env = small();
    let mut command = env.command(["run"]);
    command.env_remove("HOME").env_remove("JOUST_CACHE");
    assert_eq!(command.output().expect("it runs").status.code(), Some(0));
    assert!(env.path().join(".joust/builds").is_dir());
}

#[test]
fn an_ambiguous_bout_is_a_usage_error_that_lists_the_bouts() {
    let env = small();
    env.write("tournament.yaml", &SMALL.replace("bouts: 2", "bouts: 6"));
    env.run(["run"]).expect(0);
    // Of eighteen bouts two begin with the same one of sixteen digits.
    let ids = bout_ids(&env);
    let is_shared = |id: &&String| ids.iter().filter(|other| other[..1] == id[..1]).count() > 1;
    let id = ids.iter().find(is_shared).expect("two begin alike");
    let ran = env.run(["replay", &id[..1]]).expect(2);
    assert!(ran.stderr.contains("several bouts begin with"), "{}", ran.stderr);
    assert!(ran.stderr.contains(id.as_str()), "{}", ran.stderr);
}

#[test]
fn a_full_disk_is_told_and_every_finished_bout_is_kept() {
    let env = small();
    let text = SMALL.replace("bouts: 2", "bouts: 400").replace("max_rounds: 6", "max_rounds: 1");
    env.write("tournament.yaml", &text);
    let binary = env!("CARGO_BIN_EXE_joust");
    let script = format!(
        "mount -t tmpfs -o size=300k none {0}/full && cp -r bots tournament.yaml full && cd full \
         && {{ {binary} run --quiet; echo status $?; {binary} verify; }}",
        env.path().display()
    );
    fs::create_dir(env.path().join("full")).expect("a folder");
    let variables = env.variables();
    let mut command = std::process::Command::new("unshare");
    command.args(["--mount", "bash", "-c", &script]).env_clear().envs(variables);
    let Ok(output) = command.current_dir(env.path()).output() else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    let told = String::from_utf8_lossy(&output.stdout);
    if !told.contains("status") {
        return; // Mounting needs privileges.
    }
    assert!(told.contains("status 3"), "{told}\n{said}");
    assert!(said.contains("is full") && said.contains("free some space"), "{said}");
    assert!(told.contains("bouts agree with their record, 0 do not"), "{told}\n{said}");
}

#[test]
fn hostile_names_keep_their_bots_from_playing_and_say_why() {
    let env = small();
    for (folder, name) in [("a", r"x\u001b[31m"), ("b", r"a\u202eb"), ("c", "../x"), ("d", "")] {
        let manifest = format!("name: \"{name}\"\nlanguage: bash\nentry: main.sh\n");
        env.write(&format!("bots/{folder}/bot.yaml"), &manifest);
        env.write(&format!("bots/{folder}/main.sh"), "echo N\n");
    }
    let ran = env.run(["run"]).expect(0);
    for reason in ["U+001B", "U+202E", "separates folders", "is empty"] {
        assert!(ran.stderr.contains(reason), "{reason}\n{}", ran.stderr);
    }
    assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
}

#[test]
fn odd_names_stay_text_in_every_table() {
    let env = small();
    for (folder, name) in [("a", "p|q"), ("b", "<i>"), ("c", "=cmd()"), ("d", "`x`")] {
        let manifest = format!("name: \"{name}\"\nlanguage: bash\nentry: main.sh\n");
        env.write(&format!("bots/{folder}/bot.yaml"), &manifest);
        env.write(&format!("bots/{folder}/main.sh"), "echo N\n");
    }
    env.run(["run"]).expect(0);
    let markdown = env.run(["standings", "--format", "markdown"]).expect(0).stdout;
    assert!(markdown.contains(r"p\|q") && markdown.contains("`<i>`"), "{markdown}");
    let csv = env.run(["standings", "--format", "csv"]).expect(0).stdout;
    assert!(csv.contains("'=cmd()") && !csv.contains(",=cmd()"), "{csv}");
}

#[test]
fn an_event_that_is_not_there_is_told_before_its_bots_are_looked_for() {
    let env = small();
    env.run(["run", "--quiet", "--database", "other.db"]).expect(0);
    assert!(!env.path().join("results.db").exists());
    let words = ["bot", "withdraw", "walker", "--reason", "x", "--database", "other.db"];
    let ran = env.run(words.iter().chain(&["--event", "nope"])).expect(2);
    assert!(ran.stderr.contains("there is no event `nope`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the events are `league`"), "{}", ran.stderr);
    env.run(words).expect(0);
}

#[test]
fn a_bot_is_not_in_order_because_nothing_was_played() {
    let ran = small().run(["bot", "check", "battlebots", "bots/walker", "--bouts", "0"]).expect(2);
    assert!(ran.stderr.contains("0 is not in 1.."), "{}", ran.stderr);
}

#[test]
fn a_name_that_no_bot_may_have_is_told_with_its_reason() {
    let env = small();
    let folder = format!("bots/{}", "x".repeat(100));
    let ran = env.run(["bot", "new", "battlebots", "bash", &folder]).expect(2);
    assert!(ran.stderr.contains("more than 64 characters"), "{}", ran.stderr);
}

#[test]
fn an_address_of_another_machine_is_told_apart_from_a_taken_one() {
    let ran = small().run(["run", "--live", "192.0.2.1:8080"]).expect(4);
    assert!(ran.stderr.contains("hint: this machine has no such address"), "{}", ran.stderr);
}

#[test]
fn a_budget_that_ends_a_fresh_run_is_used_up_although_no_bout_lacks_a_result() {
    let env = small();
    env.run(["run", "--quiet"]).expect(0);
    let ran = env.run(["run", "--quiet", "--fresh", "--budget", "0s"]).expect(5);
    let told = "`--fresh` begins with the first bout again";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

#[test]
fn an_address_that_is_none_is_told_what_one_is() {
    let env = small();
    for address in ["localhost:8080", ":8080", "80800"] {
        let ran = env.run(["report", "--live", address]).expect(2);
        assert!(ran.stderr.contains("write it as ADDRESS:PORT"), "{}", ran.stderr);
    }
}

#[test]
fn a_budget_of_a_run_with_nothing_left_to_play_is_not_used_up() {
    let env = small();
    env.run(["run", "--quiet", "--budget", "0s"]).expect(5);
    env.run(["run", "--quiet"]).expect(0);
    let ran = env.run(["run", "--quiet", "--budget", "0s"]).expect(0);
    assert!(!ran.stderr.contains("to continue"), "{}", ran.stderr);
}

#[test]
fn turns_are_listed_in_json_alone() {
    let env = small();
    for words in [
        &["play", "battlebots", "bots/walker", "bots/waiter", "--turns"][..],
        &["bot", "check", "battlebots", "bots/walker", "--turns"],
        &["replay", "--last", "walker", "waiter", "--turns"],
    ] {
        let ran = env.run(words).expect(2);
        assert!(ran.stderr.contains("add `--format json`"), "{words:?}: {}", ran.stderr);
    }
}

#[test]
fn what_a_tournament_does_not_have_is_told_with_what_it_has() {
    let env = small();
    let ran = env.run(["run", "--event", "leauge"]).expect(2);
    assert!(ran.stderr.contains("did you mean `league`?"), "{}", ran.stderr);
    let ran = env.run(["run", "--only", "walkre"]).expect(2);
    assert!(ran.stderr.contains("did you mean `walker`?"), "{}", ran.stderr);
    let ran = env.run(["run", "--only", "somebody"]).expect(2);
    assert!(
        ran.stderr.contains("the bots are `") && ran.stderr.contains("`walker`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn an_address_without_a_port_is_a_usage_error() {
    let ran = env().run(["watch", "nowhere"]).expect(2);
    assert!(ran.stderr.contains("ADDR:PORT"), "{}", ran.stderr);
}

#[test]
fn a_key_whose_entry_nobody_could_read_is_not_kept() {
    let env = env();
    let mut command = env.command(["workers", "invite", "lab-1"]);
    let full = fs::File::options().write(true).open("/dev/full").expect("it is there");
    let status = command.stdout(full).stderr(std::process::Stdio::null()).status();
    assert_eq!(status.expect("it runs").code(), Some(4));
    assert!(!env.path().join("lab-1.nk").exists());
    env.run(["workers", "invite", "lab-1"]).expect(0);
    assert!(env.path().join("lab-1.nk").exists());
}

#[test]
fn why_a_bot_is_not_built_names_no_folder_of_the_machine() {
    let env = small();
    env.write("bots/bad/bot.yaml", "name: a/b\nlanguage: bash\n");
    let file = env.path().join("tournament.yaml").display().to_string();
    env.run(["run", "--quiet", &file]).expect(0);
    let table = env.run(["standings", "-f", &file, "--format", "csv"]).expect(0).stdout;
    assert!(table.contains("in bad/bot.yaml:1:7: "), "{table}");
    assert!(!table.contains(&*env.path().to_string_lossy()), "{table}");
}
