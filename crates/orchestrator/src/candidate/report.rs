//! Report of a try: plain data, for people and programs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use joust_standings::ratings::sprt::{Judgement, SequentialTest, SprtDecision};
use serde::{Serialize, Serializer};

use crate::pipeline::Failing;

/// Result of a try.
#[derive(Clone, Debug, Serialize)]
pub struct TryReport {
    /// Candidate, event and database of a try.
    #[serde(flatten)]
    pub subject: TrySubject,
    /// Course of a try.
    #[serde(flatten)]
    pub course: TryCourse,
    /// Each opponent, in order of their names.
    pub opponents: Vec<OpponentRecord>,
    /// Bots of the field that could not be built.
    pub not_built: Vec<String>,
    /// The candidate's turns in these bouts.
    pub turns: u64,
    /// Those with a fault, by verdict.
    pub faults: BTreeMap<String, u64>,
    /// Bots that failed in every turn, and the last thing they said.
    #[serde(serialize_with = "last_words")]
    pub failing: Vec<Failing>,
    /// Bouts that the game's referee could not finish and that do not count: a line each, escaped.
    pub referee_errors: Vec<String>,
    /// Test against the field's average; `None` before the first set.
    pub field: Option<FieldTest>,
    /// Comparison with the version that was tried before it.
    pub last: Option<VersionReport>,
    /// Rank that it would have.
    pub rank: Option<TryRank>,
}

/// Candidate, event and database of a try.
#[derive(Clone, Debug, Serialize)]
pub struct TrySubject {
    /// The candidate.
    pub bot: String,
    /// Its build, in eight digits.
    pub version: String,
    /// The event whose field it met.
    pub event: String,
    /// The game.
    pub game: String,
    /// The database that has its bouts.
    pub database: PathBuf,
    /// The event its bouts are kept under.
    pub try_event: String,
}

/// Course of a try.
#[derive(Clone, Debug, Serialize)]
pub struct TryCourse {
    /// Ending of the try.
    pub ended: TryOutcome,
    /// Bouts that count, those of earlier tries of this version included.
    pub bouts: u64,
    /// Bouts that were played now.
    pub played: u64,
    /// Bouts that were ended early because the time was over; they do not count.
    pub ended_early: u64,
    /// Duration.
    #[serde(serialize_with = "seconds")]
    pub took: Duration,
}

/// Ending of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TryOutcome {
    /// The tests have decided.
    Decided,
    /// The time was over.
    TimeOver,
    /// It was stopped.
    Interrupted,
    /// The game's referee could not finish a bout, so that its set stays without a result.
    RefereeFailed,
}

/// Bouts against one opponent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpponentRecord {
    /// The opponent.
    pub bot: String,
    /// Bouts in which it was ranked behind.
    pub won: Vec<String>,
    /// Bouts in which it was ranked level.
    pub drawn: Vec<String>,
    /// Bouts in which it was ranked ahead.
    pub lost: Vec<String>,
    /// Likelihood that the candidate is the stronger one; `None` without a mirror set.
    pub superiority: Option<f64>,
}

/// Answer of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestAnswer {
    /// H1: it is stronger.
    Stronger,
    /// H0: it is weaker, or no stronger.
    Weaker,
    /// Neither, after the bouts there are.
    Undecided,
    /// Neither yet: the budget was used up.
    Unfinished,
    /// Nothing was asked.
    NotAsked,
}

impl TestAnswer {
    pub(super) fn of(finding: SprtDecision) -> Self {
        match finding {
            SprtDecision::H0 => Self::Weaker,
            SprtDecision::H1 => Self::Stronger,
            SprtDecision::Undecided => Self::Undecided,
        }
    }
}

/// State of a sequential test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestState {
    /// Answer.
    pub answer: TestAnswer,
    /// The log-likelihood ratio of H1 and H0.
    pub llr: f64,
    /// At the first and below H0 is accepted, at the second and above H1.
    pub bounds: [f64; 2],
    /// The differences of H0 and H1, normalised Elo.
    pub elo: [f64; 2],
    /// Error rates: H1 accepted where H0 holds, and the reverse.
    pub rates: [f64; 2],
}

impl TestState {
    pub(super) fn of(test: &SequentialTest) -> Self {
        let Judgement { llr, bounds, finding } = test.judgement();
        Self {
            answer: TestAnswer::of(finding),
            llr,
            bounds: [bounds.lower, bounds.upper],
            elo: test.sprt().elo(),
            rates: test.sprt().rates(),
        }
    }
}

/// Test against the field's average, with the data that it uses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldTest {
    /// State of the test.
    #[serde(flatten)]
    pub state: TestState,
    /// Mirror sets that counted for the test.
    pub sets: u64,
    /// Share of all points, from 0 to 1, with the ends of its 95 % interval; of all sets.
    pub score: [f64; 3],
    /// Likelihood that it is the stronger one.
    pub superiority: f64,
}

/// The candidate and the version before it, in the same bouts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VersionReport {
    /// The version before, in eight digits.
    pub version: String,
    /// The share of all points that it has more, with the ends of its 95 % interval; from
    /// -1 to 1.
    pub gain: [f64; 3],
    /// Sets with the same seed, the same opponents and their same builds.
    pub sets: u64,
    /// Answer of the sequential test.
    pub answer: TestAnswer,
    /// Likelihood that the candidate is the stronger one.
    pub superiority: f64,
}

/// Rank that the candidate would have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TryRank {
    /// Its rank by rating among those rated.
    pub rank: usize,
    /// The best rank that 95 % likelihood leaves, and the worst.
    pub range: [usize; 2],
    /// Number of rated bots, the candidate included.
    pub of: usize,
    /// Its current rank in the league, if it plays there.
    pub before: Option<usize>,
    /// Its rating, with the ends of the 95 % interval.
    pub rating: [f64; 3],
    /// Meaning of a rating.
    pub model: &'static str,
    /// True when results of the league count beside those of the try.
    pub with_league: bool,
}

fn last_words<S: Serializer>(failing: &[Failing], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(failing.iter().map(|one| (&one.bot, &one.last_words)))
}

fn seconds<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(time.as_secs_f64())
}
