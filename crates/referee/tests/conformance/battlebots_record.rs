//! The shapes of the recordings. Unknown fields are ignored.

use joust_referee::games::battlebots::{Bot, GameState, MAX_ROUNDS, Mine, Projectile};
use joust_referee::{Direction, Point};
use serde::Deserialize;

/// The first line of a recorded match.
#[derive(Debug, Deserialize)]
pub(crate) struct Header {
    pub(crate) format: u32,
    pub(crate) game: String,
    pub(crate) rules: String,
    pub(crate) bouts_per_match: Option<usize>,
    #[serde(default = "default_rounds")]
    pub(crate) rounds_per_bout: u32,
}

fn default_rounds() -> u32 {
    MAX_ROUNDS
}

/// One round as recorded. Scenarios have their outputs elsewhere.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Round {
    #[serde(default)]
    pub(crate) bout: usize,
    #[serde(default)]
    pub(crate) round: u32,
    pub(crate) views: [String; 2],
    #[serde(default)]
    pub(crate) outputs: [String; 2],
    pub(crate) actions: Option<[String; 2]>,
    pub(crate) state: Position,
    /// Scenarios only: whether the bout ends with this round.
    #[serde(default)]
    pub(crate) over: bool,
}

/// The last line of a recorded match.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct MatchResult {
    pub(crate) bouts: Vec<BoutResult>,
    pub(crate) bout_wins: [u32; 2],
    pub(crate) winner: Option<usize>,
}

/// One bout in the last line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct BoutResult {
    pub(crate) bout: usize,
    pub(crate) rounds: u32,
    pub(crate) hp: [i64; 2],
    pub(crate) winner: Option<usize>,
}

/// Any line but the first.
#[derive(Debug)]
pub(crate) enum Line {
    Result(MatchResult),
    Round(Box<Round>),
}

impl Line {
    /// Reads a line; a round is what has no `result`.
    pub(crate) fn read(line: &str) -> Result<Self, serde_json::Error> {
        let mut value: serde_json::Value = serde_json::from_str(line)?;
        match value.get_mut("result") {
            Some(result) => serde_json::from_value(result.take()).map(Self::Result),
            None => serde_json::from_value(value).map(Self::Round),
        }
    }
}

/// A position as recorded.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Position {
    pub(crate) bots: [RecordedBot; 2],
    pub(crate) paralyzed: u32,
    pub(crate) bullets: Vec<Flying>,
    pub(crate) missiles: Vec<Flying>,
    pub(crate) landmines: Vec<Landmine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct RecordedBot {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) hp: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Flying {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) dir: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Landmine {
    pub(crate) x: i32,
    pub(crate) y: i32,
    #[serde(default)]
    pub(crate) dead: bool,
}

impl Position {
    /// Writes a position down as the recordings do.
    pub(crate) fn of(state: &GameState) -> Self {
        let bots = state.bots.map(|Bot { at, hp }| RecordedBot { x: at.x, y: at.y, hp });
        let mines = state.mines.iter();
        Self {
            bots,
            paralyzed: state.paralysed_rounds,
            bullets: flying(&state.bullets),
            missiles: flying(&state.missiles),
            landmines: mines
                .map(|mine| Landmine { x: mine.at.x, y: mine.at.y, dead: mine.spent })
                .collect(),
        }
    }

    /// Makes the position that was recorded.
    pub(crate) fn to_state(&self) -> Result<GameState, String> {
        let bot = |bot: &RecordedBot| Bot { at: Point { x: bot.x, y: bot.y }, hp: bot.hp };
        let mines = self.landmines.iter();
        Ok(GameState {
            bots: [bot(&self.bots[0]), bot(&self.bots[1])],
            paralysed_rounds: self.paralyzed,
            bullets: projectiles(&self.bullets)?,
            missiles: projectiles(&self.missiles)?,
            mines: mines
                .map(|mine| Mine { at: Point { x: mine.x, y: mine.y }, spent: mine.dead })
                .collect(),
        })
    }
}

fn flying(projectiles: &[Projectile]) -> Vec<Flying> {
    let one = |projectile: &Projectile| Flying {
        x: projectile.at.x,
        y: projectile.at.y,
        dir: projectile.direction.name().to_owned(),
    };
    projectiles.iter().map(one).collect()
}

fn projectiles(flying: &[Flying]) -> Result<Vec<Projectile>, String> {
    let one = |flying: &Flying| {
        let direction = Direction::from_name(&flying.dir)
            .ok_or_else(|| format!("`{}` is no direction", flying.dir))?;
        Ok(Projectile { at: Point { x: flying.x, y: flying.y }, direction })
    };
    flying.iter().map(one).collect()
}
