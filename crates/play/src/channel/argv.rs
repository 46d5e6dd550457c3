//! Channel `argv`, one process per turn: the view as the last argument, the action on stdout.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use joust_referee::Parts;

use super::classify::answered;
use super::turn_seat::{Start, TurnSeat};
use super::{Answered, Channel, ChannelError, Opening, Request};

/// The kernel's limit for one argument (`MAX_ARG_STRLEN`), including its terminator.
const ARGUMENT_BYTES: usize = 128 * 1024;

pub(super) struct Argv {
    seat: TurnSeat,
    command: Vec<OsString>,
}

impl Argv {
    pub(super) fn open(opening: Opening) -> Result<Self, ChannelError> {
        let mut command = opening.command.clone();
        command.push(OsString::new());
        Ok(Self { seat: TurnSeat::open(opening)?, command })
    }

    fn show(&mut self, parts: &Parts) -> Result<(), ChannelError> {
        carries(parts)?;
        let view = parts.get("").unwrap_or_default();
        let last = self.command.last_mut().expect("the view has its place");
        *last = OsString::from_vec(view.to_vec());
        Ok(())
    }
}

/// Checks that a view is short enough for an argument.
pub(super) fn carries(view: &Parts) -> Result<(), ChannelError> {
    let view = view.get("").unwrap_or_default();
    match view.len() {
        bytes @ ARGUMENT_BYTES.. => {
            Err(ChannelError::ViewTooLong { bytes, most: ARGUMENT_BYTES - 1 })
        }
        _ if view.contains(&0) => Err(ChannelError::ZeroByte),
        _ => Ok(()),
    }
}

impl Channel for Argv {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        self.show(request.view)?;
        let start = Start { command: &self.command, ..Start::default() };
        self.seat.turn(&start, answered)
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        self.seat.close()
    }
}
