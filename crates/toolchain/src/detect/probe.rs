//! Questions to a tool: what it knows about itself.
//!
//! The tools are the organiser's own. They start in `/`, where no stranger can put a file
//! that they obey (`rust-toolchain.toml`, `.python-version`, `go.mod`, `global.json`). They get
//! little of the organiser's environment and no standard input, and must answer in time.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use parking_lot::Mutex;

use super::Machine;
use crate::language::Program;
use crate::threads;
use joust_bots::machine_error;

/// Longest answer that is read, bytes.
const LONGEST: u64 = 256 << 10;

/// Variables of the organiser's environment that tools get, one a line: the user, and where tools
/// are and which of them is wanted. Any other could make a tool start something, or change what it
/// does.
const PASSED_VARIABLES: &str = include_str!("passed_variables.txt");

/// Further variables of every tool: plain output, no fetching and no telemetry.
const FIXED: [(&str, &str); 5] = [
    ("LC_ALL", "C.UTF-8"),
    ("GOTOOLCHAIN", "local"),
    ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
    ("DOTNET_NOLOGO", "1"),
    ("RUSTUP_AUTO_INSTALL", "0"),
];

/// Mark of a tool's own advice in the last line that it prints when it fails, as `rustup` without a
/// default toolchain does.
pub(super) const OWN_ADVICE: &str = ": help: ";

/// Error of a question to a tool.
#[derive(Debug)]
pub(super) enum ProbeError {
    /// The tool does not work.
    Tool(String),
    /// The machine cannot start it now.
    Machine(String),
}

impl ProbeError {
    /// Tells whose fault an error of the system is.
    pub(super) fn of(error: &std::io::Error, what: &str) -> Self {
        let text = match error.kind() {
            std::io::ErrorKind::WouldBlock => {
                format!("{what}: no thread could be started ({error})")
            }
            _ => format!("{what}: {error}"),
        };
        if machine_error::is_machine_error(error) { Self::Machine(text) } else { Self::Tool(text) }
    }
}

impl From<String> for ProbeError {
    fn from(reason: String) -> Self {
        Self::Tool(reason)
    }
}

/// Runs the candidate to find out its folders.
pub(super) fn folders(
    machine: &Machine,
    candidate: &Path,
    program: &Program,
) -> Result<BTreeMap<String, PathBuf>, ProbeError> {
    if program.ask.is_empty() {
        return Ok(BTreeMap::new());
    }
    let answer = run_probe(machine, candidate, &program.ask)?;
    let told = |start: &String| {
        let mut lines = answer.lines().map(str::trim);
        let line = lines.find_map(|line| line.strip_prefix(start.as_str()))?.trim();
        let path = PathBuf::from(line);
        path.is_absolute().then_some(path)
    };
    let folders = program.folders.iter();
    Ok(folders.filter_map(|(name, start)| Some((name.clone(), told(start)?))).collect())
}

/// Asks the real program for its version.
pub(super) fn version(
    machine: &Machine,
    real: &Path,
    program: &Program,
) -> Result<Option<String>, ProbeError> {
    if program.version.is_empty() {
        return Ok(None);
    }
    let answer = run_probe(machine, real, &program.version)?;
    let wanted = program.accept.as_deref().unwrap_or_default();
    let mut lines = answer.lines().map(plain).filter(|line| !line.is_empty());
    let line = lines.find(|line| line.contains(wanted));
    line.map(Some).ok_or_else(|| format!("it is not a version of `{wanted}`").into())
}

/// Drops colours, which some tools print even into a pipe.
fn plain(line: &str) -> String {
    let (mut plain, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.trim_start_matches(|one: char| !one.is_ascii_alphabetic());
        rest = rest.get(1..).unwrap_or_default();
    }
    plain.push_str(rest);
    plain.trim().chars().filter(|one| !one.is_control()).take(200).collect()
}

/// Returns the program behind a version manager's shim, or the program itself if it is no
/// shim.
pub(super) fn resolve_shim(machine: &Machine, candidate: &Path) -> Result<PathBuf, ProbeError> {
    let real =
        follow_links(candidate).map_err(|error| ProbeError::of(&error, "it cannot be followed"))?;
    let in_shims = real.parent().and_then(Path::file_name).is_some_and(|name| name == "shims");
    let Some(manager) = in_shims.then(|| manager_of(&real)).flatten() else {
        return Ok(real);
    };
    let manager = machine
        .path
        .iter()
        .map(|folder| folder.join(&manager))
        .chain([PathBuf::from(&manager)])
        .find(|path| path.is_absolute() && path.is_file())
        .ok_or_else(|| format!("it is a shim of `{manager}`, which was not found"))?;
    let name = candidate.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let told = run_probe(machine, &manager, &["which".to_owned(), name])?;
    let path = told.lines().next().map(PathBuf::from);
    path.ok_or_else(|| "its shim tells nothing".to_owned().into())
}

/// Follows links as long as the program keeps its name, or an extended one:
/// `gcc` leads to `gcc-12`, but the program behind `clang++` compiles C++ only
/// under that name.
pub(super) fn follow_links(program: &Path) -> std::io::Result<PathBuf> {
    let mut path = program.to_owned();
    for _ in 0..40 {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = path.parent().unwrap_or(Path::new("/")).canonicalize()?;
        let Ok(link) = path.read_link() else { return Ok(folder.join(name)) };
        let target = folder.join(link);
        let next = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !next.contains(&name) && folder != Path::new("/etc/alternatives") {
            return Ok(folder.join(name));
        }
        path = target;
    }
    Err(std::io::Error::other("a link leads to itself"))
}

/// Returns the version manager that a shim's script calls: the word before `exec`.
fn manager_of(shim: &Path) -> Option<String> {
    let mut text = String::new();
    std::fs::File::open(shim).ok()?.take(4096).read_to_string(&mut text).ok()?;
    let words: Vec<&str> = text.lines().flat_map(str::split_whitespace).collect();
    let manager = words.windows(2).rev().find(|pair| pair[1] == "exec").map(|pair| pair[0])?;
    Some(manager.trim_matches('"').to_owned())
}

/// Runs a program and returns its whole output; an error when it fails or is slow.
fn run_probe(
    machine: &Machine,
    program: &Path,
    arguments: &[String],
) -> Result<String, ProbeError> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir("/").stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_clear().envs(FIXED).env("PATH", machine.search_path());
    command.envs(machine.home.iter().map(|home| ("HOME", home)));
    command.envs(PASSED_VARIABLES.lines().filter_map(|name| Some((name, std::env::var_os(name)?))));
    let unstarted = |error| ProbeError::of(&error, "it cannot be started");
    let mut child = spawn(&mut command).map_err(unstarted)?;
    let (done, is_done) = mpsc::channel();
    let said = [ProbeOutput::default(), ProbeOutput::default()];
    let reading = read_aside(child.stdout.take(), &said[0], done.clone())
        .and_then(|()| read_aside(child.stderr.take(), &said[1], done));
    if let Err(error) = reading {
        kill(&mut child);
        return Err(ProbeError::of(&error, "its answer cannot be read"));
    }
    let status = wait_for_exit(&mut child, machine.patience)?;
    // A left-over child may hold the pipes open, so the wait for the end of the output is short.
    // The program's own output has already arrived.
    for _ in 0..2 {
        let _ = is_done.recv_timeout(Duration::from_millis(500));
    }
    let bytes = said.map(|said| said.lock().clone());
    let text = String::from_utf8_lossy(&bytes.concat()).into_owned();
    if status.success() {
        return Ok(text);
    }
    let last = text.lines().map(plain).rfind(|line| !line.is_empty()).unwrap_or_default();
    let reason = format!("it fails with {status}: {last}");
    Err(match threads::shortage() {
        None if status.signal() != Some(Signal::SIGKILL as i32) => ProbeError::Tool(reason),
        None => ProbeError::Machine(reason),
        Some(trouble) => ProbeError::Machine(format!("{reason}; {trouble}")),
    })
}

/// Starts a program; one that another process is just writing is tried again for a moment.
fn spawn(command: &mut Command) -> std::io::Result<Child> {
    for _ in 0..20 {
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(20));
            }
            other => return other,
        }
    }
    command.spawn()
}

/// Output of a program so far.
type ProbeOutput = Arc<Mutex<Vec<u8>>>;

fn read_aside(
    pipe: Option<impl Read + Send + 'static>,
    said: &ProbeOutput,
    done: mpsc::Sender<()>,
) -> std::io::Result<()> {
    let Some(pipe) = pipe else { return Ok(()) };
    let said = Arc::clone(said);
    let read = move || {
        let (mut pipe, mut part) = (pipe.take(LONGEST), [0; 4096]);
        while let Ok(count @ 1..) = pipe.read(&mut part) {
            said.lock().extend_from_slice(&part[..count]);
        }
        let _ = done.send(());
    };
    std::thread::Builder::new().spawn(read).map(drop)
}

/// It may have ended by itself in this instant: then there is nothing to kill.
fn kill(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn wait_for_exit(
    child: &mut Child,
    patience: Duration,
) -> Result<std::process::ExitStatus, ProbeError> {
    let until = Instant::now() + patience;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(3)),
            Ok(None) => {
                kill(child);
                return Err(format!("it gives no answer within {patience:?}").into());
            }
            Err(error) => return Err(ProbeError::of(&error, "it cannot be waited for")),
        }
    }
}
