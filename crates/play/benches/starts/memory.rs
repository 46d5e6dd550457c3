//! Memory of what stays in a seat between turns: the launcher and the server.

use std::fs;

/// Returns the memory of this process's launchers and of all that they have started, in kibibytes;
/// memory that several share is divided among them. Files do not count: others on the machine share
/// more or less of them from one moment to the next.
pub(crate) fn of_seats() -> u64 {
    descendants(std::process::id()).into_iter().map(in_memory).sum()
}

fn in_memory(process: u32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss_Anon:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn descendants(of: u32) -> Vec<u32> {
    let (mut found, mut to_see) = (Vec::new(), vec![of]);
    while let Some(process) = to_see.pop() {
        let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let list = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children = list.split_whitespace().filter_map(|child| child.parse::<u32>().ok());
            to_see.extend(children.clone());
            found.extend(children);
        }
    }
    found
}
