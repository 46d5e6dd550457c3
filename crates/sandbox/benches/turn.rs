//! Cost of a turn in a seat, compared with starting the same program bare.
//!
//! Both are measured in one run, alternating, pinned to one core, with a 9 kB
//! program without a C library: any other spends more before its `main` than
//! everything that is compared here. Run it with
//! `cargo bench -p joust-sandbox --bench turn [-- <turns>]`.
#![expect(clippy::print_stdout, reason = "a bench is for reading")]

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use joust_sandbox::*;
use joust_testkit::figures::{micros, record};
use nix::fcntl::OFlag;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, posix_spawn};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, pipe2};

const TURNS: usize = 4000;
const BATCH: usize = 50;
const SEATS: usize = 60;
/// A slower bare start means that something else is measured.
const SLOWEST_BARE: Duration = Duration::from_micros(150);
/// The bar.
const RATIO: f64 = 1.15;

const SOURCE: &str = r#"
static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
void _start(void) {
    call(1, 1, (long)"NO\n", 3);
    call(231, 0, 0, 0);
}
"#;

fn main() {
    let turns = std::env::args().filter_map(|argument| argument.parse().ok()).next();
    let turns: usize = turns.unwrap_or(TURNS);
    let folder = tempfile::tempdir().expect("a folder for the program");
    let program = compile(folder.path());
    let host = Host::probe(&HostOptions {
        launcher: Some(PathBuf::from(env!("CARGO_BIN_EXE_seat-launcher"))),
        ..HostOptions::default()
    })
    .expect("this host runs seats");
    let core = pin_to_last_core();
    println!("tier {}, core {core}, {turns} turns each", host.tier());
    if std::env::args().any(|argument| argument == "--seats") {
        measure_short_seats(&host, folder.path(), core, Seats::Made);
        return measure_short_seats(&host, folder.path(), core, Seats::Kept);
    }
    compare_turns(&host, &program, folder.path(), core, turns);
    measure_seats(&host, folder.path(), core);
    measure_short_seats(&host, folder.path(), core, Seats::Made);
    measure_short_seats(&host, folder.path(), core, Seats::Kept);
    measure_kills(&host, folder.path(), core);
}

fn pin_to_last_core() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let core = cores - 1;
    let mut set = CpuSet::new();
    set.set(core).expect("the core exists");
    sched_setaffinity(Pid::from_raw(0), &set).expect("the core can be used");
    core
}

fn compile(folder: &Path) -> PathBuf {
    let (source, program) = (folder.join("no.c"), folder.join("no"));
    std::fs::write(&source, SOURCE).expect("the source is written");
    let status = Command::new("gcc")
        .args(["-O2", "-nostdlib", "-static", "-fno-stack-protector", "-o"])
        .args([&program, &source])
        .status();
    assert!(status.is_ok_and(|status| status.success()), "gcc compiles the program");
    program
}

fn compare_turns(host: &Host, program: &Path, folder: &Path, core: usize, turns: usize) {
    let mut seat = Seat::start(host, &spec(folder, core)).expect("a seat can be made");
    let (mut bare, mut seated) = (Vec::new(), Vec::new());
    for _ in 0..turns.div_ceil(BATCH) {
        for _ in 0..BATCH {
            bare.push(timed(|| start_bare(program)));
        }
        for _ in 0..BATCH {
            seated.push(timed(|| run(&mut seat, &["/bot/no"], Duration::from_secs(1))));
        }
    }
    let (bare, seated) = (median(bare), median(seated));
    record("turn in a seat, posix_spawn", seated.div_duration_f64(bare));
    assert!(bare <= SLOWEST_BARE, "posix_spawn takes {bare:?}: not a machine to measure on");
    let ratio = seated.as_secs_f64() / bare.as_secs_f64();
    println!("posix_spawn, read, wait   {:8.1} us", micros(bare));
    println!("turn in a seat            {:8.1} us", micros(seated));
    println!("ratio                     {ratio:8.3}    bar {RATIO}, {}", verdict(ratio <= RATIO));
}

fn measure_seats(host: &Host, folder: &Path, core: usize) {
    let (mut up, mut down) = (Vec::new(), Vec::new());
    for _ in 0..SEATS {
        std::thread::sleep(Duration::from_millis(60));
        let started = Instant::now();
        let seat = Seat::start(host, &spec(folder, core)).expect("a seat can be made");
        up.push(started.elapsed());
        down.push(timed(|| seat.stop().expect("a seat can be removed")));
    }
    let (up, down) = (median(up), median(down));
    println!("seat set-up               {:8.1} us", micros(up));
    println!(
        "seat tear-down            {:8.1} us    both, bar 5 ms, {}",
        micros(down),
        verdict(up + down <= Duration::from_millis(5))
    );
}

/// Origin of a seat.
#[derive(Clone, Copy)]
enum Seats {
    Made,
    Kept,
}

/// Processor time of seats that play one turn, from their start to their stop, including the
/// time of their programs.
fn measure_short_seats(host: &Host, folder: &Path, core: usize, seats: Seats) {
    let name = match seats {
        Seats::Made => "made",
        Seats::Kept => "kept",
    };
    let start = |host: &Host, spec: &SeatSpec| match seats {
        Seats::Made => Seat::start(host, spec),
        Seats::Kept => Seat::acquire(host, spec),
    };
    let spent = |who| {
        let usage = getrusage(who).expect("the kernel tells");
        let time = |time: TimeVal| Duration::from_micros(time.num_microseconds().unsigned_abs());
        time(usage.user_time()) + time(usage.system_time())
    };
    let both = || (spent(UsageWho::RUSAGE_SELF), spent(UsageWho::RUSAGE_CHILDREN));
    let before = both();
    for _ in 0..SEATS {
        let mut seat = start(host, &spec(folder, core)).expect("a seat can be made");
        run(&mut seat, &["/bot/no"], Duration::from_secs(1));
        seat.stop().expect("a seat can be removed");
    }
    let after = both();
    let each = |after: Duration, before| micros(after - before) / SEATS as f64;
    println!(
        "seat of one turn, {name}    {:8.1} us of cpu, and {:.1} us of launchers that ended",
        each(after.0, before.0),
        each(after.1, before.1)
    );
}

/// From the end of a main process to the report, which comes when everything is dead.
fn measure_kills(host: &Host, folder: &Path, core: usize) {
    let script = "i=0; while [ $i -lt 24 ]; do setsid sleep 100 & i=$((i+1)); done";
    let mut seat = Seat::start(host, &spec(folder, core)).expect("a seat can be made");
    let mut times = Vec::new();
    for _ in 0..SEATS {
        let started = Instant::now();
        let report = run(&mut seat, &["/bin/sh", "-c", script], Duration::from_secs(9));
        assert!(report.left_over_processes >= 24, "{report:?}");
        times.push(started.elapsed().saturating_sub(report.usage.wall));
    }
    println!("kill 24 daemons to clean  {:8.1} us", micros(median(times)));
}

fn timed<T>(body: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    body();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn verdict(held: bool) -> &'static str {
    if held { "held" } else { "MISSED" }
}

fn start_bare(program: &Path) {
    let (reader, writer) = pipe2(OFlag::O_CLOEXEC).expect("a pipe");
    let mut actions = PosixSpawnFileActions::init().expect("file actions");
    actions.add_dup2(writer.as_raw_fd(), 1).expect("a file action");
    let attributes = PosixSpawnAttr::init().expect("attributes");
    let arguments = [CString::new("no").expect("no zero byte")];
    let environment: [CString; 0] = [];
    let child = posix_spawn(program, &actions, &attributes, &arguments, &environment)
        .expect("the program starts");
    drop(writer);
    let mut output = Vec::new();
    File::from(reader).read_to_end(&mut output).expect("the output");
    assert_eq!(output, b"NO\n");
    waitpid(child, None).expect("the program ends");
}

fn run(seat: &mut Seat, command: &[&str], limit: Duration) -> TurnReport {
    let command: Vec<OsString> = command.iter().map(OsString::from).collect();
    let limits = ProgramLimits { cpu: limit, wall: limit };
    let folder = Path::new("/bot");
    let turn = Turn { command: &command, folder, put: &[], take: &[], limits };
    let report = seat.turn(&turn).expect("a report");
    assert_eq!(report.ending, Ending::Exited(0), "{report:?}");
    report
}

fn spec(folder: &Path, core: usize) -> SeatSpec {
    SeatSpec {
        folders: vec![Folder { host: folder.to_owned(), inside: "/bot".into() }],
        hidden: Vec::new(),
        written: None,
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        scratch: "/scratch".into(),
        scratch_use: ScratchUse::FreshEachTurn,
        limits: SeatLimits {
            memory: Bytes::from_mib(256),
            processes: 64,
            descriptors: 256,
            disk: Bytes::from_mib(16),
            files: 1024,
            stdout: Bytes::from_kib(64),
            stderr: Bytes::from_kib(8),
            stderr_hard: Bytes::from_mib(8),
        },
        network: Network::None,
        children: Children::Allowed,
        cores: vec![core],
        host_sockets: HostSockets::default(),
        warm: None,
    }
}
