//! One kernel feature per file.

pub(crate) mod asked;
pub(crate) mod cgroup;
pub(crate) mod filter;
pub(crate) mod landlock;
pub(crate) mod memory;
pub(crate) mod mounts;
pub(crate) mod rlimit;
pub(crate) mod users;
