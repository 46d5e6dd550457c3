//! The shapes of the recordings. Unknown fields are ignored.

use std::collections::BTreeMap;

use joust_referee::games::battlesnake::{
    BoutOptions, Cause, Elimination, GameState, Map, Ruleset, Snake, Square,
};
use joust_referee::{Part, Parts, Seat, Verdict};
use serde::Deserialize;
use serde_json::Value;

/// The first line of a game.
#[derive(Debug, Deserialize)]
pub(crate) struct Header {
    pub(crate) format: u32,
    pub(crate) seed: u64,
    pub(crate) game_id: String,
    pub(crate) settings: Settings,
    pub(crate) snakes: Vec<Player>,
    pub(crate) initial: Position,
}

/// Settings of a game, or the part of them that a line gives. Short situations have them as texts.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Settings {
    pub(crate) width: i16,
    pub(crate) height: i16,
    pub(crate) ruleset: String,
    pub(crate) map: String,
    pub(crate) timeout: u32,
    pub(crate) food_spawn_chance: Number,
    pub(crate) minimum_food: Number,
    #[serde(alias = "damagePerTurn")]
    pub(crate) hazard_damage_per_turn: Number,
    pub(crate) shrink_every_n_turns: Number,
    pub(crate) solo: bool,
}

/// The defaults of the original's command line.
impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 11,
            height: 11,
            ruleset: "standard".to_owned(),
            map: "standard".to_owned(),
            timeout: 500,
            food_spawn_chance: Number(15),
            minimum_food: Number(1),
            hazard_damage_per_turn: Number(14),
            shrink_every_n_turns: Number(25),
            solo: false,
        }
    }
}

impl Settings {
    pub(crate) fn options(&self) -> Result<BoutOptions, String> {
        let ruleset = Ruleset::from_name(&self.ruleset).unwrap_or(Ruleset::Standard);
        let map = Map::from_name(&self.map).ok_or_else(|| format!("unknown map {}", self.map))?;
        Ok(BoutOptions {
            ruleset,
            map,
            width: self.width,
            height: self.height,
            timeout_ms: self.timeout,
            food_spawn_chance: self.food_spawn_chance.0,
            minimum_food: self.minimum_food.0,
            hazard_damage: self.hazard_damage_per_turn.0,
            shrink_every: u32::try_from(self.shrink_every_n_turns.0).unwrap_or_default(),
            max_turns: u32::MAX,
            is_solo: self.solo || ruleset == Ruleset::Solo,
        })
    }
}

/// A number, or the text of one.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) struct Number(pub(crate) i32);

impl TryFrom<Value> for Number {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.parse().map(Self).map_err(|_| format!("{text} is no number"))
    }
}

/// A snake of the header.
#[derive(Debug, Deserialize)]
pub(crate) struct Player {
    pub(crate) name: String,
    pub(crate) metadata: Answer,
}

/// Answer of a bot, as the original's client got it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    status: Option<u16>,
    content_type: String,
    body: String,
    body_b64: Option<String>,
    error: Option<String>,
}

impl Answer {
    /// Returns the answer as the referee gets it.
    pub(crate) fn read(&self) -> Result<(Parts, Verdict), String> {
        let verdict = match self.error.as_deref() {
            None => Verdict::Ok,
            Some("timeout") => Verdict::Timeout,
            Some("eof" | "unexpected-eof" | "malformed-http") => Verdict::ProtocolViolation,
            Some(error) => return Err(format!("unknown error `{error}`")),
        };
        if !verdict.is_ok() {
            return Ok((Parts::none(), verdict));
        }
        let part = |name: &str, bytes: &[u8]| Part { name: name.into(), bytes: bytes.into() };
        let status = self.status.map(|status| status.to_string()).unwrap_or_default();
        let body = match &self.body_b64 {
            Some(text) => decode_base64(text).ok_or("no base64")?,
            None => self.body.clone().into_bytes(),
        };
        let parts = vec![
            part("status", status.as_bytes()),
            part("content-type", self.content_type.as_bytes()),
            part("body", &body),
        ];
        Ok((Parts(parts), verdict))
    }
}

fn decode_base64(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for digit in text.trim_end_matches('=').bytes() {
        bits = bits << 6 | DIGITS.iter().position(|known| *known == digit)? as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    Some(bytes)
}

/// A call of all snakes, the start or the end.
pub(crate) type Calls = BTreeMap<String, Exchange>;

/// A request and its answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Exchange {
    pub(crate) request: Value,
    pub(crate) answer: Answer,
}

/// A turn.
#[derive(Debug, Deserialize)]
pub(crate) struct Turn {
    pub(crate) turn: u32,
    #[serde(default)]
    pub(crate) requests: BTreeMap<String, Value>,
    pub(crate) answers: BTreeMap<String, Answer>,
    pub(crate) moves: BTreeMap<String, String>,
    pub(crate) game_over: bool,
    pub(crate) food_spawned: Vec<[i16; 2]>,
    pub(crate) state: Position,
}

/// Result of a game.
#[derive(Debug, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) turn: u32,
    pub(crate) alive: Vec<String>,
    pub(crate) winner: Option<String>,
    pub(crate) draw: bool,
}

/// Any line but the first.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Line {
    Start { start: Calls },
    End { end: Calls, result: Outcome },
    Turn(Box<Turn>),
}

/// One turn of the rules without a map.
#[derive(Debug, Deserialize)]
pub(crate) struct Scenario {
    pub(crate) width: i16,
    pub(crate) height: i16,
    pub(crate) ruleset: String,
    pub(crate) solo: bool,
    pub(crate) seed: u64,
    pub(crate) settings: Settings,
    pub(crate) before: Position,
    pub(crate) moves: BTreeMap<String, String>,
    pub(crate) game_over: bool,
    pub(crate) after: Position,
}

/// The end of a turn, the map alone.
#[derive(Debug, Deserialize)]
pub(crate) struct Spawn {
    pub(crate) width: i16,
    pub(crate) height: i16,
    pub(crate) map: String,
    pub(crate) seed: u64,
    pub(crate) settings: Settings,
    pub(crate) before: Position,
    pub(crate) after: Position,
}

/// The start of a game.
#[derive(Debug, Deserialize)]
pub(crate) struct Start {
    pub(crate) width: i16,
    pub(crate) height: i16,
    pub(crate) map: String,
    pub(crate) players: usize,
    pub(crate) seed: u64,
    pub(crate) settings: Settings,
    pub(crate) state: Option<Position>,
}

/// A position as recorded.
#[derive(Debug, Deserialize)]
pub(crate) struct Position {
    pub(crate) turn: u32,
    pub(crate) food: Vec<[i16; 2]>,
    pub(crate) hazards: Vec<[i16; 2]>,
    pub(crate) snakes: Vec<RecordedSnake>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct RecordedSnake {
    pub(crate) id: String,
    health: i32,
    body: Vec<[i16; 2]>,
    cause: Option<String>,
    by: Option<String>,
    #[serde(default)]
    on: u32,
}

impl Position {
    /// Makes the position that was recorded.
    pub(crate) fn to_state(&self, width: i16, height: i16) -> Result<GameState, String> {
        let snakes = self.snakes.iter().map(|snake| self.snake(snake)).collect::<Result<_, _>>()?;
        let (food, hazards) = (squares(&self.food), squares(&self.hazards));
        Ok(GameState { turn: self.turn, width, height, food, hazards, snakes })
    }

    /// Returns the seat of a snake.
    pub(crate) fn seat(&self, id: &str) -> Result<Seat, String> {
        let seat = self.snakes.iter().position(|snake| snake.id == id);
        let seat = seat.and_then(|seat| u8::try_from(seat).ok());
        seat.map(Seat).ok_or_else(|| format!("unknown snake `{id}`"))
    }

    fn snake(&self, snake: &RecordedSnake) -> Result<Snake, String> {
        let out = match &snake.cause {
            Some(cause) => {
                let by = snake.by.as_deref().map(|by| self.seat(by)).transpose()?;
                Some(Elimination { cause: read_cause(cause)?, by, on: snake.on })
            }
            None => None,
        };
        Ok(Snake { body: squares(&snake.body), health: snake.health, out })
    }
}

pub(crate) fn squares(list: &[[i16; 2]]) -> Vec<Square> {
    list.iter().map(|[x, y]| Square::new(*x, *y)).collect()
}

fn read_cause(name: &str) -> Result<Cause, String> {
    let all = [
        Cause::SnakeCollision,
        Cause::SnakeSelfCollision,
        Cause::HeadCollision,
        Cause::WallCollision,
        Cause::OutOfHealth,
        Cause::Hazard,
    ];
    let known = all.into_iter().find(|cause| cause.name() == name);
    known.ok_or_else(|| format!("unknown cause `{name}`"))
}
