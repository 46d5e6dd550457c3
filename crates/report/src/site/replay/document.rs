//! Everything the viewer is given, as JSON.

use std::borrow::Cow;

use joust_referee::{Cell, GameSpec, Limit, Panel, Rows, Verdict};
use serde::{Serialize, Serializer};

use super::fold::Folded;
use super::pack::{Delta, colour};
use super::turns::Columns;
use super::words::StringTable;
use joust_model::{
    BoutPlan, PublicPart, Publication, Round, Score, SeatResult, StoredBout, escaped, plain_score,
};

/// The number of this format, which a viewer of another version refuses.
const FORMAT: u32 = 3;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    bout: BoutEntry<'a>,
    seats: Vec<SeatEntry<'a>>,
    #[serde(flatten)]
    board: BoardEntry<'a>,
    turns: &'a Columns,
    views: &'a [u32],
    verdicts: Vec<&'static str>,
    limits: Vec<&'static str>,
    words: Vec<String>,
}

/// The bout, and how it ended.
#[derive(Serialize)]
struct BoutEntry<'a> {
    format: u32,
    bout: String,
    event: String,
    game: &'a str,
    title: &'a str,
    rules: &'a str,
    seed: String,
    /// `round`, or `tick` in games on a clock.
    unit: &'static str,
    /// Milliseconds for which a position is shown, if the game specifies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pace_ms: Option<u128>,
    ended: String,
}

/// The board in every position.
#[derive(Serialize)]
struct BoardEntry<'a> {
    width: u16,
    height: u16,
    layers: &'a [(Cow<'static, str>, u32)],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    panels: Vec<PanelEntry>,
    /// Kind, symbol, colour, and where there are any number and compass word.
    palette: Vec<PaletteEntry>,
    /// See [`Delta`]: cells, marks, texts, lines, picture.
    deltas: Vec<[&'a [u32]; 5]>,
    rounds: &'a [Round],
    /// Time left, milliseconds: for each position a number for each seat.
    #[serde(skip_serializing_if = "<[u128]>::is_empty")]
    left_ms: &'a [u128],
}

#[derive(Serialize)]
struct SeatEntry<'a> {
    bot: String,
    rank: u8,
    #[serde(serialize_with = "plain_score")]
    score: Score,
    /// Wall clock that a turn may take, milliseconds; `None` for games on a
    /// clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_limit_ms: Option<u128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_ms: Option<u128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_ms: Option<u128>,
    /// Pairs of a verdict and how often it was earned.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdicts: Option<Vec<(&'a str, u32)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits_hit: Option<Vec<&'a str>>,
}

/// See [`Panel`].
#[derive(Serialize)]
struct PanelEntry {
    left: u16,
    width: u16,
    owner: Option<u8>,
    upwards: bool,
}

impl PanelEntry {
    fn of(panel: &Panel) -> Self {
        let upwards = panel.rows == Rows::Upwards;
        Self { left: panel.left, width: panel.width, owner: panel.owner, upwards }
    }
}

struct PaletteEntry(Cell);

impl Serialize for PaletteEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Cell { kind, symbol, colour: is, count, facing } = self.0;
        let facing = facing.map(joust_referee::Direction::name);
        (kind.name(), symbol, colour(is), count, facing).serialize(serializer)
    }
}

pub(super) fn write(
    stored: &StoredBout,
    game: Option<&GameSpec>,
    publication: &Publication,
    folded: &Folded,
    turns: &Columns,
    words: StringTable,
) -> Vec<u8> {
    let (plan, result) = (&stored.plan, &stored.result);
    let positions = &folded.positions;
    let has_times = publication.shows(PublicPart::Times);
    let pace = game.and_then(|game| game.external.as_ref()?.viewer.pace);
    let document = Document {
        bout: BoutEntry {
            format: FORMAT,
            bout: plan.bout.to_string(),
            event: escaped(&plan.event),
            game: &plan.game,
            title: game.map_or("", |game| &game.title),
            rules: &plan.rules,
            seed: plan.seed.to_string(),
            unit: if plan.clock.is_some() { "tick" } else { "round" },
            pace_ms: pace.map(|pace| pace.as_millis()),
            ended: escaped(&result.ended),
        },
        seats: result.seats.iter().map(|seat| seat_entry(plan, game, seat, publication)).collect(),
        board: BoardEntry {
            width: positions.width,
            height: positions.height,
            layers: &positions.layers,
            panels: positions.panels.iter().map(PanelEntry::of).collect(),
            palette: positions.palette.iter().copied().map(PaletteEntry).collect(),
            deltas: positions.deltas.iter().map(lists).collect(),
            rounds: &folded.rounds,
            left_ms: if has_times { &folded.left_ms } else { &[] },
        },
        turns,
        views: folded.views.flat(),
        verdicts: Verdict::ALL.map(Verdict::name).into(),
        limits: Limit::ALL.map(Limit::name).into(),
        words: words.into_list(),
    };
    serde_json::to_vec(&document).expect("plain data is JSON")
}

fn lists(delta: &Delta) -> [&[u32]; 5] {
    [&delta.cells, &delta.marks, &delta.texts, &delta.lines, &delta.picture]
}

fn seat_entry<'a>(
    plan: &BoutPlan,
    game: Option<&GameSpec>,
    seat: &'a SeatResult,
    publication: &Publication,
) -> SeatEntry<'a> {
    let verdicts = || seat.verdicts.iter().map(|(verdict, count)| (verdict.name(), count));
    let limits = || seat.limits_hit.iter().map(Limit::name);
    let has_verdicts = publication.shows(PublicPart::Verdicts);
    let has_times = publication.shows(PublicPart::Times);
    let asks = plan.clock.is_none();
    let limit = plan.answer_limit(game, &seat.calibration);
    SeatEntry {
        bot: escaped(&seat.bot),
        rank: seat.rank,
        score: seat.score,
        turn_limit_ms: (has_times && asks).then_some(limit.as_millis()),
        cpu_ms: has_times.then_some(seat.cpu.as_millis()),
        wall_ms: has_times.then_some(seat.wall.as_millis()),
        verdicts: has_verdicts.then(|| verdicts().collect()),
        limits_hit: has_verdicts.then(|| limits().collect()),
    }
}
