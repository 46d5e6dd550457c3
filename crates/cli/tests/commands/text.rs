//! Commands that only print: rules, samples, help, configuration, doctor.

use super::{env, small};

#[test]
fn every_command_has_help_with_an_example() {
    let env = env();
    let commands: [&[&str]; 25] = [
        &["run"],
        &["standings"],
        &["play"],
        &["replay"],
        &["rerun"],
        &["verify"],
        &["calibrate"],
        &["rules"],
        &["docs"],
        &["serve"],
        &["watch"],
        &["doctor"],
        &["completions"],
        &["workers"],
        &["workers", "invite"],
        &["config", "show"],
        &["config", "reference"],
        &["bot", "new"],
        &["bot", "check"],
        &["bot", "turn"],
        &["bot", "samples"],
        &["bot", "withdraw"],
        &["bot", "disqualify"],
        &["bot", "restore"],
        &["help", "run"],
    ];
    for command in commands {
        let words = command
            .iter()
            .copied()
            .chain(["--help"].into_iter().take(usize::from(command[0] != "help")));
        let ran = env.run(words).expect(0);
        assert!(ran.stdout.contains("Example"), "{command:?}\n{}", ran.stdout);
    }
}

#[test]
fn the_help_lists_the_exit_statuses() {
    let ran = env().run(["--help"]).expect(0);
    assert!(ran.stdout.contains("Exit statuses"), "{}", ran.stdout);
}

#[test]
fn the_help_of_the_commands_with_most_options_fits_two_screens() {
    for command in ["ci", "run"] {
        let help = env().run([command, "--help"]).expect(0).stdout;
        assert!(help.lines().count() <= 80, "{help}");
    }
}

#[test]
fn the_rules_of_a_game_are_printed() {
    let env = env();
    assert!(env.run(["rules"]).expect(0).stdout.contains("battlebots"));
    assert!(env.run(["rules", "battlebots"]).expect(0).stdout.starts_with('#'));
    let wrong = env.run(["rules", "chess"]).expect(2);
    assert!(wrong.stderr.contains("battlebots"), "{}", wrong.stderr);
}

#[test]
fn a_page_of_the_manual_is_printed_and_the_list_names_each() {
    let env = env();
    let list = env.run(["docs"]).expect(0).stdout;
    for line in list.lines() {
        let topic = line.split_whitespace().next().expect("a line has a name");
        assert!(env.run(["docs", topic]).expect(0).stdout.starts_with("# "), "{topic}");
    }
    assert!(list.lines().count() >= 9, "{list}");
    let wrong = env.run(["docs", "dispute"]).expect(2);
    assert!(wrong.stderr.contains("disputes"), "{}", wrong.stderr);
}

#[test]
fn samples_are_written_for_each_rule_set() {
    let env = env();
    env.run(["bot", "samples", "battlebots", "samples"]).expect(0);
    for rules in ["documented", "original"] {
        let folder = env.path().join("samples").join(rules);
        assert!(std::fs::read_dir(folder).expect("a folder").count() > 1);
    }
}

#[test]
fn the_effective_configuration_parses_again() {
    let env = small();
    let shown = env.run(["config", "show"]).expect(0);
    env.write("shown.yaml", &shown.stdout);
    let again = env.run(["config", "show", "shown.yaml"]).expect(0);
    assert_eq!(shown.stdout, again.stdout);
}

#[test]
fn the_reference_of_all_keys_is_a_tournament() {
    let env = env();
    let reference = env.run(["config", "reference"]).expect(0).stdout;
    env.write("all-keys.yaml", &reference);
    let shown = env.run(["config", "show", "all-keys.yaml"]).expect(0).stdout;
    assert!(shown.contains("game: battlebots") && reference.contains("# cpu_bout: "), "{shown}");
}

#[test]
fn doctor_shows_the_sandbox_alone_when_asked() {
    let text = env().run(["doctor", "--sandbox"]).expect(0).stdout;
    assert!(text.starts_with("sandbox: tier ") && !text.contains("toolchains"), "{text}");
    let report = env().run(["doctor", "--sandbox", "--format", "json"]).expect(0).json();
    assert_eq!(report["toolchains"], serde_json::json!([]), "{report}");
}

#[test]
fn doctor_names_tier_and_toolchains() {
    let report = env().run(["doctor", "--format", "json"]).expect(0).json();
    assert!(report["sandbox"]["tier"].is_string(), "{report}");
    assert!(report["toolchains"].is_array(), "{report}");
}

#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let env = env();
    let full = std::fs::File::create("/dev/full").expect("it is there");
    let output = env.command(["rules", "battlebots"]).stdout(full).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("standard output cannot be written"), "{said}");
}
