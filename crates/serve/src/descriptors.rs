//! One descriptor per client.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Raises this process's soft limit of descriptors to the hard one: each
/// connection needs one, and the usual soft limit of 1,024 is there for programs that
/// use `select`. Where that is refused the server takes as many clients as it can.
pub fn take_all() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}
