//! Conditions that must hold after every turn and every bout, seen from outside: C1 to C7
//! of the catalogue of hostile bots.
//!
//! Everything a program of the suite makes carries the name of its run, and
//! every process started for it has that name in its environment; so what it
//! left is known from what others on the machine do at the same time.

mod files;
mod process;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use files::Fingerprint;

/// Allowed growth of the observer's resident memory.
const GROWTH_BYTES: u64 = 16 << 20;

/// Subject of the observation.
#[derive(Clone, Debug)]
pub struct StateWatch {
    /// The name of the run.
    pub run: String,
    /// Folders in which nothing may change.
    pub folders: Vec<PathBuf>,
    /// The process that runs programs, and whose own state must stay the same.
    pub observer: u32,
    /// Other users of the observer's network and System V objects.
    pub surroundings: Surroundings,
}

/// Other users of the observer's network and System V objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// Nobody: every new one is a bot's.
    Private,
    /// Others do: only those with the name of the run are a bot's.
    Shared,
}

/// State of the machine at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanState {
    processes: BTreeSet<String>,
    files: BTreeMap<PathBuf, Fingerprint>,
    own_files: BTreeMap<PathBuf, Fingerprint>,
    groups: BTreeSet<PathBuf>,
    mounts: Vec<String>,
    objects: Vec<String>,
    sockets: BTreeSet<String>,
    descriptors: usize,
    resident_bytes: u64,
}

/// The observer's own things that are compared as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnState {
    /// Its children, groups and descriptors too: no seat is open.
    Compared,
    /// Only what bots leave: a seat is open before or after.
    Ignored,
}

impl StateWatch {
    /// Records the state of everything once.
    pub fn look(&self) -> CleanState {
        CleanState {
            processes: process::of_run(&self.run, self.observer),
            files: files::listing(&self.folders, &self.run),
            own_files: files::trees(&scratches(self.observer)),
            groups: groups(self.observer),
            mounts: read_lines(&self.own("mountinfo")),
            objects: objects(&self.run, self.surroundings),
            sockets: sockets(&self.run, self.surroundings),
            descriptors: fs::read_dir(self.own("fd")).map_or(0, Iterator::count),
            resident_bytes: process::resident_bytes(self.observer),
        }
    }

    /// Polls until the state is `before` again, or `patience` has passed; returns
    /// every difference that is left.
    pub fn differences_within(
        &self,
        before: &CleanState,
        own: OwnState,
        patience: Duration,
    ) -> Vec<String> {
        let end = Instant::now() + patience;
        loop {
            let left = differences(before, &self.look(), own);
            if left.is_empty() || Instant::now() >= end {
                return left;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn own(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.observer))
    }
}

/// Returns what differs, each difference with the id of what it breaks.
pub fn differences(before: &CleanState, after: &CleanState, own: OwnState) -> Vec<String> {
    let mut wrong = Vec::new();
    let bots = |all: &BTreeSet<String>| -> BTreeSet<String> {
        all.iter()
            .filter(|line| own == OwnState::Compared || !line.starts_with("child "))
            .cloned()
            .collect()
    };
    added("C1 process", &bots(&before.processes), &bots(&after.processes), &mut wrong);
    files::compare(&before.files, &after.files, &mut wrong);
    if before.mounts != after.mounts {
        wrong.push("C4 mounts differ".to_owned());
    }
    added("C5 object", &set(&before.objects), &set(&after.objects), &mut wrong);
    added("C6 socket", &before.sockets, &after.sockets, &mut wrong);
    if own == OwnState::Compared {
        let text = |paths: &BTreeSet<PathBuf>| {
            paths.iter().map(|path| path.display().to_string()).collect()
        };
        added("C3 group", &text(&before.groups), &text(&after.groups), &mut wrong);
        compare_observer(before, after, &mut wrong);
    }
    wrong
}

fn compare_observer(before: &CleanState, after: &CleanState, wrong: &mut Vec<String>) {
    files::compare_names(&before.own_files, &after.own_files, wrong);
    if before.descriptors != after.descriptors {
        wrong.push(format!("C7 {} descriptors, {} before", after.descriptors, before.descriptors));
    }
    if after.resident_bytes > before.resident_bytes + GROWTH_BYTES {
        wrong.push(format!(
            "C7 {} bytes resident, {} before",
            after.resident_bytes, before.resident_bytes
        ));
    }
}

fn set(lines: &[String]) -> BTreeSet<String> {
    lines.iter().cloned().collect()
}

fn added(what: &str, before: &BTreeSet<String>, after: &BTreeSet<String>, wrong: &mut Vec<String>) {
    wrong.extend(after.difference(before).map(|line| format!("{what} `{line}`")));
}

fn read_lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Scratches named after the observer, wherever they may be.
fn scratches(observer: u32) -> Vec<PathBuf> {
    let prefix = format!("joust-{observer}-");
    let own = |folder: &Path| -> Vec<PathBuf> {
        let names = files::names(folder).into_iter();
        names.filter(|name| name.starts_with(&prefix)).map(|name| folder.join(name)).collect()
    };
    let mut folders = vec![std::env::temp_dir(), "/dev/shm".into(), "/tmp".into()];
    folders.dedup();
    folders.iter().flat_map(|folder| own(folder)).collect()
}

/// Groups named after the observer, in every hierarchy.
fn groups(observer: u32) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let needle = format!("joust-{observer}-");
    find_groups(Path::new("/sys/fs/cgroup"), &needle, 8, &mut found);
    found
}

fn find_groups(folder: &Path, needle: &str, depth: usize, found: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
    {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with(needle) {
            found.insert(path.clone());
        }
        if depth > 0 {
            find_groups(&path, needle, depth - 1, found);
        }
    }
}

/// System V objects of the observer's name space, and queues, shared memory
/// and keys with the name of the run.
fn objects(run: &str, surroundings: Surroundings) -> Vec<String> {
    let mut found = Vec::new();
    let kinds =
        if surroundings == Surroundings::Private { &["shm", "sem", "msg"][..] } else { &[] };
    for kind in kinds {
        let table = read_lines(Path::new(&format!("/proc/sysvipc/{kind}")));
        found.extend(table.iter().skip(1).map(|line| format!("{kind} {}", identity(line))));
    }
    for folder in ["/dev/shm", "/dev/mqueue"] {
        for name in files::names(Path::new(folder)) {
            if name.contains(run) {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found.extend(read_lines(Path::new("/proc/keys")).into_iter().filter(|line| line.contains(run)));
    found.sort();
    found
}

/// Key and number of an object; the rest of its line changes with use.
fn identity(line: &str) -> String {
    line.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

/// Returns listening and bound sockets of the observer's network name space: all internet
/// sockets, and the unix sockets with the run's name.
fn sockets(run: &str, surroundings: Surroundings) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in read_lines(&net("unix")).iter().filter(|line| line.contains(run)) {
        found.insert(line.split_whitespace().last().unwrap_or_default().to_owned());
    }
    if surroundings == Surroundings::Shared {
        return found;
    }
    let counts: Vec<String> =
        ["sockstat", "sockstat6"].iter().flat_map(|file| read_lines(&net(file))).collect();
    for table in ["tcp", "tcp6", "udp", "udp6", "raw", "packet"] {
        if has_none(&counts, table) {
            continue;
        }
        for line in read_lines(&net(table)).iter().skip(1) {
            if let Some(socket) = listening(table, line) {
                found.insert(socket);
            }
        }
    }
    found
}

fn net(file: &str) -> PathBuf {
    Path::new("/proc/net").join(file)
}

/// Returns whether the kernel counts no socket of a table. For the table itself it looks through
/// the places of all connections of the machine, which takes milliseconds.
fn has_none(counts: &[String], table: &str) -> bool {
    let name = format!("{}: inuse 0", table.to_uppercase());
    counts.iter().any(|line| *line == name || line.starts_with(&format!("{name} ")))
}

/// A socket that others could reach; connections come and go.
fn listening(table: &str, line: &str) -> Option<String> {
    let fields: Vec<_> = line.split_whitespace().collect();
    let listens = !table.starts_with("tcp") || fields.get(3) == Some(&"0A");
    listens.then(|| format!("{table} {}", fields.get(1).unwrap_or(&"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(folder: &Path, run: &str) -> StateWatch {
        StateWatch {
            run: run.to_owned(),
            folders: vec![folder.to_owned()],
            observer: std::process::id(),
            surroundings: Surroundings::Shared,
        }
    }

    #[test]
    fn a_new_and_a_changed_file_are_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("kept"), "one").expect("written");
        let watch = watch(folder.path(), "joust-hostile-files");
        let before = watch.look();
        assert_eq!(differences(&before, &watch.look(), OwnState::Ignored), Vec::<String>::new());
        std::fs::write(folder.path().join("kept"), "two").expect("written");
        std::fs::write(folder.path().join("new"), "").expect("written");
        let wrong = differences(&before, &watch.look(), OwnState::Ignored).join("\n");
        assert!(wrong.contains("C2 changed file") && wrong.contains("/kept`"), "{wrong}");
        assert!(wrong.contains("C2 new file") && wrong.contains("/new`"), "{wrong}");
    }

    #[test]
    fn a_table_is_read_unless_its_sockets_are_counted_and_there_is_none() {
        let counts = ["TCP: inuse 10 orphan 0", "UDP: inuse 0", "TCP6: inuse 0", "RAW: inuse 0 x"];
        let counts = counts.map(str::to_owned);
        for (table, expected) in
            [("tcp", false), ("udp", true), ("tcp6", true), ("raw", true), ("packet", false)]
        {
            assert_eq!(has_none(&counts, table), expected, "{table}");
        }
        assert!(!has_none(&[], "tcp"));
    }

    #[test]
    fn a_process_of_the_run_is_seen_as_long_as_it_lives() {
        let folder = tempfile::tempdir().expect("a folder");
        let watch = watch(folder.path(), "joust-hostile-unit");
        let before = watch.look();
        let mut child = std::process::Command::new("sleep")
            .arg("20")
            .env("RUN", "joust-hostile-unit")
            .spawn()
            .expect("started");
        let mut wrong = Vec::new();
        while wrong.is_empty() {
            wrong = differences(&before, &watch.look(), OwnState::Ignored);
        }
        assert!(wrong.iter().all(|line| line.starts_with("C1 process")), "{wrong:?}");
        child.kill().expect("killed");
        child.wait().expect("reaped");
        assert_eq!(differences(&before, &watch.look(), OwnState::Ignored), Vec::<String>::new());
    }
}
