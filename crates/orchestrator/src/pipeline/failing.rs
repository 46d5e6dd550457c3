//! Failing bots: built, and at fault in every turn, with the last thing they said.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::plans::Player;
use joust_build::trace;
use joust_model::{BoutSummary, StoredBout, TurnLog, TurnRecord, Verdict, VerdictCounts, escaped};
use joust_store::{Store, StoreError};

/// Number of characters shown of a bot's last words.
const MOST_CHARACTERS: usize = 300;

/// A bot that was built and failed in every turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The bot.
    pub bot: String,
    /// Verdicts of its turns; ticks after the bot was gone are among them.
    pub verdicts: VerdictCounts,
    /// The error that a trace on its standard error names, else the last line there, else
    /// the reason of its last fault; escaped.
    pub last_words: Option<String>,
}

impl Failing {
    /// Returns the evidence on `bot` if it failed in every turn of `bouts`, oldest first.
    pub fn of(bot: &str, bouts: &[StoredBout]) -> Option<Self> {
        let mut failing = Self::new(bot);
        if bouts.iter().rev().any(|bout| !failing.takes(bout)) {
            return None;
        }
        (failing.verdicts.faults() > 0).then_some(failing)
    }

    /// Returns advice where its last words are that a library is not there.
    pub fn hint(&self) -> Option<String> {
        let (name, advice) = missing_library(self.last_words.as_deref()?)?;
        Some(format!("if `{name}` is a library: {advice}"))
    }

    fn new(bot: &str) -> Self {
        Self { bot: bot.to_owned(), verdicts: VerdictCounts::default(), last_words: None }
    }

    /// Adds a bout that is older than all that were added; returns false where a turn in it was
    /// without a fault.
    fn takes(&mut self, bout: &StoredBout) -> bool {
        let is_own = |seat: u8| {
            bout.result.seats.get(usize::from(seat)).is_some_and(|seat| seat.bot == self.bot)
        };
        // What is damaged is for `verify` to name.
        let turns = TurnLog::read(&bout.result.turn_log).unwrap_or_default();
        let own: Vec<&TurnRecord> = turns.iter().filter(|turn| is_own(turn.seat)).collect();
        if has_played(bout, &own) {
            return false;
        }
        self.take_turns(&own);
        true
    }

    /// Returns the evidence on `bot` from turns of an abandoned bout, all of which failed, oldest
    /// first.
    pub fn of_turns(bot: &str, turns: &[TurnRecord]) -> Self {
        let mut failing = Self::new(bot);
        failing.take_turns(&turns.iter().collect::<Vec<_>>());
        failing
    }

    fn take_turns(&mut self, own: &[&TurnRecord]) {
        own.iter().for_each(|turn| self.verdicts.add(turn.verdict()));
        let faults = || own.iter().rev().filter(|turn| turn.verdict() != Verdict::Ok);
        if self.last_words.is_none() {
            let said = faults().find_map(|turn| trace::last_words(&turn.stderr));
            let reasons = || faults().map(|turn| turn.reason.as_str());
            let reason = || reasons().find(|it| !it.is_empty()).map(str::to_owned);
            self.last_words = said.or_else(reason).map(|words| shortened(&escaped(&words)));
        }
    }
}

/// Returns whether one of a bot's turns in a bout was without a fault. On a clock a bot that is
/// gone does nothing from then on, which is legal, and so is its start.
fn has_played(bout: &StoredBout, own: &[&TurnRecord]) -> bool {
    let mut fine = own.iter().filter(|turn| turn.verdict().is_ok());
    if bout.plan.clock.is_none() {
        return fine.next().is_some();
    }
    let mut answers_without_action = HashMap::new();
    for turn in fine {
        if !turn.action.is_empty() {
            return true;
        }
        *answers_without_action.entry(turn.seat).or_insert(0_u32) += 1;
    }
    let idle = |seat: u8| bout.result.seats.get(usize::from(seat)).map_or(0, |it| it.ticks_idle);
    answers_without_action.into_iter().any(|(seat, count)| count > idle(seat) + 1)
}

impl fmt::Display for Failing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = self.verdicts.iter().filter(|(verdict, _)| !verdict.is_ok());
        let faults: Vec<_> = faults.map(|(verdict, count)| format!("{count} {verdict}")).collect();
        write!(f, "{}", faults.join(", "))?;
        match &self.last_words {
            Some(words) => write!(f, ": {words}"),
            None => write!(f, ", without a word on standard error"),
        }
    }
}

/// Returns those of `players` that were at fault in every turn of an event.
pub(super) async fn failing(
    store: &Store,
    event: &str,
    players: &[Player],
) -> Result<Vec<Failing>, StoreError> {
    // A player with a bout without a fault is not examined further.
    let mut suspects: HashSet<String> = players.iter().map(|it| it.name.clone()).collect();
    let acquit = |suspects: &mut HashSet<String>, bout: BoutSummary| {
        let clean = bout.seats.iter().filter(|seat| seat.verdicts.faults() == 0);
        clean.for_each(|seat| _ = suspects.remove(&*seat.bot));
    };
    suspects = store.fold_results(event, suspects, acquit).await?;
    if suspects.is_empty() {
        return Ok(Vec::new());
    }
    let is_wanted = suspects.clone();
    let is_of_one =
        move |bout: &BoutSummary| bout.seats.iter().any(|seat| is_wanted.contains(&*seat.bot));
    let bouts = store.results_that(event, is_of_one).await?;
    let mut all = Vec::new();
    for player in players.iter().filter(|player| suspects.contains(&player.name)) {
        all.extend(failing_one(store, &bouts, &player.name).await?);
    }
    Ok(all)
}

async fn failing_one(
    store: &Store,
    results: &[BoutSummary],
    bot: &str,
) -> Result<Option<Failing>, StoreError> {
    let mut failing = Failing::new(bot);
    let own = |bout: &&BoutSummary| bout.seats.iter().any(|seat| &*seat.bot == bot);
    for summary in results.iter().rev().filter(own) {
        let seats = || summary.seats.iter().filter(|seat| &*seat.bot == bot);
        let has_ok = seats().any(|seat| seat.verdicts.of(Verdict::Ok) > 0);
        if failing.last_words.is_some() && !has_ok {
            for (verdict, count) in seats().flat_map(|seat| seat.verdicts.iter()) {
                failing.verdicts.0[usize::from(verdict.code())] += count;
            }
            continue;
        }
        let Some(bout) = store.bout(&summary.bout.to_string()).await? else { continue };
        if !failing.takes(&bout) {
            return Ok(None);
        }
    }
    Ok((failing.verdicts.faults() > 0).then_some(failing))
}

/// Beginnings of the messages of Python and Node about a missing library, whose name follows in
/// quotes, and the way to provide it.
const WITHOUT_LIBRARY: [(&str, &str); 2] = [
    (
        "No module named '",
        "`provides` in the event gives it to all its bots, `requirements.txt` beside the main file to that bot",
    ),
    (
        "Cannot find module '",
        "`package.json` and `package-lock.json` beside the main file bring it",
    ),
];

/// Returns the library that is missing according to a bot's output, and the way to provide it.
fn missing_library(words: &str) -> Option<(&str, &'static str)> {
    WITHOUT_LIBRARY.iter().find_map(|(begin, advice)| {
        let (name, _) = words.split_once(begin)?.1.split_once('\'')?;
        (!name.starts_with(['.', '/'])).then_some((name, *advice))
    })
}

fn shortened(text: &str) -> String {
    text.chars().take(MOST_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_counted_and_the_last_words_follow() {
        let mut failing = Failing::new("ann");
        failing.verdicts.add(Verdict::ExitNonzero);
        failing.verdicts.add(Verdict::Ok);
        assert_eq!(failing.to_string(), "1 exit-nonzero, without a word on standard error");
        failing.last_words = Some("no module".to_owned());
        assert_eq!(failing.to_string(), "1 exit-nonzero: no module");
    }

    #[test]
    fn a_bot_without_its_library_is_told_where_libraries_come_from() {
        let mut failing = Failing::new("ann");
        assert_eq!(failing.hint(), None);
        failing.last_words = Some("ModuleNotFoundError: No module named 'numpy'".to_owned());
        let hint = failing.hint().expect("it lacks a library");
        assert!(hint.starts_with("if `numpy` is a library: `provides` in the event"), "{hint}");
        let node = "Error: Cannot find module 'left-pad'";
        assert_eq!(missing_library(node).map(|(name, _)| name), Some("left-pad"));
        assert_eq!(missing_library("Error: Cannot find module './own.js'"), None);
        assert_eq!(missing_library("ValueError: 'numpy'"), None);
    }
}
