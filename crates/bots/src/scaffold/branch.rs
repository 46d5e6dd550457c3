//! Current branch of a folder's repository, read from the file in which git keeps it.

use std::fs;
use std::path::{Path, PathBuf};

use joust_config::read_plain;

/// Bytes of a file of git that names a branch or a folder.
const MOST_BYTES: u64 = 8192;

/// Returns the branch that is checked out in the repository around a folder; `None` outside a
/// repository, and where a commit is checked out that no branch names.
pub fn current_branch(folder: &Path) -> Option<String> {
    let folder = fs::canonicalize(folder).ok()?;
    let git = folder.ancestors().map(|one| one.join(".git")).find(|git| git.exists())?;
    let head = text_of(&git_folder(&git)?.join("HEAD"))?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

/// Returns the folder that holds `HEAD`: in a linked worktree `.git` is a file that names it.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = text_of(git)?;
    let named = text.trim().strip_prefix("gitdir:")?.trim();
    Some(git.parent()?.join(named))
}

fn text_of(file: &Path) -> Option<String> {
    String::from_utf8(read_plain(file, MOST_BYTES).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(head: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(root.path().join(".git")).expect("it can be made");
        fs::write(root.path().join(".git/HEAD"), head).expect("it can be written");
        root
    }

    #[test]
    fn a_folder_within_a_repository_has_its_branch() {
        let root = repository("ref: refs/heads/trunk/next\n");
        let inner = root.path().join("contests/cup");
        fs::create_dir_all(&inner).expect("it can be made");
        assert_eq!(current_branch(&inner).as_deref(), Some("trunk/next"));
    }

    #[test]
    fn a_commit_without_a_branch_has_none() {
        let root = repository("d643854842e60e5beb93b2d9f1e2b6a9a4d1c0aa\n");
        assert_eq!(current_branch(root.path()), None);
    }

    #[test]
    fn a_linked_worktree_has_a_branch_of_its_own() {
        let root = repository("ref: refs/heads/main\n");
        let linked = root.path().join(".git/worktrees/linked");
        let tree = root.path().join("tree");
        fs::create_dir_all(&linked).expect("it can be made");
        fs::create_dir_all(&tree).expect("it can be made");
        fs::write(linked.join("HEAD"), "ref: refs/heads/master\n").expect("it can be written");
        fs::write(tree.join(".git"), "gitdir: ../.git/worktrees/linked\n")
            .expect("it can be written");
        assert_eq!(current_branch(&tree).as_deref(), Some("master"));
    }
}
