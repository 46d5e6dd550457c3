//! Tests of the files for editors, shells and readers of manuals.

use super::env;

#[test]
fn the_manual_has_a_page_for_each_command() {
    let env = env();
    env.run(["completions", "man", "manual"]).expect(0);
    let page = |name: &str| {
        let file = env.path().join("manual").join(name);
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    assert!(page("joust.1").contains("Exit statuses"), "{}", page("joust.1"));
    assert!(page("joust-run.1").contains("budget"));
    assert!(page("joust-bot-disqualify.1").starts_with(".ie"));
    let printed = env.run(["completions", "man"]).expect(0).stdout;
    assert!(printed.contains(".TH joust 1"), "{printed}");
}

#[test]
fn a_folder_gets_the_completions_under_the_shell_s_own_name() {
    let env = env();
    env.run(["completions", "bash", "scripts"]).expect(0);
    env.run(["completions", "zsh", "scripts"]).expect(0);
    for name in ["joust.bash", "_joust"] {
        assert!(env.path().join("scripts").join(name).is_file(), "{name}");
    }
    env.write("taken", "a file");
    let refused = env.run(["completions", "bash", "taken"]).expect(2);
    assert!(refused.stderr.contains("`taken` cannot be written"), "{}", refused.stderr);
}

#[test]
fn schemas_of_every_file_are_printed() {
    for (file, key) in [("tournament", "events"), ("bot", "name"), ("game", "seats")] {
        let printed = env().run(["config", "schema", file]).expect(0).json();
        assert!(printed["properties"][key].is_object(), "{file}: {printed}");
        assert_eq!(printed["additionalProperties"], false, "{file}");
    }
    let default = env().run(["config", "schema"]).expect(0).json();
    assert_eq!(default["required"], serde_json::json!(["events"]));
}
