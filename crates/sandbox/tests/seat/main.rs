//! Seats with ordinary and with hostile programs, one claim per test.

mod kept;

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

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

fn spec() -> SeatSpec {
    SeatSpec {
        folders: Vec::new(),
        hidden: Vec::new(),
        written: None,
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        scratch: PathBuf::from("/scratch"),
        scratch_use: ScratchUse::FreshEachTurn,
        limits: SeatLimits {
            memory: Bytes::from_mib(64),
            processes: 32,
            descriptors: 64,
            disk: Bytes::from_mib(4),
            files: 256,
            stdout: Bytes::from_kib(64),
            stderr: Bytes::from_kib(8),
            stderr_hard: Bytes::from_mib(2),
        },
        network: Network::None,
        children: Children::Allowed,
        cores: Vec::new(),
        host_sockets: HostSockets::default(),
        warm: None,
    }
}

fn limits() -> TurnLimits {
    let second = scaled(Duration::from_secs(1));
    TurnLimits { cpu: 5 * second, turn: 10 * second, kill: 10 * second, linger: false }
}

fn start(spec: &SeatSpec) -> Seat {
    Seat::start(host(), spec).expect("a seat can be made")
}

fn run(seat: &mut Seat, command: &[&str], limits: TurnLimits) -> TurnReport {
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
fn with_the_network_of_the_host_files_move_between_folders() {
    let open = SeatSpec { network: Network::Host, ..spec() };
    let script =
        "mkdir a b && echo text > a/file && ln a/file b/linked && mv a/file b/moved && ls b";
    let report = shell_in(&mut start(&open), script);
    assert_eq!((text(&report).as_str(), report.stderr.as_slice()), ("linked\nmoved\n", &b""[..]));
}

/// A seat whose programs may write to `/bot`, a folder with a program and a file below.
fn written(scratch_use: ScratchUse) -> (tempfile::TempDir, SeatSpec) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(folder.path().join("d")).unwrap();
    for name in ["main", "d/file"] {
        std::fs::write(folder.path().join(name), "text\n").unwrap();
    }
    let inside = PathBuf::from("/bot");
    let folders = vec![Folder { host: folder.path().to_owned(), inside: inside.clone() }];
    let spec = SeatSpec { folders, written: Some(inside), scratch_use, ..spec() };
    (folder, spec)
}

const WRITES: &str = "cd /bot; ls -A . d; cat main; echo log > log; echo more >> main; rm d/file; \
    mkdir d/new; touch -d @1 .; chmod 700 .; echo written";
const FIRST: &str = ".:\nd\nmain\n\nd:\nfile\ntext\nwritten\n";

#[test]
fn a_program_writes_beside_itself_and_the_next_turn_sees_nothing_of_it() {
    let (folder, spec) = written(ScratchUse::FreshEachTurn);
    let mut seat = start(&spec);
    for _ in 0..3 {
        let report = shell_in(&mut seat, WRITES);
        assert_eq!((text(&report).as_str(), report.stderr.as_slice()), (FIRST, &b""[..]));
    }
    // The smallest change is one.
    shell_in(&mut seat, "chmod 700 /bot");
    assert_eq!(text(&shell_in(&mut seat, "stat -c %a /bot")), "755\n");
    let names = std::fs::read_dir(folder.path()).unwrap().count();
    let main = std::fs::read_to_string(folder.path().join("main")).unwrap();
    assert_eq!((names, main.as_str()), (2, "text\n"));
}

#[test]
fn what_is_written_to_a_kept_scratch_stays_and_counts_as_scratch() {
    let (_folder, spec) = written(ScratchUse::KeptForSeat);
    let mut seat = start(&spec);
    assert_eq!(text(&shell_in(&mut seat, WRITES)), FIRST);
    assert_eq!(text(&shell_in(&mut seat, "cat /bot/main /bot/log")), "text\nmore\nlog\n");
    let full = shell_in(&mut seat, "head -c 9000000 /dev/zero > /bot/large");
    assert!(full.usage.limits_hit.contains(LimitHit::Disk), "{full:?}");
}

#[test]
fn who_writes_nothing_keeps_its_seat() {
    let (_folder, spec) = written(ScratchUse::FreshEachTurn);
    let mut seat = start(&spec);
    let made = "stat -c %z /bot/d";
    let first = text(&shell_in(&mut seat, made));
    assert_eq!(text(&shell_in(&mut seat, made)), first);
    shell_in(&mut seat, "echo log > /bot/log");
    assert_ne!(text(&shell_in(&mut seat, made)), first);
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
fn a_sleeper_meets_the_wall_limit() {
    let limit = Duration::from_millis(80);
    let limits = TurnLimits { turn: limit, kill: limit, ..limits() };
    let report = run(&mut start(&spec()), &["/bin/sleep", "100"], limits);
    assert_eq!(report.ending, Ending::WallLimit);
    assert!(report.usage.limits_hit.contains(LimitHit::Wall));
    assert!(report.usage.wall >= limit);
}

#[test]
fn output_does_not_move_the_deadline() {
    let limit = scaled(Duration::from_millis(120));
    let limits = TurnLimits { turn: limit, kill: limit, ..limits() };
    let script = "while :; do echo x; sleep 0.01; done";
    let report = run(&mut start(&spec()), &["/bin/sh", "-c", script], limits);
    assert_eq!(report.ending, Ending::WallLimit);
    assert!(!report.stdout.is_empty());
}

#[test]
fn lingering_shows_how_long_it_would_have_taken() {
    let limits = TurnLimits { turn: Duration::from_millis(20), linger: true, ..limits() };
    let report = run(&mut start(&spec()), &["/bin/sleep", "0.2"], limits);
    assert_eq!(report.ending, Ending::WallLimit);
    assert!(report.usage.wall >= Duration::from_millis(200));
}

#[test]
fn a_busy_loop_meets_the_cpu_limit() {
    let limit = scaled(Duration::from_millis(100));
    let limits = TurnLimits { cpu: limit, ..limits() };
    let report = run(&mut start(&spec()), &["/bin/sh", "-c", "while :; do :; done"], limits);
    assert_eq!(report.ending, Ending::CpuLimit);
    assert!(report.usage.cpu >= limit && report.usage.cpu < 2 * limit, "{:?}", report.usage.cpu);
}

#[test]
fn orphans_that_burn_count() {
    let limits = TurnLimits { cpu: Duration::from_millis(100), ..limits() };
    let script = "(sh -c 'while :; do :; done' &) ; sleep 9";
    let report = run(&mut start(&spec()), &["/bin/sh", "-c", script], limits);
    assert_eq!(report.ending, Ending::CpuLimit);
}

#[test]
fn a_heap_bomb_meets_the_memory_limit() {
    let script = "x=0123456789abcdef; while :; do x=$x$x; done";
    let report = shell(script);
    assert_eq!(report.ending, Ending::MemoryLimit);
    assert!(report.usage.limits_hit.contains(LimitHit::Memory));
    // Tier B samples.
    let most = if host().tier() == Tier::A { 68 } else { 64 * 6 / 5 };
    assert!(report.usage.peak_memory <= Bytes::from_mib(most), "{}", report.usage.peak_memory);
}

#[test]
fn memory_comes_back_after_a_memory_limit() {
    let mut seat = start(&spec());
    shell_in(&mut seat, "x=0123456789abcdef; while :; do x=$x$x; done");
    let after = shell_in(&mut seat, "echo fine");
    assert_eq!(after.ending, Ending::Exited(0));
    assert!(after.usage.peak_memory < Bytes::from_mib(16), "{}", after.usage.peak_memory);
}

#[test]
fn endless_output_meets_the_output_limit() {
    let report = shell("while :; do echo 0123456789012345678901234567890123456789; done");
    assert_eq!(report.ending, Ending::OutputLimit);
    assert_eq!(report.stdout.len(), 64 * 1024);
    assert!(report.usage.limits_hit.contains(LimitHit::Stdout));
}

#[test]
fn long_stderr_is_cut_and_the_answer_counts() {
    let report = shell("head -c 1000000 /dev/zero >&2; echo answer");
    assert_eq!(report.ending, Ending::Exited(0));
    assert_eq!(text(&report), "answer\n");
    assert_eq!((report.stderr.len(), report.stderr_seen), (8 * 1024, 1_000_000));
    assert!(report.usage.limits_hit.contains(LimitHit::Stderr));
}

#[test]
fn endless_stderr_meets_the_output_limit() {
    assert_eq!(shell("cat /dev/zero >&2").ending, Ending::OutputLimit);
}

#[test]
fn a_pipeline_ends_when_its_reader_has() {
    let report = shell("yes | head -n 1; while echo N; do :; done | head -n 1");
    assert_eq!((report.ending, text(&report)), (Ending::Exited(0), "y\nN\n".to_owned()));
    assert_eq!(report.left_over_processes, 0);
}

#[test]
fn a_fork_bomb_is_bounded_and_gone_afterwards() {
    let limit = scaled(Duration::from_millis(400));
    let limits = TurnLimits { turn: limit, kill: limit, ..limits() };
    let mut seat = start(&spec());
    let script = "f() { f | f & f; }; f; sleep 100";
    let report = run(&mut seat, &["/bin/bash", "-c", script], limits);
    assert!(report.usage.limits_hit.contains(LimitHit::Processes));
    assert!(report.left_over_processes <= 32, "{}", report.left_over_processes);
    assert_eq!(text(&shell_in(&mut seat, "echo /proc/[0-9]*")), "/proc/2\n");
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
fn a_full_disk_is_bounded_and_empty_again() {
    let mut seat = start(&spec());
    let report = shell_in(&mut seat, "head -c 100000000 /dev/zero > big; ls -l big");
    assert!(report.usage.limits_hit.contains(LimitHit::Disk));
    assert_eq!(
        text(&shell_in(&mut seat, "ls -A /scratch /tmp /dev/shm")),
        "/dev/shm:\n\n/scratch:\n\n/tmp:\n"
    );
}

#[test]
fn the_number_of_files_is_bounded() {
    let script = "i=0; while [ $i -lt 1000 ]; do : > $i || exit 9; i=$((i+1)); done";
    let report = shell(script);
    assert!(matches!(report.ending, Ending::Exited(2 | 9)), "{:?}", report.ending);
    assert!(report.usage.limits_hit.contains(LimitHit::Files));
}

#[test]
fn every_writable_place_is_new_each_turn() {
    let mut seat = start(&spec());
    let fill = "echo x > /scratch/a; mkdir -p /tmp/b/c; echo x > /dev/shm/d; chmod 0 /tmp/b";
    shell_in(&mut seat, fill);
    let look = "ls -A /scratch /tmp /dev/shm | grep -v : ; stat -c %Y.%a /scratch /tmp";
    let report = shell_in(&mut seat, look);
    assert_eq!(text(&report).trim(), "0.1777\n0.1777");
}

#[test]
fn a_kept_scratch_is_kept() {
    let kept = SeatSpec { scratch_use: ScratchUse::KeptForSeat, ..spec() };
    let mut seat = start(&kept);
    shell_in(&mut seat, "echo kept > /scratch/a");
    assert_eq!(text(&shell_in(&mut seat, "cat /scratch/a")), "kept\n");
}

#[test]
fn shared_memory_objects_do_not_survive_a_turn() {
    let mut seat = start(&spec());
    // Without a group that limits memory there are no memory segments.
    let segment = if host().tier() == Tier::A { "ipcmk -M 4096 &&" } else { "! ipcmk -M 4096 &&" };
    let made = shell_in(&mut seat, &format!("{segment} ipcmk -Q && ipcmk -S 1"));
    assert_eq!(made.ending, Ending::Exited(0), "{}", made.stderr.escape_ascii());
    let report = shell_in(&mut seat, "cat /proc/sysvipc/* | grep -vc key");
    assert_eq!(text(&report), "0\n");
}

#[test]
fn files_go_in_and_come_out() {
    let put = [PutFile { path: "in/state".to_owned(), bytes: (&b"42"[..]).into() }];
    let take = ["move", "missing", "link", "pipe", "long"]
        .map(|path| TakeFile { path: path.to_owned(), cap: Bytes(4) });
    let script = "cp in/state move; ln -s /etc/passwd link; mkfifo pipe; echo 12345 > long";
    let command = ["/bin/sh", "-c", script].map(OsString::from);
    let turn = Turn {
        command: &command,
        folder: Path::new("/scratch"),
        put: &put,
        take: &take,
        limits: limits(),
    };
    let report = start(&spec()).turn(&turn).unwrap();
    let taken: Vec<FileOutcome> = report.files.into_iter().map(|file| file.outcome).collect();
    let expected = [
        FileOutcome::Bytes(b"42".to_vec()),
        FileOutcome::Missing,
        FileOutcome::NotPlain,
        FileOutcome::NotPlain,
        FileOutcome::TooLong,
    ];
    assert_eq!(taken, expected);
    assert!(report.usage.limits_hit.contains(LimitHit::AnswerFile));
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
fn a_folder_is_readable_under_its_neutral_path_only() {
    let home = tempfile::tempdir().unwrap();
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let secret = home.path().join("very-secret-name");
    std::fs::create_dir(&secret).unwrap();
    std::fs::write(secret.join("data"), "inside\n").unwrap();
    let spec = SeatSpec {
        folders: vec![Folder { host: secret.clone(), inside: PathBuf::from("/bot") }],
        ..spec()
    };
    let mut seat = start(&spec);
    assert_eq!(text(&shell_in(&mut seat, "cat /bot/data; rm /bot/data 2>/dev/null")), "inside\n");
    let report =
        shell_in(&mut seat, "cat /proc/self/mountinfo /proc/self/mounts /proc/self/cgroup");
    assert_eq!(report.ending, Ending::Exited(0));
    for hidden in ["very-secret-name", "tmp.", "joust-"] {
        assert!(!text(&report).contains(hidden), "{hidden} in {}", text(&report));
    }
    assert!(secret.join("data").exists());
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
fn a_build_is_copied_out_readable_by_all() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("source");
    std::fs::create_dir(&source).unwrap();
    std::fs::write(source.join("main"), "text").unwrap();
    symlink("main", source.join("link")).unwrap();
    let to = root.path().join("out");
    let export = Export {
        inside: "src".to_owned(),
        to: to.clone(),
        max_bytes: Bytes::from_mib(1),
        max_files: 100,
    };
    let import = Import { from: source, inside: "src".to_owned() };
    let script = "cd src; cp main built; chmod 4700 built; mkdir d; echo x > d/e; chmod 0 d/e";
    let mut seat = start(&SeatSpec { scratch_use: ScratchUse::KeptForSeat, ..spec() });
    seat.import(&import).unwrap();
    let report = shell_in(&mut seat, script);
    assert_eq!(report.ending, Ending::Exited(0), "{}", report.stderr.escape_ascii());
    let exported = seat.export(&export).unwrap();
    assert_eq!(exported, Ok(Exported { bytes: Bytes(10), files: 5 }));
    let mode = |path: &str| std::fs::metadata(to.join(path)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("built"), mode("d"), mode("d/e")), (0o755, 0o755, 0o644));
    assert_eq!(std::fs::read_to_string(to.join("link")).unwrap(), "text");
}

#[test]
fn a_folder_laid_into_the_scratch_can_be_written_to_and_stays_what_it_was() {
    let root = tempfile::tempdir().unwrap();
    std::fs::set_permissions(root.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let at = |name: &str| root.path().join(name);
    std::fs::write(at("notes.txt"), "old").unwrap();
    std::fs::create_dir_all(at("lib/data")).unwrap();
    std::fs::write(at("lib/data/weights"), "1").unwrap();
    symlink("notes.txt", at("link")).unwrap();
    std::fs::File::create(at("huge")).unwrap().set_len(3 << 20).unwrap();
    std::fs::create_dir(at("many")).unwrap();
    (0..1500).for_each(|number| std::fs::write(at(&format!("many/{number}")), "x").unwrap());
    let folder = Folder { host: root.path().to_owned(), inside: "/bot".into() };
    let spec = SeatSpec { folders: vec![folder], ..spec() };
    let mut seat = start(&spec);
    std::fs::create_dir(at("made")).unwrap();
    std::fs::write(at("made/part"), "made").unwrap();
    let work = WorkFolder {
        from: root.path().to_owned(),
        shown: "/bot".into(),
        name: "bot".to_owned(),
        linked: Some("made".into()),
    };
    seat.add_work_folder(&work).unwrap();
    let script = "cd /scratch/bot && echo new > link && echo 2 >> lib/data/weights && : > own && \
                  cat notes.txt lib/data/weights && wc -c < huge && ls many | wc -l && \
                  cat made/part && readlink made && \
                  (: > many/x || : > huge || : > made/x) 2>/dev/null || echo refused";
    let report = shell_in(&mut seat, script);
    let said = String::from_utf8_lossy(&report.stdout).into_owned();
    let made = "made/bot/made\n";
    assert_eq!(said, format!("new\n12\n3145728\n1500\n{made}refused\n"), "{report:?}");
    assert_eq!(std::fs::read_to_string(at("notes.txt")).unwrap(), "old");
    assert_eq!(std::fs::read_to_string(at("lib/data/weights")).unwrap(), "1");
    assert!(!at("own").exists() && !at("many/x").exists());
}

#[test]
fn a_hidden_folder_appears_empty_and_nothing_can_be_put_there() {
    let host = tempfile::tempdir().unwrap();
    std::fs::set_permissions(host.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir_all(host.path().join("lib/site")).unwrap();
    std::fs::write(host.path().join("lib/site/stray"), "").unwrap();
    std::fs::write(host.path().join("lib/own"), "").unwrap();
    let folder = Folder { host: host.path().to_owned(), inside: "/tools".into() };
    let hidden = ["/tools/lib/site", "/usr/share", "/tools/none"].map(PathBuf::from).to_vec();
    let spec = SeatSpec { folders: vec![folder], hidden, ..spec() };
    let mut seat = start(&spec);
    let script = "ls -A /tools/lib /tools/lib/site /usr/share; \
                  (: > /tools/lib/site/x) 2>/dev/null || echo closed";
    let report = shell_in(&mut seat, script);
    let said = String::from_utf8_lossy(&report.stdout).into_owned();
    assert_eq!(said, "/tools/lib:\nown\nsite\n\n/tools/lib/site:\n\n/usr/share:\nclosed\n");
}

#[test]
fn a_build_with_a_pipe_or_a_huge_file_is_refused() {
    for (script, refused) in [
        ("mkfifo p", ExportError::NotPlain(PathBuf::from("p"))),
        ("truncate -s 1T big", ExportError::TooManyBytes(Bytes::from_mib(1))),
        ("ln -s /etc/passwd l", ExportError::LinkLeadsOut(PathBuf::from("l"))),
    ] {
        let root = tempfile::tempdir().unwrap();
        let export = Export {
            inside: String::new(),
            to: root.path().join("out"),
            max_bytes: Bytes::from_mib(1),
            max_files: 100,
        };
        let mut seat = start(&SeatSpec { scratch_use: ScratchUse::KeptForSeat, ..spec() });
        assert_eq!(shell_in(&mut seat, script).ending, Ending::Exited(0));
        assert_eq!(seat.export(&export).unwrap(), Err(refused));
    }
}

#[test]
fn the_host_passes_its_own_test() {
    host().self_test().unwrap();
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let spec = SeatSpec {
        folders: vec![Folder { host: "/no/such/folder".into(), inside: "/bot".into() }],
        ..spec()
    };
    let error = Seat::start(host(), &spec).unwrap_err();
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
    assert_eq!(error.errno(), Some(libc::ENOENT));
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
    let limits = TurnLimits { turn: scaled(Duration::from_secs(8)), ..limits() };
    let limits = TurnLimits { kill: limits.turn, ..limits };
    let turn = Turn { command: &command, folder: Path::new("/"), put: &[], take: &[], limits };
    let error = seat.turn(&turn).unwrap_err();
    assert!(killer.join().unwrap());
    assert!(error.to_string().contains("killed its launcher"), "{error}");
    assert!(matches!(error, TurnError::Infrastructure(_)), "{error:?}");
}
