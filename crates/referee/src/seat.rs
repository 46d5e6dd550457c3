//! Seats: the places of the bots in a bout.

use std::fmt;

/// A bot's place in a bout, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(pub u8);

impl Seat {
    /// Returns the seat as an index from 0.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One value for every seat, in seat order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PerSeat<T>(pub Vec<T>);

impl<T> PerSeat<T> {
    /// Makes one value for each of `seats` seats.
    pub fn from_fn(seats: usize, make: impl FnMut(Seat) -> T) -> Self {
        let numbers = 0..u8::try_from(seats).expect("a bout has at most 255 seats");
        Self(numbers.map(Seat).map(make).collect())
    }

    /// Returns seats with their values, in seat order.
    pub fn iter(&self) -> impl Iterator<Item = (Seat, &T)> {
        (0_u8..).map(Seat).zip(&self.0)
    }

    /// Returns how many seats there are.
    pub fn seats(&self) -> usize {
        self.0.len()
    }
}

impl<T> std::ops::Index<Seat> for PerSeat<T> {
    type Output = T;
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> std::ops::IndexMut<Seat> for PerSeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}
