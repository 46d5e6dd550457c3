//! Program of a long-lived bot in its seat, which all channels to such bots share.

use std::io;
use std::net::{TcpListener, TcpStream};

use joust_sandbox::{
    Ending, Pipes, Program as SeatProgram, RunningProgram, Seat, TurnError, TurnReport,
};

use super::{PollTarget, work_folder};
use crate::channel::classify::{budget, gone, lost};
use crate::channel::{Answered, ChannelError, Opening, Usage};

/// A long-lived bot's program, from before its start to after its end.
pub struct Program {
    opening: Opening,
    state: ProgramState,
}

enum ProgramState {
    /// The sandbox stands.
    Ready(Box<Seat>),
    /// The program runs, or its end is not reported yet.
    Running(Box<RunningProgram>),
    /// It has ended, which was reported.
    Reported(Box<RunningProgram>, Box<Answered>),
    /// The bot has destroyed what held it.
    Lost(Box<Answered>),
}

impl Program {
    /// Makes the sandbox. What the bot can connect to is in `opening.spec.host_sockets`.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the sandbox cannot be made.
    pub fn open(mut opening: Opening) -> Result<Self, ChannelError> {
        // It has a copy of its folder to write to.
        opening.spec.written = None;
        let seat = Seat::acquire(&opening.host, &opening.spec)?;
        Ok(Self { opening, state: ProgramState::Ready(Box::new(seat)) })
    }

    /// Returns, once and before the start, the sockets that listen on the ports
    /// of `opening.spec.host_sockets`, in that order; they do not block.
    pub fn listeners(&mut self) -> Vec<TcpListener> {
        match &mut self.state {
            ProgramState::Ready(seat) => seat.listeners(),
            _ => Vec::new(),
        }
    }

    /// Returns the connections that came in since this was last called, where seats have no
    /// network of their own and so no listeners; [`Program::ended`] hears of them.
    pub fn arrived(&mut self) -> Vec<TcpStream> {
        match &mut self.state {
            ProgramState::Running(live) | ProgramState::Reported(live, _) => {
                live.take_connections().into_iter().map(|arrived| arrived.stream).collect()
            }
            ProgramState::Ready(_) | ProgramState::Lost(_) => Vec::new(),
        }
    }

    /// Replaces `name` wherever it stands in the program's arguments, as what is known
    /// only now; before the start.
    pub fn fill_in(&mut self, name: &str, value: &str) {
        for word in self.opening.command.iter_mut().skip(1) {
            if let Some(text) = word.to_str().filter(|text| text.contains(name)) {
                *word = text.replace(name, value).into();
            }
        }
    }

    /// Starts the program. The second start does nothing.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed. A program that cannot be
    /// started has ended.
    pub fn start(&mut self, pipes: Pipes) -> Result<(), ChannelError> {
        let before = std::mem::replace(&mut self.state, ProgramState::Lost(Box::new(lost(""))));
        let ProgramState::Ready(mut seat) = before else {
            self.state = before;
            return Ok(());
        };
        work_folder::move_into(&mut self.opening, &mut seat)?;
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

    /// Appends what to poll: the end of the program, what it wrote, and room for
    /// more to read if `wants_to_write`.
    pub fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>, wants_to_write: bool) {
        let ProgramState::Running(live) = &self.state else { return };
        let read = [Some(live.notices()), live.output()].into_iter().flatten();
        wanted.extend(read.map(|descriptor| PollTarget { descriptor, for_writing: false }));
        let write = live.input().filter(|_| wants_to_write);
        wanted.extend(write.map(|descriptor| PollTarget { descriptor, for_writing: true }));
    }

    /// Reads what the bot wrote to its descriptor 4, without waiting; 0 when no
    /// more will come.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when there is nothing at the moment.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.state {
            ProgramState::Running(live) | ProgramState::Reported(live, _) => live.read(buffer),
            ProgramState::Ready(_) | ProgramState::Lost(_) => Ok(0),
        }
    }

    /// Writes what fits to the bot's descriptor 3, without waiting.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when nothing fits at the moment,
    /// [`io::ErrorKind::BrokenPipe`] when nobody will read it.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            ProgramState::Running(live) | ProgramState::Reported(live, _) => live.write(bytes),
            ProgramState::Ready(_) | ProgramState::Lost(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Returns whether there is an event to report that nothing polled announces: the end of a
    /// program that could not be started, or a connection that arrived on the way.
    pub fn has_unreported_event(&self) -> bool {
        match &self.state {
            ProgramState::Running(live) => live.has_ended() || live.has_connections(),
            ProgramState::Reported(live, _) => live.has_connections(),
            ProgramState::Ready(_) | ProgramState::Lost(_) => false,
        }
    }

    /// Returns, once, the end of the program, if it has ended. The verdict is never `ok`.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed; never because of the bot.
    pub fn ended(&mut self) -> Result<Option<Answered>, ChannelError> {
        let ProgramState::Running(live) = &mut self.state else { return Ok(None) };
        match live.poll_report() {
            Ok(None) => Ok(None),
            Ok(Some(report)) => {
                let answered = gone(report);
                self.mark_reported(answered.clone());
                Ok(Some(answered))
            }
            Err(error) => {
                self.fail(error)?;
                Ok(self.last().cloned())
            }
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
            Ok(used) => Ok(Usage {
                wall: used.wall,
                cpu: used.cpu,
                cpu_partial: !used.cpu_complete,
                stall: used.stall,
                peak_memory_bytes: used.peak_memory.0,
                is_cold_start: false,
            }),
            Err(error) => {
                self.fail(error)?;
                Ok(Usage::default())
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

    /// Lets a frozen program go on.
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

    /// Ends the program, if it still runs, and says how it ended and what it used
    /// in all: `ok` when it was still running within its limits.
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
        Ok(self
            .last()
            .cloned()
            .unwrap_or_else(|| gone(&TurnReport::without_start(Ending::Stopped))))
    }

    /// Ends the program and removes everything of it.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when something of it could not be removed.
    pub fn close(self) -> Result<(), ChannelError> {
        match self.state {
            ProgramState::Ready(seat) => Ok(seat.stop()?),
            ProgramState::Running(live) | ProgramState::Reported(live, _) => Ok(live.stop()?),
            ProgramState::Lost(_) => Ok(()),
        }
    }

    fn last(&self) -> Option<&Answered> {
        match &self.state {
            ProgramState::Reported(_, answered) | ProgramState::Lost(answered) => Some(answered),
            ProgramState::Ready(_) | ProgramState::Running(_) => None,
        }
    }

    fn mark_reported(&mut self, answered: Answered) {
        let nothing = ProgramState::Lost(Box::new(lost("")));
        if let ProgramState::Running(live) = std::mem::replace(&mut self.state, nothing) {
            self.state = ProgramState::Reported(live, Box::new(answered));
        }
    }

    /// Takes an error: the machine's is returned, one that only the bot can have
    /// caused is its end.
    fn fail(&mut self, error: TurnError) -> Result<(), ChannelError> {
        match error {
            TurnError::Infrastructure(error) => Err(error.into()),
            TurnError::SeatLost { .. } => {
                self.state = ProgramState::Lost(Box::new(lost(&error.to_string())));
                Ok(())
            }
        }
    }
}
