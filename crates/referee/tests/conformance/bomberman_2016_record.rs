//! Lines of recordings, and the same data of a position here.

use std::collections::BTreeMap;

use joust_referee::Seat;
use joust_referee::games::bomberman_2016::{
    Blast, Block, Bomb, Command, Event, GameState, Ground, Player, PowerUp, Report, Square, key,
};
use serde::Deserialize;

use super::{command, hexadecimal, same};

/// The first line of a match.
#[derive(Debug, Deserialize)]
pub(super) struct Header {
    pub(super) format: u32,
    pub(super) game: String,
    pub(super) seed: i32,
    pub(super) width: u8,
    pub(super) height: u8,
    pub(super) bounty: i64,
    pub(super) players: Vec<Named>,
    pub(super) map: Position,
}

/// A player of a match.
#[derive(Debug, Deserialize)]
pub(super) struct Named {
    pub(super) key: char,
    pub(super) name: String,
}

/// One round.
#[derive(Debug, Deserialize)]
pub(super) struct Round {
    pub(super) round: u32,
    pub(super) commands: BTreeMap<char, String>,
    pub(super) outcomes: BTreeMap<char, String>,
    #[serde(default)]
    pub(super) resolved: Vec<Pass>,
    pub(super) state: Position,
}

/// One pass of a movement conflict.
#[derive(Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) rolls: Vec<(char, u8)>,
    pub(super) loser: char,
}

/// The last line of a match.
#[derive(Debug, Deserialize)]
pub(super) struct MatchResult {
    pub(super) result: Vec<Placed>,
    pub(super) rounds_played: u32,
    pub(super) end: String,
}

/// One line of the leader board.
#[derive(Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) key: char,
    pub(super) points: i64,
    pub(super) killed: bool,
    pub(super) killed_round: Option<u32>,
}

/// A STATE.
#[derive(Debug, Deserialize)]
pub(super) struct Position {
    pub(super) round: u32,
    pub(super) rows: Vec<String>,
    pub(super) bombs: Vec<BombLine>,
    pub(super) explosions: Vec<Explosion>,
    pub(super) powerups: Vec<PowerUpLine>,
    pub(super) players: Vec<PlayerLine>,
    pub(super) map_txt: String,
    pub(super) state_json_sha256: String,
}

/// A covered block of a STATE, and the bombs that cover it.
type Explosion = (u8, u8, Vec<(u8, u8, char)>);

/// A bomb of a STATE.
#[derive(Debug, Deserialize, PartialEq, Eq)]
pub(super) struct BombLine {
    x: u8,
    y: u8,
    owner: char,
    timer: u32,
    radius: u32,
}

/// A power-up of a STATE.
#[derive(Debug, Deserialize, PartialEq, Eq)]
pub(super) struct PowerUpLine {
    x: u8,
    y: u8,
    kind: String,
    hidden: bool,
}

/// A player of a STATE.
#[derive(Debug, Deserialize, PartialEq, Eq)]
pub(super) struct PlayerLine {
    pub(super) key: char,
    x: u8,
    y: u8,
    bag: u32,
    radius: u32,
    points: i64,
    coverage: u32,
    killed: bool,
    killed_round: Option<u32>,
}

/// Returns the seat of a key.
pub(super) fn seat(key: char) -> Seat {
    Seat((key as u8).wrapping_sub(b'A'))
}

impl Position {
    /// Compares everything but the files.
    pub(super) fn check(&self, state: &GameState) -> Result<(), String> {
        same("round number", &self.round, &state.round)?;
        same("rows", &self.rows, &rows(state))?;
        same("bombs", &self.bombs, &bombs(state))?;
        same("explosions", &self.explosions, &explosions(state))?;
        same("powerups", &self.powerups, &power_ups(state))?;
        same("players", &self.players, &players(state))
    }

    /// Compares both files.
    pub(super) fn check_files(&self, map_txt: &[u8], state_json: &[u8]) -> Result<(), String> {
        let map_txt = String::from_utf8_lossy(map_txt).into_owned();
        same("map_txt", &self.map_txt, &map_txt)?;
        same("state_json_sha256", &self.state_json_sha256, &hexadecimal(state_json))
    }

    /// Makes the position here; only the players' own blocks are touched.
    pub(super) fn to_state(&self, seed: i32, bounty: i64) -> Result<GameState, String> {
        let side = u8::try_from(self.rows.len()).map_err(|_| "too many rows".to_owned())?;
        let blocks: Vec<Block> =
            self.rows.iter().flat_map(|row| row.chars()).map(block).collect::<Result<_, _>>()?;
        same("blocks", &(usize::from(side) * usize::from(side)), &blocks.len())?;
        let mut state = GameState::new(side, seed, blocks);
        state.bounty = bounty;
        state.round = self.round;
        for line in &self.powerups {
            let square = state.square(line.x, line.y);
            state.blocks[usize::from(square.0)].power_up = Some(power_up(&line.kind)?);
        }
        for line in &self.players {
            let at = state.square(line.x, line.y);
            state.add_player(Player {
                at,
                bag: line.bag,
                radius: line.radius,
                points: line.points - i64::from(line.coverage),
                coverage: line.coverage,
                touched: 0,
                killed_round: line.killed_round,
                on_map: !line.killed,
            });
        }
        for line in &self.bombs {
            let at = state.square(line.x, line.y);
            state.bombs.push(Bomb::new(at, seat(line.owner), line.timer, line.radius));
        }
        Ok(state)
    }
}

fn block(symbol: char) -> Result<Block, String> {
    match symbol {
        '#' => Ok(Block::new(Ground::Pillar)),
        '+' => Ok(Block::new(Ground::Wall)),
        ' ' => Ok(Block::new(Ground::Free)),
        other => Err(format!("unknown block `{other}`")),
    }
}

const KINDS: [(&str, PowerUp); 3] =
    [("bag", PowerUp::Bag), ("radius", PowerUp::Radius), ("super", PowerUp::Super)];

fn power_up(kind: &str) -> Result<PowerUp, String> {
    let known = KINDS.iter().find(|(word, _)| *word == kind);
    known.map(|(_, power_up)| *power_up).ok_or_else(|| format!("unknown power-up `{kind}`"))
}

fn rows(state: &GameState) -> Vec<String> {
    let symbol = |block: &Block| match block.ground {
        Ground::Pillar => '#',
        Ground::Wall => '+',
        Ground::Free => ' ',
    };
    let rows = state.blocks.chunks(usize::from(state.side));
    rows.map(|row| row.iter().map(symbol).collect()).collect()
}

fn bombs(state: &GameState) -> Vec<BombLine> {
    let line = |bomb: &Bomb| {
        let (x, y) = state.coordinates(bomb.at);
        BombLine { x, y, owner: key(bomb.owner), timer: bomb.timer, radius: bomb.radius }
    };
    state.bombs.iter().map(line).collect()
}

fn explosions(state: &GameState) -> Vec<Explosion> {
    let mut blasts = state.blasts.clone();
    blasts.sort_unstable();
    let on_one_block = blasts.chunk_by(|one, other| one.at == other.at);
    let line = |blasts: &[Blast]| {
        let (x, y) = state.coordinates(blasts[0].at);
        let bombs = blasts.iter().map(|blast| {
            let (x, y) = state.coordinates(blast.bomb_at);
            (x, y, key(blast.owner))
        });
        (x, y, bombs.collect())
    };
    on_one_block.map(line).collect()
}

fn power_ups(state: &GameState) -> Vec<PowerUpLine> {
    let mut lines = Vec::new();
    for (number, block) in (0..).zip(&state.blocks) {
        let Some(power_up) = block.power_up else { continue };
        let (x, y) = state.coordinates(Square(number));
        let kind = KINDS.iter().find(|(_, kind)| *kind == power_up).expect("it is listed").0;
        let hidden = block.ground == Ground::Wall;
        lines.push(PowerUpLine { x, y, kind: kind.to_owned(), hidden });
    }
    lines
}

fn players(state: &GameState) -> Vec<PlayerLine> {
    let line = |(seat, player): (u8, &Player)| {
        let (x, y) = state.coordinates(player.at);
        PlayerLine {
            key: key(Seat(seat)),
            x,
            y,
            bag: player.bag,
            radius: player.radius,
            points: player.total_points(),
            coverage: player.coverage,
            killed: !player.is_alive(),
            killed_round: player.killed_round,
        }
    };
    (0..).zip(&state.players).map(line).collect()
}

impl Round {
    /// Returns the commands of `seats` seats, in seat order.
    pub(super) fn commands_by_seat(&self, seats: usize) -> Result<Vec<Option<Command>>, String> {
        let mut commands = vec![None; seats];
        for (key, word) in &self.commands {
            let index = seat(*key).index();
            let slot = commands.get_mut(index).ok_or_else(|| format!("no player `{key}`"))?;
            *slot = Some(command(word)?);
        }
        Ok(commands)
    }

    /// Returns the numbers rolled, in order.
    pub(super) fn rolls(&self) -> Vec<i64> {
        let passes = self.resolved.iter().flat_map(|pass| &pass.rolls);
        passes.map(|(_, number)| i64::from(*number)).collect()
    }

    /// Returns the losers, in order.
    pub(super) fn losers(&self) -> Vec<i64> {
        self.resolved.iter().map(|pass| i64::from(seat(pass.loser).0)).collect()
    }

    /// Compares what became of the commands and the movement conflicts.
    pub(super) fn check_report(&self, report: &Report) -> Result<(), String> {
        let command_results = (0..).map(|number| key(Seat(number))).zip(&report.command_results);
        let command_results: BTreeMap<char, String> = command_results
            .filter_map(|(key, fate)| Some((key, fate.as_ref()?.name().to_owned())))
            .collect();
        same("outcomes", &self.outcomes, &command_results)?;
        same("resolved", &self.resolved, &passes(report))
    }
}

fn passes(report: &Report) -> Vec<Pass> {
    let (mut passes, mut rolls) = (Vec::new(), Vec::new());
    for event in &report.events {
        match event {
            Event::Rolled { seat, number } => rolls.push((key(*seat), *number)),
            Event::Lost(seat) => {
                passes.push(Pass { rolls: std::mem::take(&mut rolls), loser: key(*seat) });
            }
            _ => {}
        }
    }
    passes
}
