//! Rounds of an event: their record, the open ones, and the rounds that a merge opens.

use async_recursion::async_recursion as boxed;
use std::collections::HashMap;

use super::plans::EventPlans;
use joust_config::Event;
use joust_model::{BoutId, BoutPlan, BoutSummary, PlanKey, RoundState};
use joust_standings::schedule::{self, Groups, RecordedRound, RoundCount, Rounds, SeatFinish};
use joust_store::{PastBout, Store, StoreError};

/// Record of an event's rounds.
#[derive(Clone, Debug, Default)]
pub struct RoundRecord {
    bouts: Vec<PastBout>,
    known: HashMap<BoutId, PlanKey>,
}

/// Rounds that are drawn.
pub(super) struct DrawnRounds {
    rounds: Vec<Groups>,
    of: u32,
    /// The last round that is drawn, from 1; later rounds have only recorded matches.
    open: u32,
    /// True if every bout of them has a result.
    is_played: bool,
}

impl RoundRecord {
    /// Reads the record of an event; empty where it has no rounds.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    #[boxed]
    pub async fn of(store: &Store, event: &Event) -> Result<Self, StoreError> {
        if event.schedule.rounds().is_none() {
            return Ok(Self::default());
        }
        let bouts = store.past(&event.id, RoundState::MATCHES).await?;
        Ok(Self { bouts, known: store.finished(&event.id).await? })
    }

    fn is_played(&self, plan: &BoutPlan) -> bool {
        self.known.get(&plan.bout) == Some(&plan.key())
    }

    /// Returns the groups whose bots all play.
    fn groups(&self, names: &[&str]) -> Vec<RecordedRound> {
        let places = places(names);
        let group = |bout: &PastBout| {
            let seats = bout.seats.iter().map(|seat| places.get(&*seat.bot).copied());
            let mut group: Vec<usize> = seats.collect::<Option<_>>()?;
            group.sort_unstable();
            Some(RecordedRound { round: RoundState::round_of(bout.match_number)?, group })
        };
        self.bouts.iter().filter_map(group).collect()
    }
}

impl DrawnRounds {
    /// Draws the rounds of an event of `plans` up to the first that is not played yet; `None`
    /// where it has no rounds.
    pub(super) fn of(plans: &EventPlans<'_>, record: &RoundRecord) -> Option<Self> {
        let (event, names) = (plans.event, &plans.names[..]);
        let players = usize::from(event.players_per_match);
        let rounds = Rounds::new(
            &event.schedule,
            names,
            players,
            schedule::draw_seed(plans.tournament, plans.event),
        )?;
        let groups = record.groups(names);
        let on_record = groups.iter().map(|one| one.round + 1).max().unwrap_or(0);
        let mut rounds = rounds.with_record(groups);
        let by_bout: HashMap<BoutId, &PastBout> =
            record.bouts.iter().map(|bout| (bout.bout, bout)).collect();
        let places = places(names);
        let mut drawn =
            Self { rounds: Vec::new(), of: event.schedule.rounds()?, open: 0, is_played: true };
        while let Some(groups) = rounds.next_round() {
            let planned = groups.iter().flat_map(|group| plans.of_group(0, group));
            let planned: Vec<BoutPlan> = planned.collect();
            drawn.is_played =
                planned.iter().all(|plan| record.is_played(plan) || !plans.opens_rounds(plan));
            drawn.rounds.push(groups.into_iter().collect());
            let is_last_of_trial =
                plans.trial.is_some() && drawn.rounds.len() >= on_record.max(1) as usize;
            if !drawn.is_played || is_last_of_trial {
                break;
            }
            let past = planned.iter().filter_map(|plan| by_bout.get(&plan.bout));
            rounds.add_results(past.filter_map(|bout| finishes(bout, &places)));
        }
        drawn.open = u32::try_from(drawn.rounds.len()).unwrap_or(u32::MAX);
        // Where a bot has joined, later rounds have been played already.
        let recorded = std::iter::from_fn(|| rounds.next_record());
        drawn.rounds.extend(recorded.map(Groups::from_iter));
        Some(drawn)
    }

    /// Returns the matches of all rounds that are drawn, with their numbers.
    pub(super) fn matches(&self) -> impl Iterator<Item = (u64, Vec<usize>)> + '_ {
        let rounds = (0_u32..).zip(&self.rounds);
        rounds.flat_map(|(round, groups)| (RoundState::first_match(round)..).zip(groups.iter()))
    }

    /// Returns a match by its number; `None` where no round that is drawn has it.
    pub(super) fn at(&self, match_number: u64) -> Option<Vec<usize>> {
        let round = self.rounds.get(RoundState::round_of(match_number)? as usize)?;
        round.at(match_number % RoundState::MATCHES)
    }

    /// Returns the number of matches in the drawn rounds.
    pub(super) fn count(&self) -> u64 {
        self.rounds.iter().map(Groups::len).sum()
    }

    pub(super) fn state(&self) -> RoundState {
        RoundState { open: self.open, of: self.of, is_over: self.is_played }
    }
}

/// Returns the progress of an event's rounds, read from its database without the tournament's file;
/// `None` where it has none.
///
/// # Errors
///
/// [`StoreError`] when the database cannot be read.
#[boxed]
pub async fn round_state(store: &Store, event: &str) -> Result<Option<RoundState>, StoreError> {
    let Some(info) = store.event(event).await? else { return Ok(None) };
    let Some(count) = RoundCount::of(&info) else { return Ok(None) };
    let add = |count: &mut RoundCount, bout: BoutSummary| count.add(&bout);
    let count = store.fold_results(event, count, add).await?;
    Ok(count.progress(&info).map(|progress| progress.state))
}

fn places<'a>(names: &[&'a str]) -> HashMap<&'a str, usize> {
    names.iter().zip(0..).map(|(name, place)| (*name, place)).collect()
}

/// Returns the finish of each seat of a bout; `None` for a bout that does not count.
fn finishes(bout: &PastBout, places: &HashMap<&str, usize>) -> Option<Vec<SeatFinish>> {
    let finish = |seat: &joust_store::PastSeat| {
        Some(SeatFinish { bot: *places.get(&*seat.bot)?, rank: seat.rank })
    };
    bout.is_judged.then(|| bout.seats.iter().map(finish).collect::<Option<_>>())?
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::pipeline::plans::Player;
    use joust_config::Tournament;
    use joust_model::BuildHash;
    use joust_store::PastSeat;

    fn tournament() -> Tournament {
        let text = "events:\n  - { game: battlebots, bots: [a], bouts: 2, schedule: { kind: swiss, \
                    rounds: 3 } }\n";
        joust_config::parse(text, Path::new("t.yaml"), &joust_referee::Catalogue::built_in())
            .unwrap()
    }

    fn players(count: u8) -> Vec<Player> {
        let player = |number| Player {
            name: format!("bot-{number:02}"),
            build: BuildHash::of("test", &[&[number]]),
            listed: u32::from(number),
        };
        (0..count).map(player).collect()
    }

    impl RoundRecord {
        /// Plays a bout; the bot with the smaller name wins.
        fn play(&mut self, plan: &BoutPlan) {
            let best = plan.seats.iter().map(|seat| &seat.bot).min().unwrap();
            let rank = |bot: &String| if bot == best { 1 } else { 2 };
            let seats = plan.seats.iter();
            self.bouts.push(PastBout {
                bout: plan.bout,
                match_number: plan.match_number,
                is_judged: true,
                seats: seats
                    .map(|seat| PastSeat { bot: seat.bot.clone(), rank: rank(&seat.bot) })
                    .collect(),
            });
            self.known.insert(plan.bout, plan.key());
        }
    }

    fn plans(tournament: &Tournament, players: &[Player], record: &RoundRecord) -> Vec<BoutPlan> {
        let event = &tournament.events[0];
        EventPlans::new(tournament, event, players).with_record(record).all().collect()
    }

    #[test]
    fn a_round_is_open_until_all_of_it_is_played_and_then_the_next_one_is() {
        let (tournament, players, mut record) = (tournament(), players(8), RoundRecord::default());
        for round in 1..=3_u32 {
            let open = plans(&tournament, &players, &record);
            assert_eq!(open.len(), 8 * round as usize);
            let new: Vec<_> = open.iter().filter(|plan| !record.is_played(plan)).collect();
            assert!(
                new.iter().all(|plan| RoundState::round_of(plan.match_number) == Some(round - 1))
            );
            new[..5].iter().for_each(|plan| record.play(plan));
            assert_eq!(plans(&tournament, &players, &record), open, "it was interrupted");
            new[5..].iter().for_each(|plan| record.play(plan));
        }
        assert_eq!(plans(&tournament, &players, &record).len(), 24, "there is no fourth");
    }

    fn play_round(tournament: &Tournament, players: &[Player], record: &mut RoundRecord) {
        let mut new = plans(tournament, players, record);
        new.retain(|plan| !record.is_played(plan));
        new.iter().for_each(|plan| record.play(plan));
    }

    #[test]
    fn who_joins_and_who_changes_leaves_all_matches_of_the_others() {
        let (tournament, mut players, mut record) =
            (tournament(), players(9), RoundRecord::default());
        let newcomer = players.pop().unwrap();
        (0..3).for_each(|_| play_round(&tournament, &players, &mut record));
        players[0].build = BuildHash::of("test", &[b"changed"]);
        let changed = plans(&tournament, &players, &record);
        let again: Vec<_> = changed.iter().filter(|plan| !record.is_played(plan)).collect();
        assert_eq!((changed.len(), again.len()), (24, 6));
        again.iter().for_each(|plan| record.play(plan));
        players.push(newcomer);
        for joined in [26, 28, 30] {
            let open = plans(&tournament, &players, &record);
            assert_eq!(open.len(), joined);
            let new: Vec<_> = open.into_iter().filter(|plan| !record.is_played(plan)).collect();
            assert!(
                new.len() == 2
                    && new.iter().flat_map(|plan| &plan.seats).any(|s| s.bot == "bot-08")
            );
            new.iter().for_each(|plan| record.play(plan));
        }
    }

    #[test]
    fn a_trial_plays_the_rounds_on_record_whatever_others_lack_there() {
        let (tournament, mut players, mut record) =
            (tournament(), players(9), RoundRecord::default());
        let newcomer = players.pop().unwrap();
        (0..2).for_each(|_| play_round(&tournament, &players, &mut record));
        players.remove(3);
        players.push(newcomer);
        let bots = ["bot-08".to_owned()];
        let trial = |record: &RoundRecord| {
            let event = &tournament.events[0];
            let mut plans = EventPlans::new(&tournament, event, &players);
            plans.trial = Some(&bots);
            let plans = plans.with_record(record);
            (plans.round_state().unwrap(), plans.of_bots(Some(&bots)).all().collect::<Vec<_>>())
        };
        for round in 1..=2 {
            let (state, own) = trial(&record);
            assert_eq!(state, RoundState { open: round, of: 3, is_over: false });
            let new: Vec<_> = own.iter().filter(|plan| !record.is_played(plan)).collect();
            assert_eq!(new.len(), 2, "a match in each round: {own:?}");
            new.iter().for_each(|plan| record.play(plan));
        }
        let (state, own) = trial(&record);
        assert_eq!((state.open, state.is_over, own.len()), (2, true, 4), "no round is new");
        let whole = plans(&tournament, &players, &record);
        let moved = whole.iter().filter(|plan| !record.is_played(plan));
        assert!(moved.count() > 0, "who met bot-03 meets others, and not in the trial");
    }

    #[test]
    fn a_trial_of_nobody_has_no_bouts() {
        let (tournament, players) = (tournament(), players(8));
        let plans = EventPlans::new(&tournament, &tournament.events[0], &players);
        assert_eq!(plans.of_bots(Some(&[])).all().count(), 0);
    }
}
