//! `joust ci`: pull requests of bots in real repositories.

mod base;
mod changes;
mod entries;
mod gate;
mod hostile;
mod links;
mod owners;
mod programs;
mod rounds;
mod settings;
mod summary;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use joust_testkit::env::{Ran, TestEnv, copy_folder};
use serde_json::Value;

use super::{env, git};

const TOURNAMENT: &str = "\
name: Small
seed: 7
database: results.db
defaults:
  calibration: { runs: 2 }
events:
  - id: league
    game: battlebots
    bots: [bots/*]
    bouts: 2
    options: { max_rounds: 3 }
";

/// A repository with three bots of three owners on `main`, their results in
/// `base.db`, and a branch `pr` that is checked out.
struct Repository {
    env: TestEnv,
}

impl Repository {
    /// Copies one that was made once, because that takes bouts.
    fn new() -> Self {
        let env = env();
        copy_folder(Self::template(), env.path());
        Self { env }
    }

    fn with(tournament: &str) -> Self {
        Self::made(tournament, |repository| {
            repository.bot("ann", "echo B SE");
            repository.bot("bob", "echo E");
            repository.bot("cid", "echo NO");
        })
    }

    /// Makes a repository of a tournament and the files of `fill`, plays it, and checks out the
    /// branch.
    fn made(tournament: &str, fill: impl FnOnce(&Self)) -> Self {
        let repository = Self { env: env() };
        repository.write("tournament.yaml", tournament);
        repository.write(".gitignore", "/results.db*\n/base.db*\n/joust-ci\n/.cache\n/cache\n");
        fill(&repository);
        repository.git(["init", "--quiet", "--initial-branch=main"]);
        repository.commit("the bots");
        repository.env.run(["run", "--quiet"]).expect(0);
        std::fs::rename(repository.path("results.db"), repository.path("base.db")).unwrap();
        repository.git(["checkout", "--quiet", "-b", "pr"]);
        repository
    }

    /// Makes the repository that others are copies of, in a folder that one
    /// process at a time has.
    fn template() -> &'static Path {
        static MADE: OnceLock<(PathBuf, File)> = OnceLock::new();
        let (folder, _) = MADE.get_or_init(|| {
            let home = Path::new(env!("CARGO_TARGET_TMPDIR"));
            let lock = File::create(home.join("joust-ci-repository.lock")).unwrap();
            lock.lock().expect("the other process ends");
            let folder = home.join("joust-ci-repository");
            _ = std::fs::remove_dir_all(&folder);
            copy_folder(Self::with(TOURNAMENT).env.path(), &folder);
            (folder, lock)
        });
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.env.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        self.env.write(name, text);
    }

    /// Writes a bash bot, which starts in a tenth of the time of others; its owner has the same
    /// name.
    fn bot(&self, name: &str, source: &str) {
        self.bot_of(name, name, source);
    }

    fn bot_of(&self, owner: &str, name: &str, source: &str) {
        let manifest = format!("name: {name}\nlanguage: bash\nentry: main.sh\nowner: {owner}\n");
        self.write(&format!("bots/{name}/bot.yaml"), &manifest);
        self.write(&format!("bots/{name}/main.sh"), &format!("{source}\n"));
    }

    /// Writes a Python bot in place of the bash bot of this name, if there is one.
    fn python_bot(&self, name: &str, source: &str) {
        _ = std::fs::remove_file(self.path(&format!("bots/{name}/main.sh")));
        let manifest = format!("name: {name}\nlanguage: python\nentry: main.py\nowner: {name}\n");
        self.write(&format!("bots/{name}/bot.yaml"), &manifest);
        self.write(&format!("bots/{name}/main.py"), &format!("{source}\n"));
    }

    fn git<const N: usize>(&self, words: [&str; N]) -> String {
        git(self.env.path(), &words)
    }

    fn commit(&self, message: &str) {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    /// Runs `joust ci` on the branch against `main` and the results there.
    fn ci(&self, more: &[&str]) -> Ran {
        let mut words = vec!["ci", "--base", "main", "--base-database", "base.db"];
        words.extend(more);
        self.env.run(words)
    }

    /// Returns the report of the last run.
    fn report(&self) -> Value {
        let text = std::fs::read_to_string(self.path("joust-ci/summary.json")).expect("a report");
        serde_json::from_str(&text).expect("it is JSON")
    }

    fn event(&self) -> Value {
        self.report()["events"][0].clone()
    }

    /// Returns the report's entry on a bot of the change.
    fn of_bot(&self, name: &str) -> Value {
        let event = self.event();
        let bots = event["bots"].as_array().expect("a list of bots");
        bots.iter().find(|bot| bot["bot"] == name).unwrap_or_else(|| panic!("{bots:?}")).clone()
    }
}
