//! Launcher: the process inside a seat. First process of its name spaces, single-threaded,
//! started from the same program before it does anything else.
//!
//! It is asked over one socket, makes the sandbox once, then runs one program
//! per turn. When the socket closes it ends, and with it everything in the seat.
//! A holder keeps the name spaces if programs run as other users than the launcher. It starts
//! one launcher after the other.
//!
//! A descriptor sent along with a message is "in flight", and the kernel limits those per user of
//! the host. If programs run as the launcher's own user, any of them could use up that limit, and
//! no launcher of that user would get a message through. There the launcher only sends the
//! numbers, and the caller, which may trace it, copies the descriptors.

mod accounting;
mod calls;
mod capture;
mod connections;
mod holder;
mod identity;
mod inherited;
mod inner_seat;
mod live;
mod network;
mod processes;
mod programs;
mod queues;
mod scratch;
mod server;
mod serving;
mod set_up;
mod sockets;
mod turn;
mod view;
mod watch;

use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;

use crate::error::SandboxError;
use crate::link::{Link, LinkError};
use crate::sys;
use crate::wire::{Failure, LAUNCHER_ARGUMENT, Mode, OfferAnswer, Reply, Request, SetUp};

/// Becomes a seat's launcher, and then never returns, when that is what this
/// process was started for; otherwise returns at once.
///
/// Every program that makes seats calls this in its first line, before it
/// starts threads, opens files or reads its arguments.
pub fn main_if_seat() {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == OsStr::new(LAUNCHER_ARGUMENT))
    {
        let status = i32::from(serve().is_err());
        std::process::exit(status);
    }
}

/// Reason why a launcher ends. Only the exit status reports it.
enum ServeError {
    NoSocket,
    Broken,
}

impl From<LinkError> for ServeError {
    fn from(_: LinkError) -> Self {
        Self::Broken
    }
}

fn serve() -> Result<(), ServeError> {
    let socket = sys::adopt(sys::LAUNCHER_SOCKET).map_err(|_| ServeError::NoSocket)?;
    let mut link = Link::new(socket);
    let request = match link.receive() {
        Ok(Request::Prepare(request)) => request,
        other => return Err(unexpected(&link, other, "read the start")),
    };
    let holds_name_spaces = request.mode.holds_name_spaces(request.network);
    let prepared = match set_up::prepare(request) {
        Ok(prepared) => prepared,
        Err(error) => return Err(refuse(&link, &error)),
    };
    if holds_name_spaces {
        return holder::serve(link, prepared);
    }
    match link.receive_with_descriptors() {
        Ok((Request::SetUp(request), sockets)) => serve_seat(*request, sockets, prepared),
        other => Err(unexpected(&link, other.map(|(request, _)| request), "read the set-up")),
    }
}

/// Sets a seat up and serves it over the socket that came with the request.
fn serve_seat(
    request: SetUp,
    sockets: Vec<OwnedFd>,
    prepared: set_up::PreparedLauncher,
) -> Result<(), ServeError> {
    let socket = sockets.into_iter().next().ok_or(ServeError::NoSocket)?;
    let mut link = Link::new(socket);
    let mode = request.identity.mode;
    match set_up::set_up(request, prepared) {
        Err(error) => Err(refuse(&link, &error)),
        Ok((seat, ready, handed_out)) => {
            let descriptors: Vec<_> = handed_out.iter().map(AsFd::as_fd).collect();
            hand_out(&mut link, mode, &descriptors)?;
            link.send(&Reply::Ready(ready), &[])?;
            drop(handed_out);
            serve_turns(link, seat)
        }
    }
}

fn serve_turns(mut link: Link, mut seat: inner_seat::InnerSeat) -> Result<(), ServeError> {
    loop {
        let run = match link.receive() {
            Err(LinkError::Closed) => return Ok(()),
            Ok(Request::Turn(request)) => seat.run(&request, link.socket()),
            Ok(Request::Live(request)) => seat.run_live(&request, &mut link),
            // The program it was about has just ended.
            Ok(Request::Command(_)) => continue,
            Ok(Request::Environment(environment)) => {
                seat.set_environment(&environment).map_err(|error| refuse(&link, &error))?;
                continue;
            }
            other => return Err(unexpected(&link, other, "read a turn")),
        };
        let reply = match run {
            Ok(done) => Reply::Done(Box::new(done)),
            Err(turn::TurnFailure::Abandoned) => return Ok(()),
            Err(turn::TurnFailure::Failed(error)) => Reply::Failed(error.into()),
        };
        link.send(&reply, &[])?;
    }
}

/// Tells the other end why this launcher ends.
fn refuse(link: &Link, error: &SandboxError) -> ServeError {
    let _ = link.send(&Reply::Failed(error.clone().into()), &[]);
    ServeError::Broken
}

/// Returns the error for what came in place of a request, and reports it to the caller if anything
/// came.
fn unexpected(link: &Link, received: Result<Request, LinkError>, step: &str) -> ServeError {
    match received {
        Ok(_) | Err(LinkError::Malformed) => {
            refuse(link, &SandboxError::because(step, "it is malformed"))
        }
        Err(broken) => broken.into(),
    }
}

impl From<SandboxError> for Failure {
    fn from(error: SandboxError) -> Self {
        let (errno, reason) = (error.errno().unwrap_or(0), error.reason());
        Self { step: error.step().to_owned(), errno, reason }
    }
}

impl From<Failure> for SandboxError {
    fn from(failure: Failure) -> Self {
        match failure.errno {
            0 => Self::because(failure.step, failure.reason),
            errno => Self::new(failure.step, Errno::from_raw(errno)),
        }
    }
}

/// Hands descriptors out; when this returns, the launcher's own can be closed.
fn hand_out(link: &mut Link, mode: Mode, descriptors: &[BorrowedFd<'_>]) -> Result<(), LinkError> {
    let along = Reply::Offered(Vec::new());
    if !shares_user(mode) || descriptors.is_empty() {
        return link.send(&along, descriptors);
    }
    let numbers = descriptors.iter().map(|descriptor| descriptor.as_raw_fd().unsigned_abs());
    link.send(&Reply::Offered(numbers.collect()), &[])?;
    match link.receive()? {
        Request::Offer(OfferAnswer::Taken) => Ok(()),
        Request::Offer(OfferAnswer::Refused) => link.send(&along, descriptors),
        _ => Err(LinkError::Malformed),
    }
}

/// Returns whether programs run as the launcher's own user of the host.
fn shares_user(mode: Mode) -> bool {
    matches!(mode, Mode::UserNameSpace | Mode::Plain)
}
