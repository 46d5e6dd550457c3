//! A position: everything that is carried from one turn to the next.

use super::{Action, escape};
use crate::bytes::write_length;
use crate::{Connection, Grid, Point, Seat};

/// Content of a square of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Square {
    /// Free, `0`.
    Free,
    /// A rock that a blast breaks, `1`.
    Rock,
    /// A pillar that stands for ever, `2`.
    Pillar,
}

impl Square {
    /// Returns the digit on the wire.
    #[must_use]
    pub fn digit(self) -> u8 {
        match self {
            Self::Free => b'0',
            Self::Rock => b'1',
            Self::Pillar => b'2',
        }
    }

    /// Returns the square whose number is `number`, from 0 to 2.
    pub fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Free),
            1 => Some(Self::Rock),
            2 => Some(Self::Pillar),
            _ => None,
        }
    }
}

/// A player of the game in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// The connection that plays.
    pub connection: Connection,
    /// The seat that owns the connection, in a bout.
    pub seat: Option<Seat>,
    /// The name as registered.
    pub name: String,
    /// The name as the wire shows it.
    pub shown: String,
    /// Square of the player, or of its death.
    pub at: Point,
    /// True while it lives.
    pub is_alive: bool,
    /// Points so far.
    pub score: i64,
    /// Action of the next turn.
    pub pending: Option<Action>,
}

impl Player {
    /// Makes a living player without points.
    pub fn new(connection: Connection, seat: Option<Seat>, name: String, at: Point) -> Self {
        let shown = escape(&name);
        Self { connection, seat, name, shown, at, is_alive: true, score: 0, pending: None }
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameState {
    /// Rows of the map.
    pub rows: u16,
    /// Columns of the map.
    pub columns: u16,
    /// The map; a point's `y` is the row.
    pub map: Grid<Square>,
    /// The age in turns of the bomb on a square.
    pub bombs: Grid<Option<u32>>,
    /// The players still connected, ascending by connection.
    pub players: Vec<Player>,
    /// Number of players at the beginning of the game.
    pub began_with: usize,
    /// Turns evaluated.
    pub turns: u32,
    /// Squares hit by the blasts of the last turn, row by row; only to be drawn.
    pub blast: Vec<Point>,
}

impl GameState {
    /// Makes a game without players on `map`.
    pub fn new(rows: u16, columns: u16, map: Grid<Square>) -> Self {
        let bombs = Grid::filled(usize::from(columns), usize::from(rows), None);
        Self {
            rows,
            columns,
            map,
            bombs,
            players: Vec::new(),
            began_with: 0,
            turns: 0,
            blast: Vec::new(),
        }
    }

    /// Makes an empty board.
    pub fn empty(rows: u16, columns: u16) -> Self {
        let map = Grid::filled(usize::from(columns), usize::from(rows), Square::Free);
        Self::new(rows, columns, map)
    }

    /// Returns every square, row by row.
    pub fn squares(&self) -> impl Iterator<Item = Point> + use<> {
        let (rows, columns) = (i32::from(self.rows), i32::from(self.columns));
        (0..rows).flat_map(move |y| (0..columns).map(move |x| Point { x, y }))
    }

    /// Returns the bombs with their ages, row by row.
    pub fn bombs(&self) -> impl Iterator<Item = (Point, u32)> + '_ {
        self.squares().zip(self.bombs.cells()).filter_map(|(at, age)| age.map(|age| (at, age)))
    }

    /// Returns how many players live.
    pub fn living(&self) -> usize {
        self.players.iter().filter(|player| player.is_alive).count()
    }

    /// Returns the living player on `connection`.
    pub fn living_player(&mut self, connection: Connection) -> Option<&mut Player> {
        self.players.iter_mut().find(|player| player.connection == connection && player.is_alive)
    }

    /// Appends the position's canonical bytes.
    ///
    /// Shape: numbers are little endian. Rows and columns (two bytes each), turns
    /// and players at the start (four bytes each), the map's digits, the bombs
    /// (length, then row, column and age, four bytes each), the players (length,
    /// then connection, seat plus 1 or 0, name with its length, row, column,
    /// 1 if alive, score in eight bytes, pending action plus 1 or 0).
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        out.extend(self.rows.to_le_bytes());
        out.extend(self.columns.to_le_bytes());
        out.extend(self.turns.to_le_bytes());
        write_length(out, self.began_with);
        out.extend(self.map.cells().iter().map(|square| square.digit()));
        write_length(out, self.bombs().count());
        for (at, age) in self.bombs() {
            write_point(out, at);
            out.extend(age.to_le_bytes());
        }
        write_length(out, self.players.len());
        self.players.iter().for_each(|player| write_player(out, player));
    }
}

fn write_player(out: &mut Vec<u8>, player: &Player) {
    out.extend(player.connection.0.to_le_bytes());
    out.push(player.seat.map_or(0, |seat| seat.0.saturating_add(1)));
    write_text(out, &player.name);
    write_point(out, player.at);
    out.push(u8::from(player.is_alive));
    out.extend(player.score.to_le_bytes());
    out.push(player.pending.map_or(0, |action| action as u8 + 1));
}

pub(super) fn write_text(out: &mut Vec<u8>, text: &str) {
    write_length(out, text.len());
    out.extend(text.as_bytes());
}

fn write_point(out: &mut Vec<u8>, at: Point) {
    out.extend(at.y.to_le_bytes());
    out.extend(at.x.to_le_bytes());
}
