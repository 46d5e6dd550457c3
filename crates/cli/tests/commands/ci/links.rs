//! A place counts where the repository names it, never behind a link.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::Value;

use super::{Repository, TOURNAMENT};

const WORKFLOW: &str = ".github/workflows/evil.yml";

impl Repository {
    /// Adds Mallory's bot `eve` and a workflow, and commits whatever `more` writes beside them.
    fn attacked(more: impl FnOnce(&Self)) -> Self {
        let repository = Self::new();
        let manifest = "name: eve\nlanguage: python\nentry: main.py\nowner: mallory\n";
        repository.write("bots/eve/bot.yaml", manifest);
        repository.write("bots/eve/main.py", "print('E')\n");
        repository.write(WORKFLOW, "on: push\n");
        more(&repository);
        repository.commit("a bot");
        repository
    }

    fn link(&self, target: &str, link: &str) {
        let place = self.path(link);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(target, place).unwrap();
    }

    fn names_path(&self, path: &str) {
        let bots = format!("[bots/*, {path}]");
        self.write("tournament.yaml", &TOURNAMENT.replace("[bots/*]", &bots));
    }

    /// Checks the change as Mallory's: it is refused, and each of its files is listed once, the
    /// workflow among those of no bot.
    fn assert_refused(&self, what: &str) {
        let ran = self.ci(&["--author", "mallory", "--dry-run"]).expect(8);
        let report = self.report();
        let texts = |value: &Value| -> Vec<String> {
            value.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
        };
        let others = texts(&report["other_files"]);
        assert!(others.contains(&WORKFLOW.to_owned()), "{what}: {others:?}\n{}", ran.stdout);
        let of_bots = report["bot_files"].as_array().unwrap();
        let of_bots = of_bots.iter().flat_map(|bot| texts(&bot["files"]));
        let listed: BTreeSet<String> = of_bots.chain(others).collect();
        let changed = self.git(["diff", "--name-only", "--no-renames", "main...HEAD"]);
        assert_eq!(listed, changed.lines().map(str::to_owned).collect(), "{what}");
    }
}

#[test]
fn a_link_in_a_folder_that_a_language_ignores_makes_no_workflow_a_bots() {
    for ignored in ["__pycache__", "target", "bin", "obj", "node_modules", "build", "lib"] {
        let link = format!("bots/eve/{ignored}");
        let repository = Repository::attacked(|repository| {
            repository.link("../../.github/workflows", &link);
            repository.names_path(&link);
        });
        repository.assert_refused(&link);
    }
}

#[test]
fn a_link_anywhere_on_the_way_makes_no_workflow_a_bots() {
    let manifest = "name: x\nlanguage: bash\nentry: evil.yml\nowner: mallory\n";
    let cases: [(&str, &str, &str); 6] = [
        ("../../.github", "bots/eve/obj", "bots/eve/obj/workflows"),
        ("../../.github/workflows", "bots/eve/.cache", "bots/eve/.cache"),
        ("../.github/workflows", "bots/linked", "bots/linked"),
        (".github/workflows", "extra", "extra"),
        (".github", "extra", "extra/workflows"),
        ("..", "extra/up", "extra/up/.github/workflows"),
    ];
    for (target, link, named) in cases {
        let repository = Repository::attacked(|repository| {
            repository.link(target, link);
            repository.names_path(named);
            repository.write(".github/workflows/bot.yaml", manifest);
        });
        repository.assert_refused(named);
    }
}

#[test]
fn a_pattern_of_the_base_that_finds_a_link_makes_no_workflow_a_bots() {
    let manifest = "name: x\nlanguage: bash\nentry: evil.yml\nowner: mallory\n";
    let repository = Repository::attacked(|repository| {
        repository.link("../.github/workflows", "bots/linked");
        repository.write(".github/workflows/bot.yaml", manifest);
    });
    repository.assert_refused("bots/*");
    let reasons = repository.report()["refusals"].to_string();
    assert!(reasons.contains("a bot is named by the place where its files are"), "{reasons}");
}

#[test]
fn a_link_of_the_base_makes_no_files_behind_it_a_bots() {
    let repository = Repository::made(TOURNAMENT, |repository| {
        repository.bot("ann", "echo B SE");
        repository.write(".github/workflows/ci.yml", "on: push\n");
        repository.link("../.github/workflows", "bots/flows");
        repository.write(".github/workflows/bot.yaml", "name: f\nlanguage: bash\nentry: x\n");
    });
    repository.write(WORKFLOW, "on: push\n");
    repository.commit("a workflow");
    repository.assert_refused("a link of the base");
}

#[test]
fn a_folder_with_a_dot_holds_no_bot() {
    let manifest = "name: x\nlanguage: bash\nentry: evil.yml\nowner: mallory\n";
    for named in [".github/workflows", ".github", "./.github/workflows/"] {
        let repository = Repository::attacked(|repository| {
            repository.names_path(named);
            repository.write(".github/workflows/bot.yaml", manifest);
        });
        repository.assert_refused(named);
    }
}

#[test]
fn a_manifest_that_cannot_be_read_makes_no_workflow_a_bots() {
    let repository = Repository::attacked(|repository| {
        repository.link("../../.github/workflows", "bots/eve/obj");
        repository.names_path("bots/eve/obj");
        repository.write(".github/workflows/bot.yaml", "name: [\n");
    });
    repository.assert_refused("a broken manifest");
}

#[test]
fn a_hidden_link_that_leaves_the_bots_folder_is_refused() {
    let repository = Repository::attacked(|repository| {
        repository.link("../../.github/workflows", "bots/eve/.venv");
    });
    repository.assert_refused("a hidden link");
    let refusal = repository.report()["refusals"][0].clone();
    assert_eq!(refusal["file"], "bots/eve/.venv");
    assert_eq!(refusal["reason"], "a link that does not stay inside the bot's folder");
}

#[test]
fn an_ignored_link_that_leaves_the_bots_folder_is_refused() {
    let repository = Repository::new();
    repository.python_bot("bob", "print('E')");
    repository.link("../ann", "bots/bob/__pycache__");
    repository.commit("a link");
    repository.ci(&["--author", "bob", "--dry-run"]).expect(6);
    let problem = repository.report()["problems"][0].clone();
    assert_eq!(problem["file"], "bots/bob/__pycache__");
}

#[test]
fn a_submodule_in_a_folder_with_a_dot_is_no_bots() {
    let repository = Repository::attacked(|repository| {
        repository.git(["init", "--quiet", "bots/eve/obj"]);
        let inner = repository.path("bots/eve/obj");
        super::git(&inner, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
    });
    let id = super::git(&repository.path("bots/eve/obj"), &["rev-parse", "HEAD"]);
    let entry = format!("160000,{},.github/actions", id.trim());
    repository.git(["update-index", "--add", "--cacheinfo", &entry]);
    repository.git(["commit", "--quiet", "-m", "a submodule"]);
    repository.assert_refused("a submodule");
    let others = repository.report()["other_files"].to_string();
    assert!(others.contains(".github/actions"), "{others}");
}

#[test]
fn a_committed_file_that_is_not_checked_out_is_listed() {
    let repository = Repository::attacked(|_| {});
    fs::remove_dir_all(repository.path(Path::new(".github").to_str().unwrap())).unwrap();
    repository.assert_refused("not checked out");
}
