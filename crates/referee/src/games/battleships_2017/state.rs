//! A position: everything that is carried from one round to the next.

mod fleet;

pub use fleet::{ShipKind, Shot, Weapon};

use super::{BoutOptions, MapSize};
use crate::Seat;

/// A cell: column `x` from 0 growing to the east, row `y` from 0 at the bottom
/// growing to the north. It may lie outside the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Square {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
}

/// One cell of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Cell {
    /// The ship on it.
    pub ship: Option<ShipKind>,
    /// A shot has struck it.
    pub hit: bool,
    /// The active shield covers it.
    pub shielded: bool,
    /// A shot has struck the shield on it.
    pub shield_hit: bool,
}

/// The most cells a map has.
const MOST_CELLS: usize = 14 * 14;

/// One player's map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    side: u8,
    cells: [Cell; MOST_CELLS],
}

impl Board {
    /// Makes an empty map.
    pub fn new(size: MapSize) -> Self {
        Self { side: size.side(), cells: [Cell::default(); MOST_CELLS] }
    }

    /// Returns columns and rows.
    pub fn side(&self) -> u8 {
        self.side
    }

    /// Returns the number of the cell at column `x`, row `y`, if it lies on the map.
    pub fn number_of(&self, x: i64, y: i64) -> Option<u8> {
        let inside = 0..i64::from(self.side);
        (inside.contains(&x) && inside.contains(&y)).then(|| x as u8 * self.side + y as u8)
    }

    /// Returns the cell with this number as a square.
    pub fn square_of(&self, number: u8) -> Square {
        Square { x: i32::from(number / self.side), y: i32::from(number % self.side) }
    }

    /// Returns the cell with this number.
    pub fn cell(&self, number: u8) -> Cell {
        self.cells[usize::from(number)]
    }

    /// Returns the cell with this number, to be changed.
    pub fn cell_mut(&mut self, number: u8) -> &mut Cell {
        &mut self.cells[usize::from(number)]
    }

    /// Returns all cells, column after column, each from the bottom.
    pub fn cells(&self) -> &[Cell] {
        &self.cells[..usize::from(self.side) * usize::from(self.side)]
    }

    /// Returns all cells, to be changed.
    pub fn cells_mut(&mut self) -> &mut [Cell] {
        &mut self.cells[..usize::from(self.side) * usize::from(self.side)]
    }
}

/// One ship of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Ship {
    /// It is on the map.
    pub placed: bool,
    /// All its cells were hit when the last round ended.
    pub destroyed: bool,
    /// The numbers of its cells from the first one; those beyond its length are
    /// unused. They stay when a ship is taken off the map.
    pub cells: [Option<u8>; 5],
}

/// A player's shield.
///
/// Source: [Shield](crate::docs::battleships_2017#shield).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shield {
    /// Rounds it can protect; one is spent in each round in which it is up.
    pub charges: u32,
    /// Cells it reaches from its centre.
    pub radius: u32,
    /// True while it is up.
    pub active: bool,
    /// The round in which it was placed or went out last.
    pub last_used: u32,
    /// Square of the last placement.
    pub centre: Square,
    /// Rounds without the shield since the last charge; `documented` only.
    pub unused_rounds: u32,
}

/// The last command of a player, as `roundCommand.json` has it.
///
/// Source: [`roundCommand.json`](crate::docs::battleships_2017#roundcommandjson).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastMove {
    /// Its name; none before the first one.
    pub name: Option<&'static str>,
    /// True if the command was carried out; a refused one was not.
    pub succeeded: bool,
    /// The last point aimed at.
    pub centre: Square,
    /// The lines of the last placement.
    pub placement: Option<String>,
}

/// One of the two players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Energy to pay for special shots; grows in every round of phase 2.
    pub energy: i32,
    /// Points for hits, sunk ships and the opponent's end.
    pub points: i32,
    /// Shots carried out, as the rule set counts them.
    pub shots_fired: u32,
    /// Shots that hit a cell of a ship for the first time.
    pub shots_hit: u32,
    /// The round of the first of those.
    pub first_hit_round: Option<u32>,
    /// Placement rounds that failed because of this player; five are its end.
    pub failed_placements: u32,
    /// Do-nothings in a row up to now.
    pub do_nothings: u32,
    /// True if the player lost all ships or was killed by the harness.
    pub killed: bool,
    /// True if a person plays; the harness does not kill people.
    pub is_person: bool,
    /// The ships, in the order of [`ShipKind::ALL`].
    pub ships: [Ship; 5],
    /// The shield of its own map.
    pub shield: Shield,
    /// Its own map, which the opponent shoots at.
    pub board: Board,
    /// Its last command, for `roundCommand.json`.
    pub last: LastMove,
}

impl Player {
    /// Makes a player who has placed nothing.
    pub(super) fn new(options: &BoutOptions) -> Self {
        Self {
            energy: options.energy_per_round(),
            points: 0,
            shots_fired: 0,
            shots_hit: 0,
            first_hit_round: None,
            failed_placements: 0,
            do_nothings: 0,
            killed: false,
            is_person: false,
            ships: [Ship::default(); 5],
            shield: Shield::default(),
            board: Board::new(options.size),
            last: LastMove::default(),
        }
    }

    /// Returns the number of ships not destroyed.
    pub fn ships_remaining(&self) -> usize {
        self.ships.iter().filter(|ship| !ship.destroyed).count()
    }

    /// Returns whether all ships are on the map.
    pub fn has_placed_all(&self) -> bool {
        self.ships.iter().all(|ship| ship.placed)
    }

    /// Returns whether all cells of the ship are known and hit.
    pub fn is_all_hit(&self, kind: ShipKind) -> bool {
        let cells = &self.ships[kind.index()].cells[..kind.length()];
        cells.iter().all(|cell| cell.is_some_and(|number| self.board.cell(number).hit))
    }
}

/// Phase of the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Phase 1: both players place their ships.
    Placing,
    /// Phase 2: shots and shields.
    Shooting,
}

impl Phase {
    /// Returns 1 or 2.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Placing => 1,
            Self::Shooting => 2,
        }
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameState {
    /// The round to be played, from 0; also the number of rounds played.
    pub round: u32,
    /// The part of the match the round belongs to.
    pub phase: Phase,
    /// The players, `A` first.
    pub players: [Player; 2],
}

impl GameState {
    /// Makes the position every bout starts from. Nothing in this game is drawn by lot.
    pub fn start(options: &BoutOptions) -> Self {
        Self {
            round: 0,
            phase: Phase::Placing,
            players: [Player::new(options), Player::new(options)],
        }
    }

    /// Returns a seat's player and the opponent.
    pub fn pair_mut(&mut self, seat: Seat) -> (&mut Player, &mut Player) {
        let [a, b] = &mut self.players;
        if seat == Seat(0) { (a, b) } else { (b, a) }
    }

    /// Appends the position's canonical bytes.
    ///
    /// Shape: round (four bytes, little endian, like all numbers), phase (one
    /// byte), then each player: energy, points, shots fired, shots that hit,
    /// first hit round (`u32::MAX` for none), failed placements, do-nothings in
    /// a row, killed (a byte, like all flags); per ship placed, destroyed and
    /// five cell numbers (a byte, 255 for none); shield charges, radius, active,
    /// last used, centre x and y, unused rounds; last command: name and its
    /// length before it, succeeded, centre x and y, placement like the name
    /// (`u32::MAX` as length for none); and one byte per cell: 0 or the ship's
    /// place in the order from 1, plus 8 hit, 16 shielded, 32 shield hit.
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        out.extend(self.round.to_le_bytes());
        out.push(self.phase.number());
        for player in &self.players {
            write_counters(player, out);
            for ship in &player.ships {
                out.extend([u8::from(ship.placed), u8::from(ship.destroyed)]);
                out.extend(ship.cells.map(|cell| cell.unwrap_or(u8::MAX)));
            }
            write_shield(&player.shield, out);
            write_text(player.last.name, out);
            out.push(u8::from(player.last.succeeded));
            write_square(player.last.centre, out);
            write_text(player.last.placement.as_deref(), out);
            out.extend(player.board.cells().iter().map(|cell| cell_byte(*cell)));
        }
    }
}

fn write_counters(player: &Player, out: &mut Vec<u8>) {
    out.extend(player.energy.to_le_bytes());
    out.extend(player.points.to_le_bytes());
    out.extend(player.shots_fired.to_le_bytes());
    out.extend(player.shots_hit.to_le_bytes());
    out.extend(player.first_hit_round.unwrap_or(u32::MAX).to_le_bytes());
    out.extend(player.failed_placements.to_le_bytes());
    out.extend(player.do_nothings.to_le_bytes());
    out.push(u8::from(player.killed) | u8::from(player.is_person) << 1);
}

fn write_shield(shield: &Shield, out: &mut Vec<u8>) {
    out.extend(shield.charges.to_le_bytes());
    out.extend(shield.radius.to_le_bytes());
    out.push(u8::from(shield.active));
    out.extend(shield.last_used.to_le_bytes());
    write_square(shield.centre, out);
    out.extend(shield.unused_rounds.to_le_bytes());
}

fn write_square(square: Square, out: &mut Vec<u8>) {
    out.extend(square.x.to_le_bytes());
    out.extend(square.y.to_le_bytes());
}

fn write_text(text: Option<&str>, out: &mut Vec<u8>) {
    let length = text.map_or(u32::MAX, |text| u32::try_from(text.len()).unwrap_or(u32::MAX));
    out.extend(length.to_le_bytes());
    out.extend_from_slice(text.unwrap_or_default().as_bytes());
}

fn cell_byte(cell: Cell) -> u8 {
    let ship = cell.ship.map_or(0, |kind| kind as u8 + 1);
    ship + 8 * u8::from(cell.hit) + 16 * u8::from(cell.shielded) + 32 * u8::from(cell.shield_hit)
}
