//! Paths of files as the repository names them, never behind a link.
//!
//! Git keeps a link as one entry without contents. A path that leads through a link is therefore no
//! path of the repository, wherever the link leads.

use std::path::{Component, Path, PathBuf};

/// Returns the path by which the tree `root` names `path`, relative to `root`.
///
/// Links are followed on the way into the tree only. `None` for a path outside it, and for one
/// that climbs out of a folder behind a link.
pub(super) fn repository_path(path: &Path, root: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    let mut outside = PathBuf::new();
    let mut inside: Option<PathBuf> = None;
    for part in std::path::absolute(path).ok()?.components() {
        match (&mut inside, part) {
            (Some(place), Component::ParentDir) if root.join(&*place).is_symlink() => return None,
            (Some(place), Component::ParentDir) if place.as_os_str().is_empty() => {
                outside = root.join("..");
                inside = None;
            }
            (Some(place), Component::ParentDir) => _ = place.pop(),
            (Some(place), part) => place.push(part),
            (None, part) => {
                outside.push(part);
                let real = outside.canonicalize().ok();
                inside = real.and_then(|real| real.strip_prefix(&root).ok().map(Path::to_owned));
            }
        }
    }
    inside
}

/// Returns whether a link in one repository leads from `path` into another one with the top `root`.
pub(super) fn leads_elsewhere(path: &Path, root: &Path) -> bool {
    let Ok(path) = std::path::absolute(path) else { return true };
    let has_repository = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    path.ancestors().skip(1).filter(|folder| folder.is_symlink()).any(|link| {
        // A link outside a repository belongs to no change.
        let home = link.ancestors().skip(1).find(has_repository);
        home.is_some_and(|home| home.canonicalize().ok() != root.canonicalize().ok())
    })
}

/// Returns the real place of `path` in the tree `root`, following all links except in its last
/// part.
pub(super) fn real_path(path: &Path, root: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let real = path.parent()?.canonicalize().ok()?.join(path.file_name()?);
    real.strip_prefix(root.canonicalize().ok()?).ok().map(Path::to_owned)
}

/// Returns the path to display for `path`: relative to `root` if it is inside.
pub(super) fn display_path(path: &Path, root: &Path) -> PathBuf {
    repository_path(path, root).unwrap_or_else(|| path.to_owned())
}

/// Returns the first of the sorted `paths` that is `place` or lies beneath it. A change may bring a
/// million files, so they are not searched one by one.
pub(super) fn first_beneath<'a>(paths: &'a [PathBuf], place: &Path) -> Option<&'a PathBuf> {
    let first = paths.partition_point(|path| path.as_path() < place);
    paths.get(first).filter(|path| path.starts_with(place))
}

/// Returns whether files at `place` may be a bot's: neither the whole repository nor anything in a
/// folder whose name begins with a dot, in which services look for their own settings.
pub(super) fn can_hold_bots(place: &Path) -> bool {
    let mut parts = place.components().peekable();
    parts.peek().is_some() && parts.all(|part| !is_hidden(part))
}

/// Returns whether services look into this file for who owns the code, wherever bots lie.
pub(super) fn names_owners(path: &Path) -> bool {
    let places = ["CODEOWNERS", "docs/CODEOWNERS"];
    path.to_str().is_some_and(|path| places.iter().any(|place| path.eq_ignore_ascii_case(place)))
}

/// Returns true for a part of a path that begins with a dot.
pub(super) fn is_hidden(part: Component<'_>) -> bool {
    part.as_os_str().as_encoded_bytes().starts_with(b".")
}

/// Returns the first link on the way from `root` to `place`, `place` included.
pub(super) fn first_link(place: &Path, root: &Path) -> Option<PathBuf> {
    let mut at = PathBuf::new();
    place.components().find_map(|part| {
        at.push(part);
        root.join(&at).is_symlink().then(|| at.clone())
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_is_named_by_its_words_and_never_by_what_a_link_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repository");
        fs::create_dir_all(root.join("bots/eve")).unwrap();
        fs::create_dir_all(root.join(".github/workflows")).unwrap();
        symlink("../../.github/workflows", root.join("bots/eve/__pycache__")).unwrap();
        symlink("bots", root.join("linked")).unwrap();
        symlink(&root, folder.path().join("way")).unwrap();
        symlink(root.join("bots"), folder.path().join("short")).unwrap();
        let path = |text: &str| repository_path(&folder.path().join(text), &root);
        let is = |text: &str| Some(PathBuf::from(text));
        assert_eq!(path("repository/bots/eve"), is("bots/eve"));
        assert_eq!(path("repository/bots/eve/__pycache__"), is("bots/eve/__pycache__"));
        assert_eq!(path("repository/bots/eve/__pycache__/x.yml"), is("bots/eve/__pycache__/x.yml"));
        assert_eq!(path("repository/linked/eve"), is("linked/eve"));
        assert_eq!(path("repository/none/such"), is("none/such"));
        assert_eq!(path("way/bots/eve"), is("bots/eve"), "a link on the way in");
        assert_eq!(path("short/eve"), is("bots/eve"));
        assert_eq!(path("repository/bots/../bots/./eve"), is("bots/eve"));
        assert_eq!(path("repository/../repository/bots"), is("bots"));
        assert_eq!(path("repository/linked/../x"), None, "it is not what the words say");
        assert_eq!(path("repository/../elsewhere"), None);
        assert_eq!(path("elsewhere"), None);
        assert_eq!(
            first_link(Path::new("bots/eve/__pycache__/x"), &root),
            is("bots/eve/__pycache__")
        );
        assert_eq!(first_link(Path::new("linked/eve"), &root), is("linked"));
        assert_eq!(first_link(Path::new("bots/eve"), &root), None);
    }

    #[test]
    fn the_first_path_beneath_a_place_is_found_among_sorted_ones() {
        let mut paths = ["a/b", "a-b/c", "a/b/c", "a/b-c", "b"].map(PathBuf::from);
        paths.sort();
        let found =
            |place: &str| first_beneath(&paths, Path::new(place)).and_then(|it| it.to_str());
        assert_eq!(found("a"), Some("a/b"));
        assert_eq!(found("a/b"), Some("a/b"));
        assert_eq!(found("a-b"), Some("a-b/c"));
        assert_eq!(found("a/b/c"), Some("a/b/c"));
        assert_eq!(found("a/c"), None);
        assert_eq!(found("c"), None);
    }

    #[test]
    fn files_that_name_owners_are_known() {
        for path in ["CODEOWNERS", "docs/CODEOWNERS", "Docs/CodeOwners"] {
            assert!(names_owners(Path::new(path)), "{path}");
        }
        for path in ["bots/CODEOWNERS", "docs/CODEOWNERS/x", "CODEOWNERS.md"] {
            assert!(!names_owners(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn no_bot_lies_in_a_hidden_folder_or_everywhere() {
        for place in ["bots/eve", "a.b/c"] {
            assert!(can_hold_bots(Path::new(place)), "{place}");
        }
        for place in ["", ".github", ".github/workflows", "bots/.github/x", ".GitHub"] {
            assert!(!can_hold_bots(Path::new(place)), "{place}");
        }
    }
}
