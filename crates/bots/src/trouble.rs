//! Troubles of the machine, told from the faults of bots.
//!
//! What counts is what no bot can bring about: the number of an error of our own
//! system calls, the room on a file system that no bot fills beyond its limit, a
//! sandbox that fails its self-test when the bot's processes are gone.

use std::io;
use std::path::Path;

use joust_sandbox::{Host, Tier};
use nix::errno::Errno;
use nix::sys::statvfs::statvfs;

use crate::threads;

/// Errors of a machine that lacks room, descriptors, threads, memory or a disk that works.
const OF_MACHINE: [Errno; 13] = [
    Errno::ENOSPC,
    Errno::EDQUOT,
    Errno::EROFS,
    Errno::EMFILE,
    Errno::ENFILE,
    Errno::EAGAIN,
    Errno::ENOMEM,
    Errno::ETXTBSY,
    Errno::EIO,
    Errno::ENOLCK,
    Errno::ESTALE,
    Errno::EFBIG,
    Errno::EINTR,
];

/// Errors that the names and links of a bot's files can cause.
const OF_NAMES: [Errno; 4] = [Errno::ENAMETOOLONG, Errno::ELOOP, Errno::EINVAL, Errno::EILSEQ];

/// Threads that a compiler may want, and every machine has.
const THREADS: usize = 32;

/// Room without which no build can be kept, bytes.
const LEAST_ROOM: u64 = 1 << 20;

/// Returns whether a system call of ours failed because the machine lacks something.
pub(crate) fn is_of_machine(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|number| OF_MACHINE.contains(&Errno::from_raw(number)))
}

/// Returns whether a bot's names or links can be the reason why a file could not be made.
pub(super) fn is_of_names(errno: Option<i32>) -> bool {
    errno.is_some_and(|number| OF_NAMES.contains(&Errno::from_raw(number)))
}

/// Returns the machine's shortage, if any, after a build has failed and all of it is gone; `kept`
/// is the folder of kept builds.
pub(super) fn of(host: &Host, kept: &Path) -> Option<String> {
    let scratch = std::env::temp_dir();
    let has_own_scratch = matches!(host.tier(), Tier::A | Tier::B);
    let folders = [kept].into_iter().chain((!has_own_scratch).then_some(scratch.as_path()));
    folders.filter_map(no_room).next().or_else(no_threads).or_else(|| {
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

/// Returns the error if so many threads cannot be started at once.
pub(super) fn no_threads() -> Option<String> {
    threads::try_to_have(THREADS)
        .err()
        .map(|error| format!("{THREADS} threads cannot be started: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_machine_lacks_is_told_from_what_a_bot_wrote() {
        let of = |errno: Errno| is_of_machine(&io::Error::from_raw_os_error(errno as i32));
        assert!(of(Errno::ENOSPC) && of(Errno::EMFILE) && of(Errno::ETXTBSY));
        assert!(!of(Errno::EACCES) && !of(Errno::ENOENT) && !of(Errno::ENAMETOOLONG));
        assert!(is_of_names(Some(Errno::ENAMETOOLONG as i32)));
        assert!(!is_of_names(Some(Errno::ENOSPC as i32)) && !is_of_names(None));
    }

    #[test]
    fn a_machine_with_room_lacks_nothing() {
        assert_eq!(no_room(&std::env::temp_dir()), None);
        assert_eq!(no_threads(), None);
    }
}
