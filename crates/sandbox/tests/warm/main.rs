//! Warm starts: programs that are copies of a server do what they do when they are started from
//! nothing.

#[path = "../common/mod.rs"]
mod common;
mod python;
mod ruby;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use joust_sandbox::*;
use joust_testkit::time_scale::scaled;

fn host() -> &'static Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    let launcher = Some(PathBuf::from(env!("CARGO_BIN_EXE_seat-launcher")));
    HOST.get_or_init(|| {
        let tier = match std::env::var("JOUST_TIER").as_deref() {
            Ok("B") => Some(Tier::B),
            _ => None,
        };
        Host::probe(&HostOptions { launcher, tier, ..HostOptions::default() })
            .expect("this host runs seats")
    })
}

/// An interpreter that can be kept ready, and programs in its language.
struct Interpreter {
    command: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
    server: (&'static str, &'static str),
    variable: (&'static str, &'static str),
    programs: &'static str,
    extension: &'static str,
}

impl Interpreter {
    fn command(&self, program: &str) -> Vec<OsString> {
        let words = self.command.iter().map(OsString::from);
        words.chain([format!("/bot/{program}").into()]).collect()
    }

    /// The programs that are played cold and warm.
    fn programs(&self) -> Vec<String> {
        let folder = std::fs::read_dir(self.programs).expect("there are programs");
        let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.ends_with(self.extension)).collect();
        names.sort();
        names
    }
}

fn spec(interpreter: &Interpreter) -> SeatSpec {
    let environment = [("PATH", "/usr/bin:/bin"), ("HOME", "/scratch")];
    let environment = environment.iter().chain(interpreter.environment);
    let small = common::spec();
    SeatSpec {
        folders: vec![Folder { host: interpreter.programs.into(), inside: "/bot".into() }],
        environment: environment.map(|(name, value)| (name.into(), value.into())).collect(),
        limits: SeatLimits {
            memory: Bytes::from_mib(128),
            stdout: Bytes::from_kib(512),
            stderr: Bytes::from_kib(64),
            ..small.limits
        },
        ..small
    }
}

fn warm(interpreter: &Interpreter, program: &str, words: &[&str]) -> SeatSpec {
    let stem = interpreter.command(program);
    let (name, value) = interpreter.variable;
    let variables = vec![(name.into(), value.into())];
    let (name, text) = interpreter.server;
    let file = (name.to_owned(), text.to_owned());
    let (ending, modules) = words.split_first().expect("the first word is how a turn ends");
    let words = [*ending, ""].into_iter().chain(modules.iter().copied());
    let words = words.map(str::to_owned).collect();
    let mut spec = spec(interpreter);
    spec.warm = Some(WarmServer { stem, variables, words, file, cold: ColdCost::default() });
    spec
}

/// Plays a turn of a program with an argument.
fn turn(seat: &mut Seat, mut command: Vec<OsString>, argument: &str) -> TurnReport {
    let second = scaled(Duration::from_secs(1));
    let limits = ProgramLimits { cpu: 5 * second, wall: 10 * second };
    command.push(argument.into());
    let take = [TakeFile { path: "out".into(), cap: Bytes::from_kib(64) }];
    let folder = Path::new("/scratch");
    seat.turn(&Turn { command: &command, folder, put: &[], take: &take, limits })
        .expect("the turn gives a report")
}

/// Returns everything visible of a turn, except addresses.
fn seen(report: &TurnReport) -> String {
    let text = |bytes: &[u8]| masked(&String::from_utf8_lossy(bytes));
    format!(
        "{:?}\n--- out\n{}\n--- error\n{}\n--- file\n{:?}\n--- left {}",
        report.ending,
        text(&report.stdout),
        text(&report.stderr),
        report.files,
        report.left_over_processes
    )
}

/// Replaces what follows each `0x`.
fn masked(text: &str) -> String {
    let mut parts = text.split("0x");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        all + "0x" + part.trim_start_matches(|c: char| c.is_ascii_hexdigit())
    })
}

/// Argument of every program.
const ARGUMENT: &str = "..........";

/// A program that does something else when it is warm.
struct Difference {
    program: String,
    shown: String,
}

/// Seats in which programs are played cold and warm.
struct Comparison<'a> {
    interpreter: &'a Interpreter,
    cold: Seat,
}

impl<'a> Comparison<'a> {
    fn new(interpreter: &'a Interpreter) -> Self {
        let cold = Seat::start(host(), &spec(interpreter)).expect("a seat can be made");
        Self { interpreter, cold }
    }

    fn difference(&mut self, program: &str, words: &[&str]) -> Option<Difference> {
        let command = self.interpreter.command(program);
        let expected = turn(&mut self.cold, command.clone(), ARGUMENT);
        assert_eq!(expected.start, StartKind::Cold);
        let mut seat = Seat::start(host(), &warm(self.interpreter, program, words))
            .expect("a seat can be made");
        let found = turn(&mut seat, command, ARGUMENT);
        assert_eq!(found.start, StartKind::Warm, "{program}");
        let (expected, found) = (seen(&expected), seen(&found));
        (expected != found).then(|| Difference {
            program: program.to_owned(),
            shown: format!("=== {program}\n{expected}\n=== warm\n{found}"),
        })
    }
}

/// Plays every program cold and warm, several at a time; gives what differs and is not `known` to.
fn differing(interpreter: &Interpreter, ending: &str, known: &[&str]) -> String {
    const AT_ONCE: usize = 4;
    let programs = interpreter.programs();
    let part = |programs: &[String]| -> Vec<Difference> {
        let mut comparison = Comparison::new(interpreter);
        programs.iter().filter_map(|program| comparison.difference(program, &[ending])).collect()
    };
    let found: Vec<Difference> = std::thread::scope(|scope| {
        let parts = programs.chunks(programs.len().div_ceil(AT_ONCE));
        let parts: Vec<_> = parts.map(|programs| scope.spawn(move || part(programs))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("no thread panics")).collect()
    });
    let new = found.iter().filter(|one| !known.contains(&one.program.as_str()));
    new.map(|one| one.shown.as_str()).collect::<Vec<_>>().join("\n")
}
