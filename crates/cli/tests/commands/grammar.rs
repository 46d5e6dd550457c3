//! The grammar of commands: tournaments, bots and lists are named in the same ways everywhere.

use joust_testkit::league::bout_ids;

use super::{env, small};

#[test]
fn a_tournament_is_an_argument_an_option_or_the_file_that_is_here() {
    let env = small();
    env.run(["run", "-f", "tournament.yaml"]).expect(0);
    for command in ["run", "standings", "calibrate", "doctor"] {
        env.run([command]).expect(0);
        env.run([command, "tournament.yaml"]).expect(0);
        env.run([command, "--file", "tournament.yaml"]).expect(0);
        let both = env.run([command, "tournament.yaml", "-f", "tournament.yaml"]).expect(2);
        assert!(both.stderr.contains("cannot be used with"), "{}", both.stderr);
    }
    for file in [&["config", "show"][..], &["config", "show", "-f", "tournament.yaml"]] {
        assert!(env.run(file).expect(0).stdout.contains("max_rounds: 6"));
    }
}

#[test]
fn bots_are_named_by_path_or_name_and_the_tournament_here_has_their_limits() {
    let env = small();
    let ran = env.run(["play", "battlebots", "shooter", "bots/walker", "--format", "json"]);
    let bout = ran.expect(0).json();
    assert!(bout["rounds"].as_u64() <= Some(6), "{bout}");
    assert_eq!(bout["seats"][0]["bot"], "shooter");
    let check = env.run(["bot", "check", "battlebots", "walker", "--format", "json"]).expect(0);
    assert!(check.json()["turns"].as_u64() <= Some(12), "{}", check.stdout);
    env.run(["run"]).expect(0);
    let id = &bout_ids(&env)[0];
    env.run(["bot", "turn", "waiter", "--bout", id, "--round", "1"]).expect(0);
    let [by_name, by_path] = ["shooter", "bots/shooter"]
        .map(|bot| env.run(["bouts", bot, "--format", "csv"]).expect(0).stdout);
    assert_eq!(by_name, by_path);
    env.run(["replay", "./bots/shooter", "walker", "--last"]).expect(0);
    env.run(["verify", "bots/shooter/"]).expect(0);
    env.run(["bot", "withdraw", "bots/waiter", "--reason", "asked"]).expect(0);
    let unknown = env.run(["bouts", "./tournament.yaml"]).expect(2);
    assert!(unknown.stderr.contains("is no bot of the tournament"), "{}", unknown.stderr);
    let nobody = env.run(["play", "battlebots", "shooter", "nobody"]).expect(2);
    assert!(nobody.stderr.contains("there is no such file or folder"), "{}", nobody.stderr);
}

#[test]
fn lists_take_commas_and_repetition() {
    let env = small();
    env.run(["run", "--only", "shooter,bots/walker", "--dry-run"]).expect(0);
    env.run(["run", "--only", "shooter", "--only", "walker"]).expect(0);
    let [commas, repeated] = [
        &["standings", "--event", "league,league"][..],
        &["standings", "--event", "league", "--event", "league"],
    ]
    .map(|words| env.run(words).expect(0).stdout);
    assert_eq!(commas, repeated);
}

#[test]
fn the_help_has_everyday_commands_first() {
    let help = env().run(["help"]).expect(0).stdout;
    let place = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text}\n{help}"));
    let second = place("Commands for pull requests, disputes, large leagues and servers:");
    assert!(place("\n  run ") < second && second < place("\n  workers "), "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
}

#[test]
fn the_reference_has_a_table_of_all_options() {
    let page = env().run(["docs", "reference"]).expect(0).stdout;
    assert!(page.contains("\n| `--against BOT` | "), "{page}");
    assert!(!page.contains("table of all options of all commands here"), "{page}");
}
