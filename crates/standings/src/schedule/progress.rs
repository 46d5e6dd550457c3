//! Progress of rounds: how far an event is, by its results alone.

use std::collections::{BTreeMap, BTreeSet};

use joust_model::{BotRow, BoutId, BoutSummary, EventInfo, RoundState, SeatSummary};

use super::{RecordedRound, Rounds, SeatFinish};

/// Progress of an event of rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundProgress {
    /// The round that is open.
    pub state: RoundState,
    /// Bouts of the rounds up to it.
    pub bouts: u64,
}

/// Returns how far the rounds of an event are after `bouts`, those that count; `None` where it
/// has none.
pub fn progress(event: &EventInfo, bouts: &[BoutSummary]) -> Option<RoundProgress> {
    let mut count = RoundCount::of(event)?;
    bouts.iter().for_each(|bout| count.add(bout));
    count.progress(event)
}

/// Counts of the bouts from which rounds are drawn.
#[derive(Clone, Debug)]
pub struct RoundCount {
    /// The bots, by their places in order of names.
    places: BTreeMap<String, usize>,
    recorded: BTreeSet<RecordedRound>,
    /// By group, sorted.
    results: BTreeMap<Vec<usize>, Vec<GroupBout>>,
}

/// A bout of a group.
#[derive(Clone, Debug)]
struct GroupBout {
    /// Its place in the schedule, and its id.
    at: (u64, u32, BoutId),
    finishes: Vec<SeatFinish>,
}

impl RoundCount {
    /// Begins with no bout; `None` where the event has no rounds.
    pub fn of(event: &EventInfo) -> Option<Self> {
        event.settings.schedule.rounds()?;
        let plays = |bot: &&BotRow| bot.sits_out.is_none() && event.decision(&bot.name).is_none();
        let names: BTreeSet<&str> = event.bots.iter().filter(plays).map(|bot| &*bot.name).collect();
        let places = names.into_iter().map(str::to_owned).zip(0..).collect();
        Some(Self { places, recorded: BTreeSet::new(), results: BTreeMap::new() })
    }

    /// Adds a bout that counts; the order of bouts says nothing.
    pub fn add(&mut self, bout: &BoutSummary) {
        let finish = |seat: &SeatSummary| {
            Some(SeatFinish { bot: *self.places.get(&*seat.bot)?, rank: seat.rank })
        };
        let Some(finishes) = bout.seats.iter().map(finish).collect::<Option<Vec<_>>>() else {
            return;
        };
        let mut group: Vec<usize> = finishes.iter().map(|finish| finish.bot).collect();
        group.sort_unstable();
        if let Some(round) = RoundState::round_of(bout.match_number) {
            self.recorded.insert(RecordedRound { round, group: group.clone() });
        }
        let at = (bout.match_number, bout.number, bout.bout);
        self.results.entry(group).or_default().push(GroupBout { at, finishes });
    }

    /// Returns how far the rounds of the event are.
    pub fn progress(&self, event: &EventInfo) -> Option<RoundProgress> {
        let settings = &event.settings;
        let of = settings.schedule.rounds()?;
        let names: Vec<&str> = self.places.keys().map(String::as_str).collect();
        let players = settings.bots_per_match as usize;
        let rounds = Rounds::new(&settings.schedule, &names, players, settings.draw_seed)?;
        let mut rounds = rounds.with_record(self.recorded.iter().cloned());
        let (mut drawn, mut missing) = (0, 0);
        let mut state = RoundState { open: 0, of, is_over: true };
        while state.is_over
            && let Some(groups) = rounds.next_round()
        {
            let per_match = u64::from(settings.bouts_per_match);
            let of = |group: &Vec<usize>| self.results.get(group).map_or(0, Vec::len) as u64;
            drawn += per_match * groups.len() as u64;
            missing += groups.iter().map(|group| per_match.saturating_sub(of(group))).sum::<u64>();
            state.open += 1;
            // A bout that its referee could not finish is over and has no result.
            state.is_over = missing <= event.referee_errors;
            groups.iter().for_each(|group| rounds.add_results(self.results_of(group)));
        }
        Some(RoundProgress { state, bouts: drawn })
    }

    /// Returns how the bouts of a group ended, in the order of the schedule.
    fn results_of(&self, group: &[usize]) -> impl Iterator<Item = Vec<SeatFinish>> {
        let results = self.results.get(group).map(Vec::as_slice).unwrap_or_default();
        let mut results: Vec<&GroupBout> = results.iter().collect();
        results.sort_unstable_by_key(|bout| bout.at);
        results.into_iter().map(|bout| bout.finishes.clone())
    }
}
