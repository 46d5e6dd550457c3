//! Channel `files`, one process per turn: the view is in files of a folder, and the program leaves
//! its answer in files there.
//!
//! The program gets its key and the folder, `<key> <folder> [arguments of its manifest]`, and
//! starts in its own folder. The folder is in a scratch folder that is new in every turn, so it
//! contains nothing of other seats or earlier turns; files that the original kept in the parent
//! folder are there, too. Child processes are refused for built-in games, because the rules of both
//! contests that use this channel forbid them; threads are allowed.

use std::borrow::Cow;
use std::ffi::OsString;

use joust_referee::{Files, Limit, Part, Parts, Verdict};
use joust_sandbox::{Bytes, Children, FileOutcome, OutputFile, PutFile, TakeFile, TurnReport};

use super::classify::answered;
use super::turn_seat::{Start, TurnSeat};
use super::{Answered, Channel, ChannelError, Opening, Request};
use joust_model::Exit;

/// Folder in the scratch folder for the files of a bout.
const ROOT: &str = "replay";

/// Returns the folder of a request, relative to the scratch.
pub fn files_folder(files: &Files) -> String {
    format!("{ROOT}/{}", files.folder)
}

/// The number of SIGKILL on every Linux.
const KILLED: i32 = 9;

/// Channel to a bot through files.
pub(super) struct FilesChannel {
    seat: TurnSeat,
}

impl FilesChannel {
    pub(super) fn open(mut opening: Opening) -> Result<Self, ChannelError> {
        if opening.game.spec().external.is_none() {
            opening.spec.children = Children::Refused;
        }
        Ok(Self { seat: TurnSeat::open(opening)? })
    }

    fn command(&self, files: &Files) -> Vec<OsString> {
        let folder = self.seat.opening.spec.scratch.join(files_folder(files));
        let mut command = self.seat.opening.command.clone();
        command.push((&*files.key).into());
        command.push(folder.into_os_string());
        command.extend(self.seat.opening.trailing.iter().cloned());
        command
    }

    fn wanted(&self, files: &Files) -> Vec<TakeFile> {
        let cap = Bytes(self.seat.opening.limits.output.0);
        let path = |name: &str| inside(files, name);
        files.answers.iter().map(|name| TakeFile { path: path(name), cap }).collect()
    }
}

impl Channel for FilesChannel {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        let files = request.files.ok_or(ChannelError::NoFiles)?;
        let command = self.command(files);
        let above = files.above.0.iter().map(|part| put_above(files, part));
        let put: Vec<PutFile> =
            request.view.0.iter().map(|part| put(files, part)).chain(above).collect();
        let take = self.wanted(files);
        let start = Start { command: &command, put: &put, take: &take };
        self.seat.turn(&start, |report| read(report, files))
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        self.seat.close()
    }
}

/// Returns the path of a file of the request, relative to the scratch.
fn inside(files: &Files, name: &str) -> String {
    format!("{}/{name}", files_folder(files))
}

fn put(files: &Files, part: &Part) -> PutFile {
    PutFile { path: inside(files, &part.name), bytes: part.bytes.clone() }
}

fn put_above(files: &Files, part: &Part) -> PutFile {
    let folder = files_folder(files);
    let above = folder.rsplit_once('/').map_or(ROOT, |(above, _)| above);
    PutFile { path: format!("{above}/{}", part.name), bytes: part.bytes.clone() }
}

/// Reads the end of a turn: first that of the process, then the files that it left.
///
/// A process that exited, with whatever status or signal, has answered with the files that it left,
/// because the original systems check neither. A process that was killed at a limit, or never
/// started, has not answered.
fn read(mut report: TurnReport, files: &Files) -> Answered {
    let taken = std::mem::take(&mut report.files);
    let refused = report.children_refused;
    let answered = answered(report);
    if matches!(answered.exit, Exit::Killed | Exit::NotStarted(_)) {
        return answered;
    }
    if let Some(name) = first(&taken, files, |taken| *taken == FileOutcome::TooLong) {
        return fault(answered, Verdict::OutputLimit, format!("`{name}` is too long"));
    }
    let is_full = [Limit::Disk, Limit::Files].iter().any(|one| answered.limits_hit.contains(*one));
    let is_empty = taken.iter().all(|file| match &file.outcome {
        FileOutcome::Bytes(bytes) => bytes.is_empty(),
        FileOutcome::Missing => true,
        FileOutcome::TooLong | FileOutcome::NotPlain => false,
    });
    // Where the scratch folder has no other limit, a full one is punished with SIGKILL.
    let is_stopped = answered.exit == Exit::Signal(KILLED);
    if is_full && !answered.verdict.is_ok() && (is_empty || is_stopped) {
        return fault(answered, Verdict::DiskLimit, String::new());
    }
    if refused > 0 {
        return fault(answered, Verdict::ProtocolViolation, "child process".to_owned());
    }
    if let Some(name) = first(&taken, files, |taken| *taken == FileOutcome::NotPlain) {
        let reason = format!("`{name}` is not a plain file with one name");
        return fault(answered, Verdict::ProtocolViolation, reason);
    }
    Answered { verdict: own_end(answered.exit), parts: parts(taken, files), ..answered }
}

/// Returns the verdict for a process that exited on its own.
fn own_end(exit: Exit) -> Verdict {
    match exit {
        Exit::Status(0) => Verdict::Ok,
        Exit::Status(_) => Verdict::ExitNonzero,
        Exit::Signal(_) | Exit::Killed | Exit::NotStarted(_) | Exit::Running => Verdict::Crash,
    }
}

fn fault(answered: Answered, verdict: Verdict, reason: String) -> Answered {
    Answered { parts: Parts::none(), verdict, reason, ..answered }
}

/// Returns the name of the first answer file that satisfies `is`.
fn first<'f>(
    taken: &[OutputFile],
    files: &'f Files,
    is: impl Fn(&FileOutcome) -> bool,
) -> Option<&'f str> {
    let found = taken.iter().zip(&*files.answers).find(|(file, _)| is(&file.outcome));
    found.map(|(_, name)| &**name)
}

/// Makes an answer of the existing files, in the order of the request.
fn parts(taken: Vec<OutputFile>, files: &Files) -> Parts {
    let part = |(file, name): (OutputFile, &Cow<'static, str>)| match file.outcome {
        FileOutcome::Bytes(bytes) => Some(Part { name: (&**name).into(), bytes: bytes.into() }),
        _ => None,
    };
    Parts(taken.into_iter().zip(&*files.answers).filter_map(part).collect())
}
