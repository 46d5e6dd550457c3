use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use super::*;

/// An organiser's repository with a bot, and a program of a stranger's that leaves a mark.
struct Organiser(tempfile::TempDir);

impl Organiser {
    fn new() -> Self {
        let organiser = Self(tempfile::tempdir().unwrap());
        organiser.write("top/tournament.yaml", "name: x\n");
        organiser.write("top/bots/a/main.py", "print('E')\n");
        organiser.write("top/bots/a/lib/b.py", "\n");
        organiser.write("evil", &format!("#!/bin/sh\ntouch {}\ncat\n", organiser.mark().display()));
        let evil = organiser.path("evil");
        fs::set_permissions(evil, fs::Permissions::from_mode(0o755)).unwrap();
        organiser.git("top", &["init", "--quiet"]);
        organiser.commit();
        organiser
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn mark(&self) -> PathBuf {
        self.path("mark")
    }

    fn evil(&self) -> String {
        self.path("evil").display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, folder: &str, words: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(words);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = git.current_dir(self.path(folder)).output().unwrap();
        assert!(output.status.success(), "{words:?} {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn commit(&self) -> String {
        self.git("top", &["add", "--all"]);
        self.git("top", &["commit", "--quiet", "-m", "x"]);
        self.git("top", &["rev-parse", "HEAD"])
    }

    /// Lets every setting that names a program name the stranger's.
    fn arm(&self, folder: &str) {
        let (evil, hooks) = (self.evil(), self.path("hooks").display().to_string());
        for hook in ["post-checkout", "post-index-change", "reference-transaction"] {
            fs::create_dir_all(self.path("hooks")).unwrap();
            fs::copy(self.path("evil"), self.path("hooks").join(hook)).unwrap();
        }
        let settings = [
            ("filter.x.clean", evil.as_str()),
            ("filter.x.smudge", &evil),
            ("filter.x.process", &evil),
            ("filter.x.required", "true"),
            ("diff.x.command", &evil),
            ("diff.x.textconv", &evil),
            ("diff.external", &evil),
            ("core.fsmonitor", &evil),
            ("core.sshCommand", &evil),
            ("core.pager", &evil),
            ("core.hooksPath", &hooks),
            ("core.alternateRefsCommand", &evil),
            ("credential.helper", &evil),
            ("tar.tar.command", &evil),
            ("gpg.program", &evil),
            ("alias.rev-parse", &format!("!{evil}")),
            ("protocol.allow", "always"),
            ("remote.origin.url", &format!("ext::{evil}")),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialCloneFilter", "blob:none"),
        ];
        for (name, value) in settings {
            self.git(folder, &["config", name, value]);
        }
    }

    fn place(&self, bot: &str) -> Option<GitLocation> {
        let source = self.path("top/bots").join(bot);
        let tree = match source.is_file() {
            true => SourceTree::of_file(&source).unwrap(),
            false => SourceTree::read(&source, &[]).unwrap(),
        };
        let place = locate_source(&self.path("top"), &source, &tree);
        assert!(!self.mark().exists(), "a stranger's program ran");
        place
    }

    fn written(&self, commit: &str, place: &str) -> Option<PathBuf> {
        let to = self.path("to");
        let _ = fs::remove_dir_all(&to);
        fs::create_dir(&to).unwrap();
        let written = write_source(&self.path("top"), CommittedSource { commit, place }, &to);
        assert!(!self.mark().exists(), "a stranger's program ran");
        written
    }
}

fn expected_location(place: &str, commit: Option<&str>) -> Option<GitLocation> {
    Some(GitLocation { place: place.to_owned(), commit: commit.map(str::to_owned) })
}

#[test]
fn a_committed_bot_has_its_place_and_commit_until_a_file_changes() {
    let organiser = Organiser::new();
    let commit = organiser.git("top", &["rev-parse", "HEAD"]);
    assert_eq!(organiser.place("a"), expected_location("bots/a", Some(&commit)));
    organiser.write("top/bots/b.py", "1\n");
    assert_eq!(organiser.place("b.py"), expected_location("bots/b.py", None));
    let commit = organiser.commit();
    assert_eq!(organiser.place("b.py"), expected_location("bots/b.py", Some(&commit)));
    organiser.write("top/bots/a/main.py", "print('W')\n");
    assert_eq!(organiser.place("a"), expected_location("bots/a", None));
    organiser.write("top/bots/a/main.py", "print('E')\n");
    let main = organiser.path("top/bots/a/main.py");
    fs::set_permissions(main, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(organiser.place("a"), expected_location("bots/a", None));
}

#[test]
fn what_a_commit_had_is_written_as_it_was() {
    let organiser = Organiser::new();
    symlink("main.py", organiser.path("top/bots/a/link")).unwrap();
    let commit = organiser.commit();
    organiser.write("top/bots/a/main.py", "another\n");
    let written = organiser.written(&commit, "bots/a").unwrap();
    assert_eq!(fs::read_to_string(written.join("main.py")).unwrap(), "print('E')\n");
    assert_eq!(fs::read_link(written.join("link")).unwrap(), Path::new("main.py"));
    let file = organiser.written(&commit, "bots/a/main.py").unwrap();
    assert_eq!(file, organiser.path("to/main.py"));
    assert!(organiser.path("to/lib/b.py").is_file(), "what lies beside a module comes along");
    for (commit, place) in [(&commit[..39], "bots/a"), (&commit, "../top"), (&commit, "bots/z")] {
        assert_eq!(organiser.written(commit, place), None, "{place}");
    }
}

#[test]
fn a_folder_that_looks_like_a_repository_is_plain_files() {
    let organiser = Organiser::new();
    organiser.git("top/bots", &["init", "--quiet", "--bare", "bare"]);
    organiser.arm("top/bots/bare");
    organiser.git("top/bots/bare", &["config", "core.bare", "false"]);
    organiser.git("top/bots/bare", &["config", "core.worktree", "."]);
    organiser.write("top/bots/bare/info/attributes", "* filter=x diff=x\n");
    organiser.write("top/bots/bare/main.py", "1\n");
    let commit = organiser.commit();
    assert_eq!(organiser.place("bare"), expected_location("bots/bare", Some(&commit)));
    assert!(organiser.written(&commit, "bots/bare").is_some());
}

#[test]
fn a_bots_own_repository_is_never_read() {
    let organiser = Organiser::new();
    organiser.write("top/bots/clone/main.py", "1\n");
    organiser.git("top/bots/clone", &["init", "--quiet"]);
    organiser.write("top/bots/clone/.gitattributes", "* filter=x diff=x\n");
    organiser.git("top/bots/clone", &["add", "main.py"]);
    organiser.git("top/bots/clone", &["commit", "--quiet", "-m", "own"]);
    organiser.arm("top/bots/clone");
    assert_eq!(organiser.place("clone"), expected_location("bots/clone", None));
    let away = organiser.path("away").display().to_string();
    fs::rename(organiser.path("top/bots/clone/.git"), &away).unwrap();
    organiser.write("top/bots/clone/.git", &format!("gitdir: {away}\n"));
    assert_eq!(organiser.place("clone"), expected_location("bots/clone", None));
}

#[test]
fn attributes_of_strangers_choose_no_program_of_the_organisers() {
    let organiser = Organiser::new();
    organiser.write("top/.gitattributes", "* filter=x diff=x export-subst text eol=crlf\n");
    organiser.write("top/bots/a/.gitattributes", "* filter=x diff=x export-ignore\n");
    let commit = organiser.commit();
    organiser.arm("top");
    assert_eq!(organiser.place("a"), expected_location("bots/a", Some(&commit)));
    let written = organiser.written(&commit, "bots/a").unwrap();
    assert_eq!(fs::read_to_string(written.join("main.py")).unwrap(), "print('E')\n");
}

#[test]
fn what_is_missing_is_not_fetched() {
    let organiser = Organiser::new();
    let commit = organiser.commit_of_missing();
    organiser.arm("top");
    organiser.git("top", &["config", "core.repositoryFormatVersion", "1"]);
    organiser.git("top", &["config", "extensions.partialClone", "origin"]);
    assert_eq!(organiser.place("a"), expected_location("bots/a", None));
    assert_eq!(organiser.written(&commit, "bots/a"), None);
    let absent = "0123456789012345678901234567890123456789";
    assert_eq!(organiser.written(absent, "bots/a"), None);
}

impl Organiser {
    /// Takes a file of the last commit out of the repository.
    fn commit_of_missing(&self) -> String {
        let commit = self.git("top", &["rev-parse", "HEAD"]);
        let id = self.git("top", &["rev-parse", "HEAD:bots/a/main.py"]);
        let object = format!("top/.git/objects/{}/{}", &id[..2], &id[2..]);
        fs::remove_file(self.path(&object)).unwrap();
        commit
    }
}

#[test]
fn variables_of_git_do_not_lead_elsewhere() {
    let organiser = Organiser::new();
    let repository = Repository::of(&organiser.path("top/bots")).unwrap();
    assert_eq!(repository.root, organiser.path("top"));
    let about = GitProgram::find(&repository.root)
        .unwrap()
        .command_for(&organiser.path("top/.git"), &repository.root);
    let kept = about.get_envs().filter(|(_, value)| value.is_some());
    let kept: Vec<_> = kept.map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    assert!(!kept.iter().any(|name| ["HOME", "GIT_DIR", "GIT_TRACE"].contains(&name.as_str())));
}

#[test]
fn a_repository_of_somebody_else_is_not_read() {
    let organiser = Organiser::new();
    let other = nix::unistd::Uid::from_raw(54_321);
    let git = organiser.path("top/.git");
    if nix::unistd::chown(&git, Some(other), None).is_err() {
        return;
    }
    assert!(matches!(Repository::of(&organiser.path("top")), Err(GitError::Foreign(_))));
    // Root reads what belongs to whom the tournament belongs to, as under sudo.
    nix::unistd::chown(&organiser.path("top"), Some(other), None).unwrap();
    assert!(Repository::of(&organiser.path("top")).is_ok());
}

#[test]
fn a_small_commit_of_any_number_of_files_or_empty_folders_is_refused() {
    let organiser = Organiser::new();
    let make_tree = |lines: String| {
        organiser.write("list", &lines);
        let list = fs::File::open(organiser.path("list")).unwrap();
        let mut made = Command::new("git");
        made.arg("mktree").current_dir(organiser.path("top")).stdin(list);
        String::from_utf8(made.output().unwrap().stdout).unwrap().trim().to_owned()
    };
    let repository = Repository::of(&organiser.path("top")).unwrap();
    for inner in [organiser.git("top", &["rev-parse", "HEAD:bots"]), make_tree(String::new())] {
        // Each folder has ten times the one before it: ten billion in eleven objects.
        let tree = (0..10).fold(inner, |tree, _| {
            make_tree((0..10).map(|number| format!("040000 tree {tree}\tx{number}\n")).collect())
        });
        let commit = organiser.git("top", &["commit-tree", &tree, "-m", "x"]);
        let entries = repository.entries(&commit, None).map(|all| all.len());
        assert!(matches!(entries, Err(GitError::TooManyFiles)), "{entries:?}");
    }
}
