//! Connections of all seats, numbered together in order of arrival.

use joust_referee::{Connection, Seat, SendTo};

use crate::channel::live::SeatConnection;

/// One connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) seat: usize,
    pub(super) own: SeatConnection,
    pub(super) is_open: bool,
}

/// All connections of the bout, including closed ones, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Links(Vec<Link>);

impl Links {
    /// Returns whether there was any connection.
    pub(super) fn has_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Numbers a new connection of a seat.
    pub(super) fn open(&mut self, seat: usize, own: SeatConnection) -> Connection {
        self.0.push(Link { seat, own, is_open: true });
        Connection(u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX))
    }

    /// Finds an open connection of a seat.
    pub(super) fn find(&self, seat: usize, own: SeatConnection) -> Option<Connection> {
        let is_it = |link: &Link| link.seat == seat && link.own == own && link.is_open;
        let number = self.0.iter().rposition(is_it)?;
        u32::try_from(number).ok().map(Connection)
    }

    /// Closes a connection of a seat; returns its number if it was open.
    pub(super) fn close(&mut self, seat: usize, own: SeatConnection) -> Option<Connection> {
        let connection = self.find(seat, own)?;
        self.0[connection.0 as usize].is_open = false;
        Some(connection)
    }

    /// Returns the connection with this number, if there was one.
    pub(super) fn get(&self, connection: Connection) -> Option<Link> {
        self.0.get(connection.0 as usize).copied()
    }

    /// Returns the open connections that `to` addresses.
    pub(super) fn addressees(&self, to: SendTo) -> Vec<Link> {
        match to {
            SendTo::Connection(one) => {
                self.get(one).filter(|link| link.is_open).into_iter().collect()
            }
            SendTo::All => self.0.iter().filter(|link| link.is_open).copied().collect(),
        }
    }
}

/// Returns a seat for the referee.
pub(super) fn seat(index: usize) -> Seat {
    Seat(u8::try_from(index).unwrap_or(u8::MAX))
}
