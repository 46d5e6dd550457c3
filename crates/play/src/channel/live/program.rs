//! Program of a long-lived bot in its seat, shared by all channels to such bots.
//!
//! Its working folder is a private copy of the bot's folder, in its scratch folder. In the originals
//! of the games with a clock, a bot ran in a folder of its author's. It may write logs there, and
//! replace files with what it has learnt. The build itself stays read-only, and the copy is removed
//! after the bout.

use std::ffi::OsString;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use joust_sandbox::{
    Ending, Pipes, Program as SeatProgram, RunningProgram, SandboxError, Seat, ServerConnection,
    TurnError, TurnReport, WorkFolder,
};
use joust_toolchain::MADE;

use super::PollTarget;
use crate::channel::classify::{budget, gone, lost};
use crate::channel::{Answered, ChannelError, Opening, Usage};

/// A long-lived bot's program, from before its start to after its end.
pub struct Program {
    opening: Opening,
    state: ProgramState,
}

enum ProgramState {
    /// The sandbox exists.
    Ready(Box<Seat>),
    /// The program is running, or its end is not reported yet.
    Running(Box<RunningProgram>),
    /// The program's end was reported.
    Reported(Box<RunningProgram>, Box<Answered>),
    /// The bot has destroyed its supervisor.
    Lost { answered: Box<Answered>, is_reported: bool },
}

impl ProgramState {
    /// Stands in the place of a state that is moved out.
    fn moved_out() -> Self {
        Self::Lost { answered: Box::new(lost("")), is_reported: true }
    }
}

impl Program {
    /// Makes the sandbox. `opening.spec.host_sockets` lists what the bot can connect to.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the sandbox cannot be made.
    pub fn open(mut opening: Opening) -> Result<Self, ChannelError> {
        // The bot writes into a copy of its folder.
        opening.spec.written = None;
        let seat = Seat::acquire(&opening.host, &opening.spec)?;
        Ok(Self { opening, state: ProgramState::Ready(Box::new(seat)) })
    }

    /// Returns the sockets that listen on the ports of `opening.spec.host_sockets`, in that order.
    /// They are non-blocking. They are only returned once, before the start.
    pub fn listeners(&mut self) -> Vec<TcpListener> {
        match &mut self.state {
            ProgramState::Ready(seat) => seat.listeners(),
            _ => Vec::new(),
        }
    }

    /// Returns the new connections since the last call, where seats have no network of their own
    /// and thus no listeners. [`Program::ended`] collects them.
    pub fn arrived(&mut self) -> Vec<TcpStream> {
        match &mut self.state {
            ProgramState::Running(live) | ProgramState::Reported(live, _) => {
                live.take_connections()
            }
            ProgramState::Ready(_) | ProgramState::Lost { .. } => Vec::new(),
        }
    }

    /// Replaces `name` in the program's arguments with a value that was not known earlier; only
    /// before the start.
    pub fn fill_in(&mut self, name: &str, value: &str) {
        for word in self.opening.command.iter_mut().skip(1) {
            if let Some(text) = word.to_str().filter(|text| text.contains(name)) {
                *word = text.replace(name, value).into();
            }
        }
    }

    /// Starts the program. A second call does nothing.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed. A program that cannot be started counts as ended.
    pub fn start(&mut self, pipes: Pipes) -> Result<(), ChannelError> {
        let before = std::mem::replace(&mut self.state, ProgramState::moved_out());
        let ProgramState::Ready(mut seat) = before else {
            self.state = before;
            return Ok(());
        };
        move_into_copy(&mut self.opening, &mut seat)?;
        let program = SeatProgram {
            command: &self.opening.command,
            folder: &self.opening.folder,
            put: &[],
            pipes,
            limits: budget(&self.opening),
        };
        match seat.start_program(&program) {
            Ok(live) => self.state = ProgramState::Running(Box::new(live)),
            Err(error) => self.fail(error)?,
        }
        Ok(())
    }

    /// Appends the descriptors to poll: for the end of the program, for its output, and for writing
    /// if `wants_to_write`.
    pub fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>, wants_to_write: bool) {
        let ProgramState::Running(live) = &self.state else { return };
        let read = [Some(live.notices()), live.output()].into_iter().flatten();
        wanted.extend(read.map(|descriptor| PollTarget { descriptor, for_writing: false }));
        let write = live.input().filter(|_| wants_to_write);
        wanted.extend(write.map(|descriptor| PollTarget { descriptor, for_writing: true }));
    }

    /// Reads from the bot's descriptor 4 without waiting; 0 at the end of the output.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when there is nothing at the moment.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.state {
            ProgramState::Running(live) | ProgramState::Reported(live, _) => live.read(buffer),
            ProgramState::Ready(_) | ProgramState::Lost { .. } => Ok(0),
        }
    }

    /// Writes the part that fits to the bot's descriptor 3, without waiting.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when nothing fits at the moment, [`io::ErrorKind::BrokenPipe`]
    /// when the reading end is closed.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            ProgramState::Running(live) | ProgramState::Reported(live, _) => live.write(bytes),
            ProgramState::Ready(_) | ProgramState::Lost { .. } => {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
    }

    /// Returns whether there is an event that no descriptor announces: the end of a program that
    /// could not be started or was lost, or a connection that arrived meanwhile.
    pub fn has_unreported_event(&self) -> bool {
        match &self.state {
            ProgramState::Running(live) => live.has_ended() || live.has_connections(),
            ProgramState::Reported(live, _) => live.has_connections(),
            ProgramState::Lost { is_reported, .. } => !is_reported,
            ProgramState::Ready(_) => false,
        }
    }

    /// Returns the end of the program once, if it has ended. The verdict is never `ok`.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed; never because of the bot.
    pub fn ended(&mut self) -> Result<Option<Answered>, ChannelError> {
        if let ProgramState::Running(live) = &mut self.state {
            match live.poll_report() {
                Ok(None) => return Ok(None),
                Ok(Some(report)) => {
                    let answered = gone(report);
                    self.mark_reported(answered.clone());
                    return Ok(Some(answered));
                }
                Err(error) => self.fail(error)?,
            }
        }
        match &mut self.state {
            ProgramState::Lost { answered, is_reported } if !*is_reported => {
                *is_reported = true;
                Ok(Some((**answered).clone()))
            }
            _ => Ok(None),
        }
    }

    /// Returns the resources that the program has used so far.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn usage(&mut self) -> Result<Usage, ChannelError> {
        let ProgramState::Running(live) = &mut self.state else {
            return Ok(self.last().map_or_else(Usage::default, |answered| answered.usage));
        };
        match live.read_usage() {
            Ok(used) => Ok(used.into()),
            Err(error) => {
                self.fail(error)?;
                Ok(Usage::default())
            }
        }
    }

    /// Connects to the program, as [`RunningProgram::connect`] does; a program that does not run
    /// refuses.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn connect(
        &mut self,
        port: u16,
        lists_others: bool,
    ) -> Result<ServerConnection, ChannelError> {
        let ProgramState::Running(live) = &mut self.state else {
            return Ok(ServerConnection::Refused(Vec::new()));
        };
        match live.connect(port, lists_others) {
            Ok(connection) => Ok(connection),
            Err(error) => {
                self.fail(error)?;
                Ok(ServerConnection::Refused(Vec::new()))
            }
        }
    }

    /// Freezes the program until [`Program::resume`].
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn pause(&mut self) -> Result<(), ChannelError> {
        self.with_live(RunningProgram::pause)
    }

    /// Resumes a frozen program.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn resume(&mut self) -> Result<(), ChannelError> {
        self.with_live(RunningProgram::resume)
    }

    fn with_live(
        &mut self,
        word: fn(&mut RunningProgram) -> Result<(), TurnError>,
    ) -> Result<(), ChannelError> {
        let ProgramState::Running(live) = &mut self.state else { return Ok(()) };
        word(live).or_else(|error| self.fail(error))
    }

    /// Ends the program if it is still running, and returns its end and its total usage. The
    /// verdict is `ok` when it was still running within its limits.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn end(&mut self) -> Result<Answered, ChannelError> {
        if let ProgramState::Running(live) = &mut self.state {
            match live.end().map(gone) {
                Ok(answered) => self.mark_reported(answered),
                Err(error) => self.fail(error)?,
            }
        }
        if let ProgramState::Lost { is_reported, .. } = &mut self.state {
            *is_reported = true;
        }
        Ok(self
            .last()
            .cloned()
            .unwrap_or_else(|| gone(&TurnReport::without_start(Ending::Stopped))))
    }

    /// Ends the program and removes its sandbox.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when a part of the sandbox could not be removed.
    pub fn close(self) -> Result<(), ChannelError> {
        match self.state {
            ProgramState::Ready(seat) => Ok(seat.stop()?),
            ProgramState::Running(live) | ProgramState::Reported(live, _) => Ok(live.stop()?),
            ProgramState::Lost { .. } => Ok(()),
        }
    }

    fn last(&self) -> Option<&Answered> {
        match &self.state {
            ProgramState::Reported(_, answered) | ProgramState::Lost { answered, .. } => {
                Some(answered)
            }
            ProgramState::Ready(_) | ProgramState::Running(_) => None,
        }
    }

    fn mark_reported(&mut self, answered: Answered) {
        let before = std::mem::replace(&mut self.state, ProgramState::moved_out());
        if let ProgramState::Running(live) = before {
            self.state = ProgramState::Reported(live, Box::new(answered));
        }
    }

    /// Handles an error: one of the machine is returned, and one that only the bot can have caused
    /// becomes its end.
    fn fail(&mut self, error: TurnError) -> Result<(), ChannelError> {
        match error {
            TurnError::Infrastructure(error) => Err(error.into()),
            TurnError::SeatLost { .. } => {
                let answered = Box::new(lost(&error.to_string()));
                self.state = ProgramState::Lost { answered, is_reported: false };
                Ok(())
            }
        }
    }
}

/// Name of the copy in the scratch folder.
const NAME: &str = "bot";

/// Copies the bot's folder into its scratch folder, and makes the program start there and find its
/// files there. The program's executable is still the one in the build.
fn move_into_copy(opening: &mut Opening, seat: &mut Seat) -> Result<(), SandboxError> {
    let built = opening.folder.clone();
    let Some(folder) = opening.spec.folders.iter().find(|folder| folder.inside == built) else {
        return Ok(());
    };
    let work = WorkFolder {
        from: folder.host.clone(),
        shown: folder.inside.clone(),
        name: NAME.to_owned(),
        // It has no sources, and what it has was made to be run.
        linked: Some(MADE.into()),
    };
    seat.add_work_folder(&work)?;
    opening.folder = opening.spec.scratch.join(NAME);
    for word in opening.command.iter_mut().skip(1) {
        if let Some(moved) = moved(word, &built, &opening.folder) {
            *word = moved.into_os_string();
        }
    }
    Ok(())
}

/// Returns a path below `from` as the corresponding path below `to`.
fn moved(word: &OsString, from: &Path, to: &Path) -> Option<PathBuf> {
    let rest = Path::new(word).strip_prefix(from).ok()?;
    Some(if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) })
}
