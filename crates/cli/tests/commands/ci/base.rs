//! Tests of the base that a change is compared with, and of messages when there is none.

use joust_testkit::env::TestEnv;

use super::super::env;
use super::{Repository, TOURNAMENT, git};

#[test]
fn a_database_alone_is_base_enough() {
    let repository = Repository::new();
    repository.bot("bob", "echo W");
    repository.bot("dan", "echo E");
    repository.env.run(["ci", "--base-database", "base.db"]).expect(0);
    assert_eq!(repository.of_bot("bob")["change"], "changed");
    assert_eq!(repository.of_bot("dan")["change"], "new");
    assert_eq!(repository.event()["bots"].as_array().unwrap().len(), 2);
    assert_eq!(repository.event()["played"], 10, "of twelve bouts two still hold");
}

/// Setting with the effect of another version of the tools on every build: another recipe.
const OTHER_TOOLS: &str = "languages:\n  bash: { environment: { OTHER: x } }\n";

#[test]
fn with_a_database_alone_other_tools_change_no_bot() {
    let repository = Repository::new();
    repository.write("tournament.yaml", &format!("{TOURNAMENT}{OTHER_TOOLS}"));
    repository.bot("bob", "echo W");
    let ran = repository.env.run(["ci", "--base-database", "base.db"]).expect(0);
    let event = repository.event();
    let bots = event["bots"].as_array().unwrap();
    assert_eq!(bots.len(), 1, "what others have is theirs and not changed: {bots:?}");
    assert_eq!(repository.of_bot("bob")["change"], "changed");
    let names = event["rebuilt"].as_array().unwrap().iter().map(|one| &one["bot"]);
    assert_eq!(names.collect::<Vec<_>>(), ["ann", "cid"]);
    assert!(
        ran.stdout.contains("**The same source, rebuilt with another tool.**"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("- `ann`: another recipe of its language"), "{}", ran.stdout);
    assert_eq!(event["played"], 6, "a result is one of its builds");
}

#[test]
fn without_a_commit_no_program_of_a_stranger_s_settings_is_started() {
    let repository = Repository::new();
    let mark = repository.path("mark");
    let program = format!("{{ find: [sh], version: [-c, \"touch {}\"] }}", mark.display());
    let evil = format!(
        "languages:\n  evil:\n    title: Evil\n    extensions: [evil]\n    variants:\n      \
         - {{ name: x, install: x, programs: {{ p: {program} }}, run: [\"{{p}}\"] }}\n"
    );
    repository.write("tournament.yaml", &format!("{TOURNAMENT}{evil}"));
    repository.write("bots/dan/bot.yaml", "name: dan\nlanguage: evil\nentry: x.evil\n");
    repository.write("bots/dan/x.evil", "");
    let words = ["ci", "--base-database", "base.db", "--author", "dan"];
    let ran = repository.env.run(words).expect(2);
    assert!(ran.stderr.contains("hint: name the commit with `--base`"), "{}", ran.stderr);
    assert!(!mark.exists());
    // Whoever trusts the change leaves out its author.
    repository.env.run(&words[..3]);
    assert!(mark.exists());
}

#[test]
fn with_a_commit_other_tools_of_the_change_are_not_in_force() {
    let repository = Repository::new();
    repository.write("tournament.yaml", &format!("{TOURNAMENT}{OTHER_TOOLS}"));
    let ran = repository.ci(&["--dry-run"]).expect(0);
    assert!(ran.stdout.contains("No bot is new, changed or removed."), "{}", ran.stdout);
    assert!(ran.stdout.contains("the settings in force are those of the base"), "{}", ran.stdout);
    assert_eq!(repository.event()["rebuilt"].as_array().unwrap().len(), 0);
}

#[test]
fn with_a_database_alone_a_bot_is_known_again_under_another_name() {
    let repository = Repository::new();
    std::fs::rename(repository.path("bots/bob"), repository.path("bots/rob")).unwrap();
    let manifest = "name: rob\nlanguage: bash\nentry: main.sh\nowner: bob\n";
    repository.write("bots/rob/bot.yaml", manifest);
    let ran = repository.env.run(["ci", "--base-database", "base.db", "--dry-run"]).expect(0);
    assert!(ran.stdout.contains("| `rob` | renamed from `bob` |"), "{}", ran.stdout);
}

#[test]
fn without_any_result_from_before_nothing_is_said_to_have_moved() {
    let repository = Repository::new();
    let ran = repository.env.run(["ci", "--base", "main"]).expect(0);
    assert!(ran.stdout.contains("There are no results from before the change"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("Ranks that changed"), "{}", ran.stdout);
    assert_eq!(repository.event()["played"], 6);
}

#[test]
fn with_results_of_another_seed_nothing_is_said_to_have_moved() {
    let repository = Repository::new();
    repository.write("tournament.yaml", &TOURNAMENT.replace("seed: 7", "seed: 8"));
    repository.commit("another seed");
    repository.git(["branch", "--force", "main"]);
    repository.bot("dan", "echo E");
    let ran = repository.ci(&[]).expect(0);
    assert!(ran.stdout.contains("before the change with the tournament's seed"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("Ranks that changed"), "{}", ran.stdout);
    assert_eq!(repository.event()["played"], 12);
}

#[test]
fn a_commit_alone_is_base_enough_and_the_database_has_the_old_table() {
    let repository = Repository::new();
    std::fs::copy(repository.path("base.db"), repository.path("results.db")).unwrap();
    repository.bot("bob", "echo W");
    repository.env.run(["ci", "--base", "main"]).expect(0);
    assert_eq!(repository.event()["played"], 4);
    let bob = repository.event()["movement"]["bots"].as_array().unwrap().clone();
    assert!(bob.iter().all(|moved| moved["before"]["rank"].is_u64()), "{bob:?}");
}

#[test]
fn without_any_base_the_command_line_is_wrong() {
    let ran = env().run(["ci"]).expect(2);
    assert!(ran.stderr.contains("--base <REF>"), "{}", ran.stderr);
}

#[test]
fn a_commit_that_is_not_there_is_named() {
    let repository = Repository::new();
    let ran = repository.env.run(["ci", "--base", "origin/main"]).expect(2);
    assert!(ran.stderr.contains("error: there is no commit `origin/main` here"), "{}", ran.stderr);
    let ran = repository.env.run(["ci", "--base=--upload-pack=x"]).expect(2);
    assert!(ran.stderr.contains("there is no commit"), "{}", ran.stderr);
}

#[test]
fn a_folder_without_a_repository_is_told() {
    let env = env();
    env.write("tournament.yaml", TOURNAMENT);
    let ran = env.run(["ci", "--base", "main"]).expect(2);
    assert!(ran.stderr.contains("is not in a git repository"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: without git, name the results"), "{}", ran.stderr);
}

#[test]
fn a_machine_without_git_is_told() {
    let env = env();
    env.write("tournament.yaml", TOURNAMENT);
    let output = env.command(["ci", "--base", "main"]).env("PATH", "/nowhere").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{stderr}");
    assert!(stderr.contains("error: git is not installed"), "{stderr}");
}

/// Clones the branch `pr` with its last commit only, to a path with blanks.
fn shallow_clone(repository: &Repository) -> TestEnv {
    let clone = env();
    let url = format!("file://{}", repository.env.path().display());
    let folder = clone.path().join("a clone");
    git(
        clone.path(),
        &["clone", "--quiet", "--depth=1", "--branch=pr", &url, &folder.display().to_string()],
    );
    std::fs::copy(repository.path("base.db"), clone.path().join("base.db")).unwrap();
    clone
}

#[test]
fn a_shallow_clone_wants_the_base_fetched_and_no_more() {
    let repository = Repository::new();
    repository.bot("dan", "echo W");
    repository.commit("one more");
    let clone = shallow_clone(&repository);
    let words =
        ["ci", "a clone/tournament.yaml", "--base", "origin/main", "--base-database", "base.db"];
    let ran = clone.run(words).expect(2);
    assert!(ran.stderr.contains("hint: this is a shallow clone"), "{}", ran.stderr);
    let folder = clone.path().join("a clone");
    let hint = ran.stderr.split('`').find_map(|part| part.strip_prefix("git ")).expect("a command");
    assert_eq!(hint, "fetch --depth=1 origin main:refs/remotes/origin/main");
    git(&folder, &hint.split(' ').collect::<Vec<_>>());
    git(&folder, &["checkout", "--quiet", "--detach"]);
    let ran = clone.run(words).expect(0);
    assert!(ran.stdout.contains("| `dan` | new |"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("`bob` | changed"), "{}", ran.stdout);
}

#[test]
fn only_the_branchs_own_changes_count_when_the_base_has_moved_on() {
    let repository = Repository::new();
    repository.bot("dan", "echo W");
    repository.commit("one more");
    repository.git(["checkout", "--quiet", "main"]);
    repository.bot("eve", "echo S");
    repository.commit("another one meanwhile");
    repository.git(["checkout", "--quiet", "pr"]);
    repository.ci(&["--dry-run"]).expect(0);
    let bots = repository.event()["bots"].clone();
    assert_eq!(bots.as_array().unwrap().len(), 1, "{bots}");
}

#[test]
fn changes_that_are_not_committed_are_checked_and_told() {
    let repository = Repository::new();
    repository.bot("bob", "echo W");
    let ran = repository.ci(&["--dry-run"]).expect(0);
    assert!(ran.stdout.contains("changes that are not committed"), "{}", ran.stdout);
    assert_eq!(repository.of_bot("bob")["change"], "changed");
}

#[test]
fn a_bot_in_a_submodule_is_compared_with_its_commit_in_the_base() {
    let other = env();
    other.write("bot.yaml", "name: sub\nlanguage: bash\nentry: main.sh\n");
    other.write("main.sh", "echo E\n");
    git(other.path(), &["init", "--quiet", "--initial-branch=main"]);
    git(other.path(), &["add", "bot.yaml", "main.sh"]);
    git(other.path(), &["commit", "--quiet", "-m", "a bot"]);
    let repository = Repository::new();
    repository.git(["checkout", "--quiet", "main"]);
    let url = format!("file://{}", other.path().display());
    repository.git(["submodule", "--quiet", "add", &url, "bots/sub"]);
    repository.commit("a bot from elsewhere");
    repository.git(["checkout", "--quiet", "-B", "pr"]);
    repository.ci(&["--dry-run"]).expect(0);
    assert_eq!(repository.event()["bots"].as_array().unwrap().len(), 0);
    repository.write("bots/sub/main.sh", "echo W\n");
    repository.ci(&["--dry-run"]).expect(0);
    assert_eq!(repository.of_bot("sub")["change"], "changed");
    repository.git(["submodule", "--quiet", "deinit", "--force", "bots/sub"]);
    let ran = repository.ci(&["--dry-run"]).expect(2);
    assert!(ran.stderr.contains("the submodule `bots/sub` is not here"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: `git submodule update --init bots/sub`"), "{}", ran.stderr);
}

#[test]
fn a_database_of_a_newer_version_is_called_what_it_was_given_as() {
    let repository = Repository::new();
    let newer = "import sqlite3\nbase = sqlite3.connect('base.db')\nbase.execute(\"insert into _sqlx_migrations \
                 select 999, 'later', installed_on, success, checksum, execution_time \
                 from _sqlx_migrations limit 1\")\nbase.commit()\n";
    let mut python = std::process::Command::new("python3");
    let python = python.args(["-c", newer]).current_dir(repository.env.path());
    assert!(python.status().expect("Python is on this machine").success());
    let ran = repository.ci(&[]).expect(3);
    assert!(ran.stderr.contains("database `base.db` is of a newer version"), "{}", ran.stderr);
}

#[test]
fn the_database_of_the_run_is_no_base() {
    let repository = Repository::new();
    std::os::unix::fs::symlink("base.db", repository.path("link.db")).unwrap();
    let before = std::fs::read(repository.path("base.db")).unwrap();
    for named in ["base.db", "link.db"] {
        let words = ["ci", "--base", "main", "--base-database", named, "--database", "base.db"];
        let ran = repository.env.run(words).expect(2);
        assert!(ran.stderr.contains("is the database of this run, too"), "{}", ran.stderr);
        assert!(ran.stderr.contains("\nhint: ") && ran.stderr.contains("--database pr.db"));
    }
    assert_eq!(std::fs::read(repository.path("base.db")).unwrap(), before);
}

#[test]
fn a_base_database_that_is_none_is_told_for_what_it_is() {
    let repository = Repository::new();
    repository.write("notes.txt", "no database");
    for (named, is) in [("bots", "a folder, not a database"), ("notes.txt", "not a database")] {
        for option in ["--base-database", "--database"] {
            let ran = repository.env.run(["ci", "--base", "main", option, named]).expect(3);
            let told = ran.stderr.contains(&format!("{named}` is {is}\n"));
            assert!(told && ran.stderr.contains("\nhint: "), "{option} {named}: {}", ran.stderr);
        }
    }
}
