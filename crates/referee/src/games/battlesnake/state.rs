//! A position: snakes, food and hazards.

use crate::Seat;
use crate::bytes::write_length;
use crate::named::named;

/// A square, (0, 0) at the bottom left. Squares off the board exist: of heads that left it, and
/// of hazards of `snail_mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square {
    /// Column.
    pub x: i16,
    /// Row, growing upwards.
    pub y: i16,
}

impl Square {
    /// Makes a square.
    pub const fn new(x: i16, y: i16) -> Self {
        Self { x, y }
    }

    /// Returns the square that lies so far away.
    #[must_use]
    pub const fn shifted(self, dx: i16, dy: i16) -> Self {
        Self { x: self.x + dx, y: self.y + dy }
    }

    /// Returns whether it lies on a board with so many columns and rows.
    #[must_use]
    pub fn is_within(self, (width, height): (i16, i16)) -> bool {
        (0..width).contains(&self.x) && (0..height).contains(&self.y)
    }

    /// Returns the four squares beside it; some may lie off the board.
    #[must_use]
    pub fn neighbours(self) -> [Self; 4] {
        Direction::ALL.map(|direction| self.step(direction))
    }

    /// Returns the next square in a direction.
    #[must_use]
    pub const fn step(self, direction: Direction) -> Self {
        match direction {
            Direction::Up => self.shifted(0, 1),
            Direction::Down => self.shifted(0, -1),
            Direction::Left => self.shifted(-1, 0),
            Direction::Right => self.shifted(1, 0),
        }
    }
}

named! {
    /// Direction of a move.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Direction {
        /// Towards higher rows.
        Up = "up",
        /// Towards row 0.
        Down = "down",
        /// Towards column 0.
        Left = "left",
        /// Towards higher columns.
        Right = "right",
    }
}

named! {
    /// Cause of an elimination.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Cause {
        /// Its head met the body of another snake.
        SnakeCollision = "snake-collision",
        /// Its head met its own body.
        SnakeSelfCollision = "snake-self-collision",
        /// Its head met that of a snake that is not shorter.
        HeadCollision = "head-collision",
        /// It left the board.
        WallCollision = "wall-collision",
        /// It starved.
        OutOfHealth = "out-of-health",
        /// A hazard took its last health.
        Hazard = "hazard",
    }
}

/// Elimination of a snake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elimination {
    /// Cause of death.
    pub cause: Cause,
    /// The snake that caused it: its own seat if it ran into itself; `None` for walls, hunger and
    /// hazards.
    pub by: Option<Seat>,
    /// The turn that it did not live to see: 1 for the first move.
    pub on: u32,
}

/// A snake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snake {
    /// Squares of the body, the head first. A square counts several times where the snake is
    /// coiled or about to grow.
    pub body: Vec<Square>,
    /// Health, 0 to 100.
    pub health: i32,
    /// Its elimination; body and health are then those of its death.
    pub out: Option<Elimination>,
}

impl Snake {
    /// Returns whether it plays.
    pub fn is_alive(&self) -> bool {
        self.out.is_none()
    }

    /// Returns the square of its head.
    pub fn head(&self) -> Square {
        self.body.first().copied().unwrap_or_default()
    }

    /// Returns the square of its tail.
    pub fn tail(&self) -> Square {
        self.body.last().copied().unwrap_or_default()
    }

    /// Returns whether its last two squares are one: its tail stays where it is in the next turn.
    pub fn has_grown(&self) -> bool {
        matches!(self.body[..], [.., before, last] if before == last)
    }
}

/// A position. The order of all lists is visible to bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameState {
    /// Turns that were played.
    pub turn: u32,
    /// Columns.
    pub width: i16,
    /// Rows.
    pub height: i16,
    /// Squares with food.
    pub food: Vec<Square>,
    /// Squares with a hazard, once for each layer.
    pub hazards: Vec<Square>,
    /// All snakes, in seat order.
    pub snakes: Vec<Snake>,
}

impl GameState {
    /// Returns whether a square lies on the board.
    pub fn contains(&self, square: Square) -> bool {
        square.is_within((self.width, self.height))
    }

    /// Returns the snakes that play.
    pub fn living(&self) -> impl Iterator<Item = &Snake> {
        self.snakes.iter().filter(|snake| snake.is_alive())
    }

    /// Returns all squares, column by column, each from the bottom.
    pub fn squares(&self) -> impl Iterator<Item = Square> + use<> {
        let (width, height) = (self.width, self.height);
        (0..width).flat_map(move |x| (0..height).map(move |y| Square { x, y }))
    }

    /// Appends the canonical bytes: size, turn, food, hazards and snakes, in order.
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        out.extend(self.turn.to_le_bytes());
        out.extend([self.width, self.height].iter().flat_map(|side| side.to_le_bytes()));
        write_squares(&self.food, out);
        write_squares(&self.hazards, out);
        for snake in &self.snakes {
            write_squares(&snake.body, out);
            out.extend(snake.health.to_le_bytes());
            if let Some(Elimination { cause, by, on }) = snake.out {
                out.extend([cause as u8, by.map_or(u8::MAX, |by| by.0)]);
                out.extend(on.to_le_bytes());
            }
        }
    }
}

/// Appends the canonical bytes of a list of squares.
pub(super) fn write_squares(squares: &[Square], out: &mut Vec<u8>) {
    write_length(out, squares.len());
    out.extend(squares.iter().flat_map(|at| [at.x, at.y]).flat_map(i16::to_le_bytes));
}
