//! A position: everything that is carried from one tick to the next.

/// A square: column `x` from 0 growing to the right, row `y` from 0 growing up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    /// Column; 0 is the leftmost.
    pub x: i32,
    /// Row; 0 is the bottom row.
    pub y: i32,
}

/// A player. Its number is its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player {
    /// Square of the player, or of its death.
    pub at: Spot,
    /// Hit points; 0 or less once it is dead.
    pub hp: i32,
    /// Bombs it can still lay.
    pub ammo: i32,
    /// Its score: points for blocks, hits and treasure.
    pub reward: i64,
    /// Squares the arms of its bombs reach.
    pub power: i32,
}

impl Player {
    /// Returns whether it has hit points left.
    pub fn is_alive(&self) -> bool {
        self.hp > 0
    }
}

/// Material of a destructible block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Wood, `sb`.
    Wooden,
    /// Ore, `ob`.
    Ore,
}

impl BlockKind {
    /// Returns the tag agents see.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Wooden => "sb",
            Self::Ore => "ob",
        }
    }
}

/// A destructible block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its material.
    pub kind: BlockKind,
    /// Its square.
    pub at: Spot,
    /// Hit points.
    pub hp: i32,
}

/// Ammo that lies about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ammo {
    /// Its square.
    pub at: Spot,
    /// Ticks until it perishes.
    pub life: i32,
    /// Picked up in this tick; never between two ticks.
    pub taken: bool,
}

/// A treasure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Treasure {
    /// Its square.
    pub at: Spot,
    /// Picked up in this tick; never between two ticks.
    pub taken: bool,
}

/// A bomb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bomb {
    /// Its square.
    pub at: Spot,
    /// Player who laid it.
    pub owner: u8,
    /// Ticks until it explodes.
    pub timer: i32,
    /// Squares its arms reach.
    pub power: i32,
}

/// A burning square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fire {
    /// Its square.
    pub at: Spot,
    /// Player who laid the bomb it came from.
    pub owner: u8,
    /// Ticks it lasts.
    pub life: i32,
}

/// Item that an effect brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// A piece of ammo.
    Ammo,
    /// A treasure.
    Treasure,
}

/// Something that will be put on a free square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Kind of item to be placed: ammo or a treasure.
    pub kind: EffectKind,
    /// Ticks until it is due; counted down once a tick.
    pub delay: i32,
}

/// A position. All lists are in the order in which things were made; agents see
/// that order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameState {
    /// Width of the board, in squares.
    pub columns: i32,
    /// Height of the board, in squares.
    pub rows: i32,
    /// The number of the next tick, which is how many were played.
    pub tick: u32,
    /// The players, dead ones included.
    pub players: Vec<Player>,
    /// Squares with metal blocks, which nothing destroys.
    pub metal: Vec<Spot>,
    /// Wooden and ore blocks.
    pub blocks: Vec<Block>,
    /// Ammo to be picked up.
    pub ammo: Vec<Ammo>,
    /// Treasures to be picked up; they never perish.
    pub treasure: Vec<Treasure>,
    /// Bombs that have not exploded, in the order in which they were laid.
    pub bombs: Vec<Bomb>,
    /// Fires that will act in the next tick.
    pub fires: Vec<Fire>,
    /// Ammo and treasure that will be put on the board later.
    pub effects: Vec<Effect>,
    /// Players that have given an order, sorted by their first one.
    pub spoken: Vec<u8>,
    /// True once the game is over.
    pub is_over: bool,
    /// The winner of a game that is over, if it has one.
    pub winner: Option<u8>,
}

impl GameState {
    /// Returns whether `at` lies on the board.
    pub fn is_in_bounds(&self, at: Spot) -> bool {
        (0..self.columns).contains(&at.x) && (0..self.rows).contains(&at.y)
    }

    /// Returns whether a metal, wooden or ore block stands on `at`.
    pub fn has_block(&self, at: Spot) -> bool {
        self.metal.contains(&at) || self.blocks.iter().any(|block| block.at == at)
    }

    /// Returns whether a bomb lies on `at`.
    pub fn has_bomb(&self, at: Spot) -> bool {
        self.bombs.iter().any(|bomb| bomb.at == at)
    }

    /// Returns how many players are alive.
    pub fn alive(&self) -> usize {
        self.players.iter().filter(|player| player.is_alive()).count()
    }

    /// Appends the position's canonical bytes.
    ///
    /// Shape: all numbers are eight bytes, little endian, signed. Columns,
    /// rows, tick, 1 if over, the winner or -1; then players (x, y, hp, ammo,
    /// reward, power), metal (x, y), blocks (0 wooden or 1 ore, x, y, hp), ammo
    /// (x, y, life), treasure (x, y), bombs (x, y, owner, timer, power), fires
    /// (x, y, owner, life), effects (0 ammo or 1 treasure, delay) and the
    /// players who have spoken, each list preceded by its length.
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        let winner = self.winner.map_or(-1, i64::from);
        let size = [i64::from(self.columns), i64::from(self.rows)];
        write(out, &size);
        write(out, &[i64::from(self.tick), i64::from(self.is_over), winner]);
        list(out, &self.players, |p| {
            [p.at.x.into(), p.at.y.into(), p.hp.into(), p.ammo.into(), p.reward, p.power.into()]
        });
        list(out, &self.metal, |at| [at.x.into(), at.y.into()]);
        list(out, &self.blocks, |b| [b.kind as i64, b.at.x.into(), b.at.y.into(), b.hp.into()]);
        list(out, &self.ammo, |a| [a.at.x.into(), a.at.y.into(), a.life.into()]);
        list(out, &self.treasure, |t| [t.at.x.into(), t.at.y.into()]);
        list(out, &self.bombs, |b| {
            [b.at.x.into(), b.at.y.into(), b.owner.into(), b.timer.into(), b.power.into()]
        });
        list(out, &self.fires, |f| [f.at.x.into(), f.at.y.into(), f.owner.into(), f.life.into()]);
        list(out, &self.effects, |e| [e.kind as i64, e.delay.into()]);
        list(out, &self.spoken, |seat| [(*seat).into()]);
    }
}

fn list<T, const N: usize>(out: &mut Vec<u8>, items: &[T], numbers: impl Fn(&T) -> [i64; N]) {
    write(out, &[i64::try_from(items.len()).unwrap_or(i64::MAX)]);
    items.iter().for_each(|item| write(out, &numbers(item)));
}

fn write(out: &mut Vec<u8>, numbers: &[i64]) {
    numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
}
