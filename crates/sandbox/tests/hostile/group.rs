//! Control group, a small one, that a stage made around a worker.

use std::fs;
use std::path::{Path, PathBuf};

/// Removes the group of the stage with that process id, and what was made in it, once all its
/// processes have ended.
pub(crate) fn remove(stage: u32) {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    for line in own.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controller), Some(path)) = (fields.next(), fields.next()) else { continue };
        let own =
            PathBuf::from("/sys/fs/cgroup").join(controller).join(path.trim_start_matches('/'));
        // In version 2 it is beside the own one.
        for parent in [Some(own.as_path()), own.parent()].into_iter().flatten() {
            remove_tree(&parent.join(format!("small-{stage}")));
        }
    }
}

fn remove_tree(group: &Path) {
    for entry in fs::read_dir(group).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_tree(&entry.path());
        }
    }
    let _ = fs::remove_dir(group);
}
