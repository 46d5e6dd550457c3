//! The tier that is chosen by default: a machine that supports everything must not silently lose
//! any of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use joust_sandbox::{Host, HostOptions, Tier};

/// Why seats cannot have everything here, found without the sandbox's own probe.
fn reason_against_everything() -> Option<String> {
    if !nix::unistd::geteuid().is_root() {
        return Some("this is an ordinary user".to_owned());
    }
    let name_spaces = ["--mount", "--pid", "--net", "--ipc", "--uts", "--cgroup", "--fork"];
    let mounts = ["--mount-proc", "mount", "-t", "tmpfs", "none", "/tmp"];
    match Command::new("unshare").args(name_spaces).args(mounts).output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Some(format!("name spaces are refused: {}", said.trim()));
        }
        Err(error) => return Some(format!("`unshare` cannot be started: {error}")),
    }
    ["memory", "pids"].into_iter().find_map(|controller| {
        let reason = make_group(controller).err()?;
        Some(format!("no group can limit `{controller}`: {reason}"))
    })
}

/// Makes a group, has a process enter it, and removes it; in the hierarchy of version 1 that has
/// the controller, or else at the top of version 2, where the controller is handed on first.
fn make_group(controller: &str) -> Result<(), String> {
    let parent = parent(controller)?;
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("`{path}`: {error}")
    };
    let handed_on = parent.join("cgroup.subtree_control");
    if handed_on.exists() {
        fs::write(&handed_on, format!("+{controller}")).map_err(failed(&handed_on))?;
    }
    let group = parent.join(format!("tier-test-{}-{controller}", std::process::id()));
    fs::create_dir(&group).map_err(failed(&group))?;
    let entered = enter(&group.join("cgroup.procs")).map_err(failed(&group));
    fs::remove_dir(&group).map_err(failed(&group))?;
    entered
}

/// Moves a process there, and ends it.
fn enter(members: &Path) -> std::io::Result<()> {
    let mut process = Command::new("sleep").arg("60").spawn()?;
    let entered = fs::write(members, process.id().to_string());
    process.kill()?;
    process.wait()?;
    entered
}

fn parent(controller: &str) -> Result<PathBuf, String> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let of_version_one = own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let has = fields.next()?.split(',').any(|name| name == controller);
        has.then(|| fields.next()).flatten()
    });
    let top = Path::new("/sys/fs/cgroup");
    if let Some(path) = of_version_one {
        return Ok(top.join(controller).join(path.trim_start_matches('/')));
    }
    let offered = fs::read_to_string(top.join("cgroup.controllers")).unwrap_or_default();
    match offered.split_whitespace().any(|name| name == controller) {
        true => Ok(top.to_owned()),
        false => Err("the kernel offers none".to_owned()),
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a machine that cannot have tier A is told why")]
fn root_with_control_groups_gets_everything_without_asking() {
    if let Some(reason) = reason_against_everything() {
        eprintln!("skipped: {reason}");
        return;
    }
    let launcher = Some(PathBuf::from(env!("CARGO_BIN_EXE_seat-launcher")));
    let host = Host::probe(&HostOptions { launcher, ..HostOptions::default() });
    let host = host.expect("this host runs seats");
    assert_eq!(host.tier(), Tier::A, "{:?}", host.features());
}
