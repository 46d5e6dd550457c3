//! Comparison of two plays of one bout, action by action, and counts over several reruns.

use joust_model::{FoldError, NumberRecord, NumberSource, Round, Score, StoredBout, TurnLog};
use joust_referee::Catalogue;
use serde::Serialize;

use super::frames::{Frames, Judgement};
use super::verify::{can_repeat, verify};

/// The first turn in which two plays of a bout differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("round {round}, seat {seat} ({bot}): recorded {recorded}, now {now}: {why}")]
pub struct Divergence {
    /// The round.
    pub round: Round,
    /// The seat.
    pub seat: u8,
    /// The bot.
    pub bot: String,
    /// Verdict and action in the record.
    pub recorded: String,
    /// Verdict and action now.
    pub now: String,
    /// The reason, where one can be found.
    pub why: &'static str,
}

/// Common ground of two plays of one bout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RerunComparison {
    /// Turns that were the same before the first that was not.
    pub same_turns: u64,
    /// The first turn that was not the same.
    pub divergence: Option<Divergence>,
    /// True if ranks and scores are the same.
    pub same_result: bool,
    /// True if it ended for the same reason, after as many rounds and in the same state; an
    /// external referee reports nothing but the state.
    pub same_end: bool,
    /// The reason why the same turns came to another result or end, where one can be found.
    pub cause: Option<&'static str>,
    /// True if the referee counted the same.
    pub same_numbers: bool,
    /// True if turns were compared; turns that were not kept cannot be.
    #[serde(rename = "compared_turns")]
    pub has_turns: bool,
}

impl RerunComparison {
    /// Returns whether the two plays were the same, action by action and in every number of the
    /// referee.
    pub fn is_reproduced(&self) -> bool {
        self.divergence.is_none() && self.same_result && self.same_numbers
    }
}

/// Compares a recorded bout with another play of the same plan; where its turns were not kept,
/// how both ended.
///
/// # Errors
///
/// [`FoldError`] when one of them cannot be judged.
pub fn compare(
    games: &Catalogue,
    recorded: &StoredBout,
    now: &StoredBout,
) -> Result<RerunComparison, FoldError> {
    if !recorded.result.has_logs() {
        return Ok(compare_ends(recorded, now));
    }
    let first = Frames::open(games, &recorded.plan, &recorded.result.action_log)?;
    let second = Frames::open(games, &now.plan, &now.result.action_log)?;
    let (mut before, mut after) = (turns(first), turns(second));
    let mut same_turns = 0;
    let divergence = loop {
        match (before.next().transpose()?, after.next().transpose()?) {
            (None, None) => break None,
            (Some(was), Some(is)) if was == is => same_turns += 1,
            (was, is) => break Some(divergence(recorded, was, is)),
        }
    };
    let divergence = divergence.map(|found| blamed(games, recorded, found));
    let (same_result, same_end) = (result(recorded) == result(now), end(recorded) == end(now));
    let is_otherwise = divergence.is_none() && !(same_result && same_end);
    Ok(RerunComparison {
        same_turns,
        divergence,
        same_result,
        same_end,
        cause: is_otherwise.then(|| cause(games, recorded)),
        same_numbers: counted(recorded) == counted(now),
        has_turns: true,
    })
}

/// Compares results: the same position after the same rounds counts as the same bout, because no
/// difference can be observed.
fn compare_ends(recorded: &StoredBout, now: &StoredBout) -> RerunComparison {
    let same_end = end(recorded) == end(now);
    let same_result = same_end && result(recorded) == result(now);
    RerunComparison { same_result, same_end, same_numbers: true, ..RerunComparison::default() }
}

/// Returns each seat's rank and score.
fn result(bout: &StoredBout) -> Vec<(u8, Score)> {
    bout.result.seats.iter().map(|seat| (seat.rank, seat.score)).collect()
}

/// Returns why it ended, after how many rounds and in which state.
fn end(bout: &StoredBout) -> (&str, u32, &str) {
    let result = &bout.result;
    (&result.ended, result.rounds, &result.state_hash)
}

/// Returns the numbers that the referee counted; none where the turns cannot be read.
fn counted(bout: &StoredBout) -> Vec<NumberRecord> {
    let mut numbers = TurnLog::read_numbers(&bout.result.turn_log).unwrap_or_default();
    numbers.retain(|number| number.source == NumberSource::Referee);
    numbers
}

type Turn = (Round, Judgement);

fn turns(frames: Frames) -> impl Iterator<Item = Result<Turn, FoldError>> {
    frames.flat_map(|frame| match frame {
        Ok(frame) => {
            let turn = move |judgement| Ok((frame.round, judgement));
            frame.judgements.into_iter().map(turn).collect()
        }
        Err(error) => vec![Err(error)],
    })
}

fn divergence(bout: &StoredBout, was: Option<Turn>, is: Option<Turn>) -> Divergence {
    let (round, judgement) =
        was.as_ref().or(is.as_ref()).expect("one of the two plays has a turn here");
    let (round, seat) = (*round, judgement.seat.0);
    let seats = &bout.plan.seats;
    let bot = seats.get(usize::from(seat)).map_or_else(String::new, |seat| seat.bot.clone());
    Divergence {
        round,
        seat,
        bot,
        recorded: describe(was.as_ref()),
        now: describe(is.as_ref()),
        why: reason(was.as_ref(), is.as_ref()),
    }
}

/// A bot that chose otherwise is not to blame where the referee may have shown it something else.
fn blamed(games: &Catalogue, recorded: &StoredBout, found: Divergence) -> Divergence {
    match found.why == CHOSE_OTHERWISE && !repeats(games, recorded) {
        true => Divergence { why: SHOWN_OTHERWISE, ..found },
        false => found,
    }
}

/// Returns the reason why a bout with the same turns has another result.
fn cause(games: &Catalogue, recorded: &StoredBout) -> &'static str {
    if repeats(games, recorded) { OTHER_TIMES } else { NOT_REPEATABLE }
}

/// Returns whether the referee judges the record as it did.
fn repeats(games: &Catalogue, recorded: &StoredBout) -> bool {
    can_repeat(games, &recorded.plan) && verify(games, recorded).is_ok_and(|it| it.is_empty())
}

fn describe(turn: Option<&Turn>) -> String {
    match turn {
        None => "nothing (the bout was over)".to_owned(),
        Some((_, judgement)) if judgement.verdict.is_ok() => {
            format!("`{}`", judgement.action.escape_default())
        }
        Some((_, judgement)) => judgement.verdict.to_string(),
    }
}

const CHOSE_OTHERWISE: &str = "shown the same view, the bot chose otherwise: it is not repeatable";
const SHOWN_OTHERWISE: &str =
    "the referee does not repeat: the bot may have been shown something else";
const NOT_REPEATABLE: &str = "with the same answers the referee does not repeat";
const OTHER_TIMES: &str =
    "the referee repeats, and is told more of answers than is compared: how long each took";

fn reason(was: Option<&Turn>, is: Option<&Turn>) -> &'static str {
    let fault = |turn: Option<&Turn>| turn.is_some_and(|(_, j)| !j.verdict.is_ok());
    match (fault(was), fault(is)) {
        (false, false) => CHOSE_OTHERWISE,
        (true, false) => "the fault did not happen again",
        (false, true) => "a fault that was not there before",
        (true, true) => "another fault",
    }
}

/// The parts of a bout's outcome that standings depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RerunOutcome {
    /// Each seat's rank, in seat order.
    pub ranks: Vec<u8>,
    /// Each seat's score, in seat order.
    pub scores: Vec<Score>,
    /// Reason of its end.
    pub ended: String,
}

impl RerunOutcome {
    /// Returns how `bout` ended.
    pub fn of(bout: &StoredBout) -> Self {
        let seats = &bout.result.seats;
        Self {
            ranks: seats.iter().map(|seat| seat.rank).collect(),
            scores: seats.iter().map(|seat| seat.score).collect(),
            ended: bout.result.ended.clone(),
        }
    }
}

/// Counts of how often a bout repeated as it was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Number of reruns.
    pub times: u32,
    /// Number of reruns with the same turns.
    pub same_turns: u32,
    /// Number of reruns with the same ranks and scores.
    pub same_result: u32,
    /// Number of reruns with the same ranks: the same winner.
    pub same_ranks: u32,
    /// Each way it ended with how often, the most frequent first.
    pub outcomes: Vec<(RerunOutcome, u32)>,
    /// Rounds in which it first went another way, each with how often.
    pub diverged: Vec<(Round, u32)>,
}

impl Agreement {
    /// Counts one more rerun.
    pub fn add(&mut self, recorded: &StoredBout, now: &StoredBout, comparison: &RerunComparison) {
        let outcome = RerunOutcome::of(now);
        self.times += 1;
        self.same_turns += u32::from(comparison.is_reproduced());
        self.same_result += u32::from(comparison.same_result);
        self.same_ranks += u32::from(RerunOutcome::of(recorded).ranks == outcome.ranks);
        match self.outcomes.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, count)) => *count += 1,
            None => self.outcomes.push((outcome, 1)),
        }
        self.outcomes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let Some(divergence) = &comparison.divergence else { return };
        match self.diverged.iter_mut().find(|(round, _)| *round == divergence.round) {
            Some((_, count)) => *count += 1,
            None => self.diverged.push((divergence.round, 1)),
        }
        self.diverged.sort_unstable();
    }

    /// Returns whether every rerun was the same, action by action.
    pub fn is_complete(&self) -> bool {
        self.same_turns == self.times
    }
}
