//! Shortages of this machine, as opposed to faults of bots: no room on a file system that no bot
//! fills beyond its limit, no threads, a sandbox that fails its self-test when the bot's processes
//! are gone.

use std::path::Path;

use joust_sandbox::{Host, Tier};
use nix::sys::statvfs::statvfs;

use joust_toolchain::threads;

/// Least free space for builds, bytes.
const LEAST_ROOM: u64 = 1 << 20;

/// Returns the machine's shortage, if any, after a build has failed and its processes and files are
/// gone; `kept` is the folder of kept builds.
pub(crate) fn of_machine(host: &Host, kept: &Path) -> Option<String> {
    let scratch = std::env::temp_dir();
    let has_own_scratch = matches!(host.tier(), Tier::A | Tier::B);
    let folders = [kept].into_iter().chain((!has_own_scratch).then_some(scratch.as_path()));
    folders.filter_map(no_room).next().or_else(threads::shortage).or_else(|| {
        let error = host.self_test().err()?;
        Some(format!("the sandbox fails its self-test: {error}"))
    })
}

/// Returns the shortage of a folder's file system, if any.
fn no_room(folder: &Path) -> Option<String> {
    let room = statvfs(folder).ok()?;
    let bytes = room.blocks_available().saturating_mul(room.fragment_size());
    let counts_files = room.files() > 0;
    let what = match () {
        () if bytes < LEAST_ROOM => "has no room left",
        () if counts_files && room.files_available() == 0 => "can hold no more files",
        () => return None,
    };
    Some(format!("the disk under `{}` {what}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_with_room_lacks_nothing() {
        assert_eq!(no_room(&std::env::temp_dir()), None);
        assert_eq!(threads::shortage(), None);
    }
}
