//! Notes on each bot from the turns of an event's bouts: gathered bout by bout,
//! so that no more than one bout's turns are in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use joust_referee::Catalogue;
use serde::Serialize;

use super::histogram::Histogram;
use crate::paint::StillPicture;
use joust_model::{
    BoutId, BoutPlan, MeasuredTurns, PublicPart, Publication, Round, StoredBout, TurnLog,
    TurnLogError, TurnRecord, Verdict, public_lines, public_text,
};

/// Notes on the turns of an event. Notes that were taken separately can be merged in any order with
/// the same result.
#[derive(Debug, Default)]
pub struct Notes {
    bots: BTreeMap<String, BotNotes>,
    /// Bouts whose recordings cannot be drawn.
    pub undrawn: BTreeSet<BoutId>,
    /// A position of the bout to see first, for previews.
    pub(super) still: Option<StillPicture>,
}

/// Notes on a bot's turns.
#[derive(Clone, Debug, Default)]
pub(super) struct BotNotes {
    /// Wall clock of each turn or answer.
    pub(super) wall: Histogram,
    /// Processor time of each turn; empty for programs that stay after a turn.
    pub(super) cpu: Histogram,
    /// The last turn with each fault.
    pub(super) faults: BTreeMap<u8, Quote>,
    /// The last thing it wrote to standard error.
    pub(super) stderr: Option<Quote>,
}

/// A turn that is worth a look.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Quote {
    /// Moment at which the bout began; then the bout and the round, so that there is
    /// always one last.
    pub(super) at: i64,
    pub(super) bout: BoutId,
    pub(super) round: Round,
    pub(super) text: String,
}

impl Notes {
    /// Adds notes on a bout and returns its turns.
    pub(super) fn take(
        &mut self,
        games: &Catalogue,
        stored: &StoredBout,
        publication: &Publication,
    ) -> Result<Vec<TurnRecord>, TurnLogError> {
        let turns = TurnLog::read(&stored.result.turn_log)?;
        let tick = tick(games, &stored.plan);
        let mut measured = MeasuredTurns::new(stored.plan.clock);
        for turn in &turns {
            let is_measured = measured.is_measured(turn);
            let Some(seat) = stored.result.seats.get(usize::from(turn.seat)) else { continue };
            let bot = self.of(&seat.bot);
            if publication.shows(PublicPart::Times) {
                bot.time(turn, tick);
                if is_measured {
                    bot.cpu.add(turn.cpu_us);
                }
            }
            bot.see(turn, stored, publication);
        }
        if publication.shows(PublicPart::Times) {
            self.limits(games, stored, tick);
        }
        Ok(turns)
    }

    fn limits(&mut self, games: &Catalogue, stored: &StoredBout, tick: Option<Duration>) {
        let plan = &stored.plan;
        let game = games.find(&plan.game).map(|game| game.spec());
        for seat in &stored.result.seats {
            let bot = self.of(&seat.bot);
            let wall = tick.unwrap_or_else(|| plan.answer_limit(game, &seat.calibration));
            let cpu = plan.limits.cpu.saturating_add(seat.calibration.cpu);
            bot.wall.limit_us = bot.wall.limit_us.max(whole_micros(wall));
            bot.cpu.limit_us = bot.cpu.limit_us.max(whole_micros(cpu));
        }
    }

    fn of(&mut self, bot: &str) -> &mut BotNotes {
        if !self.bots.contains_key(bot) {
            self.bots.insert(bot.to_owned(), BotNotes::default());
        }
        self.bots.get_mut(bot).expect("it was just put there")
    }

    /// Adds other notes.
    pub fn merge(&mut self, other: Self) {
        self.undrawn.extend(other.undrawn);
        self.still = self.still.take().or(other.still);
        for (bot, notes) in other.bots {
            self.of(&bot).merge(notes);
        }
    }

    /// Returns the notes on a bot.
    pub(super) fn bot(&self, name: &str) -> Option<&BotNotes> {
        self.bots.get(name)
    }
}

/// Length of a tick, in a game on a clock.
fn tick(games: &Catalogue, plan: &BoutPlan) -> Option<Duration> {
    let clock = games.find(&plan.game)?.spec().clock(&plan.options.to_referee())?;
    Some(Duration::from_millis(clock.tick_ms.into()))
}

fn whole_micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl BotNotes {
    fn time(&mut self, turn: &TurnRecord, tick: Option<Duration>) {
        if tick.is_none() || !turn.action.is_empty() {
            self.wall.add(turn.wall_us);
        }
    }

    fn see(&mut self, turn: &TurnRecord, stored: &StoredBout, publication: &Publication) {
        let seen = |text: String| Quote {
            at: stored.result.started_at,
            bout: stored.plan.bout,
            round: turn.round,
            text,
        };
        if turn.verdict() != Verdict::Ok && publication.shows(PublicPart::Verdicts) {
            newer(self.faults.entry(turn.verdict), seen(public_text(&turn.reason)));
        }
        if !turn.stderr.is_empty() && publication.shows(PublicPart::Stderr) {
            let text = seen(public_lines(&turn.stderr));
            self.stderr = self.stderr.take().max(Some(text));
        }
    }

    fn merge(&mut self, other: Self) {
        self.wall.merge(&other.wall);
        self.cpu.merge(&other.cpu);
        for (verdict, seen) in other.faults {
            newer(self.faults.entry(verdict), seen);
        }
        self.stderr = self.stderr.take().max(other.stderr);
    }
}

/// Keeps the later one.
fn newer(entry: std::collections::btree_map::Entry<'_, u8, Quote>, seen: Quote) {
    let kept = entry.or_insert_with(|| seen.clone());
    if seen > *kept {
        *kept = seen;
    }
}
