//! What is recorded of a result, in the order in which it is hashed.
//!
//! Hashed are the columns of the bout, of its seats and of its logs as SQLite
//! keeps them, with the texts of the documents they name. Left out are `number`
//! and `link`, which only say where a row is, and `match_number` and `counts`,
//! which change when the schedule does: links of their own tell of those.

use sha2::{Digest as _, Sha256};
use sqlx::sqlite::SqliteRow;

use super::StoreError;
use super::bouts::id_number;
use super::row::{Reader, nanos};
use super::seats::VERDICTS;
use joust_model::{BoutPlan, BoutResult, Pace, SeatResult};

/// The hash of what was recorded in a row or in several that belong together.
pub(super) type Digest = [u8; 32];

/// Hashes values, each with its kind and, where it has one, its length.
pub(super) struct Hasher {
    hash: Sha256,
    /// Short values wait here: a hash takes many bytes at once faster.
    pending: Vec<u8>,
}

/// Longer values do not wait, bytes.
const SHORT: usize = 256;

/// Room for the short values of most bouts, bytes.
const ROOM: usize = 2048;

impl Hasher {
    /// Begins a hash of what `domain` names.
    pub(super) fn new(domain: &str) -> Self {
        Self { hash: Sha256::new(), pending: Vec::with_capacity(ROOM) }.text(domain)
    }

    pub(super) fn number(mut self, value: i64) -> Self {
        self.head(b'n', value.to_le_bytes());
        self
    }

    pub(super) fn text(self, value: &str) -> Self {
        self.sized(b't', value.as_bytes())
    }

    pub(super) fn bytes(self, value: &[u8]) -> Self {
        self.sized(b'b', value)
    }

    pub(super) fn optional_text(self, value: Option<&str>) -> Self {
        match value {
            Some(text) => self.text(text),
            None => self.nothing(),
        }
    }

    pub(super) fn optional_bytes(self, value: Option<&[u8]>) -> Self {
        match value {
            Some(bytes) => self.bytes(bytes),
            None => self.nothing(),
        }
    }

    fn nothing(mut self) -> Self {
        self.pending.push(b'-');
        self
    }

    fn sized(mut self, kind: u8, value: &[u8]) -> Self {
        self.head(kind, (value.len() as u64).to_le_bytes());
        if value.len() <= SHORT {
            self.pending.extend_from_slice(value);
        } else {
            self.hash.update(&self.pending);
            self.pending.clear();
            self.hash.update(value);
        }
        self
    }

    fn head(&mut self, kind: u8, number: [u8; 8]) {
        self.pending.push(kind);
        self.pending.extend_from_slice(&number);
    }

    pub(super) fn finish(mut self) -> Digest {
        self.hash.update(&self.pending);
        self.hash.finalize().into()
    }
}

/// The columns of a bout that never change.
pub(super) struct BoutFacts<'a> {
    pub(super) id: i64,
    pub(super) event: &'a str,
    pub(super) bout_number: i64,
    pub(super) key: &'a [u8],
    pub(super) game: &'a str,
    pub(super) revision: i64,
    pub(super) rules: &'a str,
    pub(super) options: &'a str,
    pub(super) limits: &'a str,
    pub(super) seed: i64,
    pub(super) ended: &'a str,
    pub(super) rounds: i64,
    pub(super) state_hash: &'a str,
    pub(super) tier: &'a str,
    pub(super) machine: &'a str,
    pub(super) joust_version: &'a str,
    pub(super) contended: i64,
    pub(super) oversubscribed: i64,
    pub(super) started_at: i64,
    pub(super) took_ns: i64,
    pub(super) clock: Option<&'a str>,
    pub(super) ticks_late: i64,
}

impl<'a> BoutFacts<'a> {
    /// Returns the facts of a result that is about to be stored, with the texts
    /// of its options and limits.
    pub(super) fn of(
        plan: &'a BoutPlan,
        result: &'a BoutResult,
        (options, limits): (&'a str, &'a str),
    ) -> Self {
        Self {
            id: id_number(plan.bout),
            event: &plan.event,
            bout_number: plan.number.into(),
            key: &result.key.0,
            game: &plan.game,
            revision: plan.revision.into(),
            rules: &plan.rules,
            options,
            limits,
            seed: plan.seed.cast_signed(),
            ended: &result.ended,
            rounds: result.rounds.into(),
            state_hash: &result.state_hash,
            tier: &result.tier,
            machine: &result.machine,
            joust_version: &result.joust_version,
            contended: result.contended.into(),
            oversubscribed: result.oversubscribed.into(),
            started_at: result.started_at,
            took_ns: nanos(result.took),
            clock: plan.clock.map(Pace::name),
            ticks_late: result.ticks_late.into(),
        }
    }

    /// Reads the facts of a row that has `options_text` and `limits_text` too.
    pub(super) fn read(row: &'a SqliteRow) -> Result<Self, StoreError> {
        let reader = Reader::new("bouts", "number", row);
        Ok(Self {
            id: reader.get("id")?,
            event: reader.get("event")?,
            bout_number: reader.get("bout_number")?,
            key: reader.get("key")?,
            game: reader.get("game")?,
            revision: reader.get("revision")?,
            rules: reader.get("rules")?,
            options: reader.get("options_text")?,
            limits: reader.get("limits_text")?,
            seed: reader.get("seed")?,
            ended: reader.get("ended")?,
            rounds: reader.get("rounds")?,
            state_hash: reader.get("state_hash")?,
            tier: reader.get("tier")?,
            machine: reader.get("machine")?,
            joust_version: reader.get("joust_version")?,
            contended: reader.get("contended")?,
            oversubscribed: reader.get("oversubscribed")?,
            started_at: reader.get("started_at")?,
            took_ns: reader.get("took_ns")?,
            clock: reader.get("clock")?,
            ticks_late: reader.get("ticks_late")?,
        })
    }

    /// Begins the hash of a result.
    pub(super) fn hash(&self) -> Hasher {
        Hasher::new("joust-result-1")
            .number(self.id)
            .text(self.event)
            .number(self.bout_number)
            .bytes(self.key)
            .text(self.game)
            .number(self.revision)
            .text(self.rules)
            .text(self.options)
            .text(self.limits)
            .number(self.seed)
            .text(self.ended)
            .number(self.rounds)
            .text(self.state_hash)
            .text(self.tier)
            .text(self.machine)
            .text(self.joust_version)
            .number(self.contended)
            .number(self.oversubscribed)
            .number(self.started_at)
            .number(self.took_ns)
            .optional_text(self.clock)
            .number(self.ticks_late)
    }
}

/// The columns of a seat, in the order in which they are hashed.
pub(super) struct SeatFacts<'a> {
    seat: i64,
    bot: &'a str,
    build: &'a [u8],
    /// Rank, score, limits, times, memory and ticks.
    numbers: [i64; 9],
    verdicts: [i64; VERDICTS.len()],
    calibration: &'a str,
}

impl<'a> SeatFacts<'a> {
    /// Returns the facts of seat number `seat`, with its calibration's text.
    pub(super) fn of(seat: i64, result: &'a SeatResult, calibration: &'a str) -> Self {
        Self {
            seat,
            bot: &result.bot,
            build: &result.build.0,
            numbers: [
                result.rank.into(),
                result.score,
                result.limits_hit.into(),
                nanos(result.cpu),
                nanos(result.wall),
                nanos(result.stall),
                i64::try_from(result.peak_memory_bytes).unwrap_or(i64::MAX),
                result.ticks_idle.into(),
                result.answers_late.into(),
            ],
            verdicts: result.verdicts.0.map(i64::from),
            calibration,
        }
    }

    /// Reads the facts of a row that has `calibration_text` too.
    pub(super) fn read(row: &'a SqliteRow) -> Result<Self, StoreError> {
        const NUMBERS: [&str; 9] = [
            "rank",
            "score",
            "limits_hit",
            "cpu_ns",
            "wall_ns",
            "stall_ns",
            "peak_memory_bytes",
            "ticks_idle",
            "answers_late",
        ];
        let reader = Reader::new("seats", "bout", row);
        let (mut numbers, mut verdicts) = ([0; NUMBERS.len()], [0; VERDICTS.len()]);
        for (number, column) in numbers.iter_mut().zip(NUMBERS) {
            *number = reader.get(column)?;
        }
        for (count, column) in verdicts.iter_mut().zip(VERDICTS) {
            *count = reader.get(column)?;
        }
        Ok(Self {
            seat: reader.get("seat")?,
            bot: reader.get("bot")?,
            build: reader.get("build")?,
            numbers,
            verdicts,
            calibration: reader.get("calibration_text")?,
        })
    }

    /// Goes on with the hash of a result.
    pub(super) fn hash(&self, hasher: Hasher) -> Hasher {
        let hasher = hasher.number(self.seat).text(self.bot).bytes(self.build);
        let all = self.numbers.iter().chain(&self.verdicts);
        all.fold(hasher, |hasher, number| hasher.number(*number)).text(self.calibration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes out what the rules for schema changes say is hashed.
    fn written(kind: u8, value: &[u8]) -> Vec<u8> {
        [&[kind], (value.len() as u64).to_le_bytes().as_slice(), value].concat()
    }

    #[test]
    fn short_and_long_values_are_hashed_in_their_order() {
        for length in [0, 1, SHORT, SHORT + 1, 10 * SHORT] {
            let long = vec![7; length];
            let hashed = Hasher::new("test").number(-2).bytes(&long).optional_text(None).text("z");
            let number = [b"n", (-2_i64).to_le_bytes().as_slice()].concat();
            let parts = [written(b't', b"test"), number, written(b'b', &long), b"-".to_vec()];
            let all = [parts.concat(), written(b't', b"z")].concat();
            let expected: Digest = Sha256::digest(all).into();
            assert_eq!(hashed.finish(), expected, "{length} bytes");
        }
    }
}
