//! A position: everything that is carried from one round to the next.

use super::{START_HP, START_SQUARES};
use crate::bytes::write_length;
use crate::{Direction, Point};

/// One of the two bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bot {
    /// The square it stands on.
    pub at: Point,
    /// Hit points; 0 or less once it is dead.
    pub hp: i32,
}

/// A bullet or a missile in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Projectile {
    /// The square it is on.
    pub at: Point,
    /// Direction of flight.
    pub direction: Direction,
}

/// A landmine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mine {
    /// The square it lies on.
    pub at: Point,
    /// Set off by another mine, but not yet taken away; `original` only.
    pub spent: bool,
}

/// A position. The lists are in the order in which the things were deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameState {
    /// The bots, in seat order.
    pub bots: [Bot; 2],
    /// Rounds to come without movement.
    pub paralysed_rounds: u32,
    /// Bullets in flight.
    pub bullets: Vec<Projectile>,
    /// Missiles in flight.
    pub missiles: Vec<Projectile>,
    /// Mines on the ground.
    pub mines: Vec<Mine>,
}

impl GameState {
    /// Makes the position every bout starts from. Nothing in this game is drawn by lot.
    pub fn start() -> Self {
        Self {
            bots: START_SQUARES.map(|at| Bot { at, hp: START_HP }),
            paralysed_rounds: 0,
            bullets: Vec::new(),
            missiles: Vec::new(),
            mines: Vec::new(),
        }
    }

    /// Returns whether a bot has no hit points left.
    pub fn has_dead_bot(&self) -> bool {
        self.bots.iter().any(|bot| bot.hp < 1)
    }

    /// Appends the position's canonical bytes.
    ///
    /// Shape: all numbers are four bytes, little endian, signed. Per bot column,
    /// row and hit points; the paralysis counter; then bullets, missiles and
    /// mines, each list preceded by its length. A projectile is column, row and
    /// the number of its direction (clockwise, north is 0); a mine is column,
    /// row and 1 if it is spent.
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        for bot in self.bots {
            write_point(out, bot.at);
            out.extend(bot.hp.to_le_bytes());
        }
        out.extend(self.paralysed_rounds.to_le_bytes());
        write_projectiles(out, &self.bullets);
        write_projectiles(out, &self.missiles);
        write_length(out, self.mines.len());
        for mine in &self.mines {
            write_point(out, mine.at);
            out.extend(i32::from(mine.spent).to_le_bytes());
        }
    }
}

fn write_projectiles(out: &mut Vec<u8>, projectiles: &[Projectile]) {
    write_length(out, projectiles.len());
    for projectile in projectiles {
        write_point(out, projectile.at);
        out.extend((projectile.direction as i32).to_le_bytes());
    }
}

fn write_point(out: &mut Vec<u8>, point: Point) {
    out.extend(point.x.to_le_bytes());
    out.extend(point.y.to_le_bytes());
}
