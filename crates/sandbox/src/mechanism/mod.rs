//! Kernel features, one per file.

pub(crate) mod cgroup;
pub(crate) mod filter;
pub(crate) mod landlock;
pub(crate) mod memory;
pub(crate) mod mounts;
pub(crate) mod notify;
pub(crate) mod rlimit;
pub(crate) mod users;
