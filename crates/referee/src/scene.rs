//! Scene: a position as something to draw. The terminal, the site's viewer and any later
//! front end draw every game from it.

use std::borrow::Cow;
use std::sync::Arc;

use crate::named::named;
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

named! {
    /// Kind of a thing, so that a front end can draw its shape. A front end that
    /// does not know a kind draws the symbol.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        /// Ground to stand on.
        Floor = "floor",
        /// The sea.
        Water = "water",
        /// A wall that stands for ever.
        Wall = "wall",
        /// A wall that a blast breaks.
        Brick = "brick",
        /// A wooden box that a blast breaks.
        Crate = "crate",
        /// A block that takes more than one blast.
        Ore = "ore",
        /// Somebody in a seat.
        Player = "player",
        /// A player that is out of the game.
        Fallen = "fallen",
        /// A bomb.
        Bomb = "bomb",
        /// A mine that waits.
        Mine = "mine",
        /// A mine that is used up.
        SpentMine = "spent-mine",
        /// A bullet in flight.
        Bullet = "bullet",
        /// A missile in flight.
        Missile = "missile",
        /// An explosion.
        Blast = "blast",
        /// Something worth points.
        Treasure = "treasure",
        /// Bombs to pick up.
        Ammo = "ammo",
        /// A power-up: one more bomb at a time.
        BombBag = "bomb-bag",
        /// A power-up: longer blasts.
        BlastRadius = "blast-radius",
        /// A power-up with everything.
        SuperPower = "super-power",
        /// A piece of a ship; neighbours of the same symbol are one ship.
        Ship = "ship",
        /// A piece of a ship that was struck.
        Hit = "hit",
        /// A shot into the water.
        Miss = "miss",
        /// A shield.
        Shield = "shield",
        /// A shield that was struck.
        ShieldHit = "shield-hit",
        /// A disc, or any other piece of a board game.
        Disc = "disc",
        /// Something to eat.
        Food = "food",
        /// Ground that hurts.
        Hazard = "hazard",
        /// The head of a snake.
        SnakeHead = "snake-head",
        /// A piece of a snake's body; the next piece towards the head lies where it is heading.
        SnakeBody = "snake-body",
        /// Nothing but its symbol.
        Sign = "sign",
    }
}

impl Kind {
    /// Returns the kinds that an external referee can name: all without a heading.
    pub fn plain() -> impl Iterator<Item = Self> {
        let is_headed = |kind: &Self| {
            matches!(kind, Self::Bullet | Self::Missile | Self::SnakeHead | Self::SnakeBody)
        };
        Self::ALL.into_iter().filter(move |kind| !is_headed(kind))
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
    /// Direction it is heading in.
    pub facing: Option<Direction>,
}

impl Cell {
    /// Makes a cell without a number, which is heading nowhere.
    pub const fn new(kind: Kind, symbol: char, colour: Colour) -> Self {
        Self { kind, symbol, colour, count: None, facing: None }
    }

    /// Gives it a number.
    #[must_use]
    pub const fn with_count(mut self, count: u32) -> Self {
        self.count = Some(count);
        self
    }

    /// Gives it a heading.
    #[must_use]
    pub const fn headed(mut self, facing: Direction) -> Self {
        self.facing = Some(facing);
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
    /// Makes the line that says how far a bout is: `start`, or the number of the round played last.
    pub fn place(unit: &str, played: u32) -> Self {
        let place = if played == 0 { "start".to_owned() } else { format!("{unit} {played}") };
        Self::new(Colour::Plain, place)
    }

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
