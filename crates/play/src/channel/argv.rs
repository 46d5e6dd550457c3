//! Channel `argv`, one process per turn: the view as the last argument, the action on stdout.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use joust_referee::Parts;
use joust_sandbox::{Seat, Turn, TurnError};

use super::classify::{answered, lost, turn_limits};
use super::{Answered, Channel, ChannelError, Opening, Request};

/// The kernel's limit for one argument (`MAX_ARG_STRLEN`), its end included.
const ARGUMENT_BYTES: usize = 128 * 1024;

pub(super) struct Argv {
    opening: Opening,
    command: Vec<OsString>,
    seat: Option<Seat>,
}

impl Argv {
    pub(super) fn open(opening: Opening) -> Result<Self, ChannelError> {
        let seat = Seat::start(&opening.host, &opening.spec)?;
        let mut command = opening.command.clone();
        command.push(OsString::new());
        Ok(Self { opening, command, seat: Some(seat) })
    }

    fn show(&mut self, parts: &Parts) -> Result<(), ChannelError> {
        let view = parts.get("").unwrap_or_default();
        if view.len() >= ARGUMENT_BYTES {
            return Err(ChannelError::ViewTooLong { bytes: view.len(), most: ARGUMENT_BYTES - 1 });
        }
        let last = self.command.last_mut().expect("the view has its place");
        *last = OsString::from_vec(view.to_vec());
        Ok(())
    }

    /// Returns the seat, made anew when the bot has managed to lose it.
    fn seat(&mut self) -> Result<&mut Seat, ChannelError> {
        if self.seat.is_none() {
            self.seat = Some(Seat::start(&self.opening.host, &self.opening.spec)?);
        }
        Ok(self.seat.as_mut().expect("it was just made"))
    }
}

impl Channel for Argv {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        self.show(request.view)?;
        let command = std::mem::take(&mut self.command);
        let folder = self.opening.folder.clone();
        let limits = turn_limits(&self.opening);
        let turn = Turn { command: &command, folder: &folder, put: &[], take: &[], limits };
        let result = self.seat()?.turn(&turn);
        self.command = command;
        match result {
            Ok(report) => Ok(answered(report)),
            Err(TurnError::Infrastructure(error)) => Err(error.into()),
            Err(error @ TurnError::SeatLost { .. }) => {
                self.seat = None;
                Ok(lost(&error.to_string()))
            }
        }
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        match self.seat {
            Some(seat) => Ok(seat.stop()?),
            None => Ok(()),
        }
    }
}
