//! Seats with ordinary and with hostile programs, one claim per test.

#[path = "../common/mod.rs"]
mod common;
mod files;
mod kept;
mod limits;

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use common::spec;
use joust_sandbox::*;
use joust_testkit::time_scale::scaled;

fn host() -> &'static Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| Host::probe(&options()).expect("this host runs seats"))
}

fn options() -> HostOptions {
    HostOptions {
        launcher: Some(PathBuf::from(env!("CARGO_BIN_EXE_seat-launcher"))),
        tier: wanted_tier(),
        ..HostOptions::default()
    }
}

/// `JOUST_TIER` picks another tier than the best; some claims hold in tier A only.
fn wanted_tier() -> Option<Tier> {
    match std::env::var("JOUST_TIER").ok()?.as_str() {
        "A" => Some(Tier::A),
        "B" => Some(Tier::B),
        other => panic!("`JOUST_TIER` is A or B, not `{other}`"),
    }
}

fn limits() -> ProgramLimits {
    let second = scaled(Duration::from_secs(1));
    ProgramLimits { cpu: 5 * second, wall: 10 * second }
}

fn start(spec: &SeatSpec) -> Seat {
    Seat::start(host(), spec).expect("a seat can be made")
}

fn run(seat: &mut Seat, command: &[&str], limits: ProgramLimits) -> TurnReport {
    let command: Vec<OsString> = command.iter().map(OsString::from).collect();
    let turn =
        Turn { command: &command, folder: Path::new("/scratch"), put: &[], take: &[], limits };
    seat.turn(&turn).expect("the turn gives a report")
}

fn shell_in(seat: &mut Seat, script: &str) -> TurnReport {
    run(seat, &["/bin/sh", "-c", script], limits())
}

fn shell(script: &str) -> TurnReport {
    shell_in(&mut start(&spec()), script)
}

fn text(report: &TurnReport) -> String {
    String::from_utf8_lossy(&report.stdout).into_owned()
}

#[test]
fn output_and_status_are_reported() {
    let report = shell("echo out; echo err >&2; exit 3");
    assert_eq!(report.ending, Ending::Exited(3));
    assert_eq!(report.stdout, b"out\n");
    assert_eq!(report.stderr, b"err\n");
    assert_eq!(report.left_over_processes, 0);
    assert!(report.usage.wall > Duration::ZERO);
}

#[test]
fn a_signal_is_reported() {
    assert_eq!(shell("kill -USR1 $$").ending, Ending::Signalled(libc::SIGUSR1));
    assert_eq!(shell("kill -KILL $$").ending, Ending::Signalled(libc::SIGKILL));
}

#[test]
fn a_program_that_is_not_there_is_not_started() {
    let report = run(&mut start(&spec()), &["/usr/bin/no-such-program"], limits());
    assert_eq!(report.ending, Ending::NotStarted(libc::ENOENT));
}

#[test]
fn a_pipeline_ends_when_its_reader_has() {
    let report = shell("yes | head -n 1; while echo N; do :; done | head -n 1");
    assert_eq!((report.ending, text(&report)), (Ending::Exited(0), "y\nN\n".to_owned()));
    assert_eq!(report.left_over_processes, 0);
}

#[test]
fn a_daemon_is_dead_in_the_next_turn() {
    let mut seat = start(&spec());
    let report = shell_in(&mut seat, "setsid sh -c 'exec >&- 2>&-; sleep 100' & echo done");
    assert_eq!((report.ending, text(&report)), (Ending::Exited(0), "done\n".to_owned()));
    assert!(report.left_over_processes >= 1);
    assert_eq!(text(&shell_in(&mut seat, "echo /proc/[0-9]*")), "/proc/2\n");
}

#[test]
fn a_child_that_holds_the_output_open_delays_nothing() {
    let report = shell("sleep 100 & echo answer");
    assert_eq!((report.ending, text(&report)), (Ending::Exited(0), "answer\n".to_owned()));
    assert!(report.usage.wall < Duration::from_secs(5));
}

#[test]
fn shared_memory_objects_do_not_survive_a_turn() {
    let mut seat = start(&spec());
    // Without a group that limits memory there are no such objects, which use it.
    let not = if host().tier() == Tier::A { "" } else { "!" };
    let made =
        shell_in(&mut seat, &format!("{not} ipcmk -M 4096 && {not} ipcmk -Q && {not} ipcmk -S 1"));
    assert_eq!(made.ending, Ending::Exited(0), "{}", made.stderr.escape_ascii());
    let report = shell_in(&mut seat, "cat /proc/sysvipc/* | grep -vc key");
    assert_eq!(text(&report), "0\n");
}

#[test]
fn the_environment_is_exact() {
    let exact = SeatSpec { environment: vec![("A".into(), "b c=$d".into())], ..spec() };
    let report = run(&mut start(&exact), &["/usr/bin/env"], limits());
    assert_eq!(text(&report), "A=b c=$d\n");
}

#[test]
fn there_are_three_descriptors_and_no_terminal() {
    let report = shell("exec 2>&1; ls /proc/self/fd; tty; readlink /proc/self/fd/0");
    // `ls` itself has the folder open as 3.
    assert_eq!(text(&report), "0\n1\n2\n3\nnot a tty\n/dev/null\n");
}

#[test]
fn nothing_outside_the_scratch_can_be_written() {
    let script = "for f in /x /usr/x /etc/x /dev/x /proc/sys/kernel/hostname /proc/x /bin/sh; do \
                  (echo x > $f) 2>/dev/null && echo wrote $f; done; echo end";
    assert_eq!(text(&shell(script)), "end\n");
}

#[test]
fn only_the_own_processes_are_seen() {
    let report = shell(
        "cat /proc/1/environ /proc/1/cmdline 2>/dev/null; ls -d /proc/[0-9]*; hostname; id -G",
    );
    let text = text(&report);
    assert!(!text.contains("/proc/1\n"), "{text}");
    assert!(text.contains("joust\n"), "{text}");
}

#[test]
fn process_ids_tell_nothing_about_earlier_turns() {
    let mut seat = start(&spec());
    let first = text(&shell_in(&mut seat, "echo $$"));
    shell_in(&mut seat, "for i in 1 2 3 4 5; do /bin/true; done");
    assert_eq!(text(&shell_in(&mut seat, "echo $$")), first);
}

#[test]
fn there_are_no_privileges_and_none_to_get() {
    let report = shell("grep -E '^(Cap|NoNewPrivs|Seccomp:|Groups)' /proc/self/status");
    let zero = "0000000000000000";
    for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert!(text(&report).contains(&format!("{name}:\t{zero}\n")), "{}", text(&report));
    }
    assert!(text(&report).contains("NoNewPrivs:\t1\n"));
    assert!(text(&report).contains("Seccomp:\t2\n"));
}

#[test]
fn only_loopback_is_there() {
    assert_eq!(
        text(&shell(
            "cat /proc/net/route | wc -l; ls /sys 2>&1 | wc -l; awk '{print $6}' /proc/net/if_inet6"
        )),
        "1\n1\nlo\n"
    );
}

#[test]
fn an_argument_above_the_kernels_limit_is_our_error() {
    let command = ["/bin/true".into(), OsString::from("x".repeat(128 * 1024))];
    let turn =
        Turn { command: &command, folder: Path::new("/"), put: &[], take: &[], limits: limits() };
    let error = start(&spec()).turn(&turn).unwrap_err();
    assert!(matches!(&error, TurnError::Infrastructure(_)), "{error:?}");
    assert!(error.to_string().contains("argument 1 has 131072 bytes"), "{error}");
}

#[test]
fn a_long_argument_and_odd_characters_arrive_unchanged() {
    let odd = "a b\n'\"$(x);-\u{1b}";
    let long = "y".repeat(100_000);
    let report = run(&mut start(&spec()), &["/usr/bin/printf", "%s|%.3s", odd, &long], limits());
    assert_eq!(text(&report), format!("{odd}|yyy"));
}

#[test]
fn a_killed_launcher_is_the_seats_loss() {
    let mut seat = start(&spec());
    let report = shell_in(&mut seat, "kill -KILL -1; kill -KILL 1; kill -STOP 1; echo fine");
    assert!(matches!(report.ending, Ending::Exited(0) | Ending::Signalled(9)), "{report:?}");
    assert_eq!(shell_in(&mut seat, "echo still").ending, Ending::Exited(0));
}

#[test]
fn the_host_passes_its_own_test() {
    host().self_test().unwrap();
}

#[test]
fn groups_of_a_dead_maker_are_removed_and_those_of_a_living_one_stay() {
    let seat = start(&spec());
    let Some(parent) = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"].into_iter().find(|parent| {
        let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
        let ours = format!("joust-{}-", std::process::id());
        entries.map(|e| e.file_name()).any(|n| n.to_string_lossy().starts_with(&ours))
    }) else {
        // Nothing to leave over where groups are elsewhere or not used.
        assert!(host().tier() != Tier::A || host().remove_left_overs().processes == 0);
        return;
    };
    // No process was ever started at tick 1.
    let space = std::fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let left = Path::new(parent).join(format!("joust-{}-1-{space}-0", std::process::id()));
    std::fs::create_dir(&left).unwrap();
    assert!(host().remove_left_overs().groups >= 1);
    assert!(!left.exists());
    let mut seat = seat;
    assert_eq!(shell_in(&mut seat, "echo alive").ending, Ending::Exited(0));
}

/// The launcher of the program that was started with these words.
fn launcher_of(words: &[&str]) -> Option<i32> {
    let wanted: Vec<u8> = words.iter().flat_map(|word| [word.as_bytes(), b"\0"].concat()).collect();
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let found = processes
        .map(|entry| entry.path())
        .find(|path| std::fs::read(path.join("cmdline")).is_ok_and(|line| line == wanted))?;
    let status = std::fs::read_to_string(found.join("status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

#[test]
fn a_launcher_killed_from_outside_is_no_fault_of_its_program() {
    let words = ["/bin/sleep", "31.41"];
    let mut seat = start(&spec());
    let killer = std::thread::spawn(move || {
        for _ in 0..2000 {
            if let Some(launcher) = launcher_of(&words) {
                let launcher = nix::unistd::Pid::from_raw(launcher);
                return nix::sys::signal::kill(launcher, nix::sys::signal::Signal::SIGKILL).is_ok();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    });
    let command = words.map(OsString::from);
    let limits = ProgramLimits { wall: scaled(Duration::from_secs(8)), ..limits() };
    let turn = Turn { command: &command, folder: Path::new("/"), put: &[], take: &[], limits };
    let error = seat.turn(&turn).unwrap_err();
    assert!(killer.join().unwrap());
    assert!(error.to_string().contains("killed its launcher"), "{error}");
    assert!(matches!(error, TurnError::Infrastructure(_)), "{error:?}");
}
