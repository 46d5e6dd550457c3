//! Cost of a request to a program that stays, and of its answer:
//! `scripts/bench tick`. One seat, pinned with this thread to one processor.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "a benchmark reports on standard output")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use joust_sandbox::poll::{Interest, Poll};
use joust_sandbox::{
    Bytes, Children, Host, HostOptions, HostSockets, Network, Pipes, Program, ProgramLimits,
    RunningProgram, ScratchUse, Seat, SeatLimits, SeatSpec, affinity,
};
use joust_testkit::figures::{bare_exchange, record};

/// As large as the state of a game.
const STATE: usize = 1500;
const ROUNDS: usize = 20_000;

/// Program that reads a state of a given number of bytes and answers with a few.
const PYTHON: &str = "import os\nwhile os.read(0, 1500): os.write(1, b'u\\n')";
/// Start of a program that reads and writes the pipes of a seat.
const WITH_PIPES: [&str; 3] = ["/bin/sh", "-c", "exec \"$0\" \"$@\" <&3 >&4"];

fn main() {
    joust_sandbox::launcher::main_if_seat();
    let host = Host::probe(&HostOptions::default()).expect("this host offers a tier");
    let core = affinity::processors().first().copied().unwrap_or(0);
    affinity::pin_this_thread(&[core]).expect("this thread can be pinned");
    println!("tier {}, {ROUNDS} rounds of {STATE} bytes there and a few back", host.tier());
    measure_waiting(&host, core);
    let python = ["/usr/bin/python3", "-S", "-E", "-c", PYTHON];
    for (name, words, answer) in [("cat", &["/bin/cat"][..], STATE), ("python", &python, 2)] {
        let mut live = start(&host, core, &[&WITH_PIPES[..], words].concat());
        let mut times: Vec<Duration> = (0..ROUNDS).map(|_| round(&mut live, answer)).collect();
        times.sort_unstable();
        let at = |share: usize| times[(times.len() - 1) * share / 1000].as_nanos() / 100;
        let show = |tenths: u128| format!("{}.{}", tenths / 10, tenths % 10);
        let mut bare = Command::new(words[0]);
        bare.args(&words[1..]);
        let bare = bare_exchange(bare, STATE, answer).expect("it answers");
        let middle = times[times.len() / 2];
        record(&format!("tick in a seat, {name}, bare exchange"), middle.div_duration_f64(bare));
        let report = live.end().expect("the seat is there").clone();
        println!(
            "{name:7} median {} us, p99 {} us, p99.9 {} us; its processor time {} us a round",
            show(at(500)),
            show(at(990)),
            show(at(999)),
            report.usage.cpu.as_micros() / ROUNDS as u128,
        );
    }
}

/// Measures the cost to a launcher of a second of a program that waits.
fn measure_waiting(host: &Host, core: usize) {
    const WAITING: Duration = Duration::from_secs(4);
    let mut live = start(host, core, &["/bin/sleep", "60"]);
    std::thread::sleep(Duration::from_millis(500));
    let before = of_children();
    std::thread::sleep(WAITING);
    let after = of_children();
    live.end().expect("the seat is there");
    let percent = (after - before).as_secs_f64() / WAITING.as_secs_f64() * 100.0;
    println!("waiting launcher {percent:.2} % of a core");
}

/// Processor time so far of everything that this process has started and that lives.
fn of_children() -> Duration {
    let text = |path: String| std::fs::read_to_string(path).unwrap_or_default();
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let children = tasks.map(|task| text(format!("{}/children", task.path().display())));
    let children: String = children.collect();
    let time = |child: &str| -> Option<u64> {
        text(format!("/proc/{child}/schedstat")).split(' ').next()?.parse().ok()
    };
    Duration::from_nanos(children.split_whitespace().filter_map(time).sum())
}

fn round(live: &mut RunningProgram, answer: usize) -> Duration {
    let began = Instant::now();
    let written = live.write(&[b'x'; STATE]).expect("there is room");
    assert_eq!(written, STATE);
    let (mut seen, mut buffer) = (0, [0; STATE]);
    while seen < answer {
        let mut poll = Poll::default();
        poll.add(live.output().expect("it has pipes"), Interest::Read);
        poll.add(live.notices(), Interest::Read);
        poll.wait(Some(began + Duration::from_secs(10))).expect("pipes can be waited for");
        match live.read(&mut buffer) {
            Ok(0) => panic!("it has ended: {:?}", live.end()),
            Ok(count) => seen += count,
            Err(error) => panic!("{error}"),
        }
    }
    began.elapsed()
}

fn start(host: &Host, core: usize, command: &[&str]) -> RunningProgram {
    let spec = SeatSpec {
        folders: Vec::new(),
        hidden: Vec::new(),
        written: None,
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        scratch: PathBuf::from("/scratch"),
        scratch_use: ScratchUse::FreshEachTurn,
        limits: SeatLimits {
            memory: Bytes::from_mib(256),
            processes: 64,
            descriptors: 256,
            disk: Bytes::from_mib(16),
            files: 1000,
            stdout: Bytes::from_kib(64),
            stderr: Bytes::from_kib(64),
            stderr_hard: Bytes::from_mib(8),
        },
        network: Network::None,
        cores: vec![core],
        host_sockets: HostSockets::default(),
        warm: None,
        children: Children::Allowed,
    };
    let command: Vec<OsString> = command.iter().map(OsString::from).collect();
    let second = Duration::from_secs(1);
    let program = Program {
        command: &command,
        folder: Path::new("/scratch"),
        put: &[],
        pipes: Pipes::Two,
        limits: ProgramLimits { cpu: 300 * second, wall: 600 * second },
    };
    let seat = Seat::start(host, &spec).expect("a seat can be made");
    seat.start_program(&program).expect("the program is started")
}
