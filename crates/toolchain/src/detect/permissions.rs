//! Barriers to other users. Where bots run as users of their own and nothing can be mounted, they
//! see this machine's files with the rights of those users.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Returns the first obstacle for other users to a folder that can be entered or a program that can
/// be run: a folder on the way to it, or it itself, that is closed to them. `None` when there is
/// none.
pub fn closed_folder(path: &Path) -> Option<PathBuf> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut on_the_way: Vec<&Path> = real.ancestors().collect();
    on_the_way.reverse();
    on_the_way.into_iter().find(|place| !is_open(place)).map(Path::to_owned)
}

fn is_open(place: &Path) -> bool {
    place.metadata().is_ok_and(|data| data.permissions().mode() & 0o001 != 0)
}
