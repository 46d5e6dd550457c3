//! The shapes of the recordings. Unknown fields are ignored.

use joust_referee::games::battleships_2017::{GameState, Phase, Player, ShipKind, Square};
use joust_referee::{Part, Parts};
use serde::Deserialize;

use super::part;

/// The first line of a recorded match.
#[derive(Debug, Deserialize)]
pub(crate) struct Header {
    pub(crate) format: u32,
    pub(crate) game: String,
    pub(crate) size: u8,
    pub(crate) players: [RecordedPlayer; 2],
}

#[derive(Debug, Deserialize)]
pub(crate) struct RecordedPlayer {
    pub(crate) name: String,
}

/// One value per player.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Both<T> {
    #[serde(rename = "A")]
    pub(crate) a: T,
    #[serde(rename = "B")]
    pub(crate) b: T,
}

/// One round as recorded.
#[derive(Debug, Deserialize)]
pub(crate) struct Round {
    pub(crate) round: u32,
    pub(crate) phase: u8,
    pub(crate) commands: Both<Option<Left>>,
    pub(crate) parsed: Both<String>,
    #[serde(default)]
    pub(crate) aborted: bool,
    pub(crate) state: Position,
}

/// The texts a bot left.
#[derive(Debug, Deserialize)]
pub(crate) struct Left {
    pub(crate) place: Option<String>,
    pub(crate) command: Option<String>,
}

impl Left {
    /// Returns what was left as an answer.
    pub(crate) fn parts(left: Option<&Self>) -> Parts {
        let Some(left) = left else { return Parts::none() };
        let files = [("place.txt", &left.place), ("command.txt", &left.command)];
        let parts: Vec<Part> = files
            .into_iter()
            .filter_map(|(name, text)| text.as_ref().map(|text| part(name, text)))
            .collect();
        Parts(parts)
    }
}

/// The last line of a recorded match.
#[derive(Debug, Deserialize)]
pub(crate) struct MatchResult {
    pub(crate) kind: String,
    pub(crate) winner: Option<String>,
    pub(crate) leaderboard: [String; 2],
    pub(crate) reason: String,
    pub(crate) rounds_played: u32,
    pub(crate) killed: Vec<String>,
    pub(crate) points: [i32; 2],
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
    pub(crate) next_round: u32,
    pub(crate) next_phase: u8,
    pub(crate) first_phase_ok: bool,
    #[serde(flatten)]
    pub(crate) players: Both<Side>,
}

/// One player as recorded.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Side {
    killed: bool,
    points: i32,
    energy: i32,
    shots_fired: u32,
    shots_hit: u32,
    first_hit_round: Option<u32>,
    failed_placements: u32,
    ships_remaining: usize,
    do_nothing_run: u32,
    move_ok: bool,
    command: Option<String>,
    center: [i32; 2],
    place_string: Option<String>,
    shield: RecordedShield,
    ships: Vec<RecordedShip>,
    occ: Vec<String>,
    flags: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct RecordedShield {
    charges: u32,
    radius: u32,
    max_radius: u32,
    active: bool,
    last_used: u32,
    center: [i32; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct RecordedShip {
    #[serde(rename = "type")]
    kind: String,
    placed: bool,
    destroyed: bool,
    cells: Vec<Option<[i32; 2]>>,
}

impl Position {
    /// Writes a position as the recordings do.
    pub(crate) fn of(state: &GameState, max_radius: u32) -> Self {
        let [a, b] = state.players.each_ref().map(|player| Side::of(player, max_radius));
        Self {
            next_round: state.round,
            next_phase: state.phase.number(),
            first_phase_ok: state.phase == Phase::Shooting,
            players: Both { a, b },
        }
    }
}

impl Side {
    fn of(player: &Player, max_radius: u32) -> Self {
        let (last, shield) = (&player.last, &player.shield);
        Self {
            killed: player.killed,
            points: player.points,
            energy: player.energy,
            shots_fired: player.shots_fired,
            shots_hit: player.shots_hit,
            first_hit_round: player.first_hit_round,
            failed_placements: player.failed_placements,
            ships_remaining: player.ships_remaining(),
            do_nothing_run: player.do_nothings,
            move_ok: last.succeeded,
            command: last.name.map(str::to_owned),
            center: pair(last.centre),
            place_string: last.placement.clone(),
            shield: RecordedShield {
                charges: shield.charges,
                radius: shield.radius,
                max_radius,
                active: shield.active,
                last_used: shield.last_used,
                center: pair(shield.centre),
            },
            ships: ShipKind::ALL.map(|kind| RecordedShip::of(player, kind)).into(),
            occ: rows(player, |cell| cell.ship.map_or('.', |kind| char::from(kind.letter()))),
            flags: rows(player, |cell| {
                let sum = u8::from(cell.hit)
                    + 2 * u8::from(cell.shielded)
                    + 4 * u8::from(cell.shield_hit);
                char::from(b'0' + sum)
            }),
        }
    }
}

impl RecordedShip {
    fn of(player: &Player, kind: ShipKind) -> Self {
        let ship = &player.ships[kind.index()];
        let square = |number| pair(player.board.square_of(number));
        Self {
            kind: kind.name().to_owned(),
            placed: ship.placed,
            destroyed: ship.destroyed,
            cells: ship.cells[..kind.length()].iter().map(|cell| cell.map(square)).collect(),
        }
    }
}

fn pair(square: Square) -> [i32; 2] {
    [square.x, square.y]
}

fn rows(
    player: &Player,
    symbol: impl Fn(joust_referee::games::battleships_2017::Cell) -> char,
) -> Vec<String> {
    let side = i64::from(player.board.side());
    let cell = |x, y| {
        let number = player.board.number_of(x, y).expect("it lies on the map");
        symbol(player.board.cell(number))
    };
    (0..side).map(|y| (0..side).map(|x| cell(x, y)).collect()).collect()
}
