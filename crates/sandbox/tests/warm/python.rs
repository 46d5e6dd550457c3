//! Python bots.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use joust_sandbox::*;

use super::{Interpreter, differing, host};

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/warm/programs/python");
const PYTHON: Interpreter = Interpreter {
    command: &["/usr/bin/python3"],
    environment: &[("PYTHONHASHSEED", "0")],
    server: ("sitecustomize.py", include_str!("../../../build/src/warm/sitecustomize.py")),
    variable: ("PYTHONPATH", WarmServer::FOLDER),
    programs: PROGRAMS,
    extension: ".py",
};
/// It runs the text that is its argument.
const TEXT: &str = "run/text.py";

fn spec() -> SeatSpec {
    super::spec(&PYTHON)
}

fn warm(words: &[&str]) -> SeatSpec {
    super::warm(&PYTHON, TEXT, words)
}

#[test]
fn copies_of_a_server_do_what_programs_do_that_start_from_nothing() {
    assert_eq!(differing(&PYTHON, "exact", &[]), "");
}

/// Programs that show a difference: in the frames below a program on the stack, in the objects that
/// the collector holds, in the order in which it ends objects that hang together, or in the line
/// that messages of that time name.
const QUICK: [&str; 8] = [
    "atexit_exits.py",
    "coroutine_global.py",
    "del_global.py",
    "del_raises.py",
    "faulthandler_dump.py",
    "frames.py",
    "gc_state.py",
    "recursion_traceback.py",
];

#[test]
fn copies_that_end_by_themselves_differ_in_what_the_handbook_lists() {
    assert_eq!(differing(&PYTHON, "quick", &QUICK), "");
}

/// A seat whose programs run the text that is their argument.
fn runner(words: &[&str]) -> Seat {
    Seat::start(host(), &warm(words)).expect("a seat can be made")
}

fn run(seat: &mut Seat, text: &str) -> TurnReport {
    super::turn(seat, PYTHON.command(TEXT), text)
}

fn text(report: &TurnReport) -> String {
    assert_eq!(report.ending, Ending::Exited(0), "{}", String::from_utf8_lossy(&report.stderr));
    String::from_utf8_lossy(&report.stdout).trim().to_owned()
}

/// Tries a call on every process that there could be; gives how often it worked.
const ON_ALL: &str = "
import os, signal, ctypes, resource
c = ctypes.CDLL(None, use_errno=True)
me = os.getpid()
def on_all(what):
    done = 0
    for other in [*range(2, 400), *range(31900, 32100)]:
        if other != me:
            try: done += what(other) in (None, 0)
            except OSError: pass
    return done
";

fn reached(attempt: &str) -> String {
    let mut seat = runner(&["exact"]);
    let reached = text(&run(&mut seat, &format!("{ON_ALL}print(on_all(lambda p: {attempt}))")));
    assert_eq!(run(&mut seat, "print(1)").start, StartKind::Warm, "after {attempt}");
    reached
}

#[test]
fn no_program_reaches_its_server() {
    for attempt in [
        "os.kill(p, signal.SIGKILL)",
        "os.kill(p, signal.SIGSTOP)",
        "os.kill(p, 0)",
        "os.killpg(p, signal.SIGKILL)",
        "c.tgkill(p, p, 9)",
        "signal.pidfd_send_signal(os.pidfd_open(p), 9)",
        "os.setpriority(os.PRIO_PROCESS, p, 19)",
        "os.sched_setscheduler(p, os.SCHED_IDLE, os.sched_param(0))",
        "os.sched_setparam(p, os.sched_param(0))",
        "os.sched_setaffinity(p, {0})",
        "resource.prlimit(p, resource.RLIMIT_NPROC, (1, 1)) and 0",
        "c.syscall(251, 1, p, 7 << 13)",
        "c.ptrace(16, p, 0, 0)",
        "len(open(f'/proc/{p}/mem', 'rb').read(1)) * 0",
        "len(os.listdir(f'/proc/{p}')) * 0",
    ] {
        assert_eq!(reached(attempt), "0", "{attempt}");
    }
}

#[test]
fn a_signal_to_everybody_does_not_reach_the_server() {
    let mut seat = runner(&["exact"]);
    text(&run(&mut seat, "import os, signal; os.kill(-1, signal.SIGKILL)"));
    assert_eq!(run(&mut seat, "print(1)").start, StartKind::Warm);
}

#[test]
fn what_a_turn_changes_in_loaded_modules_is_gone_in_the_next() {
    let mut seat = runner(&["exact", "json", "random"]);
    let loaded = "import sys, json, random; print('json' in sys.modules, hasattr(json, 'mine'));";
    let change = "json.mine = 1; json.dumps = None; random.seed(1); sys.path.clear()";
    let first = run(&mut seat, &format!("{loaded} {change}"));
    assert_eq!((first.start.clone(), text(&first)), (StartKind::Warm, "True False".to_owned()));
    let again =
        text(&run(&mut seat, &format!("{loaded} print(json.dumps([]), len(sys.path) > 2)")));
    assert_eq!(again, "True False\n[] True");
}

#[test]
fn chance_differs_from_turn_to_turn() {
    let mut seat = runner(&["exact", "random", "tempfile"]);
    let draw = "import random, tempfile, uuid, os
print(random.random(), random.getrandbits(64), next(tempfile._get_candidate_names()), uuid.uuid4())";
    let drawn: Vec<String> = (0..4).map(|_| text(&run(&mut seat, draw))).collect();
    let parts = |at: usize| -> HashSet<&str> {
        drawn.iter().filter_map(|line| line.split(' ').nth(at)).collect()
    };
    assert_eq!([0, 1, 2, 3].map(|at| parts(at).len()), [4; 4], "{drawn:?}");
}

/// The difference for which cold starts are the default: the handbook names it.
#[test]
fn chance_seeded_with_an_address_differs_only_in_cold_turns() {
    let draw = "import random; random.seed(id([])); print(random.random())";
    let drawn = |mut seat: Seat| -> HashSet<String> {
        (0..8).map(|_| text(&run(&mut seat, draw))).collect()
    };
    assert!(drawn(Seat::start(host(), &spec()).unwrap()).len() > 1);
    assert_eq!(drawn(runner(&["exact"])).len(), 1);
}

/// A seat with a library in place of numpy, or with numpy itself where `JOUST_BENCH_PACKAGES` says.
fn with_library() -> Seat {
    let numpy = std::env::var_os("JOUST_BENCH_PACKAGES").map(PathBuf::from);
    let library = numpy.unwrap_or_else(|| Path::new(PROGRAMS).join("library"));
    let words = ["quick", "numpy@/library", "numpy.random@/library"];
    let mut spec = warm(&words);
    spec.folders.push(Folder { host: library, inside: "/library".into() });
    spec.warm.as_mut().unwrap().words[1] = "=/library".to_owned();
    spec.environment.push(("PYTHONPATH".into(), "/library".into()));
    spec.cores = vec![affinity::processors()[0]];
    Seat::start(host(), &spec).expect("a seat can be made")
}

#[test]
fn a_library_is_loaded_once_and_draws_anew_in_every_turn() {
    let mut seat = with_library();
    let draw = "import sys; print('numpy' in sys.modules, 'numpy.random' in sys.modules)
import numpy.random; print(numpy.random.rand(), numpy.random.rand() is None)";
    let drawn: Vec<String> = (0..4)
        .map(|_| {
            let report = run(&mut seat, draw);
            assert_eq!(report.start, StartKind::Warm);
            text(&report)
        })
        .collect();
    assert!(drawn.iter().all(|lines| lines.starts_with("True True\n")), "{drawn:?}");
    assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), 4, "{drawn:?}");
}

#[test]
fn a_turn_finds_nothing_of_the_arguments_of_another() {
    let mut seat = runner(&["exact"]);
    let text_of = |report| text(&report);
    text_of(run(&mut seat, "print('a-secret' + '-of-turn-1')"));
    let search = "
found = 0
needle = bytes(c ^ 1 for c in b'`,rdbsdu')
for line in open('/proc/self/maps'):
    where, rights = line.split()[:2]
    if rights.startswith('rw') and 'stack' not in line:
        low, high = (int(n, 16) for n in where.split('-'))
        with open('/proc/self/mem', 'rb') as memory:
            memory.seek(low); part = memory.read(high - low)
        found += part.count(needle + b'-of')
        found += part.count(needle + b\"' + '-of\")
print(found)";
    assert_eq!(text_of(run(&mut seat, search)), "0");
}

#[test]
fn a_server_lost_to_left_overs_is_made_anew_three_times() {
    let mut seat = runner(&["exact"]);
    let leave = "import os, time
if os.fork() == 0: time.sleep(60)";
    for _ in 0..4 {
        let report = run(&mut seat, leave);
        assert_eq!((report.start, report.left_over_processes), (StartKind::Warm, 1));
    }
    let report = run(&mut seat, "print(1)");
    assert_eq!(report.start, StartKind::ColdBecause("its server was lost 4 times".to_owned()));
    assert_eq!(report.stdout, b"1\n");
}

/// Uses a fifth of a second more than it may.
const BURN: &str = "import time
while time.process_time() < 0.4: pass
print(1)";

#[test]
fn a_seat_that_has_gone_cold_has_what_a_start_from_nothing_costs_more() {
    let mut spec = warm(&["exact"]);
    let second = Duration::from_secs(1);
    spec.warm.as_mut().unwrap().cold = ColdCost { cpu: 20 * second, wall: 20 * second };
    let mut seat = Seat::start(host(), &spec).unwrap();
    let burn = |seat: &mut Seat| {
        let limits = ProgramLimits { cpu: second / 5, wall: 20 * second };
        let command: Vec<OsString> = [PYTHON.command(TEXT), vec![BURN.into()]].concat();
        let folder = Path::new("/scratch");
        seat.turn(&Turn { command: &command, folder, put: &[], take: &[], limits }).unwrap()
    };
    let report = burn(&mut seat);
    assert_eq!((report.start, report.ending), (StartKind::Warm, Ending::CpuLimit));
    for _ in 0..3 {
        run(&mut seat, "import os, time\nif os.fork() == 0: time.sleep(60)");
    }
    let report = burn(&mut seat);
    assert!(matches!(report.start, StartKind::ColdBecause(_)), "{:?}", report.start);
    assert_eq!(report.ending, Ending::Exited(0));
}

#[test]
fn a_turn_is_charged_for_its_own_memory_alone() {
    let mut seat = runner(&["exact"]);
    run(&mut seat, "x = bytearray(60 << 20); x[::4096] = bytes(len(x[::4096]))");
    let little = run(&mut seat, "print(1)");
    assert!(little.usage.peak_memory < Bytes::from_mib(16), "{:?}", little.usage.peak_memory);
}

#[test]
fn a_limit_that_a_turn_meets_costs_no_other_turn_anything() {
    let mut seat = runner(&["exact"]);
    let report = run(&mut seat, "x = b'x' * (200 << 20)");
    assert_eq!(report.ending, Ending::MemoryLimit);
    let report = run(&mut seat, "print(1)");
    assert_eq!((report.start.clone(), text(&report)), (StartKind::Warm, "1".to_owned()));
}

#[test]
fn a_seat_that_allows_no_processes_has_a_server_all_the_same() {
    let spec = SeatSpec { children: Children::Refused, ..warm(&["exact"]) };
    let mut seat = Seat::start(host(), &spec).unwrap();
    let report = run(
        &mut seat,
        "import os
try: os.fork()
except OSError as error: print(error.errno)",
    );
    assert_eq!((report.start.clone(), report.children_refused), (StartKind::Warm, 1));
    assert_eq!(text(&report), "1");
}

#[test]
fn as_many_processes_can_be_made_as_without_a_server() {
    let count = "import threading
def more(n=0):
    try: t = threading.Thread(target=event.wait); t.start()
    except RuntimeError: return n
    return more(n + 1)
event = threading.Event(); print(more()); event.set()";
    let mut cold = Seat::start(host(), &spec()).unwrap();
    let expected = text(&run(&mut cold, count));
    assert_eq!(text(&run(&mut runner(&["exact"]), count)), expected);
}
