//! The shapes of the recordings. Unknown fields are ignored.

use joust_referee::games::coderone_dungeon::{
    Ammo, Block, BlockKind, Bomb, Effect, EffectKind, FIRE_LIFE_TICKS, Fire, GameState, Player,
    Report, Spawn, Spot, Treasure,
};
use serde::Deserialize;
use serde_json::Value;

use super::same;

/// A square, `[x, y]`.
pub(crate) type Square = [i32; 2];

/// The first line.
#[derive(Debug, Deserialize)]
pub(crate) struct Header {
    format: u32,
    game: String,
    pub(crate) seed: u64,
    pub(crate) config: Config,
    pub(crate) map: Map,
    pub(crate) map_source: String,
    pub(crate) scenario: Option<String>,
    pub(crate) players: Vec<Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Config {
    pub(crate) columns: i32,
    pub(crate) rows: i32,
    pub(crate) max_iterations: Option<u32>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Map {
    metal: Vec<Square>,
    #[serde(flatten)]
    pub(crate) position: Position,
}

impl Header {
    pub(crate) fn read(line: &str) -> Result<Self, String> {
        let header: Self = serde_json::from_str(line).map_err(|error| error.to_string())?;
        same("format", &1, &header.format)?;
        same("game", &"coderone-dungeon", &header.game.as_str())?;
        Ok(header)
    }

    /// Makes the position before tick 0.
    pub(crate) fn to_state(&self) -> Result<GameState, String> {
        let position = &self.map.position;
        Ok(GameState {
            columns: self.config.columns,
            rows: self.config.rows,
            tick: 0,
            players: position.players.iter().map(player).collect(),
            metal: self.map.metal.iter().map(spot).collect(),
            blocks: position.blocks.iter().map(block).collect::<Result<_, _>>()?,
            ammo: position.ammo.iter().map(ammo).collect(),
            treasure: position.treasure.iter().map(treasure).collect(),
            bombs: position.bombs.iter().map(bomb).collect(),
            fires: position.fires.iter().map(fire).collect(),
            effects: position.effects.iter().map(effect).collect::<Result<_, _>>()?,
            spoken: Vec::new(),
            is_over: false,
            winner: None,
        })
    }

    /// Compares metal, which a position does not record, and the rest.
    pub(crate) fn check_map(&self, state: &GameState) -> Result<(), String> {
        let metal: Vec<Square> = state.metal.iter().map(|at| [at.x, at.y]).collect();
        same("metal of the map", &self.map.metal, &metal)?;
        let here = Position { next_tick: None, over: None, ..Position::of(state) };
        same("map", &self.map.position, &here)
    }
}

/// One tick.
#[derive(Debug, Deserialize)]
pub(crate) struct Tick {
    pub(crate) tick: u32,
    pub(crate) actions: Vec<Value>,
    pub(crate) order: Vec<u8>,
    pub(crate) spawns: Vec<RecordedSpawn>,
    pub(crate) delivered: Vec<bool>,
    pub(crate) state: Position,
    #[serde(default)]
    pub(crate) view: Option<super::view::View>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct RecordedSpawn {
    pub(crate) kind: String,
    pub(crate) pos: Option<Square>,
    pub(crate) next: Option<i32>,
}

impl RecordedSpawn {
    pub(crate) fn all(report: &Report) -> Vec<Self> {
        let one = |spawn: &Spawn| Self {
            kind: match spawn.kind {
                EffectKind::Ammo => "ammo".to_owned(),
                EffectKind::Treasure => "treasure".to_owned(),
            },
            pos: spawn.at.map(|at| [at.x, at.y]),
            next: spawn.next,
        };
        report.spawns.iter().map(one).collect()
    }

    /// Returns the values that force this outcome.
    pub(crate) fn values(&self) -> Vec<i64> {
        let square = self.pos.iter().flatten().copied();
        square.chain(self.next).map(i64::from).collect()
    }
}

/// The last line.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct MatchResult {
    pub(crate) ticks: u32,
    pub(crate) iteration: u32,
    pub(crate) is_over: bool,
    pub(crate) winner_pid: Option<u8>,
    pub(crate) reason: String,
    pub(crate) scores: Vec<i64>,
    pub(crate) hp: Vec<i32>,
    pub(crate) ammo: Vec<i32>,
}

/// Any line but the first.
#[derive(Debug)]
pub(crate) enum Line {
    Result(MatchResult),
    Tick(Box<Tick>),
}

impl Line {
    /// Reads a line; a tick is what has no `result`.
    pub(crate) fn read(line: &str) -> Result<Self, String> {
        let read = || -> Result<Self, serde_json::Error> {
            let mut value: Value = serde_json::from_str(line)?;
            match value.get_mut("result") {
                Some(result) => serde_json::from_value(result.take()).map(Self::Result),
                None => serde_json::from_value(value).map(Self::Tick),
            }
        };
        read().map_err(|error| error.to_string())
    }
}

/// A position as recorded, metal left out.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Position {
    next_tick: Option<u32>,
    over: Option<bool>,
    winner: Option<u8>,
    /// Number, x, y, hp, ammo, reward, power.
    players: Vec<[i64; 7]>,
    blocks: Vec<(String, i32, i32, i32)>,
    ammo: Vec<[i32; 3]>,
    treasure: Vec<Square>,
    /// x, y, owner, timer, power.
    bombs: Vec<[i32; 5]>,
    fires: Vec<[i32; 3]>,
    effects: Vec<(String, i32)>,
}

impl Position {
    /// Writes a position down as the recordings do.
    pub(crate) fn of(state: &GameState) -> Self {
        let kind = |kind| match kind {
            EffectKind::Ammo => "a".to_owned(),
            EffectKind::Treasure => "t".to_owned(),
        };
        let players = (0_i64..).zip(&state.players).map(|(number, p)| {
            let [x, y] = [i64::from(p.at.x), i64::from(p.at.y)];
            [number, x, y, p.hp.into(), p.ammo.into(), p.reward, p.power.into()]
        });
        let blocks = state.blocks.iter();
        let bombs = state.bombs.iter();
        let fires = state.fires.iter();
        Self {
            next_tick: Some(state.tick),
            over: Some(state.is_over),
            winner: state.winner,
            players: players.collect(),
            blocks: blocks.map(|b| (b.kind.tag().to_owned(), b.at.x, b.at.y, b.hp)).collect(),
            ammo: state.ammo.iter().map(|a| [a.at.x, a.at.y, a.life]).collect(),
            treasure: state.treasure.iter().map(|t| [t.at.x, t.at.y]).collect(),
            bombs: bombs.map(|b| [b.at.x, b.at.y, b.owner.into(), b.timer, b.power]).collect(),
            fires: fires.map(|f| [f.at.x, f.at.y, f.owner.into()]).collect(),
            effects: state.effects.iter().map(|e| (kind(e.kind), e.delay)).collect(),
        }
    }
}

fn spot(square: &Square) -> Spot {
    Spot { x: square[0], y: square[1] }
}

fn player(recorded: &[i64; 7]) -> Player {
    let small = |index: usize| i32::try_from(recorded[index]).expect("recorded numbers are small");
    Player {
        at: Spot { x: small(1), y: small(2) },
        hp: small(3),
        ammo: small(4),
        reward: recorded[5],
        power: small(6),
    }
}

fn block((tag, x, y, hp): &(String, i32, i32, i32)) -> Result<Block, String> {
    let kind = match tag.as_str() {
        "sb" => BlockKind::Wooden,
        "ob" => BlockKind::Ore,
        _ => return Err(format!("unknown block `{tag}`")),
    };
    Ok(Block { kind, at: Spot { x: *x, y: *y }, hp: *hp })
}

fn ammo(recorded: &[i32; 3]) -> Ammo {
    Ammo { at: Spot { x: recorded[0], y: recorded[1] }, life: recorded[2], taken: false }
}

fn treasure(recorded: &Square) -> Treasure {
    Treasure { at: spot(recorded), taken: false }
}

fn owner(number: i32) -> u8 {
    u8::try_from(number).expect("recorded owners are players")
}

fn bomb(&[x, y, number, timer, power]: &[i32; 5]) -> Bomb {
    Bomb { at: Spot { x, y }, owner: owner(number), timer, power }
}

fn fire(&[x, y, number]: &[i32; 3]) -> Fire {
    Fire { at: Spot { x, y }, owner: owner(number), life: FIRE_LIFE_TICKS }
}

fn effect((kind, delay): &(String, i32)) -> Result<Effect, String> {
    let kind = match kind.as_str() {
        "a" => EffectKind::Ammo,
        "t" => EffectKind::Treasure,
        _ => return Err(format!("unknown effect `{kind}`")),
    };
    Ok(Effect { kind, delay: *delay })
}
