//! Draws for movement conflicts: their losers are the only thing that the game seed does
//! not decide.

use crate::rng::ChaCha8;
use crate::{Seat, Seed};

/// Rolls go from 0 to one less than this.
///
/// Source: [Commands](crate::docs::bomberman_2016#commands).
const ROLLS: u32 = 100;

/// The kind of draw that forces the numbers rolled, from 0 to 99, in order.
pub const ROLL_DRAW: &str = "collision-roll";

/// The kind of draw that forces the losers of the passes, by seat, in order.
pub const LOSER_DRAW: &str = "collision-loser";

/// Draws for movement conflicts: from the bout's seed through `ChaCha8`, one
/// number per player in a conflict and pass, unless forced for this round.
#[derive(Clone, Debug)]
pub struct Chance {
    random: ChaCha8,
    drawn: u64,
    rolls: Forced,
    losers: Forced,
}

/// Results given beforehand, for the round being played.
#[derive(Clone, Debug, Default)]
struct Forced {
    values: Vec<u8>,
    used: usize,
}

impl Forced {
    fn set(&mut self, values: &[i64], below: u32) {
        self.clear();
        let fitting = values.iter().filter_map(|value| u8::try_from(*value).ok());
        self.values.extend(fitting.filter(|value| u32::from(*value) < below));
    }

    fn next(&mut self) -> Option<u8> {
        let value = self.values.get(self.used).copied();
        self.used += usize::from(value.is_some());
        value
    }

    fn clear(&mut self) {
        self.values.clear();
        self.used = 0;
    }
}

impl Chance {
    /// Starts from a bout's seed.
    pub fn new(seed: Seed) -> Self {
        let (rolls, losers) = (Forced::default(), Forced::default());
        Self { random: ChaCha8::from_seed(seed), drawn: 0, rolls, losers }
    }

    /// Forces the draws of the kind `draw` in the round being played; other
    /// kinds and impossible values are ignored.
    pub fn force(&mut self, draw: &str, values: &[i64]) {
        match draw {
            ROLL_DRAW => self.rolls.set(values, ROLLS),
            LOSER_DRAW => self.losers.set(values, u32::from(u8::MAX)),
            _ => {}
        }
    }

    /// Takes back what was forced for the round just played.
    pub(in super::super) fn end_round(&mut self) {
        self.rolls.clear();
        self.losers.clear();
    }

    /// Returns the forced loser of the next pass.
    pub(in super::super) fn forced_loser(&mut self) -> Option<Seat> {
        self.losers.next().map(Seat)
    }

    /// Returns the next player's number, from 0 to 99.
    pub(in super::super) fn roll(&mut self) -> u8 {
        if let Some(roll) = self.rolls.next() {
            return roll;
        }
        self.drawn += 1;
        self.random.below(ROLLS) as u8
    }

    /// Appends what later draws depend on: numbers drawn (8 bytes, little
    /// endian) and both lists of forced results, each after its length (1 byte).
    pub(in super::super) fn write_bytes(&self, out: &mut Vec<u8>) {
        out.extend(self.drawn.to_le_bytes());
        for forced in [&self.rolls, &self.losers] {
            let left = &forced.values[forced.used..];
            out.push(u8::try_from(left.len()).unwrap_or(u8::MAX));
            out.extend_from_slice(left);
        }
    }
}
