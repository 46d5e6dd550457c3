//! Scene: a position as something to draw. The terminal, the site's viewer and any later
//! front end draw every game from it.

use std::borrow::Cow;
use std::sync::Arc;

use crate::{Direction, Seat};

/// A colour by meaning, so that each front end can choose its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Colour {
    /// Ordinary text.
    Plain,
    /// Unimportant: empty squares, walls.
    Dim,
    /// Belongs to the seat of this number.
    Seat(u8),
    /// Dangerous: explosions, projectiles.
    Danger,
    /// Useful: power-ups.
    Bonus,
}

impl Colour {
    /// Returns the colour of a name: `plain`, `dim`, `danger`, `bonus`, or `seat-0` and so on.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "plain" => Some(Self::Plain),
            "dim" => Some(Self::Dim),
            "danger" => Some(Self::Danger),
            "bonus" => Some(Self::Bonus),
            _ => name.strip_prefix("seat-")?.parse().ok().map(Self::Seat),
        }
    }
}

/// Kind of a thing, so that a front end can draw its shape. A front end that
/// does not know a kind draws the symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Ground to stand on.
    Floor,
    /// The sea.
    Water,
    /// A wall that stands for ever.
    Wall,
    /// A wall that a blast breaks.
    Brick,
    /// A wooden box that a blast breaks.
    Crate,
    /// A block that takes more than one blast.
    Ore,
    /// Somebody in a seat.
    Player,
    /// A player that is out of the game.
    Fallen,
    /// A bomb.
    Bomb,
    /// A mine that waits.
    Mine,
    /// A mine that is used up.
    SpentMine,
    /// A bullet in flight.
    Bullet(Direction),
    /// A missile in flight.
    Missile(Direction),
    /// An explosion.
    Blast,
    /// Something worth points.
    Treasure,
    /// Bombs to pick up.
    Ammo,
    /// A power-up: one more bomb at a time.
    BombBag,
    /// A power-up: longer blasts.
    BlastRadius,
    /// A power-up with everything.
    SuperPower,
    /// A piece of a ship; neighbours of the same symbol are one ship.
    Ship,
    /// A piece of a ship that was struck.
    Hit,
    /// A shot into the water.
    Miss,
    /// A shield.
    Shield,
    /// A shield that was struck.
    ShieldHit,
    /// A disc, or any other piece of a board game.
    Disc,
    /// Something to eat.
    Food,
    /// Ground that hurts.
    Hazard,
    /// The head of a snake, looking somewhere.
    SnakeHead(Direction),
    /// A piece of a snake's body; the next piece towards the head lies in this direction.
    SnakeBody(Direction),
    /// Nothing but its symbol.
    Sign,
}

impl Kind {
    /// Kinds that an external referee can name: all without a heading.
    pub const NAMED: [Self; 26] = [
        Self::Floor,
        Self::Water,
        Self::Wall,
        Self::Brick,
        Self::Crate,
        Self::Ore,
        Self::Player,
        Self::Fallen,
        Self::Bomb,
        Self::Mine,
        Self::SpentMine,
        Self::Blast,
        Self::Treasure,
        Self::Ammo,
        Self::BombBag,
        Self::BlastRadius,
        Self::SuperPower,
        Self::Ship,
        Self::Hit,
        Self::Miss,
        Self::Shield,
        Self::ShieldHit,
        Self::Disc,
        Self::Food,
        Self::Hazard,
        Self::Sign,
    ];

    /// Kinds with a heading.
    pub(crate) const HEADED: [fn(Direction) -> Self; 4] =
        [Self::Bullet, Self::Missile, Self::SnakeHead, Self::SnakeBody];

    /// Returns what has this name, of all that head nowhere.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the kind's name: lower-case words joined by `-`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Water => "water",
            Self::Wall => "wall",
            Self::Brick => "brick",
            Self::Crate => "crate",
            Self::Ore => "ore",
            Self::Player => "player",
            Self::Fallen => "fallen",
            Self::Bomb => "bomb",
            Self::Mine => "mine",
            Self::SpentMine => "spent-mine",
            Self::Bullet(_) => "bullet",
            Self::Missile(_) => "missile",
            Self::Blast => "blast",
            Self::Treasure => "treasure",
            Self::Ammo => "ammo",
            Self::BombBag => "bomb-bag",
            Self::BlastRadius => "blast-radius",
            Self::SuperPower => "super-power",
            Self::Ship => "ship",
            Self::Hit => "hit",
            Self::Miss => "miss",
            Self::Shield => "shield",
            Self::ShieldHit => "shield-hit",
            Self::Disc => "disc",
            Self::Food => "food",
            Self::Hazard => "hazard",
            Self::SnakeHead(_) => "snake-head",
            Self::SnakeBody(_) => "snake-body",
            Self::Sign => "sign",
        }
    }

    /// Returns where a thing of this kind is heading, if it is heading anywhere.
    #[must_use]
    pub fn facing(self) -> Option<Direction> {
        match self {
            Self::Bullet(direction)
            | Self::Missile(direction)
            | Self::SnakeHead(direction)
            | Self::SnakeBody(direction) => Some(direction),
            _ => None,
        }
    }
}

/// Seats that are shown a thing; a spectator sees everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VisibleTo {
    /// Every seat.
    #[default]
    All,
    /// This seat alone.
    Seat(u8),
    /// No seat.
    Nobody,
}

/// Content of one square of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Kind of the thing.
    pub kind: Kind,
    /// The character that stands for it.
    pub symbol: char,
    /// Its colour.
    pub colour: Colour,
    /// A number that belongs to it: rounds until a bomb explodes, hit points of
    /// a block.
    pub count: Option<u32>,
}

impl Cell {
    /// Makes a cell without a number.
    pub const fn new(kind: Kind, symbol: char, colour: Colour) -> Self {
        Self { kind, symbol, colour, count: None }
    }

    /// Gives it a number.
    #[must_use]
    pub const fn with_count(mut self, count: u32) -> Self {
        self.count = Some(count);
        self
    }
}

/// Something on a square, on top of the layers, with a word for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Column, from 0 at the left.
    pub x: u16,
    /// Row, from 0 at the top.
    pub y: u16,
    /// The drawn cell.
    pub cell: Cell,
    /// Description for a legend or a tooltip.
    pub label: Cow<'static, str>,
    /// Seats that are shown it.
    pub seen: VisibleTo,
}

impl Mark {
    /// Makes a mark that every seat is shown.
    pub fn new((x, y): (u16, u16), cell: Cell, label: impl Into<Cow<'static, str>>) -> Self {
        Self { x, y, cell, label: label.into(), seen: VisibleTo::All }
    }

    /// Sets the seats that are shown it.
    #[must_use]
    pub fn seen(mut self, seen: VisibleTo) -> Self {
        self.seen = seen;
        self
    }
}

/// A full grid of cells; `None` lets the layer below show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Name of the layer's content.
    pub name: Cow<'static, str>,
    /// Seats that are shown it.
    pub seen: VisibleTo,
    /// Row by row, `width * height` cells.
    pub cells: Vec<Option<Cell>>,
}

impl Layer {
    /// Makes a layer that every seat is shown.
    pub fn new(name: impl Into<Cow<'static, str>>, cells: Vec<Option<Cell>>) -> Self {
        Self { name: name.into(), seen: VisibleTo::All, cells }
    }
}

/// A line beside the board.
///
/// A seat's line has its colour, and consists of its symbol, its name and words of the form
/// `name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Its colour.
    pub colour: Colour,
    /// The text.
    pub text: String,
    /// Seats that are shown it.
    pub seen: VisibleTo,
}

impl Text {
    /// Makes a line that every seat is shown.
    pub fn new(colour: Colour, text: impl Into<String>) -> Self {
        Self { colour, text: text.into(), seen: VisibleTo::All }
    }
}

/// The way the rows of a board are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// From the top.
    Downwards,
    /// From the bottom.
    Upwards,
}

/// A part of the board with coordinates of its own, as high as the board. Its columns are
/// counted from 0 at its left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// The first column of the board that belongs to it.
    pub left: u16,
    /// Columns.
    pub width: u16,
    /// The seat it belongs to.
    pub owner: Option<u8>,
    /// Order in which its rows are counted.
    pub rows: Rows,
}

/// A line between the middles of two squares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneLine {
    /// Column and row of the square where it begins.
    pub from: (u16, u16),
    /// Column and row of the square where it ends.
    pub to: (u16, u16),
    /// Its colour.
    pub colour: Colour,
    /// Seats that are shown it.
    pub seen: VisibleTo,
}

/// A position to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// Layers from bottom to top.
    pub layers: Vec<Layer>,
    /// Single things on top, later ones win.
    pub marks: Vec<Mark>,
    /// Lines beside the board: hit points, scores, counters.
    pub texts: Vec<Text>,
    /// Parts of the board with coordinates of their own, from left to right; none when the board
    /// is one.
    pub panels: Vec<Panel>,
    /// Lines across the board, above everything else.
    pub lines: Vec<SceneLine>,
    /// A picture in SVG that is drawn in place of the board, for onlookers alone. Whoever
    /// makes it of a stranger's has left nothing in it that runs or loads.
    pub picture: Option<Arc<str>>,
}

impl Scene {
    /// Returns what `seat` is shown of it.
    pub fn seen_by(&self, seat: Seat) -> Self {
        let is_shown = |seen: VisibleTo| match seen {
            VisibleTo::All => true,
            VisibleTo::Seat(owner) => owner == seat.0,
            VisibleTo::Nobody => false,
        };
        let mut scene = self.clone();
        scene.layers.retain(|layer| is_shown(layer.seen));
        scene.marks.retain(|mark| is_shown(mark.seen));
        scene.texts.retain(|text| is_shown(text.seen));
        scene.lines.retain(|line| is_shown(line.seen));
        scene.picture = None;
        scene
    }

    /// Returns the topmost cell at column `x`, row `y`.
    pub fn top(&self, x: u16, y: u16) -> Option<Cell> {
        let mark = self.marks.iter().rev().find(|mark| mark.x == x && mark.y == y);
        if let Some(mark) = mark {
            return Some(mark.cell);
        }
        let index = usize::from(y) * usize::from(self.width) + usize::from(x);
        self.layers.iter().rev().find_map(|layer| layer.cells.get(index).copied().flatten())
    }
}
