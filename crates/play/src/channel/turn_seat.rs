//! Seat of a bot that is started for each turn; it is made again if the bot has destroyed it.

use std::ffi::OsString;

use joust_sandbox::{PutFile, Seat, TakeFile, Turn, TurnError, TurnReport, is_starved};

use super::classify::{lost, turn_limits};
use super::{Answered, ChannelError, Opening};

/// A seat, with the start mode of its programs.
pub(super) struct TurnSeat {
    pub(super) opening: Opening,
    seat: Option<Seat>,
}

/// Inputs of a bot's start in a turn.
#[derive(Default)]
pub(super) struct Start<'a> {
    pub(super) command: &'a [OsString],
    pub(super) put: &'a [PutFile],
    pub(super) take: &'a [TakeFile],
}

impl TurnSeat {
    pub(super) fn open(opening: Opening) -> Result<Self, ChannelError> {
        let seat = Some(Seat::acquire(&opening.host, &opening.spec)?);
        Ok(Self { opening, seat })
    }

    /// Plays a turn; `answer` converts the report of the process.
    pub(super) fn turn(
        &mut self,
        start: &Start<'_>,
        answer: impl FnOnce(TurnReport) -> Answered,
    ) -> Result<Answered, ChannelError> {
        let Start { command, put, take } = *start;
        let folder = self.opening.folder.clone();
        let opening = &self.opening;
        let limits = turn_limits(opening.limit_mode, &opening.limits, &opening.calibration);
        let turn = Turn { command, folder: &folder, put, take, limits };
        match self.seat()?.turn(&turn) {
            Ok(report) => {
                let is_starved = is_starved(report.usage.stall, limits.wall);
                Ok(Answered { is_starved, ..answer(report) })
            }
            Err(TurnError::Infrastructure(error)) => Err(error.into()),
            Err(error @ TurnError::SeatLost { .. }) => {
                self.seat = None;
                Ok(lost(&error.to_string()))
            }
        }
    }

    fn seat(&mut self) -> Result<&mut Seat, ChannelError> {
        if self.seat.is_none() {
            self.seat = Some(Seat::acquire(&self.opening.host, &self.opening.spec)?);
        }
        Ok(self.seat.as_mut().expect("it was just made"))
    }

    pub(super) fn close(self) -> Result<(), ChannelError> {
        match self.seat {
            Some(seat) => Ok(seat.stop()?),
            None => Ok(()),
        }
    }
}
