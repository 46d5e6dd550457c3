//! Writing and reading the rows of bouts, with their seats and logs, and their places in a schedule,
//! as the chain records them.

use std::sync::LazyLock;
use std::time::Duration;

use joust_model::{
    BoutId, BoutPlan, BoutResult, BuildHash, ClockMode, GameOptions, Limits, PlanKey, SeatPlan,
    SeatResult, Seed, Shared, Tier,
};
use sqlx::SqliteConnection;

use super::StoredBout;
use super::bounds::MOST_COUNTED;
use super::columns::{Column as _, Json, binding, columns, select};
use super::insert::{Insert, Values, execute};
use super::seats::{self, SEATS};

columns! {
    /// The recorded columns of a bout, in the order in which they are hashed. The columns of
    /// [`OWN`] are not hashed with them: other links record those.
    BoutColumns(plan: &BoutPlan, result: &BoutResult), stored(SeatsAndLogs) -> StoredBout {
        id: BoutId = plan.bout,
        event: String = plan.event,
        bout_number: u32 = plan.number,
        key: PlanKey = result.key,
        game: String = plan.game,
        revision: u32 = plan.revision,
        rules: String = plan.rules,
        options: Json<Shared<GameOptions>> = plan.options,
        limits: Json<Shared<Limits>> = plan.limits,
        seed: Seed = plan.seed,
        ended: String = result.ended,
        rounds: u32 = result.rounds,
        state_hash: String = result.state_hash,
        tier: Tier = result.tier,
        machine: String = result.machine,
        joust_version: String = result.joust_version,
        contended: bool = result.contended,
        oversubscribed: bool = result.oversubscribed,
        started_at: i64 = result.started_at,
        took_ns: Duration = result.took,
        clock: Option<ClockMode> = plan.clock,
        ticks_late: u32 = result.ticks_late,
        referee: Option<BuildHash> = plan.referee,
    }
}

/// The columns that locate a bout: its row, its place in the schedule, and the link of its result.
const OWN: &str = "number, match_number, counts, link";

/// The query for bouts, with the texts of their documents.
pub(super) static SELECT: LazyLock<String> =
    LazyLock::new(|| select("bouts", OWN, BoutColumns::list()));

static BOUTS: LazyLock<Insert> = LazyLock::new(|| {
    Insert::new("bouts", OWN, BoutColumns::list().iter().map(|column| column.name))
});

/// Parts of a stored bout from other tables.
pub(super) struct SeatsAndLogs {
    pub(super) seats: Vec<SeatResult>,
    pub(super) logs: Logs,
}

/// Builds a stored bout from the list of its columns: the fields of the plan, those of the result,
/// and the parts from other tables.
macro_rules! stored {
    (($reader:ident, $rest:ident) [$($plan:tt)*] [$($result:tt)*]) => {{
        let seat = |seat: &SeatResult| SeatPlan { bot: seat.bot.clone(), occupant: seat.occupant };
        let plan = BoutPlan {
            match_number: $reader.bounded("match_number", MOST_COUNTED)?.unsigned_abs(),
            seats: $rest.seats.iter().map(seat).collect(),
            $($plan)*
        };
        let result = BoutResult {
            bout: plan.bout,
            seats: $rest.seats,
            action_log: $rest.logs.actions,
            turn_log: $rest.logs.turns,
            $($result)*
        };
        Ok(StoredBout { plan, result })
    }};
    (($reader:ident, $rest:ident) [$($plan:tt)*] $result:tt
        $column:ident: $type:ty = plan.$field:ident, $($more:tt)*
    ) => {
        stored!(($reader, $rest)
            [$($plan)* $field: <$type>::read($reader, stringify!($column))?,] $result $($more)*)
    };
    (($reader:ident, $rest:ident) $plan:tt [$($result:tt)*]
        $column:ident: $type:ty = result.$field:ident, $($more:tt)*
    ) => {
        stored!(($reader, $rest)
            $plan [$($result)* $field: <$type>::read($reader, stringify!($column))?,] $($more)*)
    };
}
use stored;

/// State of a result in the current schedule of its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CountState {
    Counts,
    Stale,
}

/// A bout that is about to be written.
pub(super) struct BoutRow<'a> {
    pub(super) plan: &'a BoutPlan,
    pub(super) result: &'a BoutResult,
    pub(super) placing: BoutPlacing,
    /// The link of the result in the chain.
    pub(super) link: i64,
    /// The numbers of the bout's documents, in the order of their columns.
    pub(super) documents: Vec<i64>,
    /// The number of each seat's calibration.
    pub(super) calibrations: Vec<i64>,
}

/// A bout that is about to be written, with its row number.
struct Numbered<'a> {
    number: i64,
    row: &'a BoutRow<'a>,
}

/// Writes new bouts, with their seats and logs.
pub(super) async fn write(
    change: &mut SqliteConnection,
    rows: &[BoutRow<'_>],
) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let last = "SELECT coalesce(max(number), 0) FROM bouts";
    let last: i64 = sqlx::query_scalar(last).fetch_one(&mut *change).await?;
    let numbered = numbered(last, rows);
    let seats = numbered.iter().flat_map(|Numbered { number, row }| {
        seats::of_bout(*number, row.result, &row.calibrations)
    });
    let seats: Vec<_> = seats.collect();
    let statements = BOUTS.rows(&numbered, push);
    let statements = statements.chain(SEATS.rows(&seats, seats::push));
    execute(
        change,
        statements.chain(LOGS.rows(&numbered, |values, Numbered { number, row }| {
            let logs = values.number(*number).bytes(&row.result.action_log);
            logs.bytes(&row.result.turn_log);
        })),
    )
    .await
}

fn numbered<'a>(last: i64, rows: &'a [BoutRow<'a>]) -> Vec<Numbered<'a>> {
    let first = last.saturating_add(1);
    let numbered = |(row, place)| Numbered { number: first.saturating_add(place), row };
    rows.iter().zip(0..).map(numbered).collect()
}

fn push(values: &mut Values, Numbered { number, row }: &Numbered<'_>) {
    let BoutPlacing { match_number, counts, .. } = row.placing;
    values.number(*number).number(match_number).number(counts).number(row.link);
    BoutColumns::write(row.plan, row.result, &mut binding(values, &row.documents));
}

/// Place of a result in its schedule, beside the digest in its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoutPlacing {
    pub(super) bout: BoutId,
    pub(super) match_number: i64,
    /// 1 when it counts, else 0.
    pub(super) counts: i64,
}

impl BoutPlacing {
    /// A bout's id, the match number and whether it counts.
    pub(super) const BYTES: usize = 17;

    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.bout.0);
        bytes[8..16].copy_from_slice(&self.match_number.to_le_bytes());
        bytes[16] = u8::from(self.counts == 1);
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::BYTES] = bytes.try_into().ok()?;
        let (bout, rest) = bytes.split_first_chunk::<8>()?;
        let (match_number, counts) = rest.split_first_chunk::<8>()?;
        Some(Self {
            bout: BoutId(*bout),
            match_number: i64::from_le_bytes(*match_number),
            counts: counts[0].into(),
        })
    }
}

/// The table `logs`, which is separate from `bouts` so that scans of bouts stay fast.
static LOGS: Insert = Insert::of("logs (bout, action_log, turn_log)");

/// A bout's logs, compressed.
pub(super) struct Logs {
    pub(super) actions: Vec<u8>,
    pub(super) turns: Vec<u8>,
}
