//! Long-lived programs: spoken to directly, watched by the launcher meanwhile.
#![forbid(unsafe_code)]

mod common;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use common::spec;
use joust_sandbox::poll::{Interest, Poll};
use joust_sandbox::*;
use joust_testkit::time_scale::scaled;

fn host() -> &'static Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| {
        let launcher = Some(PathBuf::from(env!("CARGO_BIN_EXE_seat-launcher")));
        let tier = Tier::from_environment().expect("A, B or C");
        let options = HostOptions { launcher, tier, ..HostOptions::default() };
        Host::probe(&options).expect("this host offers a tier")
    })
}

fn limits() -> ProgramLimits {
    let second = scaled(Duration::from_secs(1));
    ProgramLimits { cpu: 5 * second, wall: 30 * second }
}

fn start_in(seat: Seat, script: &str, limits: ProgramLimits) -> RunningProgram {
    let command: Vec<OsString> = ["/bin/sh", "-c", script].iter().map(OsString::from).collect();
    let folder = Path::new("/scratch");
    let program = Program { command: &command, folder, put: &[], pipes: Pipes::Two, limits };
    seat.start_program(&program).expect("the program is started")
}

fn start(script: &str) -> RunningProgram {
    start_in(Seat::start(host(), &spec()).expect("a seat can be made"), script, limits())
}

/// Waits for a line or the end of what the program says.
fn line(live: &mut RunningProgram) -> String {
    let (mut text, mut byte) = (Vec::new(), [0]);
    loop {
        match live.read(&mut byte) {
            Ok(0) => break,
            Ok(_) if byte == *b"\n" => break,
            Ok(_) => text.extend(byte),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                let mut poll = Poll::default();
                poll.add(live.output().expect("it has pipes"), Interest::Read);
                poll.wait(None).expect("a pipe can be waited for");
            }
            Err(error) => panic!("{error}"),
        }
    }
    String::from_utf8(text).expect("the test's programs write text")
}

fn wait_for_end(live: &mut RunningProgram) -> TurnReport {
    let end = Instant::now() + scaled(Duration::from_secs(20));
    loop {
        if let Some(report) = live.poll_report().expect("the seat is there") {
            return report.clone();
        }
        assert!(Instant::now() < end, "the program did not end");
        let mut poll = Poll::default();
        poll.add(live.notices(), Interest::Read);
        poll.wait(Some(end)).expect("a socket can be waited for");
    }
}

const ECHO: &str = "while read -r line <&3; do echo \"<$line>\" >&4; done";

#[test]
fn a_program_is_spoken_to_over_its_two_pipes() {
    let mut live = start(ECHO);
    for word in ["one", "two", "three"] {
        live.write(format!("{word}\n").as_bytes()).unwrap();
        assert_eq!(line(&mut live), format!("<{word}>"));
    }
    assert!(live.poll_report().unwrap().is_none());
    let report = live.end().unwrap().clone();
    assert_eq!(report.ending, Ending::Stopped);
    assert!(report.usage.cpu > Duration::ZERO && report.usage.peak_memory.0 > 0, "{report:?}");
}

#[test]
fn a_program_is_spoken_to_over_its_own_streams() {
    let script = "read -r line; echo \"<$line>\"; echo for people >&2; read -r line || exit 3";
    let command: Vec<OsString> = ["/bin/sh", "-c", script].iter().map(OsString::from).collect();
    let program = Program {
        command: &command,
        folder: Path::new("/scratch"),
        put: &[],
        pipes: Pipes::Streams,
        limits: limits(),
    };
    let seat = Seat::start(host(), &spec()).expect("a seat can be made");
    let mut live = seat.start_program(&program).expect("the program is started");
    live.write(b"one\n").unwrap();
    assert_eq!(line(&mut live), "<one>");
    live.close_input();
    let report = wait_for_end(&mut live);
    assert_eq!(report.ending, Ending::Exited(3));
    assert_eq!((&*report.stdout, &*report.stderr), (&b""[..], &b"for people\n"[..]));
}

#[test]
fn a_program_has_its_streams_its_two_pipes_and_no_other_descriptor() {
    let mut live = start("ls /proc/self/fd | tr '\\n' ' ' >&4; echo >&4; sleep 60");
    // The fifth is the folder that `ls` reads.
    assert_eq!(line(&mut live).trim(), "0 1 2 3 4 5");
}

#[test]
fn a_program_that_ends_by_itself_is_news() {
    let mut live = start("echo gone >&2; exit 7");
    let report = wait_for_end(&mut live);
    assert_eq!((report.ending, report.stderr.as_slice()), (Ending::Exited(7), &b"gone\n"[..]));
    assert_eq!(live.end().unwrap().ending, Ending::Exited(7), "asked again it says the same");
}

#[test]
fn a_program_that_is_not_there_has_ended_at_once() {
    let seat = Seat::start(host(), &spec()).unwrap();
    let command = [OsString::from("/no/such/program")];
    let folder = Path::new("/scratch");
    let program =
        Program { command: &command, folder, put: &[], pipes: Pipes::Two, limits: limits() };
    let mut live = seat.start_program(&program).unwrap();
    assert_eq!(wait_for_end(&mut live).ending, Ending::NotStarted(libc::ENOENT));
    assert_eq!(live.write(b"x").unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[test]
fn the_processor_budget_is_that_of_the_whole_tree() {
    let seat = Seat::start(host(), &spec()).unwrap();
    let budget = scaled(Duration::from_millis(300));
    let burn = "(while :; do :; done) & while :; do :; done";
    let mut live = start_in(seat, burn, ProgramLimits { cpu: budget, ..limits() });
    let report = wait_for_end(&mut live);
    assert_eq!(report.ending, Ending::CpuLimit);
    assert!(
        report.usage.cpu >= budget && report.usage.limits_hit.contains(LimitHit::Cpu),
        "{report:?}"
    );
}

#[test]
fn the_wall_clock_ends_a_program_that_sleeps() {
    let seat = Seat::start(host(), &spec()).unwrap();
    let wall = scaled(Duration::from_millis(200));
    let mut live = start_in(seat, "sleep 60", ProgramLimits { wall, ..limits() });
    assert_eq!(wait_for_end(&mut live).ending, Ending::WallLimit);
}

#[test]
fn the_memory_limit_ends_a_program_long_after_its_start() {
    let mut live = start(
        "read -r word <&3; exec python3 -c 'a = []\nwhile True: a.append(bytearray(1 << 20))'",
    );
    assert!(live.poll_report().unwrap().is_none());
    live.write(b"go\n").unwrap();
    let report = wait_for_end(&mut live);
    assert_eq!(report.ending, Ending::MemoryLimit);
}

#[test]
fn what_it_used_is_told_while_it_runs() {
    let mut live =
        start("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done >&4; sleep 60");
    assert_eq!(line(&mut live), "done");
    let first = live.read_usage().unwrap();
    assert!(first.cpu > Duration::ZERO && first.peak_memory.0 > 0, "{first:?}");
    let mut told = first;
    for _ in 0..200 {
        let next = live.read_usage().unwrap();
        assert!(next.wall > told.wall && next.cpu >= told.cpu, "{told:?}, then {next:?}");
        told = next;
    }
    let report = live.end().unwrap().clone();
    assert!(report.usage.cpu >= told.cpu, "{told:?}, then {report:?}");
    assert_eq!(
        live.read_usage().unwrap().cpu,
        report.usage.cpu,
        "after its end it is what was used in all"
    );
}

/// Thinks on after its answer; with timers that wake it however often it is stopped.
const RESTLESS: &str = r#"exec python3 -c '
import ctypes, os, signal, struct
libc = ctypes.CDLL(None)
signal.signal(signal.SIGCONT, lambda *_: None)
for i in range(TIMERS):
    timer = ctypes.c_void_p()
    assert libc.timer_create(1, struct.pack("qii48x", 0, signal.SIGCONT, 0), ctypes.byref(timer)) == 0
    assert libc.timer_settime(timer, 0, struct.pack("qqqq", 0, 0, (i + 1) // 200, (i + 1) % 200 * 5000000), None) == 0
os.write(4, b"done\n")
while True: pass
'"#;

#[test]
fn who_wakes_itself_while_it_is_frozen_has_no_processor_time_left() {
    let mut live = start(&RESTLESS.replace("TIMERS", "600"));
    assert_eq!(line(&mut live), "done");
    let end = Instant::now() + Duration::from_secs(3);
    while live.poll_report().unwrap().is_none() && Instant::now() < end {
        live.pause().unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(live.poll_report().unwrap().map(|report| report.ending), Some(Ending::CpuLimit));
    let mut live = start(&RESTLESS.replace("TIMERS", "0"));
    assert_eq!(line(&mut live), "done");
    for _ in 0..20 {
        live.pause().unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(live.poll_report().unwrap().is_none(), "who stays frozen is in order");
    live.resume().unwrap();
    assert!(live.poll_report().unwrap().is_none());
}

#[test]
fn output_beyond_its_cap_is_cut_and_beyond_the_hard_cap_ends_it() {
    let mut live = start("head -c 100000 /dev/zero; echo said >&4; sleep 60");
    assert_eq!(line(&mut live), "said");
    let report = live.end().unwrap().clone();
    assert_eq!(report.ending, Ending::Stopped);
    assert_eq!((report.stdout.len(), report.stdout_seen), (64 * 1024, 100_000));
    assert!(report.usage.limits_hit.contains(LimitHit::Stdout));
    let mut flood = start("yes");
    assert_eq!(wait_for_end(&mut flood).ending, Ending::OutputLimit);
}

#[test]
fn a_program_that_does_not_read_does_not_hold_up_who_writes() {
    let mut live = start("sleep 60");
    let mut written = 0;
    let error = loop {
        match live.write(&[b'x'; 4096]) {
            Ok(count) => written += count,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    assert!(written >= 4096);
}

#[test]
fn a_seat_takes_another_program_and_nothing_of_the_first_is_left() {
    // Where processes are not hidden, those of others are listed, too.
    let mut live =
        start("touch /scratch/of-first; (setsid sleep 6021 &); echo ready >&4; sleep 60");
    assert_eq!(line(&mut live), "ready");
    let seat = live.into_seat().unwrap();
    let mut live = start_in(seat, "ls /scratch >&2; ps ax >&2; echo ready >&4; sleep 60", limits());
    assert_eq!(line(&mut live), "ready");
    let report = live.end().unwrap();
    let said = String::from_utf8_lossy(&report.stderr);
    assert!(!said.contains("of-first") && !said.contains("sleep 6021"), "{said}");
}

/// Takes a seat, starts a program that does something and waits, stops it while it does; gives
/// the mount name space in which it was.
fn place_of_taken(spec: &SeatSpec, script: &str) -> String {
    let seat = Seat::acquire(host(), spec).expect("a seat can be made");
    let script = format!("{script}; stat -c %z /etc/passwd >&4; exec sleep 60");
    let mut live = start_in(seat, &script, limits());
    let place = line(&mut live);
    live.stop().unwrap();
    place
}

#[test]
fn a_taken_seat_is_taken_again_unless_its_program_made_something() {
    if host().tier() == Tier::C {
        // Its seats are never kept, and every one has the host's mounts.
        return;
    }
    let spec = SeatSpec { limits: SeatLimits { descriptors: 61, ..spec().limits }, ..spec() };
    let first = place_of_taken(&spec, ":");
    assert_eq!(place_of_taken(&spec, ":"), first);
    assert_eq!(place_of_taken(&spec, ": > /scratch/mark"), first);
    let kept = Seat::acquire(host(), &spec).expect("a seat can be made");
    let mut live = start_in(kept, "ls -A /scratch >&4; echo ready >&4", limits());
    assert_eq!(line(&mut live), "ready");
}

fn with_door() -> SeatSpec {
    let listen = vec![ListenPort { port: 8037, variable: "GAME_PORT".into() }];
    SeatSpec {
        host_sockets: HostSockets {
            listen,
            hosts: vec!["game.example".to_owned()],
            may_listen: false,
        },
        ..spec()
    }
}

fn accept(listener: &TcpListener) -> std::net::TcpStream {
    let end = Instant::now() + scaled(Duration::from_secs(20));
    loop {
        match listener.accept() {
            Ok((stream, _)) => return stream,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                assert!(Instant::now() < end, "nobody connected");
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Connects to `name`, says what the variable says and waits for a byte.
fn connect_to(name: &str) -> String {
    format!(
        "exec python3 -c 'import socket, os\n\
         port = os.environ[\"GAME_PORT\"]\n\
         s = socket.create_connection((\"{name}\", int(port)))\n\
         s.sendall(port.encode() + b\"\\n\")\n\
         s.recv(1)'"
    )
}

#[test]
fn a_program_connects_to_a_port_that_only_it_has() {
    // Where the seat has no network of its own it has the host's names.
    let own_network = host().tier() < Tier::C;
    let name = if own_network { "game.example" } else { "127.0.0.1" };
    // Twice at once: each seat has the port to itself.
    let mut seats: Vec<Seat> = (0..2).map(|_| Seat::start(host(), &with_door()).unwrap()).collect();
    let listeners: Vec<_> = seats.iter_mut().flat_map(Seat::listeners).collect();
    assert_eq!(listeners.len(), if own_network { 2 } else { 0 });
    let programs: Vec<_> =
        seats.into_iter().map(|seat| start_in(seat, &connect_to(name), limits())).collect();
    for (number, mut program) in programs.into_iter().enumerate() {
        let mut stream = match listeners.get(number) {
            Some(listener) => accept(listener),
            None => arrival(&mut program),
        };
        stream.set_nonblocking(false).unwrap();
        let mut said = String::new();
        let mut reader = std::io::BufReader::new(&stream);
        std::io::BufRead::read_line(&mut reader, &mut said).unwrap();
        assert_eq!(said, "8037\n");
        stream.write_all(b"x").unwrap();
        assert_eq!(wait_for_end(&mut program).ending, Ending::Exited(0));
    }
}

/// Returns the connection that a launcher hands on.
fn arrival(program: &mut RunningProgram) -> std::net::TcpStream {
    let end = Instant::now() + scaled(Duration::from_secs(20));
    loop {
        assert!(program.poll_report().unwrap().is_none(), "it ended");
        if let Some(arrived) = program.take_connections().pop() {
            return arrived;
        }
        assert!(Instant::now() < end, "nobody connected");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// More than can wait at once: package managers make a connection for each file.
#[test]
fn connections_one_after_the_other_are_not_counted() {
    let mut seat = Seat::start(host(), &with_door()).unwrap();
    let door = seat.listeners().pop();
    let script = "exec python3 -c 'import socket\n\
                  for _ in range(300): socket.create_connection((\"127.0.0.1\", 8037)).recv(1)'";
    let mut program = start_in(seat, script, limits());
    for _ in 0..300 {
        drop(door.as_ref().map_or_else(|| arrival(&mut program), accept));
    }
    assert_eq!(wait_for_end(&mut program).ending, Ending::Exited(0));
}

#[test]
fn connections_that_nobody_takes_delay_no_end() {
    let script = "exec python3 -c 'import os, socket\n\
                  made = [socket.socket() for _ in range(600)]\n\
                  for one in made: one.setblocking(False); one.connect_ex((\"127.0.0.1\", 8037))\n\
                  os.write(4, b\"made\\n\")\n\
                  while True: pass'";
    let second = scaled(Duration::from_secs(1));
    let limits = ProgramLimits { cpu: 4 * second, wall: 60 * second };
    let mut spec = with_door();
    spec.limits.descriptors = 1000;
    let mut program = start_in(Seat::start(host(), &spec).unwrap(), script, limits);
    assert_eq!(line(&mut program), "made");
    // The launcher ends it although its notices are not read.
    let begun = Instant::now();
    while program.read(&mut [0]).is_err() {
        assert!(begun.elapsed() < 40 * second, "it still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(wait_for_end(&mut program).ending, Ending::CpuLimit);
}

#[test]
fn odd_names_of_this_computer_are_refused() {
    let mut spec = with_door();
    spec.host_sockets.hosts = vec!["a\n127.0.0.1 b".to_owned()];
    let error = Seat::start(host(), &spec).unwrap_err();
    assert!(error.to_string().contains("name"), "{error}");
}

#[test]
fn a_program_ends_with_its_caller_s_interest() {
    let live = start("sleep 60");
    let begun = Instant::now();
    drop(live);
    assert!(begun.elapsed() < scaled(Duration::from_secs(10)));
}

#[test]
fn a_program_listens_at_a_port_that_elsewhere_needs_a_privilege() {
    let host_sockets = HostSockets { may_listen: true, ..HostSockets::default() };
    let seat =
        Seat::start(host(), &SeatSpec { host_sockets, ..spec() }).expect("a seat can be made");
    let script = "exec python3 -c 'import socket, os\n\
                  server = socket.create_server((\"0.0.0.0\", 80))\n\
                  os.write(4, b\"ready\\n\")\n\
                  server.accept()[0].recv(1)'";
    let mut live = start_in(seat, script, limits());
    assert_eq!(line(&mut live), "ready");
    let made = live.connect(80, false).expect("the seat is there");
    assert!(matches!(made, ServerConnection::Made(_)), "{made:?}");
}
