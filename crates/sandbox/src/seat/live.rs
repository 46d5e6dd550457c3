//! Long-lived program of a seat: the caller speaks with it directly, over its pipes or sockets,
//! and the launcher watches it meanwhile.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};

use super::check::check_command;
use super::set_up::{receive_descriptors, take_descriptors};
use super::turn::top_names;
use super::{AfterUse, GRACE, Seat};
use crate::error::{SandboxError, TurnError};
use crate::link::LinkError;
use crate::poll;
use crate::wire::{LiveRequest, ProgramCommand, Reply, Request, Traces};
use crate::{Pipes, Program, ResourceUsage, TurnReport};

/// Largest number of connections that are kept until they are taken; more are closed.
const MOST_UNTAKEN: usize = 128;

/// A seat with a program that was started and left running.
///
/// Only [`RunningProgram::end`] waits for the program: the pipes do not
/// block, and [`RunningProgram::poll_report`] returns at once. Dropping it ends everything in it.
#[derive(Debug)]
pub struct RunningProgram {
    seat: Seat,
    traces_before: Traces,
    to: Option<File>,
    from: Option<File>,
    /// Report that was received when it ended.
    report: Option<TurnReport>,
    connections: Vec<TcpStream>,
}

/// Result of connecting to a program that is a server.
#[derive(Debug)]
pub enum ServerConnection {
    /// The caller's end. It does not block, and may still wait for a place in the queue of the
    /// program, which accepts connections later.
    Made(TcpStream),
    /// The program does not listen at the port. These are the others at which it does; there are
    /// none if the kernel does not list them, or if they were not asked for.
    Refused(Vec<u16>),
}

/// Message of a launcher while a program runs.
enum Received {
    Usage(ResourceUsage),
    Server(ServerConnection),
    Noted,
}

impl Seat {
    /// Starts a program and leaves it running. A program that cannot be started has
    /// [ended](RunningProgram::has_ended) at once.
    ///
    /// # Errors
    ///
    /// [`TurnError`], never because of what the program does.
    pub fn start_program(mut self, program: &Program<'_>) -> Result<RunningProgram, TurnError> {
        check_command(program.command)?;
        self.reuse.is_clean = false;
        let traces = self.note_start();
        self.scratch.put_files(program.put, &[])?;
        self.note_put(top_names(program.put).len())?;
        self.forget_times()?;
        self.wait_no_longer_than(GRACE)?;
        let turn = self.turn_request(program.command, program.folder, program.limits);
        let request = Request::Live(LiveRequest { turn, pipes: program.pipes });
        self.link.send(&request, &[]).map_err(|broken| self.lost(broken))?;
        let mut live = RunningProgram {
            seat: self,
            traces_before: traces,
            to: None,
            from: None,
            report: None,
            connections: Vec::new(),
        };
        if program.pipes != Pipes::None && !live.take_pipes()? {
            return Ok(live);
        }
        match live.seat.link.receive().map_err(|broken| live.seat.lost(broken))? {
            Reply::Started => {}
            reply => live.accept_reply(reply)?,
        }
        Ok(live)
    }
}

impl RunningProgram {
    /// Returns the descriptor that becomes readable when the program has written to its pipe or has
    /// closed it.
    pub fn output(&self) -> Option<BorrowedFd<'_>> {
        self.from.as_ref().map(AsFd::as_fd)
    }

    /// Returns the descriptor that becomes writable when there is room in the pipe that the program
    /// reads.
    pub fn input(&self) -> Option<BorrowedFd<'_>> {
        self.to.as_ref().map(AsFd::as_fd)
    }

    /// Returns the descriptor that becomes readable when [`RunningProgram::poll_report`] has
    /// something to report.
    pub fn notices(&self) -> BorrowedFd<'_> {
        self.seat.link.socket()
    }

    /// Reads what the program wrote, without waiting; 0 if no process can write
    /// any more or there is no pipe. From then on [`RunningProgram::output`] is `None`.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when there is nothing at the moment.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(pipe) = &mut self.from else { return Ok(0) };
        let read = pipe.read(buffer)?;
        if read == 0 && !buffer.is_empty() {
            self.from = None;
        }
        Ok(read)
    }

    /// Writes what fits, without waiting.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when nothing fits at the moment,
    /// [`io::ErrorKind::BrokenPipe`] when the program has closed its input.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let pipe = self.to.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        pipe.write(bytes)
    }

    /// Closes what the program reads: it finds the end of its input.
    pub fn close_input(&mut self) {
        self.to = None;
    }

    /// Returns the connections that the launcher made for the program since the last call.
    /// [`RunningProgram::poll_report`] receives them. A seat has either
    /// [listeners](Seat::listeners) or these connections.
    pub fn take_connections(&mut self) -> Vec<TcpStream> {
        std::mem::take(&mut self.connections)
    }

    /// Returns whether [`RunningProgram::take_connections`] has something that
    /// [`RunningProgram::notices`] does not announce.
    pub fn has_connections(&self) -> bool {
        !self.connections.is_empty()
    }

    /// Returns the report of the program, once it has ended: by itself or at a limit. When there is
    /// a report, no process of it is left.
    ///
    /// # Errors
    ///
    /// [`TurnError`], never because of what the program does.
    pub fn poll_report(&mut self) -> Result<Option<&TurnReport>, TurnError> {
        while self.report.is_none() && poll::is_readable(self.notices())? {
            self.receive()?;
        }
        Ok(self.report.as_ref())
    }

    /// Returns whether [`RunningProgram::poll_report`] has something to report that
    /// [`RunningProgram::notices`] does not announce, as when the program could not be started.
    pub fn has_ended(&self) -> bool {
        self.report.is_some()
    }

    /// Returns the resources that the program has used so far, or in all if it has ended.
    ///
    /// # Errors
    ///
    /// As [`RunningProgram::poll_report`].
    pub fn read_usage(&mut self) -> Result<ResourceUsage, TurnError> {
        if self.report.is_none() {
            self.send_command(ProgramCommand::Usage)?;
        }
        while self.report.is_none() {
            if let Received::Usage(used) = self.receive()? {
                return Ok(used);
            }
        }
        Ok(self.report.as_ref().map(|report| report.usage).unwrap_or_default())
    }

    /// Connects to the program at `port` of this computer as the program sees it. Does not wait for
    /// the program. For seats with [`HostSockets::may_listen`](crate::HostSockets::may_listen).
    /// `lists_others` asks for the other ports of a program that does not listen at this one.
    ///
    /// # Errors
    ///
    /// As [`RunningProgram::poll_report`].
    pub fn connect(
        &mut self,
        port: u16,
        lists_others: bool,
    ) -> Result<ServerConnection, TurnError> {
        if self.report.is_none() {
            self.send_command(ProgramCommand::Connect { port, lists_others })?;
        }
        while self.report.is_none() {
            if let Received::Server(connection) = self.receive()? {
                return Ok(connection);
            }
        }
        Ok(ServerConnection::Refused(Vec::new()))
    }

    /// Freezes every process of the program until [`RunningProgram::resume`], also if the program
    /// has woken itself since the last call. The program can notice the pause afterwards. If it
    /// uses more than 20 ms of processor time while frozen, over its whole life, it has reached its
    /// processor limit.
    ///
    /// # Errors
    ///
    /// As [`RunningProgram::poll_report`].
    pub fn pause(&mut self) -> Result<(), TurnError> {
        if self.report.is_some() { Ok(()) } else { self.send_command(ProgramCommand::Pause) }
    }

    /// Lets a frozen program continue.
    ///
    /// # Errors
    ///
    /// As [`RunningProgram::poll_report`].
    pub fn resume(&mut self) -> Result<(), TurnError> {
        if self.report.is_some() { Ok(()) } else { self.send_command(ProgramCommand::Resume) }
    }

    /// Ends the program, if it still runs, and returns its report. When this
    /// returns, no process of it is left.
    ///
    /// # Errors
    ///
    /// As [`RunningProgram::poll_report`].
    pub fn end(&mut self) -> Result<&TurnReport, TurnError> {
        if self.report.is_none() {
            self.send_command(ProgramCommand::End)?;
        }
        while self.report.is_none() {
            self.receive()?;
        }
        match &self.report {
            Some(report) => Ok(report),
            None => Err(self.seat.lost(LinkError::Malformed)),
        }
    }

    /// Ends everything and removes all parts of the seat, unless it can be kept.
    ///
    /// # Errors
    ///
    /// As [`Seat::stop`].
    pub fn stop(mut self) -> Result<(), SandboxError> {
        // A program that does not end in order leaves a seat that is not clean.
        if self.seat.reuse.after_use == AfterUse::Kept && self.end().is_err() {
            self.seat.reuse.is_clean = false;
        }
        self.seat.stop()
    }

    /// Ends the program, if it still runs, and gives the seat back for another.
    ///
    /// # Errors
    ///
    /// As [`RunningProgram::poll_report`].
    pub fn into_seat(mut self) -> Result<Seat, TurnError> {
        self.end()?;
        Ok(self.seat)
    }

    fn send_command(&mut self, question: ProgramCommand) -> Result<(), TurnError> {
        let sent = self.seat.link.send(&Request::Command(question), &[]);
        sent.map_err(|broken| self.seat.lost(broken))
    }

    fn receive(&mut self) -> Result<Received, TurnError> {
        let received = self.seat.link.receive_with_descriptors();
        let (message, descriptors) = received.map_err(|broken| self.seat.lost(broken))?;
        match message {
            Reply::Used(used) => Ok(Received::Usage(used)),
            Reply::Offered(numbers) => {
                let Seat { link, first, .. } = &mut self.seat;
                let taken = match first {
                    Some(first) => take_descriptors(link, first, numbers, descriptors),
                    None => Err(LinkError::Closed),
                };
                let taken = taken.map_err(|broken| self.seat.lost(broken))?;
                let stream = taken.into_iter().next().map(TcpStream::from);
                // The kernel drops it if this process has too many.
                let stream = stream.ok_or_else(no_descriptor)?;
                Ok(Received::Server(ServerConnection::Made(stream)))
            }
            Reply::NotConnected(ports) => Ok(Received::Server(ServerConnection::Refused(ports))),
            Reply::Connection => {
                let room = MOST_UNTAKEN.saturating_sub(self.connections.len());
                self.connections.extend(descriptors.into_iter().map(TcpStream::from).take(room));
                self.send_command(ProgramCommand::Received).map(|()| Received::Noted)
            }
            reply => self.accept_reply(reply).map(|()| Received::Noted),
        }
    }

    /// Takes over the ends of the pipes; `false` if the program ended before that.
    fn take_pipes(&mut self) -> Result<bool, TurnError> {
        let Seat { link, first, .. } = &mut self.seat;
        let offered = match first {
            Some(first) => receive_descriptors(link, first),
            None => Err(LinkError::Closed),
        };
        let offered = offered.map_err(|broken| self.seat.lost(broken))?;
        let mut pipes = match offered {
            Ok(pipes) => pipes.into_iter().map(File::from),
            Err(reply) => return self.accept_reply(reply).map(|()| false),
        };
        (self.to, self.from) = (pipes.next(), pipes.next());
        match self.from {
            Some(_) => Ok(true),
            None => Err(self.seat.lost(LinkError::Malformed)),
        }
    }

    /// Accepts the launcher's message that the program has ended.
    fn accept_reply(&mut self, reply: Reply) -> Result<(), TurnError> {
        match reply {
            Reply::Done(done) => {
                let traces = done.traces;
                self.seat.note_end(self.traces_before, traces);
                self.report = Some(self.seat.finish(&[], *done)?);
                if self.seat.reuse.after_use == AfterUse::Kept && traces == Traces::None {
                    self.seat.reuse.is_clean = self.seat.has_used_no_numbers()?;
                }
                Ok(())
            }
            Reply::Failed(failure) => Err(SandboxError::from(failure).into()),
            _ => Err(self.seat.lost(LinkError::Malformed)),
        }
    }
}

fn no_descriptor() -> SandboxError {
    SandboxError::because("connect to a program", "the connection did not arrive")
        .with_hint("raise the limit of open files (`ulimit -n`)")
}
