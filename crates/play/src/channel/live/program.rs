//! Program of a long-lived bot in its seat, which all channels to such bots share.

use std::io;
use std::net::{TcpListener, TcpStream};

use joust_sandbox::{Ending, Live, Pipes, Program as SeatProgram, Seat, TurnError, TurnReport};

use super::{PollTarget, work_folder};
use crate::channel::classify::{budget, gone, lost};
use crate::channel::{Answered, ChannelError, Opening, Usage};

/// A long-lived bot's program, from before its start to after its end.
pub struct Program {
    opening: Opening,
    state: State,
}

enum State {
    /// The sandbox stands.
    Made(Box<Seat>),
    /// The program runs, or its end is still to be told.
    Runs(Box<Live>),
    /// It has ended and somebody knows.
    Told(Box<Live>, Box<Answered>),
    /// The bot has destroyed what held it.
    Lost(Box<Answered>),
}

impl Program {
    /// Makes the sandbox. What the bot can connect to is in `opening.spec.doors`.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the sandbox cannot be made.
    pub fn open(mut opening: Opening) -> Result<Self, ChannelError> {
        // It has a copy of its folder to write to.
        opening.spec.written = None;
        let seat = Seat::take(&opening.host, &opening.spec)?;
        Ok(Self { opening, state: State::Made(Box::new(seat)) })
    }

    /// Returns, once and before the start, the sockets that listen on the ports
    /// of `opening.spec.doors`, in that order; they do not block.
    pub fn listeners(&mut self) -> Vec<TcpListener> {
        match &mut self.state {
            State::Made(seat) => seat.listeners(),
            _ => Vec::new(),
        }
    }

    /// Returns the connections that came in since this was last called, where seats have no
    /// network of their own and so no listeners; [`Program::ended`] hears of them.
    pub fn arrived(&mut self) -> Vec<TcpStream> {
        match &mut self.state {
            State::Runs(live) | State::Told(live, _) => {
                live.arrived().into_iter().map(|arrived| arrived.stream).collect()
            }
            State::Made(_) | State::Lost(_) => Vec::new(),
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
        let before = std::mem::replace(&mut self.state, State::Lost(Box::new(lost(""))));
        let State::Made(mut seat) = before else {
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
            Ok(live) => self.state = State::Runs(Box::new(live)),
            Err(error) => self.fail(error)?,
        }
        Ok(())
    }

    /// Appends what to poll: the end of the program, what it wrote, and room for
    /// more to read if `wants_to_write`.
    pub fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>, wants_to_write: bool) {
        let State::Runs(live) = &self.state else { return };
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
            State::Runs(live) | State::Told(live, _) => live.read(buffer),
            State::Made(_) | State::Lost(_) => Ok(0),
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
            State::Runs(live) | State::Told(live, _) => live.write(bytes),
            State::Made(_) | State::Lost(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Returns whether there is an event to report that nothing polled announces: the end of a
    /// program that could not be started, or a connection that arrived on the way.
    pub fn is_to_be_told(&self) -> bool {
        match &self.state {
            State::Runs(live) => live.has_ended() || live.has_arrived(),
            State::Told(live, _) => live.has_arrived(),
            State::Made(_) | State::Lost(_) => false,
        }
    }

    /// Returns, once, the end of the program, if it has ended. The verdict is never `ok`.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed; never because of the bot.
    pub fn ended(&mut self) -> Result<Option<Answered>, ChannelError> {
        let State::Runs(live) = &mut self.state else { return Ok(None) };
        match live.ended() {
            Ok(None) => Ok(None),
            Ok(Some(report)) => {
                let answered = gone(report);
                self.tell(answered.clone());
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
        let State::Runs(live) = &mut self.state else {
            return Ok(self.last().map_or_else(Usage::default, |answered| answered.usage));
        };
        match live.used() {
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
        self.tell_live(Live::pause)
    }

    /// Lets a frozen program go on.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn resume(&mut self) -> Result<(), ChannelError> {
        self.tell_live(Live::resume)
    }

    fn tell_live(
        &mut self,
        word: fn(&mut Live) -> Result<(), TurnError>,
    ) -> Result<(), ChannelError> {
        let State::Runs(live) = &mut self.state else { return Ok(()) };
        word(live).or_else(|error| self.fail(error))
    }

    /// Ends the program, if it still runs, and says how it ended and what it used
    /// in all: `ok` when it was still running within its limits.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn end(&mut self) -> Result<Answered, ChannelError> {
        if let State::Runs(live) = &mut self.state {
            match live.end().map(gone) {
                Ok(answered) => self.tell(answered),
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
            State::Made(seat) => Ok(seat.stop()?),
            State::Runs(live) | State::Told(live, _) => Ok(live.stop()?),
            State::Lost(_) => Ok(()),
        }
    }

    fn last(&self) -> Option<&Answered> {
        match &self.state {
            State::Told(_, answered) | State::Lost(answered) => Some(answered),
            State::Made(_) | State::Runs(_) => None,
        }
    }

    fn tell(&mut self, answered: Answered) {
        let nothing = State::Lost(Box::new(lost("")));
        if let State::Runs(live) = std::mem::replace(&mut self.state, nothing) {
            self.state = State::Told(live, Box::new(answered));
        }
    }

    /// Takes an error: the machine's is returned, one that only the bot can have
    /// caused is its end.
    fn fail(&mut self, error: TurnError) -> Result<(), ChannelError> {
        match error {
            TurnError::Infrastructure(error) => Err(error.into()),
            TurnError::SeatLost { .. } => {
                self.state = State::Lost(Box::new(lost(&error.to_string())));
                Ok(())
            }
        }
    }
}
