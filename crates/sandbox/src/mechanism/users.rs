//! Users: one of its own for every seat.
//!
//! Each orchestrating process claims a block of user ids by locking a range of
//! one file that all share; the kernel gives the claim back when the process
//! ends, however it ends. So a block without a holder has only left-overs. Where
//! file systems are not shared but process ids are, a look at who is running
//! keeps two processes from using the same users.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, PoisonError};

use nix::fcntl::{FcntlArg, fcntl};

use crate::error::SandboxError;
use crate::sys::is_of_a_seat;

/// First user id of the preferred range: far above what distributions give out.
const PREFERRED: u32 = 1_785_659_392;
/// First user id where only 65,536 are mapped, as in many containers.
const SMALL: u32 = 52_000;
/// As many as fit into the small range.
const BLOCKS: u32 = 26;
const BLOCK: u32 = 512;
/// Folders for the file with the claims; the first that can be used is taken.
const FOLDERS: [&str; 3] = ["/run", "/dev/shm", "/tmp"];
const FILE: &str = "joust-users.lock";

/// A claimed block of user ids.
pub(crate) struct Users {
    /// First id, as the process that starts programs sees it.
    first: u32,
    count: u32,
    taken: Mutex<BTreeSet<u32>>,
    _claim: File,
}

/// A user id that no other seat of this process uses. Given back when dropped.
pub(crate) struct UserClaim {
    users: Arc<Users>,
    pub(crate) id: u32,
}

/// Claims the first of these ranges that has no holder and no process of its users; `none` is the
/// error if there is no such range.
fn claim_free(
    ranges: impl Iterator<Item = Range<u32>>,
    step: &str,
    none: &str,
) -> Result<(File, Range<u32>), SandboxError> {
    let running = running();
    let mut error = SandboxError::because(step, none);
    for range in ranges {
        if running.range(range.clone()).next().is_some() {
            continue;
        }
        match claim(&range) {
            Ok(file) => return Ok((file, range)),
            // Others have it; any other error is reported.
            Err(held) if held.kind() == io::ErrorKind::WouldBlock => {}
            Err(other) => error = SandboxError::io(step, &other),
        }
    }
    Err(error)
}

/// Locks the bytes of the file that stand for these users.
fn claim(users: &Range<u32>) -> io::Result<File> {
    let file = open_claims()?;
    let lock = libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: users.start.into(),
        l_len: (users.end - users.start).into(),
        l_pid: 0,
    };
    fcntl(&file, FcntlArg::F_OFD_SETLK(&lock))?;
    Ok(file)
}

fn open_claims() -> io::Result<File> {
    let mut last = io::Error::from_raw_os_error(libc::ENOENT);
    for folder in FOLDERS {
        let path = std::path::Path::new(folder).join(FILE);
        match File::options().write(true).create(true).truncate(false).open(path) {
            Ok(file) => return Ok(file),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The users that have processes now.
pub(crate) fn running() -> BTreeSet<u32> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|n| n.parse::<u32>().is_ok()))
        .filter_map(|entry| entry.metadata().ok().map(|metadata| metadata.uid()))
        .collect()
}

/// First id of a range that is mapped here.
fn range_start() -> u32 {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    if is_mapped(&map, PREFERRED) { PREFERRED } else { SMALL }
}

/// All blocks, claimed or not.
fn blocks() -> impl Iterator<Item = Range<u32>> {
    let start = range_start();
    (0..BLOCKS).map(move |block| start + block * BLOCK).map(|first| first..first + BLOCK)
}

fn is_mapped(map: &str, user: u32) -> bool {
    map.lines().any(|line| {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        let [first, _, count] = numbers[..] else { return false };
        let end = u64::from(user) + u64::from(BLOCKS * BLOCK);
        u64::from(user) >= first && end <= first + count
    })
}

impl Users {
    /// Claims a free block.
    pub(crate) fn claim_block() -> Result<Self, SandboxError> {
        let none = "other runs of Joust have all of them: wait until one has ended";
        let (claim, block) = claim_free(blocks(), "claim a range of user ids", none)?;
        Ok(Self { first: block.start, count: BLOCK, taken: Mutex::default(), _claim: claim })
    }

    /// Claims a free part of the subordinate users `of` and returns it too. Its first user has the
    /// id `first` inside.
    pub(crate) fn claim_part(
        of: &Range<u32>,
        first: u32,
    ) -> Result<(Self, Range<u32>), SandboxError> {
        let parts = of.clone().step_by(BLOCK as usize);
        let parts = parts.map(|start| start..of.end.min(start.saturating_add(BLOCK)));
        let step = "claim a range of subordinate ids";
        let (claim, part) = claim_free(parts, step, "all are in use")?;
        let count = part.end - part.start;
        Ok((Self { first, count, taken: Mutex::default(), _claim: claim }, part))
    }

    /// Takes a user id that no other seat of this process uses; its keeper's id comes with it.
    pub(crate) fn claim_user(self: &Arc<Self>) -> Result<UserClaim, SandboxError> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seats = (self.first..self.first + self.count.saturating_sub(1))
            .filter(|user| is_of_a_seat(*user));
        let free = seats.find(|user| !taken.contains(user));
        let user = free.ok_or_else(|| {
            SandboxError::because("take a user id", format!("all {} are in use", self.count / 2))
        })?;
        taken.insert(user);
        Ok(UserClaim { users: Arc::clone(self), id: user })
    }
}

impl Drop for UserClaim {
    fn drop(&mut self) {
        self.users.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

/// The ids of every block that no living process holds.
pub(crate) fn unclaimed() -> Vec<Range<u32>> {
    blocks().filter(|block| claim(block).is_ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::keeper_of;

    #[test]
    fn a_full_map_holds_the_preferred_range() {
        assert!(is_mapped("         0          0 4294967295\n", PREFERRED));
    }

    #[test]
    fn a_small_map_holds_only_the_small_range() {
        let map = "0 100000 65536\n";
        assert!(!is_mapped(map, PREFERRED));
        assert!(is_mapped(map, SMALL));
    }

    #[test]
    fn two_claims_get_different_users() {
        let [one, two] = [(); 2].map(|()| Arc::new(Users::claim_block().unwrap()));
        assert_ne!(one.claim_user().unwrap().id, two.claim_user().unwrap().id);
    }

    #[test]
    fn a_user_is_taken_once_until_it_is_given_back() {
        let users = Arc::new(Users::claim_block().unwrap());
        let first = users.claim_user().unwrap();
        let id = first.id;
        assert_ne!(users.claim_user().unwrap().id, id);
        drop(first);
        assert_eq!(users.claim_user().unwrap().id, id);
    }

    #[test]
    fn no_seat_has_the_user_of_a_helper() {
        let users = Arc::new(Users::claim_block().unwrap());
        let claims: Vec<UserClaim> = std::iter::from_fn(|| users.claim_user().ok()).collect();
        let taken: BTreeSet<u32> = claims.iter().map(|claim| claim.id).collect();
        assert_eq!(taken.len(), BLOCK as usize / 2);
        let keepers: BTreeSet<u32> = taken.iter().map(|user| keeper_of(*user)).collect();
        assert_eq!(keepers.len(), taken.len());
        assert!(keepers.is_disjoint(&taken));
        let block = users.first..users.first + BLOCK;
        assert!(keepers.iter().all(|keeper| block.contains(keeper)));
    }
}
