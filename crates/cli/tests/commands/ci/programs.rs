//! No file of a stranger's names a program that runs outside the sandbox.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use joust_testkit::league;

use super::{Repository, git};

impl Repository {
    /// Makes a program that leaves a mark where no bot could.
    fn evil(&self) -> String {
        let (evil, mark) = (self.path("evil"), self.path("mark"));
        fs::write(&evil, format!("#!/bin/sh\ntouch '{}'\ncat\n", mark.display())).unwrap();
        fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
        evil.display().to_string()
    }

    fn assert_unmarked(&self, when: &str) {
        assert!(!self.path("mark").exists(), "{when}: a stranger's program ran");
    }

    /// Runs every command that reads where a bot comes from.
    fn use_everywhere(&self) {
        let sudo = |words: &[&str]| {
            let mut command = self.env.command(words.iter().copied());
            command.env("SUDO_UID", "1000").env("SUDO_GID", "1000").env("SUDO_USER", "somebody");
            command.output().expect("it can be started");
            self.assert_unmarked(&format!("{words:?} under sudo"));
        };
        self.ci(&["--database", "ci.db"]);
        self.assert_unmarked("ci");
        sudo(&["ci", "--base", "main", "--database", "sudo.db"]);
        self.env.run(["run", "--quiet"]).expect(0);
        self.assert_unmarked("run");
        sudo(&["run", "--fresh", "--quiet"]);
        let bout = &league::bout_ids(&self.env)[0];
        // Nothing is built yet in a cache of its own: what is needed comes from the commit.
        for words in [&["rerun", bout][..], &["bot", "check", "bots/dan", "battlebots"]] {
            let mut command = self.env.command(words.iter().copied());
            command.env("JOUST_CACHE", self.path("own-cache")).output().unwrap();
            self.assert_unmarked(words[0]);
        }
    }
}

/// Every setting of git that names a program, naming this one.
fn arm(folder: &std::path::Path, evil: &str) {
    let names = [
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "diff.x.command",
        "diff.x.textconv",
        "diff.external",
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "tar.tar.command",
        "core.alternateRefsCommand",
    ];
    for name in names {
        git(folder, &["config", name, evil]);
    }
}

#[test]
fn a_bot_that_looks_like_a_repository_runs_nothing() {
    let repository = Repository::new();
    let evil = repository.evil();
    repository.bot("dan", "print('E')");
    let folder = repository.path("bots/dan");
    git(&folder, &["init", "--quiet"]);
    git(&folder, &["add", "main.py"]);
    git(&folder, &["commit", "--quiet", "-m", "x"]);
    arm(&folder, &evil);
    git(&folder, &["config", "core.worktree", "."]);
    fs::create_dir_all(folder.join(".git/info")).unwrap();
    fs::write(folder.join(".git/info/attributes"), "* filter=x diff=x\n").unwrap();
    // Without the hidden folder it can come by a pull request.
    let own = folder.join(".git");
    for entry in fs::read_dir(&own).unwrap() {
        let path = entry.unwrap().path();
        fs::rename(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    fs::remove_dir(own).unwrap();
    repository.write("bots/dan/main.py", "print('W')\n");
    repository.commit("a bot that is a repository");
    repository.use_everywhere();
    assert_eq!(repository.of_bot("dan")["change"], "new");
}

#[test]
fn a_bots_own_clone_runs_nothing() {
    let repository = Repository::new();
    let evil = repository.evil();
    repository.bot("dan", "print('E')");
    let folder = repository.path("bots/dan");
    git(&folder, &["init", "--quiet"]);
    repository.write("bots/dan/.gitattributes", "* filter=x diff=x\n");
    git(&folder, &["add", "main.py"]);
    git(&folder, &["commit", "--quiet", "-m", "x"]);
    arm(&folder, &evil);
    repository.write("bots/dan/main.py", "print('W')\n");
    repository.use_everywhere();
}

#[test]
fn attributes_of_a_pull_request_choose_none_of_the_organisers_filters() {
    let repository = Repository::new();
    let evil = repository.evil();
    repository.bot("dan", "print('E')");
    repository.write("bots/dan/.gitattributes", "* filter=x diff=x\n");
    repository.write(".gitattributes", "* filter=x diff=x\n");
    repository.commit("attributes");
    arm(repository.env.path(), &evil);
    // What the index knows by its time is read again.
    repository.write("bots/bob/main.py", "print('E')\n");
    repository.use_everywhere();
}
