//! A position: everything that is carried from one round to the next.

use super::{MAX_PLAYERS, SUPER_POINTS};
use crate::Seat;
use crate::bytes::write_length;

/// A block of the map, numbered row by row from the top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(pub u16);

/// Material of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// Nothing: players, bombs and power-ups can be here.
    Free,
    /// A destructible wall.
    Wall,
    /// An indestructible wall.
    Pillar,
}

/// Power-up that a player can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerUp {
    /// One bomb more at a time.
    Bag,
    /// Twice the blast radius.
    Radius,
    /// Both, and points.
    Super,
}

/// One block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its material.
    pub ground: Ground,
    /// Power-up on it; hidden while there is a wall.
    pub power_up: Option<PowerUp>,
    /// The players that have stood there, one bit per seat.
    pub touched: u16,
}

impl Block {
    /// Makes a block that no player has stood on.
    pub fn new(ground: Ground) -> Self {
        Self { ground, power_up: None, touched: 0 }
    }

    /// Returns the power-up that can be seen and taken.
    pub fn open_power_up(&self) -> Option<PowerUp> {
        if self.ground == Ground::Free { self.power_up } else { None }
    }
}

/// One player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player {
    /// Square of the player, or the last one.
    pub at: Square,
    /// Bombs it may have on the map at a time.
    pub bag: u32,
    /// Blocks that the blast of its next bomb reaches.
    pub radius: u32,
    /// Points without coverage.
    pub points: i64,
    /// Points for blocks touched, as of the last round it lived through.
    pub coverage: u32,
    /// Blocks it has stood on.
    pub touched: u32,
    /// The round it was killed in.
    pub killed_round: Option<u32>,
    /// True while it is on the map: a player killed in this round still is until
    /// the round's removals.
    pub on_map: bool,
}

impl Player {
    /// Returns whether the player is alive.
    pub fn is_alive(&self) -> bool {
        self.killed_round.is_none()
    }

    /// Returns the points shown anywhere: own points and coverage.
    pub fn total_points(&self) -> i64 {
        self.points + i64::from(self.coverage)
    }

    /// Gives the player what a power-up holds.
    pub(super) fn take(&mut self, power_up: PowerUp) {
        if matches!(power_up, PowerUp::Bag | PowerUp::Super) {
            self.bag = self.bag.saturating_add(1);
        }
        if matches!(power_up, PowerUp::Radius | PowerUp::Super) {
            self.double_radius();
        }
        if power_up == PowerUp::Super {
            self.points += SUPER_POINTS;
        }
    }
}

/// One bomb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bomb {
    /// Square of the bomb.
    pub at: Square,
    /// Owner of the bomb.
    pub owner: Seat,
    /// Rounds until it explodes.
    pub timer: u32,
    /// Blocks its blast reaches.
    pub radius: u32,
    /// Explodes in the round being processed.
    pub(super) exploding: bool,
    /// Score earned in the round being processed.
    pub(super) score: i64,
    /// Bombs with the same number have set each other off.
    pub(super) chain: u16,
}

impl Bomb {
    /// Makes a bomb that waits.
    pub fn new(at: Square, owner: Seat, timer: u32, radius: u32) -> Self {
        Self { at, owner, timer, radius, exploding: false, score: 0, chain: 0 }
    }
}

/// A block covered by the blast of one bomb in the round just processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blast {
    /// The block.
    pub at: Square,
    /// Square of the bomb.
    pub bomb_at: Square,
    /// Owner of the bomb.
    pub owner: Seat,
    /// The bomb's index while the round is being processed.
    pub(super) bomb: u16,
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameState {
    /// Blocks of a side of the map, which is a square.
    pub side: u8,
    /// The game seed shown to the players.
    pub seed: i32,
    /// Points for one killed player.
    pub bounty: i64,
    /// The round to be played next, from 0.
    pub round: u32,
    /// All blocks, row by row.
    pub blocks: Vec<Block>,
    /// All players, in seat order.
    pub players: Vec<Player>,
    /// All bombs, row by row.
    pub bombs: Vec<Bomb>,
    /// The blasts of the round just processed.
    pub blasts: Vec<Blast>,
    /// Blocks that are no pillars.
    pub usable: u32,
}

impl GameState {
    /// Makes a position without players and bombs.
    ///
    /// # Panics
    ///
    /// When `blocks` are not `side * side`.
    pub fn new(side: u8, seed: i32, blocks: Vec<Block>) -> Self {
        assert_eq!(blocks.len(), usize::from(side) * usize::from(side), "a map is a square");
        let usable = count_usable(&blocks);
        Self {
            side,
            seed,
            bounty: 0,
            round: 0,
            blocks,
            players: Vec::with_capacity(MAX_PLAYERS),
            bombs: Vec::new(),
            blasts: Vec::new(),
            usable,
        }
    }

    /// Puts a player on the map; the block counts as touched.
    pub fn add_player(&mut self, player: Player) {
        let (seat, at) = (Seat(self.players.len() as u8), player.at);
        self.players.push(player);
        self.touch(seat, at);
    }

    /// Returns the block in column `x` and row `y`, both from 1.
    ///
    /// # Panics
    ///
    /// If the block is outside the map.
    pub fn square(&self, x: u8, y: u8) -> Square {
        let on_map = 1..=self.side;
        assert!(on_map.contains(&x) && on_map.contains(&y), "({x},{y}) is not on the map");
        Square(u16::from(y - 1) * u16::from(self.side) + u16::from(x - 1))
    }

    /// Returns column and row of a block, both from 1.
    pub fn coordinates(&self, square: Square) -> (u8, u8) {
        let side = u16::from(self.side);
        ((square.0 % side) as u8 + 1, (square.0 / side) as u8 + 1)
    }

    /// Returns a block.
    pub fn block(&self, square: Square) -> &Block {
        &self.blocks[usize::from(square.0)]
    }

    /// Returns the player standing on a block, dead ones included while they
    /// are on the map.
    pub fn player_on(&self, square: Square) -> Option<Seat> {
        let standing = |player: &Player| player.on_map && player.at == square;
        self.players.iter().position(standing).map(|seat| Seat(seat as u8))
    }

    /// Returns the bomb on a block.
    pub fn bomb_on(&self, square: Square) -> Option<&Bomb> {
        self.bombs.iter().find(|bomb| bomb.at == square)
    }

    /// Returns whether a block was covered by a blast in the round just processed.
    pub fn is_exploding(&self, square: Square) -> bool {
        self.blasts.iter().any(|blast| blast.at == square)
    }

    /// Returns how many players are alive.
    pub fn alive(&self) -> usize {
        self.players.iter().filter(|player| player.is_alive()).count()
    }

    /// Returns how many bombs of a player are on the map.
    pub fn bombs_of(&self, seat: Seat) -> u32 {
        self.bombs.iter().filter(|bomb| bomb.owner == seat).count() as u32
    }

    /// Returns whether a wall, a pillar or a player is on a block.
    pub(super) fn has_entity(&self, square: Square) -> bool {
        self.block(square).ground != Ground::Free || self.player_on(square).is_some()
    }

    /// Remembers that a player has stood on a block.
    pub(super) fn touch(&mut self, seat: Seat, square: Square) {
        let block = &mut self.blocks[usize::from(square.0)];
        let bit = 1 << seat.0;
        if block.touched & bit == 0 {
            block.touched |= bit;
            self.players[seat.index()].touched += 1;
        }
    }

    /// Appends the position's canonical bytes.
    ///
    /// Shape: numbers are little endian. Side (1 byte), seed (4), bounty (8),
    /// round (4); per block ground, power-up and the bits of who touched it (1,
    /// 1 and 2 bytes); number of players (1) and per player block (2), bag,
    /// radius (4 each), points (8), coverage (4) and the round it was killed in
    /// plus 1 or 0 (4); number of bombs (4) and per bomb block (2), owner (1),
    /// timer, radius (4 each); number of blasts (4) and per blast, in order of
    /// blocks, block, the bomb's block (2 each) and owner (1).
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        out.push(self.side);
        out.extend(self.seed.to_le_bytes());
        out.extend(self.bounty.to_le_bytes());
        out.extend(self.round.to_le_bytes());
        for block in &self.blocks {
            let power_up = block.power_up.map_or(0, |power_up| power_up as u8 + 1);
            out.extend([block.ground as u8, power_up]);
            out.extend(block.touched.to_le_bytes());
        }
        out.push(self.players.len() as u8);
        self.players.iter().for_each(|player| write_player(out, player));
        write_length(out, self.bombs.len());
        for bomb in &self.bombs {
            out.extend(bomb.at.0.to_le_bytes());
            out.push(bomb.owner.0);
            out.extend(bomb.timer.to_le_bytes());
            out.extend(bomb.radius.to_le_bytes());
        }
        let mut blasts = self.blasts.clone();
        blasts.sort_unstable();
        write_length(out, blasts.len());
        for blast in blasts {
            out.extend(blast.at.0.to_le_bytes());
            out.extend(blast.bomb_at.0.to_le_bytes());
            out.push(blast.owner.0);
        }
    }
}

/// Returns how many blocks are no pillars.
pub(super) fn count_usable(blocks: &[Block]) -> u32 {
    let usable = blocks.iter().filter(|block| block.ground != Ground::Pillar).count();
    u32::try_from(usable).expect("a map has fewer than 65536 blocks")
}

fn write_player(out: &mut Vec<u8>, player: &Player) {
    out.extend(player.at.0.to_le_bytes());
    out.extend(player.bag.to_le_bytes());
    out.extend(player.radius.to_le_bytes());
    out.extend(player.points.to_le_bytes());
    out.extend(player.coverage.to_le_bytes());
    let killed = player.killed_round.map_or(0, |round| round.saturating_add(1));
    out.extend(killed.to_le_bytes());
}
