//! Tests of changes: the bots that changed, the bouts played for them, and the report.

use serde_json::json;

use super::{Repository, TOURNAMENT};

#[test]
fn without_a_change_nothing_is_built_or_played() {
    let repository = Repository::new();
    let ran = repository.ci(&[]).expect(0);
    assert!(ran.stdout.contains("No bot is new, changed or removed."), "{}", ran.stdout);
    assert!(!ran.stderr.contains("building"), "{}", ran.stderr);
    let event = repository.event();
    assert_eq!((&event["played"], &event["missing"]), (&json!(0), &json!(0)));
    assert_eq!(repository.report()["outcome"], "ok");
}

#[test]
fn a_new_bot_plays_a_match_against_each_other_and_the_table_moves() {
    let repository = Repository::new();
    repository.bot("dan", "echo W");
    repository.commit("one more");
    let before = std::fs::read(repository.path("base.db")).unwrap();
    let ran = repository.ci(&[]).expect(0);
    assert!(ran.stderr.contains("league: 3 matches, 6 bouts to play"), "{}", ran.stderr);
    let event = repository.event();
    assert_eq!(event["planned"]["matches"], 3);
    assert_eq!(event["played"], 6);
    let bot = repository.of_bot("dan");
    assert_eq!((&bot["change"], &bot["state"]), (&json!("new"), &json!("fine")));
    assert_eq!(bot["trial"]["bouts"], 6);
    assert!(bot["trial"]["timing"]["limit_ms"].as_f64().unwrap() > 2000.0, "{bot}");
    let bots = event["movement"]["bots"].as_array().unwrap();
    let dan = bots.iter().find(|moved| moved["bot"] == "dan").unwrap();
    assert!(dan["before"].is_null() && dan["after"]["rank"].is_u64(), "{dan}");
    let ratings = event["ratings"].as_array().unwrap();
    let of = |name: &str| ratings.iter().find(|one| one["bot"] == name).unwrap();
    assert!(of("dan")["before"].is_null() && of("dan")["after"]["rating"].is_f64(), "{ratings:?}");
    assert!(of("ann")["before"]["rating"].is_f64(), "{ratings:?}");
    let pairings = event["movement"]["pairings"].as_array().unwrap();
    assert_eq!(pairings.len(), 3, "only its own pairings are new: {pairings:?}");
    assert_eq!(
        std::fs::read(repository.path("base.db")).unwrap(),
        before,
        "the base is not written"
    );
}

#[test]
fn a_second_run_plays_nothing_and_tells_the_same() {
    let repository = Repository::new();
    repository.bot("bob", "echo W");
    repository.commit("another way");
    repository.ci(&[]).expect(0);
    let first = repository.event();
    assert_eq!((&first["planned"]["matches"], &first["played"]), (&json!(2), &json!(4)));
    let ran = repository.ci(&[]).expect(0);
    assert!(ran.stderr.contains("league: nothing to play"), "{}", ran.stderr);
    let second = repository.event();
    assert_eq!(second["played"], 0);
    assert_eq!(second["movement"], first["movement"]);
    assert_eq!(second["bots"], first["bots"]);
}

#[test]
fn a_removed_bot_leaves_the_table_and_nothing_is_played() {
    let repository = Repository::new();
    std::fs::remove_dir_all(repository.path("bots/cid")).unwrap();
    repository.commit("one less");
    repository.ci(&[]).expect(0);
    let event = repository.event();
    assert_eq!(event["played"], 0);
    assert_eq!(repository.of_bot("cid")["change"], "removed");
    let bots = event["movement"]["bots"].as_array().unwrap();
    let cid = bots.iter().find(|moved| moved["bot"] == "cid").unwrap();
    assert!(cid["before"]["rank"].is_u64() && cid["after"].is_null(), "{cid}");
}

#[test]
fn a_bot_that_is_called_otherwise_is_known_again() {
    let repository = Repository::new();
    std::fs::rename(repository.path("bots/bob"), repository.path("bots/rob")).unwrap();
    repository
        .write("bots/rob/bot.yaml", "name: rob\nlanguage: bash\nentry: main.sh\nowner: bob\n");
    repository.commit("another name");
    let ran = repository.ci(&["--author", "bob"]).expect(0);
    assert!(ran.stdout.contains("| `rob` | renamed from `bob` |"), "{}", ran.stdout);
    let bots = repository.event()["movement"]["bots"].clone();
    let bots = bots.as_array().unwrap();
    assert_eq!(bots.len(), 3, "the old name does not count as gone: {bots:?}");
    let rob = bots.iter().find(|moved| moved["bot"] == "rob").unwrap();
    assert!(rob["before"]["rank"].is_u64(), "{rob}");
}

#[test]
fn a_folder_that_is_called_otherwise_is_no_change() {
    let repository = Repository::new();
    let (from, to) = (repository.path("bots/bob"), repository.path("bots/a folder of bob's"));
    std::fs::rename(from, to).unwrap();
    repository.commit("moved");
    let ran = repository.ci(&["--author", "bob"]).expect(0);
    assert!(ran.stdout.contains("No bot is new, changed or removed."), "{}", ran.stdout);
    assert_eq!(repository.event()["played"], 0);
}

#[test]
fn a_build_that_fails_is_told_with_its_log_and_its_line() {
    let repository = Repository::new();
    repository.python_bot("bob", "print('E')\n\nthis is no Python");
    repository.commit("broken");
    let mut command =
        repository.env.command(["ci", "--base", "main", "--base-database", "base.db"]);
    let output = command.env("GITHUB_ACTIONS", "true").output().unwrap();
    assert_eq!(output.status.code(), Some(6));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let annotation = "::error file=bots/bob/main.py,line=3,title=Not built::`bob`: build-failed";
    assert!(stderr.contains(annotation), "{stderr}");
    let bot = repository.of_bot("bob");
    let told = (&bot["state"], &bot["not_built"]["word"]);
    assert_eq!(told, (&json!("broken"), &json!("build-failed")));
    let log = bot["not_built"]["log"].to_string();
    assert!(log.contains("SyntaxError"), "{log}");
    assert_eq!(repository.event()["played"], 0, "the others have met already");
    let page = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(page.contains("| `bob` | changed | **build-failed** |"), "{page}");
    assert!(page.contains("SyntaxError"), "{page}");
}

#[test]
fn a_bot_that_crashes_in_its_turns_is_broken_and_its_last_words_are_told() {
    let repository = Repository::new();
    repository.bot("bob", "echo 'the map was upside down' >&2\nexit 3");
    repository.commit("crashes");
    let ran = repository.ci(&[]).expect(6);
    assert!(ran.stdout.contains("| the map was upside down"), "{}", ran.stdout);
    let trial = repository.of_bot("bob")["trial"].clone();
    assert_eq!(trial["faults_percent"], 100.0);
    assert_eq!(trial["last_fault"]["verdict"], "exit-nonzero");
    repository.ci(&["--max-faults", "100"]).expect(0);
}

#[test]
fn a_manifest_that_cannot_be_read_is_told_with_its_line() {
    let repository = Repository::new();
    repository.write("bots/bob/bot.yaml", "name: bob\nlanguage: bash\nentri: main.sh\n");
    repository.commit("misspelt");
    let mut command =
        repository.env.command(["ci", "--base", "main", "--base-database", "base.db"]);
    let output = command.env("GITHUB_ACTIONS", "true").output().unwrap();
    assert_eq!(output.status.code(), Some(6));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("::error file=bots/bob/bot.yaml,line=3,"), "{stderr}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("| `bob` | cannot be read |"));
    let problem = repository.report()["problems"][0].clone();
    assert_eq!((&problem["file"], &problem["line"]), (&json!("bots/bob/bot.yaml"), &json!(3)));
}

#[test]
fn a_link_that_leads_away_is_named_where_it_is() {
    let repository = Repository::new();
    std::os::unix::fs::symlink("/etc/passwd", repository.path("bots/bob/link")).unwrap();
    repository.commit("a link");
    repository.ci(&[]).expect(8);
    let refusal = repository.report()["refusals"][0].clone();
    assert_eq!(refusal["file"], "bots/bob/link");
    assert_eq!(refusal["reason"], "a link that leads out of the repository");
    // One that stays in the repository, and not in the bot's folder, is the bot's fault.
    std::fs::remove_file(repository.path("bots/bob/link")).unwrap();
    std::os::unix::fs::symlink("../ann/main.sh", repository.path("bots/bob/link")).unwrap();
    repository.ci(&[]).expect(6);
    let report = repository.report();
    assert_eq!(report["problems"][0]["file"], "bots/bob/link");
    assert_eq!(report["other_files"], json!([]));
    assert_eq!(repository.of_bot("bob")["change"], "unreadable");
}

#[test]
fn modules_that_an_agent_takes_along_are_no_other_files() {
    let tournament = TOURNAMENT.replace("game: battlebots", "game: coderone-dungeon");
    let tournament = tournament.replace("[bots/*]", "[agents/a.py, agents/b.py]");
    let repository = Repository::new();
    repository.write("tournament.yaml", &tournament.replace("max_rounds: 3", "max_iterations: 3"));
    let agent = "class Agent:\n    def next_move(self, s, p): return 'u'\n";
    repository.write("agents/a.py", agent);
    repository.write("agents/b.py", agent);
    repository.git(["checkout", "--quiet", "main"]);
    repository.commit("agents");
    repository.git(["checkout", "--quiet", "-B", "pr"]);
    repository.write("agents/b.py", "from lib.brain import Agent\n");
    repository.write("agents/lib/brain.py", agent);
    repository.commit("a module");
    let ran = repository.env.run(["ci", "--base", "main", "--author", "bob"]).expect(0);
    assert!(!ran.stdout.contains("Other files"), "{}", ran.stdout);
    assert_eq!(repository.of_bot("b")["change"], "changed");
    assert_eq!(repository.event()["played"], 2);
}

#[test]
fn a_name_that_is_taken_is_the_newcomers_fault() {
    let repository = Repository::new();
    repository.write("bots/ada/bot.yaml", "name: bob\nlanguage: bash\n");
    repository.write("bots/ada/main.sh", "echo N\n");
    repository.commit("taken");
    repository.ci(&[]).expect(6);
    let problem = repository.report()["problems"][0].clone();
    assert_eq!(problem["file"], "bots/ada");
    assert_eq!(problem["message"], "the name `bob` is taken by `bots/bob`");
}

#[test]
fn a_budget_that_is_used_up_ends_with_status_5_and_the_same_command_goes_on() {
    let repository = Repository::new();
    repository.bot("dan", "echo W");
    repository.commit("one more");
    let ran = repository.ci(&["--budget", "1ms"]).expect(5);
    assert!(ran.stdout.contains("**6 bouts have no result yet**"), "{}", ran.stdout);
    repository.ci(&[]).expect(0);
}

#[test]
fn a_dry_run_says_what_would_be_played() {
    let repository = Repository::new();
    repository.bot("dan", "echo W");
    repository.commit("one more");
    let ran = repository.ci(&["--dry-run"]).expect(0);
    assert!(ran.stdout.contains("3 matches with 6 bouts to play"), "{}", ran.stdout);
    assert_eq!(repository.event()["played"], 0);
    repository.python_bot("bob", "print(");
    repository.ci(&["--dry-run"]).expect(6);
    assert_eq!(repository.of_bot("bob")["state"], "broken");
    assert_eq!(repository.of_bot("dan")["state"], "fine");
}

#[test]
fn the_reports_are_written_where_they_are_looked_for() {
    let repository = Repository::new();
    repository.write("page.md", "before\n");
    let mut command = repository.env.command(["ci", "--base", "main", "--out", "a folder/b"]);
    command.args(["--base-database", "base.db"]);
    let output = command.env("GITHUB_STEP_SUMMARY", repository.path("page.md")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| std::fs::read_to_string(repository.path(name)).unwrap();
    let summary = read("a folder/b/summary.md");
    assert_eq!(String::from_utf8_lossy(&output.stdout), summary);
    assert_eq!(read("page.md"), format!("before\n{summary}"));
    let table = read("a folder/b/leaderboard.md");
    assert_eq!(table, repository.env.run(["standings", "--format", "markdown"]).expect(0).stdout);
    let objects = read("a folder/b/leaderboard.json");
    assert_eq!(objects, repository.env.run(["standings", "--format", "json"]).expect(0).stdout);
}

#[test]
fn settings_that_are_touched_are_named() {
    let repository = Repository::new();
    repository.write("tournament.yaml", &TOURNAMENT.replace("max_rounds: 3", "max_rounds: 2"));
    repository.commit("shorter");
    let ran = repository.ci(&[]).expect(0);
    assert_eq!(repository.report()["other_files"], json!(["tournament.yaml"]));
    assert!(ran.stdout.contains("### Other files that are touched"), "{}", ran.stdout);
    assert_eq!(repository.event()["played"], 0, "the rules are the base's until it is merged");
}

#[test]
fn shards_play_their_parts_and_say_nothing_of_the_bots() {
    let repository = Repository::new();
    repository.bot("dan", "exit 1");
    repository.commit("crashes");
    let mut played = 0;
    for shard in ["1/2", "2/2"] {
        let database = format!("shard-{}.db", &shard[..1]);
        let ran = repository.ci(&["--shard", shard, "--database", &database]).expect(0);
        assert!(ran.stdout.is_empty(), "{}", ran.stdout);
        let bouts = repository
            .env
            .run(["verify", "--database", &database, "--format", "json"])
            .expect(0)
            .json();
        played += bouts["bouts"].as_array().unwrap().len() - 6;
    }
    assert_eq!(played, 6, "each of the new bouts once");
    assert!(!repository.path("joust-ci").exists());
}
