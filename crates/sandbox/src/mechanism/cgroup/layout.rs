//! Layout of the control groups: where this process may make some, found by making one.
//!
//! Controllers are handed down from a group of version 2 to those below it. The kernel refuses that
//! while a process sits in the group itself. When this process is the only one there it moves into
//! a leaf, where it stays until it ends; beside others that would be in vain, so it stays where it
//! is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nix::errno::Errno;

use crate::error::{SandboxError, Step};
use crate::kernel_text;

/// The groups under which seats get theirs; `Err` says what was tried and failed.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) memory: Result<Parent, SandboxError>,
    pub(crate) processes: Result<Parent, SandboxError>,
    pub(crate) cpu: Result<Parent, SandboxError>,
    pub(crate) stall: Result<Parent, SandboxError>,
}

/// A group in which others can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parent {
    pub(crate) path: PathBuf,
    pub(crate) version: Version,
}

/// Version of a hierarchy's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// One hierarchy per controller.
    One,
    /// One hierarchy for all.
    Two,
}

/// One mounted hierarchy.
#[derive(Debug, PartialEq, Eq)]
struct Hierarchy {
    mounted_at: PathBuf,
    /// Group of the hierarchy that is at the mount point.
    root: String,
    version: Version,
    controllers: Vec<String>,
}

impl Layout {
    /// Finds out, making and removing groups on the way.
    pub(crate) fn find() -> Self {
        let mounts = kernel_text::read("/proc/self/mountinfo").unwrap_or_default();
        let own = kernel_text::read("/proc/self/cgroup").unwrap_or_default();
        let hierarchies = hierarchies(&mounts);
        let unified = hierarchies
            .iter()
            .find(|hierarchy| hierarchy.version == Version::Two)
            .map(|hierarchy| unified_parent(hierarchy, &own));
        let find = |controller: &str| match version_one(&hierarchies, controller) {
            Some(hierarchy) => usable(hierarchy.own_group(&own), Version::One),
            None => match &unified {
                Some(Ok((parent, enabled))) if enabled.iter().any(|name| name == controller) => {
                    Ok(parent.clone())
                }
                Some(Ok(_)) => Err(missing(controller)),
                Some(Err(error)) => Err(error.clone()),
                None => Err(missing(controller)),
            },
        };
        let (memory, processes) = (find("memory"), find("pids"));
        let plain = match unified {
            Some(Ok((parent, _))) => Ok(parent),
            Some(Err(error)) => Err(error),
            None => Err(missing("cgroup2")),
        };
        let cpu = match version_one(&hierarchies, "cpuacct") {
            Some(hierarchy) => usable(hierarchy.own_group(&own), Version::One),
            None => plain.clone(),
        };
        Self { memory, processes, cpu, stall: plain }
    }

    /// Every parent there is, each once.
    pub(crate) fn parents(&self) -> Vec<&Parent> {
        let mut parents: Vec<&Parent> = Vec::new();
        for parent in [&self.memory, &self.processes, &self.cpu, &self.stall].into_iter().flatten()
        {
            if !parents.contains(&parent) {
                parents.push(parent);
            }
        }
        parents
    }
}

/// The group whose memory this process uses, and those around it that can be seen.
pub(crate) fn memory_groups() -> Vec<PathBuf> {
    let mounts = kernel_text::read("/proc/self/mountinfo").unwrap_or_default();
    let own = kernel_text::read("/proc/self/cgroup").unwrap_or_default();
    let hierarchies = hierarchies(&mounts);
    let unified = || hierarchies.iter().find(|hierarchy| hierarchy.version == Version::Two);
    let Some(hierarchy) = version_one(&hierarchies, "memory").or_else(unified) else {
        return Vec::new();
    };
    let group = hierarchy.own_group(&own);
    let inside = |path: &&std::path::Path| path.starts_with(&hierarchy.mounted_at);
    group.ancestors().take_while(inside).map(PathBuf::from).collect()
}

fn missing(controller: &str) -> SandboxError {
    SandboxError::because("find a control group hierarchy", format!("none offers `{controller}`"))
}

fn version_one<'a>(hierarchies: &'a [Hierarchy], controller: &str) -> Option<&'a Hierarchy> {
    hierarchies.iter().find(|hierarchy| {
        hierarchy.version == Version::One && hierarchy.controllers.iter().any(|c| c == controller)
    })
}

fn hierarchies(mounts: &str) -> Vec<Hierarchy> {
    mounts.lines().filter_map(hierarchy).collect()
}

/// Reads one line of the mount table.
fn hierarchy(line: &str) -> Option<Hierarchy> {
    let (left, right) = line.split_once(" - ")?;
    let left: Vec<&str> = left.split(' ').collect();
    let right: Vec<&str> = right.split(' ').collect();
    let version = match *right.first()? {
        "cgroup" => Version::One,
        "cgroup2" => Version::Two,
        _ => return None,
    };
    let controllers = right.last()?.split(',').map(str::to_owned).collect();
    let (root, mounted_at) = ((*left.get(3)?).to_owned(), PathBuf::from(*left.get(4)?));
    Some(Hierarchy { mounted_at, root, version, controllers })
}

impl Hierarchy {
    /// The group this process is in, as a path below the mount point.
    fn own_group(&self, own: &str) -> PathBuf {
        let path = own.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
            let ours = match self.version {
                Version::Two => controllers.is_empty(),
                Version::One => {
                    controllers.split(',').any(|c| self.controllers.iter().any(|o| o == c))
                }
            };
            ours.then_some(path)
        });
        let below = path.and_then(|path| path.strip_prefix(self.root.trim_end_matches('/')));
        self.mounted_at.join(below.unwrap_or("").trim_start_matches('/'))
    }
}

/// Makes and removes a group to see whether that works.
fn usable(path: PathBuf, version: Version) -> Result<Parent, SandboxError> {
    let trial = path.join(format!("{}trial", super::own_prefix()));
    let step = format!("make a control group in `{}`", path.display());
    match fs::create_dir(&trial) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(SandboxError::io(step, &error));
        }
        _ => {}
    }
    let writable = fs::OpenOptions::new().write(true).open(trial.join("cgroup.procs"));
    let removed = fs::remove_dir(&trial);
    writable.map_err(|error| SandboxError::io(step.clone(), &error))?;
    removed.map_err(|error| SandboxError::io(step, &error))?;
    Ok(Parent { path, version })
}

/// The parent in the unified hierarchy with the controllers its groups get:
/// the own group if its controllers can be handed down, else the top one.
fn unified_parent(hierarchy: &Hierarchy, own: &str) -> Result<(Parent, Vec<String>), SandboxError> {
    let ours = hierarchy.own_group(own);
    let top = hierarchy.mounted_at.clone();
    let here = usable(ours.clone(), Version::Two).map(|parent| {
        let enabled = hand_down(&ours).unwrap_or_default();
        (parent, enabled)
    });
    match here {
        Ok((parent, enabled)) if has_needed(&enabled) || ours == top => Ok((parent, enabled)),
        here => {
            let enabled = hand_down(&top).unwrap_or_default();
            if !has_needed(&enabled) {
                return here;
            }
            usable(top, Version::Two).map(|parent| (parent, enabled)).or(here)
        }
    }
}

fn has_needed(enabled: &[String]) -> bool {
    ["memory", "pids"].iter().all(|needed| enabled.iter().any(|name| name == needed))
}

/// Controllers that seats need, the most important first.
const WANTED: [&str; 3] = ["memory", "pids", "cpu"];

/// Hands down what it can; gives all that groups below get.
fn hand_down(group: &Path) -> Result<Vec<String>, SandboxError> {
    let offered = words(&group.join("cgroup.controllers")).unwrap_or_default();
    let wanted: Vec<&str> =
        WANTED.into_iter().filter(|name| offered.iter().any(|offered| offered == name)).collect();
    if enable(group, &wanted) == Err(Errno::EBUSY) && is_alone_in(group) {
        let leaf = group.join(format!("{}self", super::own_prefix()));
        if move_to(&leaf).is_ok() && enable(group, &wanted) == Err(Errno::EBUSY) {
            // Somebody came in meanwhile.
            leave(&leaf, group);
        }
    }
    words(&group.join("cgroup.subtree_control")).step("read the enabled controllers")
}

fn words(path: &Path) -> io::Result<Vec<String>> {
    let text = fs::read_to_string(path)?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// Enables each; fails as the first that failed.
fn enable(group: &Path, wanted: &[&str]) -> Result<(), Errno> {
    let control = group.join("cgroup.subtree_control");
    let results = wanted.iter().map(|name| fs::write(&control, format!("+{name}")));
    let mut failed = results.filter_map(Result::err).collect::<Vec<_>>().into_iter();
    match failed.next() {
        None => Ok(()),
        Some(error) => Err(error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)),
    }
}

/// Returns whether no other process is in the group. One that cannot be seen from here shows as 0.
fn is_alone_in(group: &Path) -> bool {
    let own = std::process::id().to_string();
    words(&group.join("cgroup.procs")).is_ok_and(|processes| processes == [own])
}

fn move_to(leaf: &Path) -> io::Result<()> {
    match fs::create_dir(leaf) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    fs::write(leaf.join("cgroup.procs"), "0").inspect_err(|_| {
        let _ = fs::remove_dir(leaf);
    })
}

fn leave(leaf: &Path, group: &Path) {
    if fs::write(group.join("cgroup.procs"), "0").is_ok() {
        let _ = fs::remove_dir(leaf);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_line_of_version_one_names_its_controllers() {
        let line = "41 37 0:31 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory";
        let found = hierarchy(line).unwrap();
        assert_eq!(found.version, Version::One);
        assert!(found.controllers.iter().any(|name| name == "memory"));
    }

    #[test]
    fn the_own_group_is_found_below_the_mounts_root() {
        let hierarchy = Hierarchy {
            mounted_at: PathBuf::from("/sys/fs/cgroup"),
            root: "/docker/abc".to_owned(),
            version: Version::Two,
            controllers: Vec::new(),
        };
        let own = "1:name=systemd:/x\n0::/docker/abc/inner\n";
        assert_eq!(hierarchy.own_group(own), PathBuf::from("/sys/fs/cgroup/inner"));
    }

    #[test]
    fn other_mounts_are_no_hierarchies() {
        assert_eq!(hierarchy("22 1 0:20 / /proc rw - proc proc rw"), None);
        assert_eq!(hierarchy("nonsense"), None);
    }

    /// A folder that looks like a group, in which nothing refuses to be written.
    fn group(controllers: &str, processes: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cgroup.controllers"), controllers).unwrap();
        fs::write(folder.path().join("cgroup.procs"), processes).unwrap();
        fs::write(folder.path().join("cgroup.subtree_control"), "").unwrap();
        folder
    }

    #[test]
    fn only_what_is_offered_and_wanted_is_handed_down() {
        let group = group("cpuset io pids rdma\n", "");
        assert_eq!(hand_down(group.path()).unwrap(), ["+pids"]);
    }

    #[test]
    fn beside_others_a_process_is_not_alone() {
        let own = std::process::id();
        assert!(is_alone_in(group("", &format!("{own}\n")).path()));
        assert!(!is_alone_in(group("", &format!("1\n{own}\n")).path()));
        assert!(!is_alone_in(group("", &format!("0\n{own}\n")).path()));
        assert!(!is_alone_in(group("", "").path()));
    }

    #[test]
    fn what_is_no_group_hands_nothing_down() {
        assert!(hand_down(tempfile::tempdir().unwrap().path()).is_err());
    }
}
