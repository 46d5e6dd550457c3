//! `joust init`: an empty folder becomes a contest that plays at once.

use std::fs;

use joust_testkit::env::TestEnv;
use serde_json::Value;

use super::env;

/// Returns the bots with their won, drawn and lost bouts, after a whole run.
fn contest(game: &str) -> Vec<(String, [u64; 3])> {
    let env = env();
    let ran = env.run(["init", game]).expect(0);
    assert!(ran.stdout.starts_with("tournament.yaml\n"), "{}", ran.stdout);
    env.run(["run", "--quiet"]).expect(0);
    let tables = env.run(["standings", "--format", "json"]).expect(0).json();
    let rows = tables[0]["rows"].as_array().expect("rows");
    let row = |row: &Value| {
        assert_eq!(row["faults"], 0, "{row}");
        let count = |key: &str| row["bouts"][key].as_u64().expect("a count");
        let bot = row["bot"].as_str().expect("a name").to_owned();
        (bot, ["won", "drawn", "lost"].map(count))
    };
    rows.iter().map(row).collect()
}

#[track_caller]
fn is_a_contest(game: &str) {
    let rows = contest(game);
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(rows.iter().any(|(bot, _)| bot == "starter"), "{rows:?}");
    let won: u64 = rows.iter().map(|(_, [won, ..])| won).sum();
    let drawn: u64 = rows.iter().map(|(_, [_, drawn, _])| drawn).sum();
    assert_eq!(won + drawn / 2, 15, "every bout was played: {rows:?}");
    assert!(won > drawn, "bots of different style seldom draw: {rows:?}");
}

#[test]
fn an_empty_folder_becomes_a_contest() {
    is_a_contest("battlebots");
}

#[test]
#[ignore = "long: one tournament of each game"]
fn a_contest_of_another_game_plays_as_well() {
    is_a_contest("connect-four");
    is_a_contest("battlesnake");
}

fn file(env: &TestEnv, name: &str) -> String {
    fs::read_to_string(env.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_folder_that_is_not_empty_gets_only_what_it_lacks() {
    let env = env();
    env.write("tournament.yaml", "events:\n  - { game: connect-four, bots: [bots/*] }\n");
    env.write("bots/mine/bot.yaml", "name: mine\nlanguage: bash\nentry: main.sh\n");
    let ran = env.run(["init"]).expect(0);
    assert_eq!(ran.stdout, ".gitignore\nCONTRIBUTING.md\n");
    assert!(file(&env, "CONTRIBUTING.md").contains("joust bot new connect-four"));
    assert!(file(&env, "tournament.yaml").starts_with("events:\n  - { game: connect-four"));
    let again = env.run(["init"]).expect(0);
    assert_eq!(again.stdout, "");
    assert!(again.stderr.contains("nothing is missing"), "{}", again.stderr);
}

#[test]
fn another_game_than_that_of_the_folder_is_refused() {
    let env = env();
    env.write("tournament.yaml", "events:\n  - { game: connect-four, bots: [bots/*] }\n");
    env.write("bots/mine/bot.yaml", "name: mine\nlanguage: bash\nentry: main.sh\n");
    let ran = env.run(["init", "battlebots"]).expect(2);
    assert!(ran.stderr.contains("the tournament of this folder is of `connect-four`"));
    assert!(ran.stderr.contains("add an event with `game: battlebots`"), "{}", ran.stderr);
    assert!(!env.path().join("CONTRIBUTING.md").exists(), "nothing is made");
    env.run(["init", "connect-four"]).expect(0);
}

#[test]
fn the_starter_has_the_language_and_the_author_that_are_named() {
    let env = env();
    env.write(".gitconfig", "[user]\n\tname = Ann Author\n\temail = ann@mail.example\n");
    let home = env.path().to_owned();
    let command = |arguments: &[&str]| {
        let mut command = env.command(arguments);
        command.env("HOME", &home).env_remove("GIT_AUTHOR_NAME").env_remove("XDG_CONFIG_HOME");
        assert!(command.output().expect("it can be started").status.success());
    };
    command(&["init", "--language", "javascript"]);
    let manifest = file(&env, "bots/starter/bot.yaml");
    assert!(manifest.contains("author: \"Ann Author\"") && manifest.contains("javascript"));
    assert!(manifest.contains("# owner:") && !manifest.contains("mail.example"), "{manifest}");
}

#[test]
fn workflows_are_written_where_they_are_wanted() {
    let env = env();
    env.run(["init"]).expect(0);
    assert!(!env.path().join(".github").exists());
    env.write(".git/HEAD", "ref: refs/heads/trunk\n");
    let ran = env.run(["init", "--github"]).expect(0);
    assert!(file(&env, ".github/workflows/contest.yml").contains("branches: [\"trunk\"]"));
    assert!(ran.stdout.contains(".github/ISSUE_TEMPLATE/dispute.yml"), "{}", ran.stdout);
    for name in ["contest", "comment", "rerun"] {
        let path = format!(".github/workflows/{name}.yml");
        assert!(ran.stdout.contains(&path), "{}", ran.stdout);
        let (text, called) = (file(&env, &path), format!("joust/.github/workflows/{name}.yml@v"));
        assert!(text.contains(&called), "{text}");
    }
}

#[test]
fn a_game_or_language_that_is_none_is_told_and_nothing_is_written() {
    let env = env();
    let game = env.run(["init", "chess"]).expect(2);
    assert!(game.stderr.contains("the games are: battlebots"), "{}", game.stderr);
    let language = env.run(["init", "--language", "cobol"]).expect(2);
    assert!(language.stderr.contains("there are starter bots in: "), "{}", language.stderr);
    assert!(!env.path().join("tournament.yaml").exists());
}

#[test]
fn who_has_no_tournament_is_told_of_it() {
    let ran = env().run(["run"]).expect(2);
    assert!(ran.stderr.contains("`joust init`"), "{}", ran.stderr);
}

#[test]
fn a_game_of_ones_own_becomes_a_contest() {
    let env = env();
    env.run(["game", "new", "python", "my-game"]).expect(0);
    let ran = env.run(["init", "my-game", "--github"]).expect(0);
    assert!(ran.stdout.contains("bots/starter/main.py"), "{}", ran.stdout);
    let tournament = file(&env, "tournament.yaml");
    assert!(tournament.contains("  my-game: { referee: \"my-game\" }\n"), "{tournament}");
    assert!(tournament.contains("bots: [bots/*, \"my-game/bots/*\"]\n"), "{tournament}");
    assert!(file(&env, "CONTRIBUTING.md").contains("joust bot new my-game python"));
    let planned = env.run(["run", "--dry-run"]).expect(0).stdout;
    assert!(planned.contains(" bouts to play"), "{planned}");
    // The id stands for the game from now on.
    env.run(["bot", "new", "my-game", "bash", "bots/mine"]).expect(0);
    env.run(["bot", "check", "bots/mine", "--bouts", "1"]).expect(0);
    env.run(["rules", "my-game"]).expect(0);
    env.run(["play", "my-game", "mine", "starter"]).expect(0);
    env.run(["init"]).expect(0);
}
