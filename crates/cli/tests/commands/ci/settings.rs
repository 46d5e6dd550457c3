//! Settings in force are the base's, and a change brings nothing that is the organiser's.

use std::fs;
use std::os::unix::fs::symlink;

use super::{Repository, TOURNAMENT};

impl Repository {
    /// Commits everything and checks it as `author`'s, without playing.
    fn proposed(&self, author: &str, status: i32) -> String {
        self.commit("proposed");
        self.ci(&["--author", author, "--dry-run"]).expect(status).stdout
    }

    fn reasons(&self) -> Vec<String> {
        let report = self.report();
        let refusals = report["refusals"].as_array().expect("a list").clone();
        refusals.iter().map(|one| one["reason"].as_str().unwrap().to_owned()).collect()
    }
}

/// A file that makes everything a stranger's.
fn evil() -> String {
    TOURNAMENT
        .replace("bouts: 2", "bouts: 1")
        .replace("database: results.db", "database: ../elsewhere.db")
        .replace("defaults:\n", "defaults:\n  build: { network: open }\n  limits: { cpu: 60s }\n")
        .replace("events:\n", "entries: { maintainers: [mallory] }\nevents:\n")
}

#[test]
fn settings_of_a_change_are_never_in_force() {
    let repository = Repository::new();
    repository.write("tournament.yaml", &evil());
    repository.bot_of("mallory", "dan", "echo E");
    repository.proposed("mallory", 8);
    let reason = "`mallory` may change bots only, and this file belongs to none";
    assert_eq!(repository.reasons(), [reason]);
    let ran = repository.ci(&["--dry-run"]).expect(0);
    assert!(ran.stdout.contains("the settings in force are those of the base"), "{}", ran.stdout);
    assert_eq!(repository.event()["planned"]["bouts"], 6, "two for each of three pairs");
    assert!(!repository.path("../elsewhere.db").exists());
    // A file that is unreadable, missing or under another name changes nothing either.
    repository.write("tournament.yaml", "events: 3\n");
    repository.proposed("mallory", 8);
    fs::remove_file(repository.path("tournament.yaml")).unwrap();
    repository.write("bots/dan/evil.yaml", &evil());
    symlink("bots/dan/evil.yaml", repository.path("tournament.yaml")).unwrap();
    repository.proposed("mallory", 8);
    assert_eq!(repository.reasons(), [reason]);
    fs::remove_file(repository.path("tournament.yaml")).unwrap();
    repository.proposed("mallory", 8);
}

#[test]
fn the_files_of_a_bot_whose_manifest_is_wrong_are_its_own() {
    let repository = Repository::new();
    repository.bot_of("mallory", "dan", "echo E");
    repository.bot_of("mallory", "eve", "echo E");
    let manifest = "name: 'd/n'\nlanguage: bash\nentry: main.sh\nowner: mallory\n";
    repository.write("bots/dan/bot.yaml", manifest);
    let told = repository.proposed("mallory", 6);
    assert!(told.contains("the name has a '/'"), "{told}");
    assert!(!told.contains("belongs to none"), "{told}");
    // The file does not turn other files into a bot's files.
    repository.write("bots/bot.yaml", manifest);
    repository.write("bots/RULES.md", "none");
    let told = repository.proposed("mallory", 8);
    assert!(told.contains("RULES.md"), "{told}");
}

#[test]
fn a_path_of_a_bot_is_all_that_can_be_added() {
    let repository = Repository::new();
    repository.bot("../extra/dan", "echo E");
    repository
        .write("extra/dan/bot.yaml", "name: dan\nlanguage: bash\nentry: main.sh\nowner: dan\n");
    let with = |bots: &str| TOURNAMENT.replace("bots: [bots/*]", &format!("bots: [{bots}]"));
    repository.write("tournament.yaml", &with("bots/*, extra/dan"));
    repository.proposed("dan", 0);
    assert_eq!(repository.of_bot("dan")["change"], "new");
    assert_eq!(repository.report()["other_files"].as_array().unwrap().len(), 0);
    let away = tempfile::tempdir_in(repository.path("..")).unwrap();
    let away = away.path().display();
    for bots in
        ["bots/*, 'extra/*'", "bots/*, ../x", &format!("bots/*, {away}"), "extra/dan", "bots/ann"]
    {
        repository.write("tournament.yaml", &with(bots));
        repository.proposed("dan", 8);
    }
    let more = with("bots/*, extra/dan").replace("bouts: 2", "bouts: 1");
    repository.write("tournament.yaml", &more);
    repository.proposed("dan", 8);
}

#[test]
fn a_new_bot_takes_over_nothing_that_is_there() {
    let repository = Repository::made(TOURNAMENT, |repository| {
        repository.bot("ann", "echo B SE");
        repository.write("tools/deploy.sh", "true\n");
        repository.write("bots/lib/shared.sh", "true\n");
    });
    let tidied = || repository.git(["reset", "--quiet", "--hard", "main"]);
    let manifest = "name: dan\nlanguage: bash\nentry: main.sh\nowner: mallory\n";
    for place in ["tools", ".github", ".", "./."] {
        let bots = format!("bots: [bots/*, '{place}']");
        repository.write("tournament.yaml", &TOURNAMENT.replace("bots: [bots/*]", &bots));
        repository.write(&format!("{place}/bot.yaml"), manifest);
        repository.write(&format!("{place}/main.sh"), "echo E\n");
        repository.write(&format!("{place}/workflows/evil.yml"), "on: push\n");
        repository.proposed("mallory", 8);
        let others = repository.report()["other_files"].to_string();
        assert!(others.contains("evil.yml"), "{place}: {others}");
        tidied();
    }
    // Neither does one that the base's patterns find: once it is a bot of hers, she may change it
    // all.
    repository.write("bots/lib/bot.yaml", manifest);
    repository.write("bots/lib/main.sh", "echo E\n");
    repository.proposed("mallory", 8);
    let others = repository.report()["other_files"].to_string();
    assert_eq!(others, "[\"bots/lib/bot.yaml\",\"bots/lib/main.sh\"]");
    assert_eq!(repository.of_bot("dan")["change"], "new");
    repository.write("bots/lib/shared.sh", "rm -rf /\n");
    repository.proposed("mallory", 8);
    let others = repository.report()["other_files"].to_string();
    assert!(others.contains("bots/lib/shared.sh"), "{others}");
}

#[test]
fn a_new_bot_lies_beside_others_or_in_a_new_folder_of_its_own() {
    let repository = Repository::made(TOURNAMENT, |repository| {
        repository.bot("ann", "echo B SE");
        repository.write("crates/game/lib.rs", "");
        repository.write("tests/game/test_rules.py", "");
    });
    let add = |entry: &str| {
        let bots = format!("bots: [bots/*, {entry}]");
        repository.write("tournament.yaml", &TOURNAMENT.replace("bots: [bots/*]", &bots));
    };
    let manifest = "name: dan\nlanguage: bash\nentry: main.sh\nowner: mallory\n";
    let reason = "lies among files of the base and beside no bot";
    for (entry, file) in [
        ("crates/dan", "crates/dan/build.rs"),
        ("crates/x/dan", "crates/x/dan/build.rs"),
        ("tests/game/dan", "tests/game/dan/conftest.py"),
        ("dan", "dan/Makefile"),
        ("node_modules/dan", "node_modules/dan/index.js"),
        ("vendor/dan", "vendor/dan/x.go"),
        ("conftest.py", "conftest.py"),
        ("{ path: GNUmakefile, language: bash }", "GNUmakefile"),
        ("{ path: CODEOWNERS, language: bash }", "CODEOWNERS"),
    ] {
        add(entry);
        if file.contains('/') {
            repository.write(&format!("{entry}/bot.yaml"), manifest);
            repository.write(&format!("{entry}/main.sh"), "echo E\n");
        }
        repository.write(file, "echo E\n");
        repository.proposed("mallory", 8);
        let others = repository.report()["other_files"].to_string();
        assert!(others.contains(file), "{entry}: {others}");
        let reasons = repository.reasons();
        assert!(reasons.iter().any(|one| one.contains(reason)), "{entry}: {reasons:?}");
        repository.git(["reset", "--quiet", "--hard", "main"]);
    }
    // Where the base has only the contest, a new folder may hold bots, but no file that names
    // owners of code.
    let repository = Repository::new();
    let bots = "bots: [bots/*, { path: docs/CODEOWNERS, language: bash }]";
    repository.write("tournament.yaml", &TOURNAMENT.replace("bots: [bots/*]", bots));
    repository.write("docs/CODEOWNERS", "echo E\n");
    repository.proposed("mallory", 8);
    let others = repository.report()["other_files"].to_string();
    assert_eq!(others, "[\"docs/CODEOWNERS\"]");
}

#[test]
fn a_pattern_of_the_base_takes_no_folder_among_other_files() {
    let repository = Repository::made(&TOURNAMENT.replace("bots/*", "'**/bots/*'"), |repository| {
        repository.bot("ann", "echo B SE");
        repository.write("docs/index.html", "");
        repository.write("crates/game/Cargo.toml", "");
        repository
            .write("teams/x/bots/bob/bot.yaml", "name: bob\nlanguage: bash\nentry: main.sh\n");
        repository.write("teams/x/bots/bob/main.sh", "echo E\n");
    });
    let manifest = "name: dan\nlanguage: bash\nentry: main.sh\nowner: mallory\n";
    for (place, status) in [
        ("docs/bots/dan", 8),
        ("crates/bots/dan", 8),
        ("crates/game/bots/dan", 8),
        ("bots/dan", 0),
        ("teams/x/bots/dan", 0),
        ("teams/y/bots/dan", 0),
    ] {
        repository.write(&format!("{place}/bot.yaml"), manifest);
        repository.write(&format!("{place}/main.sh"), "echo E\n");
        repository.proposed("mallory", status);
        let others = repository.report()["other_files"].to_string();
        assert_eq!(others.contains(place), status == 8, "{place}: {others}");
        repository.git(["reset", "--quiet", "--hard", "main"]);
    }
}

#[test]
fn a_submodule_that_a_change_brings_is_no_bots() {
    let repository = Repository::new();
    repository.bot_of("mallory", "dan", "echo E");
    repository.commit("a bot");
    let entry = format!("160000,{},bots/dan/engine", "1".repeat(40));
    repository.git(["update-index", "--add", "--cacheinfo", &entry]);
    repository.git(["commit", "--quiet", "-m", "a submodule"]);
    repository.ci(&["--author", "mallory", "--dry-run"]).expect(8);
    assert_eq!(repository.report()["other_files"].to_string(), "[\"bots/dan/engine\"]");
}

#[test]
fn entries_and_comments_of_the_base_stay_as_they_are() {
    let with = |bots: &str| TOURNAMENT.replace("bots: [bots/*]", bots);
    let base = "bots: [{ path: bots/ann.sh, name: Ann }, { path: bots/ann.sh, name: Bob }] # all";
    let repository = Repository::made(&with(base), |repository| {
        repository.write("bots/ann.sh", "echo E\n");
        repository.write("bots/bob.sh", "echo E\n");
    });
    repository.write("bots/dan.sh", "echo E\n");
    let other_order = "in another order";
    for (bots, reason) in [
        (
            "bots: [{ path: bots/ann.sh, name: Bob }, { path: bots/ann.sh, name: Ann }, bots/dan.sh] # all",
            other_order,
        ),
        (
            "bots: [{ path: bots/ann.sh, name: Ann }, { path: bots/ann.sh, name: Bob }, { path: bots/ann.sh, name: Ann }, bots/dan.sh] # all",
            other_order,
        ),
        (
            "bots: [{ path: bots/ann.sh, name: Ann }, { path: bots/ann.sh, name: Bob }, bots/dan.sh] # none",
            "belongs to none",
        ),
        (
            "bots: [{ path: bots/ann.sh, name: Ann }, { path: bots/ann.sh, name: Bob }, bots/dan.sh]",
            "belongs to none",
        ),
    ] {
        repository.write("tournament.yaml", &with(bots));
        repository.proposed("mallory", 8);
        let reasons = repository.reasons();
        assert!(reasons.iter().any(|one| one.contains(reason)), "{bots}: {reasons:?}");
    }
    let added = base.replace("Bob }]", "Bob }, bots/dan.sh]");
    repository.write("tournament.yaml", &with(&added));
    repository.proposed("mallory", 0);
}

#[test]
fn a_link_puts_no_other_tournament_in_force() {
    let tournament = TOURNAMENT.replace("bots/*", "../bots/*");
    let lax = tournament.replace("events:\n", "entries: { other_files: report }\nevents:\n");
    let repository = Repository::made(TOURNAMENT, |repository| {
        repository.bot("ann", "echo B SE");
        repository.bot("bob", "echo E");
        repository.write("contest/tournament.yaml", &tournament);
        repository.write("example/tournament.yaml", &lax);
    });
    let away = tempfile::tempdir().unwrap();
    let database = away.path().join("pr.db");
    let asked = ["ci", "contest/tournament.yaml", "--base", "main", "--author", "mallory"];
    let asked = asked.into_iter().chain(["--dry-run", "--database", database.to_str().unwrap()]);
    let asked: Vec<&str> = asked.collect();
    fs::remove_dir_all(repository.path("contest")).unwrap();
    symlink("example", repository.path("contest")).unwrap();
    repository.write(".github/workflows/evil.yml", "on: push\n");
    repository.commit("a link");
    repository.env.run(asked.clone()).expect(8);
    assert_eq!(repository.reasons(), ["a link on the way to the tournament's file"]);
    // Neither does one into another repository.
    let other = Repository::made(&lax.replace("../", ""), |other| {
        other.bot("ann", "echo B SE");
        other.bot("bob", "echo E");
    });
    fs::remove_file(repository.path("contest")).unwrap();
    symlink(other.path(""), repository.path("contest")).unwrap();
    repository.commit("a link out");
    let ran = repository.env.run(asked).expect(8);
    assert!(ran.stderr.contains("into another one"), "{}", ran.stderr);
}

/// An agent that is a file.
const AGENT: &str = "class Agent:\n    def next_move(self, *state): return ''\n";

#[test]
fn what_an_agent_imports_from_elsewhere_is_no_bots() {
    let tournament = TOURNAMENT
        .replace("battlebots", "coderone-dungeon")
        .replace("max_rounds: 3", "max_iterations: 3");
    let repository = Repository::made(&tournament, |repository| {
        repository.write("bots/ann.py", AGENT);
        repository.write("bots/bob.py", AGENT);
        repository.write("tools/release/run.sh", "true\n");
    });
    repository.write("bots/dan.py", &format!("import heaps\n{AGENT}"));
    repository.write("bots/heaps.py", "x = 1\n");
    repository.proposed("mallory", 0);
    // Python imports a package, and the modules beside it, from the folder above the package.
    let imports = "import conftest, setup\nfrom tools.release import build\nfrom docs import x\n";
    repository.write("bots/dan.py", &format!("{imports}{AGENT}"));
    for file in ["bots/__init__.py", "conftest.py", "setup.py", "requirements.txt", "docs/x.py"] {
        repository.write(file, "");
    }
    repository.write("tools/__init__.py", "");
    repository.write("tools/release/build.py", "");
    repository.proposed("mallory", 8);
    let elsewhere = [
        "conftest.py",
        "docs/x.py",
        "requirements.txt",
        "setup.py",
        "tools/__init__.py",
        "tools/release/build.py",
    ];
    assert_eq!(repository.report()["other_files"], serde_json::json!(elsewhere));
}

#[test]
fn a_file_of_the_base_that_an_agent_imports_is_no_bots() {
    let tournament = TOURNAMENT
        .replace("battlebots", "coderone-dungeon")
        .replace("max_rounds: 3", "max_iterations: 3")
        .replace("[bots/*]", "[bots/ann.py, bots/dan.py]");
    let importing = format!("import helper\nfrom tools import path\n{AGENT}");
    let repository = Repository::made(&tournament, |repository| {
        repository.write("bots/ann.py", AGENT);
        repository.write("bots/dan.py", &importing);
        repository.write("bots/helper.py", "x = 1\n");
        repository.write("bots/tools/path.py", "y = 1\n");
    });
    let others = |author: &str, status| {
        repository.proposed(author, status);
        repository.report()["other_files"].clone()
    };
    repository.write("bots/helper.py", "x = 2\n");
    assert_eq!(others("dan", 8), serde_json::json!(["bots/helper.py"]));
    // Beside files of the base's folder nothing new becomes the bot's.
    repository.git(["reset", "--quiet", "--hard", "main"]);
    repository.write("bots/tools/evil.py", "z = 1\n");
    assert_eq!(others("dan", 8), serde_json::json!(["bots/tools/evil.py"]));
    // Nor does a newcomer own what it imports of the base.
    repository.git(["reset", "--quiet", "--hard", "main"]);
    let with_eve = tournament.replace("bots/dan.py]", "bots/dan.py, bots/eve.py]");
    repository.write("tournament.yaml", &with_eve);
    repository.write("bots/eve.py", &importing);
    repository.write("bots/helper.py", "x = 3\n");
    assert_eq!(others("eve", 8), serde_json::json!(["bots/helper.py"]));
    repository.write("bots/helper.py", "x = 1\n");
    assert_eq!(others("eve", 0), serde_json::json!([]));
    // Where capitals do not count, this one would replace the base's.
    repository.write("bots/eve.py", &format!("import Helper\n{importing}"));
    repository.write("bots/Helper.py", "x = 4\n");
    assert_eq!(others("eve", 8), serde_json::json!(["bots/Helper.py"]));
}

#[test]
fn links_out_of_the_repository_are_refused() {
    let repository = Repository::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("bot.yaml"), "name: out\nlanguage: bash\nentry: a.sh\n").unwrap();
    fs::write(outside.path().join("a.sh"), "echo E\n").unwrap();
    let refused = |what: &str| {
        let stdout = repository.proposed("mallory", 8);
        let reasons = repository.reasons();
        assert!(
            reasons.contains(&"a link that leads out of the repository".to_owned()),
            "{what}: {reasons:?} {stdout}"
        );
        repository.git(["reset", "--quiet", "--hard", "main"]);
    };
    symlink(outside.path(), repository.path("bots/evil")).unwrap();
    refused("a folder");
    symlink(outside.path().join("a.py"), repository.path("bots/evil.py")).unwrap();
    refused("a file");
    symlink("../.git", repository.path("bots/evil")).unwrap();
    refused("the repository's own folder");
    fs::create_dir(repository.path("bots/evil")).unwrap();
    symlink(outside.path().join("bot.yaml"), repository.path("bots/evil/bot.yaml")).unwrap();
    refused("a manifest");
}

#[test]
fn a_change_brings_no_results_and_no_reports() {
    let repository = Repository::new();
    for file in
        ["results.db", "results.db-journal", "results.db.lock", "base.db", "joust-ci/summary.md"]
    {
        repository.git(["reset", "--quiet", "--hard", "main"]);
        let kept = fs::read(repository.path(file)).ok();
        repository.write(file, "a stranger's");
        repository.git(["add", "--force", file]);
        repository.git(["commit", "--quiet", "-m", "mine"]);
        let ran = repository.ci(&["--dry-run"]).expect(8);
        assert!(ran.stderr.contains("is the organiser's, and the change brings"), "{}", ran.stderr);
        let text = fs::read_to_string(repository.path(file)).unwrap();
        assert_eq!(text, "a stranger's", "nothing is written");
        repository.git(["reset", "--quiet", "--hard", "main"]);
        if let Some(kept) = kept {
            fs::write(repository.path(file), kept).unwrap();
        }
    }
}

#[test]
fn a_new_name_that_is_anothers_is_refused() {
    let rules = "entries:\n  owners: { zoe: zoe }\n";
    let repository = Repository::with(&format!("{TOURNAMENT}{rules}"));
    repository.write("bots/zoe/bot.yaml", "name: Zoe\nlanguage: bash\nentry: main.sh\n");
    repository.write("bots/zoe/main.sh", "echo E\n");
    repository.proposed("mallory", 8);
    assert_eq!(repository.reasons(), ["the name belongs to `zoe`, and the change is by `mallory`"]);
    repository.proposed("zoe", 0);
}

/// A tournament whose game is a program of its own, in a folder that is under review.
const OF_ITS_OWN: &str = "\
name: Small
seed: 7
database: results.db
games: { nim: { referee: nim } }
events:
  - { id: league, game: nim, bots: [bots/*], bouts: 2 }
";

fn with_a_game() -> Repository {
    Repository::made(OF_ITS_OWN, |repository| {
        for (name, text) in crate::external::GAME {
            repository.write(name, text);
        }
        for name in ["ann", "bob"] {
            repository.python_bot(name, "for line in iter(input, None): print(1, flush=True)");
        }
    })
}

#[test]
fn a_referee_of_a_change_judges_nothing_and_is_no_bot_s() {
    let repository = with_a_game();
    let reason = "`dan` may change bots only, and this file belongs to none";
    repository.python_bot("dan", "for line in iter(input, None): print(4 - 3, flush=True)");
    repository.write("nim/referee.py", "raise SystemExit('mine')\n");
    repository.commit("a bot and another referee");
    repository.ci(&["--author", "dan"]).expect(8);
    assert_eq!(repository.reasons(), [reason]);
    assert_eq!(repository.report()["other_files"], serde_json::json!(["nim/referee.py"]));
    // Whoever may change it is judged by the base's all the same.
    let ran = repository.ci(&[]).expect(0);
    assert_eq!(repository.of_bot("dan")["state"], "fine", "{}", ran.stdout);
    assert_eq!(repository.event()["played"], 4, "two new pairs of two bouts");
    assert_eq!(repository.report()["other_files"], serde_json::json!(["nim/referee.py"]));
    // No path of a bot takes the game's folder over.
    repository.git(["checkout", "--quiet", "main", "--", "nim"]);
    repository
        .write("nim/bot.yaml", "name: dan\nlanguage: python\nentry: referee.py\nowner: dan\n");
    repository.write("tournament.yaml", &OF_ITS_OWN.replace("bots/*", "bots/*, nim"));
    repository.git(["rm", "--quiet", "-r", "--cached", "bots/dan"]);
    fs::remove_dir_all(repository.path("bots/dan")).unwrap();
    repository.write("nim/referee.py", "raise SystemExit('mine')\n");
    repository.proposed("dan", 8);
    assert!(repository.reasons().contains(&reason.to_owned()), "{:?}", repository.reasons());
    // A path of a bot beside a custom game can be added, nothing else.
    repository.git(["reset", "--quiet", "--hard", "main"]);
    repository
        .write("extra/dan/bot.yaml", "name: dan\nlanguage: python\nentry: a.py\nowner: dan\n");
    repository.write("extra/dan/a.py", "for line in iter(input, None): print(1, flush=True)\n");
    repository.write("tournament.yaml", &OF_ITS_OWN.replace("bots/*", "bots/*, extra/dan"));
    repository.proposed("dan", 0);
    assert_eq!(repository.of_bot("dan")["change"], "new");
}
