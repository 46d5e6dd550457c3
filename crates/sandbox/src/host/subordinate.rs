//! Subordinate ids: users of the host that an ordinary user may give to programs.
//!
//! The kernel counts some resources per user of the host (descriptors in messages, pages in pipes,
//! watches of epoll, keys), so each subordinate id has a count of its own. `/etc/subuid` and
//! `/etc/subgid` list the owners of the ids, and two programs of the system map the ids into a user
//! name space. One such name space, with a part of the ids, serves all seats: launchers enter it as
//! its superuser, which is the caller, and every seat takes an id of its own for its programs.

use std::fs::File;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::process::{Command, Stdio};

use nix::sched::CloneFlags;
use nix::unistd::{User, getegid, geteuid, getuid};

use crate::error::{SandboxError, Step};
use crate::link::Link;
use crate::machine::{LauncherProcess, start_launcher};
use crate::mechanism::users::Users;
use crate::sys::LauncherStart;

/// First subordinate id as seen in the name space; 0 is the caller.
const FIRST_INSIDE: u32 = 1;
/// Smallest usable range of ids: fewer are not enough for the seats of a tournament.
const FEWEST: u32 = 64;
/// Folders of the programs that map ids, whatever PATH Joust is started with.
const FOLDERS: [&str; 2] = ["/usr/bin", "/bin"];

/// The user name space of all seats, and the ids in it.
pub(super) struct Subordinate {
    pub(super) name_space: File,
    pub(super) users: Users,
}

/// Makes the name space; the process used to make it has ended when this returns.
pub(super) fn make(launcher: BorrowedFd<'_>) -> Result<Subordinate, SandboxError> {
    let programs = ["newuidmap", "newgidmap"].map(find);
    let [Some(map_users), Some(map_groups)] = programs else {
        let step = "find `newuidmap` and `newgidmap`";
        return Err(SandboxError::because(step, "they are not installed")
            .with_hint("sudo apt install uidmap"));
    };
    let (all_users, all_groups) = (range("/etc/subuid")?, range("/etc/subgid")?);
    let common = all_users.len().min(all_groups.len());
    let common = u32::try_from(common).unwrap_or(u32::MAX);
    let claimable = all_users.start..all_users.start.saturating_add(common);
    let (users, part) = Users::claim_part(&claimable, FIRST_INSIDE)?;
    let first_group = all_groups.start + (part.start - all_users.start);
    let groups = first_group..first_group + (part.end - part.start);
    let holder = Holder::start(launcher)?;
    holder.map(&map_users, geteuid().as_raw(), &part)?;
    holder.map(&map_groups, getegid().as_raw(), &groups)?;
    let path = format!("/proc/{}/ns/user", holder.process.id);
    let name_space = File::open(path).step("open the user name space of the seats")?;
    Ok(Subordinate { name_space, users })
}

fn find(program: &str) -> Option<String> {
    let mut places = FOLDERS.iter().map(|folder| format!("{folder}/{program}"));
    places.find(|place| std::fs::metadata(place).is_ok_and(|found| found.is_file()))
}

/// Returns the largest range that a file gives to the user of this process.
fn range(path: &str) -> Result<Range<u32>, SandboxError> {
    let name = User::from_uid(getuid()).ok().flatten().map(|user| user.name);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let own = ranges_of(&text, name.as_deref(), getuid().as_raw());
    let largest = own.into_iter().max_by_key(|range| range.end - range.start);
    largest.filter(|range| range.end - range.start >= FEWEST).ok_or_else(|| {
        let who = name.unwrap_or_else(|| getuid().to_string());
        SandboxError::because(
            format!("find subordinate ids in `{path}`"),
            format!("none are given to `{who}`"),
        )
        .with_hint(format!(
            "sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 {who}"
        ))
    })
}

/// Reads lines with an owner's name or number, a first id and a number of ids.
fn ranges_of(text: &str, name: Option<&str>, user: u32) -> Vec<Range<u32>> {
    let number = user.to_string();
    let range = |line: &str| {
        let mut fields = line.trim().split(':');
        let owner = fields.next()?;
        let (first, count) = (fields.next()?.parse::<u32>().ok()?, fields.next()?.parse().ok()?);
        let is_own = Some(owner) == name || owner == number;
        // 0 is the host's superuser in any file.
        (is_own && first > 0).then_some(first..first.checked_add(count)?)
    };
    text.lines().filter_map(range).collect()
}

/// A process that keeps the new name space alive while it needs one.
struct Holder {
    process: LauncherProcess,
    _socket: Link,
}

impl Holder {
    /// Starts a launcher that never gets a request.
    fn start(launcher: BorrowedFd<'_>) -> Result<Self, SandboxError> {
        let (ours, theirs) = Link::pair().step("make the launcher's socket")?;
        let name_spaces = CloneFlags::CLONE_NEWUSER.bits();
        let socket = theirs.socket();
        let start = LauncherStart { socket, name_spaces, maps: None, users: None };
        Ok(Self { process: start_launcher(launcher, &start)?, _socket: ours })
    }

    /// Maps 0 to the caller's own id, and the ids after it to `ids`.
    fn map(&self, program: &str, own: u32, ids: &Range<u32>) -> Result<(), SandboxError> {
        let step = format!("run `{program}`");
        let numbers = [
            self.process.id.unsigned_abs(),
            0,
            own,
            1,
            FIRST_INSIDE,
            ids.start,
            ids.end - ids.start,
        ];
        let output = Command::new(program)
            .args(numbers.map(|number| number.to_string()))
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::null())
            .output()
            .step(&step)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(SandboxError::because(step, format!("{} ({})", said.trim(), output.status)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_the_name_or_the_number() {
        let text = "ann:100000:65536\nbob:165536:65536\n1001:300000:10\nannie:1:2\n";
        assert_eq!(ranges_of(text, Some("ann"), 1001), [100_000..165_536, 300_000..300_010]);
        assert_eq!(ranges_of(text, None, 7), []);
    }

    #[test]
    fn lines_that_make_no_sense_are_passed_over() {
        let text = "ann\nann:x:1\nann:5\nann:4294967295:9\nann:0:70000\n\n";
        assert_eq!(ranges_of(text, Some("ann"), 1), []);
    }
}
