//! Errors of system calls, by cause: a machine that lacks something, or names of a bot's files.
//!
//! The error number of Joust's own system calls decides; a bot cannot cause it.

use std::io;

use nix::errno::Errno;

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

/// Returns whether a system call of Joust failed because the machine lacks something.
pub fn is_machine_error(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|number| OF_MACHINE.contains(&Errno::from_raw(number)))
}

/// Returns whether a bot's names or links can be the reason why a file could not be made.
pub fn is_name_error(errno: Option<i32>) -> bool {
    errno.is_some_and(|number| OF_NAMES.contains(&Errno::from_raw(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_errors_differ_from_errors_of_names() {
        let of = |errno: Errno| is_machine_error(&io::Error::from_raw_os_error(errno as i32));
        assert!(of(Errno::ENOSPC) && of(Errno::EMFILE) && of(Errno::ETXTBSY));
        assert!(!of(Errno::EACCES) && !of(Errno::ENOENT) && !of(Errno::ENAMETOOLONG));
        assert!(is_name_error(Some(Errno::ENAMETOOLONG as i32)));
        assert!(!is_name_error(Some(Errno::ENOSPC as i32)) && !is_name_error(None));
    }
}
