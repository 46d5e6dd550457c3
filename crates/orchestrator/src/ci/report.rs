//! Report on a change, as plain data.

use std::path::{Path, PathBuf};

use serde::Serialize;

use joust_model::{Round, Verdict, VerdictCounts, paths};
use joust_report::{PairBouts, json};
use joust_standings::ratings::event::EventRatings;
use joust_standings::standings::{Standings, TableChanges};

use super::change::ChangeKind;
use super::request::MaxFaults;
use crate::candidate::{GateReport, TestAnswer};

/// Outcome of the check; the first that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOutcome {
    /// The machine failed, or lacks a tool.
    Infrastructure,
    /// It may not be made.
    Refused,
    /// A bot of it cannot be read, built, or does not play properly.
    Broken,
    /// A bot of it is weaker than the one it replaces.
    Weaker,
    /// Bouts are missing.
    Unfinished,
    /// The gate is not decided about a bot of it.
    Undecided,
    /// Nothing is wrong with it but faults of a bot, no more than are allowed.
    PlaysWithFaults,
    /// Nothing is wrong with it.
    Ok,
}

/// Report on a change.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeReport {
    /// Outcome.
    pub outcome: CheckOutcome,
    /// Base of the comparison.
    pub base: String,
    /// Login that proposes it.
    pub author: Option<String>,
    /// True when nothing was to be played.
    pub dry_run: bool,
    /// Further notes for people.
    pub notes: Vec<String>,
    /// Reasons why it is refused.
    pub refusals: Vec<Refusal>,
    /// Problems of bots' files.
    pub problems: Vec<FileProblem>,
    /// Files of the change that belong to bots, by bot.
    pub bot_files: Vec<BotFiles>,
    /// Files of the change that belong to no bot, relative to the repository.
    #[serde(serialize_with = "paths::as_texts")]
    pub other_files: Vec<PathBuf>,
    /// Each event, in the tournament's order.
    pub events: Vec<EventChangeReport>,
    /// Result of the gate for each bot that was changed.
    pub gates: Vec<GateReport>,
}

/// Files of the change that belong to one bot, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BotFiles {
    /// The bot's name.
    pub bot: String,
    /// Its files, relative to the repository.
    #[serde(serialize_with = "paths::as_texts")]
    pub files: Vec<PathBuf>,
}

/// Reason why a change is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The event.
    pub event: Option<String>,
    /// The bot.
    pub bot: Option<String>,
    /// The file, relative to the repository where that is known.
    #[serde(serialize_with = "paths::as_text_if")]
    pub file: Option<PathBuf>,
    /// Why.
    pub reason: String,
}

/// Problem of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileProblem {
    /// The file, relative to the repository where that is known.
    #[serde(serialize_with = "paths::as_text")]
    pub file: PathBuf,
    /// From 1.
    pub line: Option<usize>,
    /// From 1.
    pub column: Option<usize>,
    /// Message.
    pub message: String,
    /// Advice.
    pub hint: Option<String>,
}

/// Report on one event.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EventChangeReport {
    /// The event's id.
    pub event: String,
    /// Planned bouts; `None` when nothing was to be played.
    pub planned: Option<PlannedBouts>,
    /// Bouts played now.
    pub played: u64,
    /// Bouts that were to be played and have no result.
    pub missing: u64,
    /// Bouts between others that have no result, because the change has moved them or because
    /// there was none before: not for this run to play.
    pub left: u64,
    /// Bots of the change.
    pub bots: Vec<BotReport>,
    /// Bots whose source is unchanged and whose build differs all the same.
    pub rebuilt: Vec<RebuiltBot>,
    /// Changes of ranks and points.
    pub movement: TableChanges,
    /// Ratings before and now, of the bots in the order of `movement`.
    pub ratings: Vec<RatingMoved>,
    /// The table after the change; before it when nothing could be played.
    #[serde(skip)]
    pub table: Option<EventTable>,
}

/// A table with its ratings.
#[derive(Clone, Debug)]
pub struct EventTable {
    /// Points and ranks.
    pub standings: Standings,
    /// Ratings of the bots that play, in the order of the standings' rows.
    pub ratings: EventRatings,
    /// The first bouts of each of its pairs that formats show.
    pub bouts: PairBouts,
}

/// A bot of the same source and another build: its bouts are played again, because a
/// result is one of its builds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RebuiltBot {
    /// Its name.
    pub bot: String,
    /// Versions of the tools that its results were made with; `None` when unknown.
    pub before: Option<String>,
    /// The tools there are now.
    pub after: Option<String>,
}

/// Rating of a bot before and now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingMoved {
    /// Its name.
    pub bot: String,
    /// `None` when it had none.
    pub before: Option<RatingInterval>,
    /// `None` when it has none.
    pub after: Option<RatingInterval>,
}

/// Rating with the ends of its 95 % interval, where they are known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RatingInterval {
    /// The rating.
    pub rating: f64,
    /// The lower end.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// Planned bouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlannedBouts {
    /// Matches with a bout to play.
    pub matches: u64,
    /// Bouts to play.
    pub bouts: u64,
    /// Estimated time; none before the first bout of an event was played.
    pub seconds: Option<u64>,
}

/// Report on one bot.
#[derive(Clone, Debug, Serialize)]
pub struct BotReport {
    /// Its name.
    pub bot: String,
    /// Change of the bot.
    #[serde(flatten)]
    pub change: ChangeKind,
    /// Its author, from its manifest.
    pub author: Option<String>,
    /// Its language.
    pub language: Option<String>,
    /// Path, relative to the repository where that is known.
    #[serde(serialize_with = "paths::as_text_if")]
    pub path: Option<PathBuf>,
    /// Reason why it was not built.
    pub not_built: Option<BuildFault>,
    /// Results of its bouts.
    pub trial: Option<BotTrial>,
    /// State.
    pub state: BotState,
}

/// State of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BotState {
    /// Without a fault.
    Fine,
    /// With faults, no more than are allowed.
    PlaysWithFaults,
    /// It cannot be read, cannot be built, or earns more faults than are allowed.
    Broken,
}

impl BotState {
    pub(super) fn of(trial: &BotTrial, most: MaxFaults) -> Self {
        let share = |count: u32| 100 * u64::from(count);
        let faults = trial.verdicts.faults();
        let severe: u32 = SEVERE.iter().map(|one| trial.verdicts.of(*one)).sum();
        let allowed = |percent: u8| u64::from(percent) * trial.turns;
        let is_broken = match most {
            MaxFaults::Usual => severe > 0 || share(faults) > allowed(MaxFaults::OTHERS),
            MaxFaults::Percent(percent) => share(faults) > allowed(percent),
        };
        match (faults, is_broken) {
            (_, true) => Self::Broken,
            (0, false) => Self::Fine,
            (_, false) => Self::PlaysWithFaults,
        }
    }
}

/// Faults that break a bot.
const SEVERE: [Verdict; 4] =
    [Verdict::MemoryLimit, Verdict::ProtocolViolation, Verdict::Crash, Verdict::ExitNonzero];

/// Reason why a bot was not built.
#[derive(Clone, Debug, Serialize)]
pub struct BuildFault {
    /// `build-failed`, `build-timeout`, ...
    pub word: &'static str,
    /// In one or more lines.
    pub reason: String,
    /// The last lines of the build's log.
    pub log: Vec<String>,
    /// The file that failed, relative to the repository where that is known.
    #[serde(serialize_with = "paths::as_text_if")]
    pub file: Option<PathBuf>,
    /// From 1.
    pub line: Option<usize>,
    /// True for a fault of the machine.
    pub ours: bool,
}

/// Results of a bot's bouts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BotTrial {
    /// Its bouts.
    pub bouts: u64,
    /// Its turns.
    pub turns: u64,
    /// Count of each verdict.
    #[serde(serialize_with = "json::verdicts")]
    pub verdicts: VerdictCounts,
    /// Share of the turns that earned a fault, percent.
    pub faults_percent: f64,
    /// The last fault, if there was one.
    pub last_fault: Option<LastFault>,
    /// The bouts that it alone was first in.
    pub won: Vec<BoutAgainst>,
    /// The bouts that another bot won.
    pub lost: Vec<BoutAgainst>,
    /// Pages that play some of those.
    #[serde(skip)]
    pub replays: Vec<ReplayFile>,
    /// Times of its turns against the limits.
    pub timing: TurnTiming,
}

/// A bout, and whom a bot met there.
#[derive(Clone, Debug, Serialize)]
pub struct BoutAgainst {
    /// The bout's id.
    pub bout: String,
    /// The others, in seat order.
    pub opponents: Vec<String>,
}

/// A page that plays a bout and needs no other file.
#[derive(Clone, Debug)]
pub struct ReplayFile {
    /// The bout's id.
    pub bout: String,
    /// The file's name.
    pub name: String,
    /// Content.
    pub page: String,
}

/// The last fault of a bot, or the last with something on standard error.
#[derive(Clone, Debug, Serialize)]
pub struct LastFault {
    /// The bout's id.
    pub bout: String,
    /// The round.
    pub round: Round,
    /// The verdict.
    pub verdict: &'static str,
    /// A short reason that the verdict alone does not tell.
    pub reason: String,
    /// The last lines of its standard error, escaped.
    pub stderr: Vec<String>,
}

/// Times of a bot's turns against the limits.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct TurnTiming {
    /// The median turn, wall clock, milliseconds.
    pub median_ms: f64,
    /// The slowest turn, wall clock, milliseconds.
    pub slowest_ms: f64,
    /// Limit of a turn, calibration included; `None` for games on a clock.
    pub limit_ms: Option<f64>,
    /// The most processor time: of a turn, or of a bout for programs that stay after a turn.
    pub cpu_ms: f64,
    /// Limit of it, calibration included; `None` where nothing limits it but the bout's wall
    /// clock.
    pub cpu_limit_ms: Option<f64>,
}

impl Refusal {
    /// Makes the refusal of a file that belongs to no bot.
    pub(super) fn of_file(path: &Path, reason: &str) -> Self {
        Self { event: None, bot: None, file: Some(path.to_owned()), reason: reason.to_owned() }
    }
}

impl CheckOutcome {
    /// Returns true when nothing speaks against playing.
    pub(super) fn allows_playing(self) -> bool {
        matches!(self, Self::Ok | Self::PlaysWithFaults)
    }
}

impl EventChangeReport {
    /// Returns true when there are no results from before the change.
    pub(super) fn is_first(&self) -> bool {
        let bots = &self.movement.bots;
        !bots.is_empty() && bots.iter().all(|bot| bot.before.is_none())
    }
}

impl ChangeReport {
    /// Sets the outcome from the rest of the report.
    pub(super) fn conclude(&mut self) {
        let bots = || self.events.iter().flat_map(|event| &event.bots);
        let is_ours = bots().any(|bot| bot.not_built.as_ref().is_some_and(|fault| fault.ours));
        let has = |state| bots().any(|bot| bot.state == state);
        let is_broken = !self.problems.is_empty() || has(BotState::Broken);
        let is_missing = self.events.iter().any(|event| event.missing > 0);
        self.outcome = match () {
            () if is_ours => CheckOutcome::Infrastructure,
            () if !self.refusals.is_empty() => CheckOutcome::Refused,
            () if is_broken => CheckOutcome::Broken,
            () if self.has(TestAnswer::Weaker) => CheckOutcome::Weaker,
            () if is_missing || self.has(TestAnswer::Unfinished) => CheckOutcome::Unfinished,
            () if self.has(TestAnswer::Undecided) => CheckOutcome::Undecided,
            () if has(BotState::PlaysWithFaults) => CheckOutcome::PlaysWithFaults,
            () => CheckOutcome::Ok,
        };
    }

    fn has(&self, answer: TestAnswer) -> bool {
        self.gates.iter().any(|gate| gate.test.answer == answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(turns: u64, faults: &[(Verdict, u32)], most: MaxFaults) -> BotState {
        let mut trial = BotTrial { turns, ..BotTrial::default() };
        for (verdict, count) in faults {
            for _ in 0..*count {
                trial.verdicts.add(*verdict);
            }
        }
        BotState::of(&trial, most)
    }

    #[test]
    fn one_crash_is_too_many_and_a_few_late_answers_are_told() {
        let usual = |faults: &[(Verdict, u32)]| state(1000, faults, MaxFaults::Usual);
        assert_eq!(usual(&[(Verdict::Ok, 1000)]), BotState::Fine);
        for severe in SEVERE {
            assert_eq!(usual(&[(severe, 1)]), BotState::Broken, "{severe:?}");
        }
        assert_eq!(usual(&[(Verdict::Timeout, 1)]), BotState::PlaysWithFaults);
        let both = [(Verdict::Timeout, 30), (Verdict::IllegalOutput, 20)];
        assert_eq!(usual(&both), BotState::PlaysWithFaults);
        assert_eq!(usual(&[(Verdict::Timeout, 30), (Verdict::NoOutput, 21)]), BotState::Broken);
    }

    #[test]
    fn a_share_that_is_given_counts_for_every_fault() {
        let of =
            |faults, percent| state(100, &[(Verdict::Crash, faults)], MaxFaults::Percent(percent));
        assert_eq!(of(43, 42), BotState::Broken);
        assert_eq!(of(43, 43), BotState::PlaysWithFaults);
        assert_eq!(of(1, 0), BotState::Broken);
        assert_eq!(of(0, 0), BotState::Fine);
    }
}
