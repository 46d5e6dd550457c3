//! Result of a bout, with its logs, the tier of isolation that it was played with and the measured
//! cost of a do-nothing bot.

use std::time::Duration;

use joust_referee::{LimitSet, Score, Verdict};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr};

use super::{BoutId, Occupant, PlanKey, SeatNumbers};

/// Number of times that each verdict was earned, in the order of [`Verdict::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictCounts(pub [u32; 12]);

impl VerdictCounts {
    /// Returns the counts of turns without a fault.
    pub fn of_oks(oks: u32) -> Self {
        let mut counts = Self::default();
        counts.0[usize::from(Verdict::Ok.code())] = oks;
        counts
    }

    /// Counts one more `verdict`.
    pub fn add(&mut self, verdict: Verdict) {
        self.0[usize::from(verdict.code())] += 1;
    }

    /// Returns how often `verdict` was earned.
    pub fn of(&self, verdict: Verdict) -> u32 {
        self.0[usize::from(verdict.code())]
    }

    /// Returns the number of verdicts other than `ok`. The sum saturates, because counts from
    /// strangers may be too large.
    pub fn faults(&self) -> u32 {
        let faults = self.iter().filter(|(verdict, _)| *verdict != Verdict::Ok);
        faults.fold(0, |sum, (_, count)| sum.saturating_add(count))
    }

    /// Returns verdicts that were earned, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Verdict, u32)> + '_ {
        Verdict::ALL.into_iter().map(|verdict| (verdict, self.of(verdict))).filter(|(_, n)| *n > 0)
    }
}

impl BoutResult {
    /// Returns whether the turn-by-turn logs were kept.
    pub fn has_logs(&self) -> bool {
        !self.action_log.is_empty()
    }

    /// Returns the result without its turn-by-turn logs.
    #[must_use]
    pub fn without_logs(self) -> Self {
        Self { action_log: Vec::new(), turn_log: Vec::new(), ..self }
    }
}

/// Result of one seat in a bout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatResult {
    /// The bot's name.
    pub bot: String,
    /// Occupant of the seat.
    #[serde(rename = "build")]
    pub occupant: Occupant,
    /// 1 is best; equal ranks are a draw.
    pub rank: u8,
    /// The game's own points.
    #[serde(with = "crate::numbers::score")]
    pub score: Score,
    /// Verdicts earned.
    pub verdicts: VerdictCounts,
    /// Limits touched.
    #[serde(with = "crate::numbers::PlainLimits")]
    pub limits_hit: LimitSet,
    /// Processor time of all turns.
    pub cpu: Duration,
    /// Wall clock of all turns.
    pub wall: Duration,
    /// Time for which it was runnable but had no processor, all turns.
    pub stall: Duration,
    /// Largest memory of a turn, bytes.
    pub peak_memory_bytes: u64,
    /// Calibration added to the limits.
    pub calibration: Calibration,
    /// Games with a clock: ticks without an answer, which are legal.
    pub ticks_idle: u32,
    /// Games with a clock: answers that came after their tick.
    pub answers_late: u32,
    /// Bots that are kept warm: turns that started a new process nevertheless.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cold_starts: u32,
    /// Summaries of the bout's numbers.
    #[serde(default, skip_serializing_if = "SeatNumbers::is_empty", with = "crate::number::text")]
    pub numbers: SeatNumbers,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

/// The complete result of a bout, including its logs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoutResult {
    /// The bout's identity.
    pub bout: BoutId,
    /// Key of all inputs of the result.
    pub key: PlanKey,
    /// Reason of the end, in the game's words.
    pub ended: String,
    /// Rounds or ticks played.
    pub rounds: u32,
    /// SHA-256 of the final state, 64 hexadecimal digits.
    pub state_hash: String,
    /// Each seat's result, in seat order.
    pub seats: Vec<SeatResult>,
    /// The sandbox's tier.
    pub tier: Tier,
    /// The machine that played.
    pub machine: String,
    /// The version of Joust that played.
    pub joust_version: String,
    /// True if the machine was short of processors when it mattered: at a timeout, or in a game
    /// with a clock.
    pub contended: bool,
    /// Games with a clock: ticks that the machine was late for.
    pub ticks_late: u32,
    /// True if more bots were thinking than there were cores for them.
    pub oversubscribed: bool,
    /// Start of the bout, milliseconds since 1970.
    pub started_at: i64,
    /// Duration of the bout.
    pub took: Duration,
    /// The action log: the referee's inputs, zstd.
    #[serde(with = "serde_bytes")]
    pub action_log: Vec<u8>,
    /// The turn log: one record per turn, zstd. See [`super::TurnLog`].
    #[serde(with = "serde_bytes")]
    pub turn_log: Vec<u8>,
}

/// The measured cost of a do-nothing bot in one language on one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// The language's id.
    pub language: String,
    /// The game whose first view the bot read.
    pub game: String,
    /// Number of measured runs.
    pub runs: u32,
    /// Median processor time of the tree; added to the `cpu` limit.
    pub cpu: Duration,
    /// Median wall clock; added to the `turn` limit.
    pub wall: Duration,
    /// Slowest minus fastest run, wall clock.
    pub spread: Duration,
    /// Time of the measurement, milliseconds since 1970.
    pub measured_at: i64,
    /// The machine it was measured on.
    pub machine: String,
}

/// Tier of the sandbox that a bout was played in, from `A`, where everything is enforced, to
/// `D`, where bots were not isolated.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
)]
pub enum Tier {
    /// Name spaces and control groups.
    A,
    /// Name spaces.
    B,
    /// A user per seat.
    C,
    /// No isolation.
    D,
}

impl Tier {
    /// Returns the name used in the database and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns whether bots were isolated from the machine and from each other.
    #[must_use]
    pub fn is_isolated(self) -> bool {
        self != Self::D
    }
}
