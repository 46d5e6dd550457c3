//! No file of a stranger's names a program that runs outside the sandbox.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

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
        // A separate cache contains no build: everything that is needed comes from the commit.
        for words in [&["rerun", bout][..], &["bot", "check", "bots/dan", "battlebots"]] {
            let mut command = self.env.command(words.iter().copied());
            command.env("JOUST_CACHE", self.path("own-cache")).output().unwrap();
            self.assert_unmarked(words[0]);
        }
    }
}

/// Lets every setting of a repository that names a program name this one.
fn arm(folder: &Path, evil: &str) {
    let text = format!(
        "[filter \"x\"]\nclean = {evil}\nsmudge = {evil}\nprocess = {evil}\n[diff \"x\"]\n\
         command = {evil}\ntextconv = {evil}\n[diff]\nexternal = {evil}\n[core]\n\
         fsmonitor = {evil}\nsshCommand = {evil}\npager = {evil}\nalternateRefsCommand = {evil}\n\
         [tar \"tar\"]\ncommand = {evil}\n[alias]\nrev-parse = !{evil}\nls-tree = !{evil}\n"
    );
    let mut config = fs::OpenOptions::new().append(true).open(folder.join("config")).unwrap();
    config.write_all(text.as_bytes()).unwrap();
}

/// Returns the files beneath a folder, relative to it.
fn walk(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path.strip_prefix(folder).unwrap().display().to_string()),
            }
        }
    }
    files
}

#[test]
fn a_bot_that_looks_like_a_repository_runs_nothing() {
    let repository = Repository::new();
    let evil = repository.evil();
    repository.bot("dan", "echo E");
    let folder = repository.path("bots/dan");
    git(&folder, &["init", "--quiet", "--template="]);
    git(&folder, &["add", "main.sh"]);
    git(&folder, &["commit", "--quiet", "-m", "x"]);
    fs::create_dir_all(folder.join(".git/info")).unwrap();
    fs::write(folder.join(".git/info/attributes"), "* filter=x diff=x\n").unwrap();
    // Without the hidden folder it can come by a pull request.
    let own = folder.join(".git");
    for entry in fs::read_dir(&own).unwrap() {
        let path = entry.unwrap().path();
        fs::rename(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    fs::remove_dir(own).unwrap();
    // Every file is one that it knows, so that each is looked at.
    let bare = |words: &[&str]| git(&folder, &[&["--git-dir=.", "--work-tree=."], words].concat());
    let id = bare(&["rev-parse", "HEAD:main.sh"]);
    for file in walk(&folder) {
        let known = format!("100644,{},{file}", id.trim());
        bare(&["update-index", "--add", "--cacheinfo", &known]);
    }
    arm(&folder, &evil);
    git(&folder, &["config", "--file", "config", "core.worktree", "."]);
    repository.write("bots/dan/main.sh", "echo W\n");
    repository.commit("a bot that is a repository");
    repository.use_everywhere();
    assert_eq!(repository.of_bot("dan")["change"], "new");
}

#[test]
fn a_bots_own_clone_runs_nothing() {
    let repository = Repository::new();
    let evil = repository.evil();
    repository.bot("dan", "echo E");
    let folder = repository.path("bots/dan");
    git(&folder, &["init", "--quiet"]);
    repository.write("bots/dan/.gitattributes", "* filter=x diff=x\n");
    git(&folder, &["add", "main.sh", "bot.yaml"]);
    git(&folder, &["commit", "--quiet", "-m", "x"]);
    arm(&folder.join(".git"), &evil);
    repository.write("bots/dan/main.sh", "echo W\n");
    repository.use_everywhere();
}

#[test]
fn attributes_of_a_pull_request_choose_none_of_the_organisers_filters() {
    let repository = Repository::new();
    let evil = repository.evil();
    repository.bot("dan", "echo E");
    repository.write("bots/dan/.gitattributes", "* filter=x diff=x\n");
    repository.write(".gitattributes", "* filter=x diff=x\n");
    repository.commit("attributes");
    arm(&repository.path(".git"), &evil);
    // What the index knows by its time is read again.
    repository.write("bots/bob/main.sh", "echo E\n");
    repository.use_everywhere();
}
