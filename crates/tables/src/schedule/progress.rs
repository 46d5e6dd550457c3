//! Progress of rounds: how far an event is, by its results alone.

use std::collections::BTreeMap;

use joust_model::{BotRow, BoutSummary, EventInfo, RoundState};

use super::{Finish, Recorded, Rounds};

/// How far an event of rounds is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundProgress {
    /// The round that is open.
    pub state: RoundState,
    /// Bouts of the rounds up to it.
    pub bouts: u64,
}

/// Returns how far the rounds of an event are after `bouts`, those that count; `None` where it
/// has none.
#[must_use]
pub fn progress(event: &EventInfo, bouts: &[BoutSummary]) -> Option<RoundProgress> {
    let settings = &event.settings;
    let of = settings.schedule.rounds()?;
    let plays = |bot: &&BotRow| bot.sits_out.is_none() && event.decision(&bot.name).is_none();
    let mut names: Vec<&str> = event.bots.iter().filter(plays).map(|bot| &*bot.name).collect();
    names.sort_unstable();
    let played = Played::of(&names, bouts);
    let players = settings.bots_per_match as usize;
    let rounds = Rounds::new(&settings.schedule, &names, players, settings.draw_seed)?;
    let mut rounds = rounds.with_record(played.recorded);
    let (mut drawn, mut missing) = (0, 0);
    let mut state = RoundState { open: 0, of, is_over: true };
    while state.is_over
        && let Some(groups) = rounds.next_round()
    {
        let per_match = u64::from(settings.bouts_per_match);
        let of = |group: &Vec<usize>| played.results.get(group).map_or(0, Vec::len) as u64;
        drawn += per_match * groups.len() as u64;
        missing += groups.iter().map(|group| per_match.saturating_sub(of(group))).sum::<u64>();
        state.open += 1;
        // A bout that its referee could not finish is over and has no result.
        state.is_over = missing <= event.referee_errors;
        rounds.hear(groups.iter().filter_map(|group| played.results.get(group)).flatten().cloned());
    }
    Some(RoundProgress { state, bouts: drawn })
}

/// Bouts among the bots that play.
#[derive(Default)]
struct Played {
    recorded: Vec<Recorded>,
    /// By group, sorted.
    results: BTreeMap<Vec<usize>, Vec<Vec<Finish>>>,
}

impl Played {
    fn of(names: &[&str], bouts: &[BoutSummary]) -> Self {
        let places: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
        let mut played = Self::default();
        for bout in bouts {
            let finish = |seat: &joust_model::SeatSummary| {
                Some(Finish { bot: *places.get(&*seat.bot)?, rank: seat.rank })
            };
            let Some(finishes) = bout.seats.iter().map(finish).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let mut group: Vec<usize> = finishes.iter().map(|finish| finish.bot).collect();
            group.sort_unstable();
            let round = RoundState::round_of(bout.match_number);
            played.recorded.extend(round.map(|round| Recorded { round, group: group.clone() }));
            played.results.entry(group).or_default().push(finishes);
        }
        played
    }
}
