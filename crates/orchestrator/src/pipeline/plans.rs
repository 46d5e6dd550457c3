//! From a field and a schedule to the plans of an event, one at a time.

use std::sync::OnceLock;

use joust_config::{Event, Tournament};
use joust_model::{
    BoutIds, BoutPlan, BuildHash, GameOptions, Limits, Occupant, PlanKeys, ProgramLifetime,
    RoundState, SeatPlan, Shard, Shared,
};
use joust_standings::schedule::{self, MatchSeating, RoundRobin, Schedule, SeatOrder, Seating};
use joust_store::{BoutPlace, BoutSet, Finder, Scheduled};

use super::rounds::{DrawnRounds, RoundRecord};

/// A bot that plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Its name.
    pub name: String,
    /// Build that is run.
    pub build: BuildHash,
    /// Its place in the order of `bots:`, from 0.
    pub listed: u32,
}

/// Matches of an event.
enum EventMatches {
    /// All that will meet.
    Whole(Box<dyn Schedule>),
    /// The matches of the drawn rounds.
    Rounds(DrawnRounds),
}

/// The plans of an event, made one at a time.
pub struct EventPlans<'a> {
    pub(super) tournament: &'a Tournament,
    pub(super) event: &'a Event,
    players: &'a [Player],
    /// Bots that have their matches played; `None` for all.
    only: Option<&'a [String]>,
    /// If set, only these bots' bouts open new rounds on record.
    pub(super) trial: Option<&'a [String]>,
    pub(super) names: Vec<&'a str>,
    options: Shared<GameOptions>,
    limits: Shared<Limits>,
    matches: EventMatches,
    seating: Seating,
    shard: Option<Shard>,
    /// Part that the keys of all plans share, once one was asked for.
    keys: OnceLock<PlanKeyParts>,
}

impl<'a> EventPlans<'a> {
    /// Makes the plans of `event` between `players`.
    pub fn new(tournament: &'a Tournament, event: &'a Event, players: &'a [Player]) -> Self {
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        let nothing: Box<dyn Schedule> = Box::new(RoundRobin::new(0));
        let whole = schedule::for_event(tournament, event, &names);
        let plans = Self {
            tournament,
            event,
            players,
            only: None,
            trial: None,
            options: event.options.clone().into(),
            limits: event.limits.clone().into(),
            matches: EventMatches::Whole(whole.unwrap_or(nothing)),
            seating: Seating::of(
                tournament,
                event,
                &names,
                players.iter().map(|player| player.listed).collect(),
            ),
            names,
            shard: None,
            keys: OnceLock::new(),
        };
        plans.with_record(&RoundRecord::default())
    }

    /// Sets the record of the event's rounds; without it there are none.
    #[must_use]
    pub fn with_record(mut self, record: &RoundRecord) -> Self {
        if let Some(drawn) = DrawnRounds::of(&self, record) {
            self.matches = EventMatches::Rounds(drawn);
        }
        self
    }

    /// Restricts the plans to matches of these bots, if set; they may be none.
    #[must_use]
    pub fn of_bots(mut self, bots: Option<&'a [String]>) -> Self {
        self.only = bots;
        self
    }

    /// Returns whether a bout has to be over before the next round is drawn from it.
    pub(super) fn opens_rounds(&self, plan: &BoutPlan) -> bool {
        let sits = |name: &String| plan.seats.iter().any(|seat| seat.bot == *name);
        self.trial.is_none_or(|bots| bots.iter().any(sits))
    }

    /// Returns how far the event's rounds are; `None` where it has none.
    pub fn round_state(&self) -> Option<RoundState> {
        match &self.matches {
            EventMatches::Whole(_) => None,
            EventMatches::Rounds(drawn) => Some(drawn.state()),
        }
    }

    /// Returns the plans of a match.
    pub(super) fn of_group(&self, number: u64, group: &[usize]) -> Vec<BoutPlan> {
        let orders = self.seating.of_match(&self.names, group).bouts();
        orders.map(|order| self.plan(number, group, &order)).collect()
    }

    /// Returns the matches with their numbers.
    fn matches(&self) -> Box<dyn Iterator<Item = (u64, Vec<usize>)> + Send + '_> {
        match &self.matches {
            EventMatches::Whole(schedule) => Box::new((0_u64..).zip(schedule.matches())),
            EventMatches::Rounds(drawn) => Box::new(drawn.matches()),
        }
    }

    /// Makes the plans under limits that are not as configured.
    #[must_use]
    pub fn under(mut self, limits: Limits) -> Self {
        self.limits = limits.into();
        self.keys = OnceLock::new();
        self
    }

    /// Leaves only the bouts of `shard`; all of them stay when it is `None`.
    #[must_use]
    pub fn of_shard(mut self, shard: Option<Shard>) -> Self {
        self.shard = shard;
        self
    }

    /// Returns the plans of all bouts, in schedule order.
    pub fn all(&self) -> impl Iterator<Item = BoutPlan> + '_ {
        self.groups().flat_map(|(number, group)| self.bouts(number, group))
    }

    /// Returns the plans of bouts that are not `done`, and of all bouts of their match where
    /// it is played whole. Nothing is made of those that are left out.
    pub fn unfinished<'b>(
        &'b self,
        done: &'b BoutSet,
    ) -> Box<dyn Iterator<Item = BoutPlan> + Send + 'b> {
        Box::new(self.groups().flat_map(move |(number, group)| {
            let wanted = self.missing(number, &group, done);
            wanted.into_iter().filter_map(move |bout| self.plan_of(number, &group, bout))
        }))
    }

    /// Returns which bouts of a match are to be played.
    fn missing(&self, match_number: u64, group: &[usize], done: &BoutSet) -> Vec<u32> {
        let own =
            (0..self.seating.bouts).filter(|number| self.is_of_shard(match_number, group, *number));
        let is_missing = |number: &u32| !done.contains(match_number, *number);
        match self.limits.programs {
            ProgramLifetime::Bout => own.filter(is_missing).collect(),
            ProgramLifetime::Match => {
                let own: Vec<u32> = own.collect();
                if own.iter().any(is_missing) { own } else { Vec::new() }
            }
        }
    }

    /// Returns those of the bouts that are `done` that are played again with their match,
    /// which is played whole and lacks others.
    pub fn played_again(&self, done: &BoutSet) -> BoutSet {
        let mut again = BoutSet::new(self.seating.bouts);
        if self.limits.programs == ProgramLifetime::Match {
            for (number, group) in self.groups() {
                let bouts = self.missing(number, &group, done).into_iter();
                let bouts = bouts.filter(|bout| done.contains(number, *bout));
                bouts.for_each(|bout| _ = again.insert(number, bout));
            }
        }
        again
    }

    /// Returns how many of the bouts are wanted, and how many of these are `done`.
    pub fn progress(&self, done: &BoutSet) -> ScheduleProgress {
        let mut progress = ScheduleProgress::default();
        for (number, group) in self.groups() {
            let own =
                (0..self.seating.bouts).filter(|bout| self.is_of_shard(number, &group, *bout));
            for bout in own {
                progress.scheduled += 1;
                progress.finished += u64::from(done.contains(number, bout));
            }
        }
        progress
    }

    /// Returns the plan of bout `number` of a match; `None` where the schedule has none.
    pub fn plan_at(&self, match_number: u64, number: u32) -> Option<BoutPlan> {
        self.plan_of(match_number, &self.group_at(match_number)?, number)
    }

    fn plan_of(&self, match_number: u64, group: &[usize], number: u32) -> Option<BoutPlan> {
        let order = self.seating.of_match(&self.names, group).bout(number)?;
        Some(self.plan(match_number, group, &order))
    }

    fn group_at(&self, match_number: u64) -> Option<Vec<usize>> {
        match &self.matches {
            EventMatches::Whole(schedule) => schedule.at(match_number),
            EventMatches::Rounds(drawn) => drawn.at(match_number),
        }
    }

    fn match_count(&self) -> u64 {
        match &self.matches {
            EventMatches::Whole(schedule) => schedule.count(),
            EventMatches::Rounds(drawn) => drawn.count(),
        }
    }

    /// Returns the matches that are wanted, with their numbers.
    fn groups(&self) -> impl Iterator<Item = (u64, Vec<usize>)> + '_ {
        self.matches().filter(|(_, group)| self.is_wanted(group))
    }

    fn bouts(&self, number: u64, group: Vec<usize>) -> impl Iterator<Item = BoutPlan> + '_ {
        let orders = self.seating.of_match(&self.names, &group).bouts();
        orders.filter_map(move |order| {
            let wanted = self.is_of_shard(number, &group, order.number);
            wanted.then(|| self.plan(number, &group, &order))
        })
    }

    fn is_wanted(&self, group: &[usize]) -> bool {
        let has = |name: &String| group.iter().any(|seat| self.players[*seat].name == *name);
        self.only.is_none_or(|bots| bots.iter().any(has))
    }

    /// Bouts that share a seed, with their seats turned, stay together, and so do those of a
    /// match that is played whole.
    fn is_of_shard(&self, match_number: u64, group: &[usize], number: u32) -> bool {
        let Some(shard) = self.shard else { return true };
        let pair = match self.limits.programs {
            ProgramLifetime::Bout => self.seating.pair_of(number, group.len()),
            ProgramLifetime::Match => 0,
        };
        match &self.matches {
            EventMatches::Whole(_) => shard.contains(group, pair),
            // Neighbours of an order meet, so their places would fill one shard and not another.
            EventMatches::Rounds(_) => {
                let place = usize::try_from(match_number % RoundState::MATCHES).unwrap_or(0);
                shard.contains(&[place], pair)
            }
        }
    }

    fn plan(&self, match_number: u64, group: &[usize], order: &SeatOrder) -> BoutPlan {
        let names: Vec<&str> = group.iter().map(|bot| self.players[*bot].name.as_str()).collect();
        let seats = order.order.iter().map(|bot| seat_plan(&self.players[*bot])).collect();
        BoutPlan {
            bout: BoutPlan::id(&self.tournament.name, &self.event.id, &names, order.number),
            event: self.event.id.clone(),
            game: self.event.game.id().to_owned(),
            revision: self.event.game.spec().revision,
            referee: BoutPlan::referee_of(self.event.game.spec()),
            rules: self.event.rules.clone(),
            options: self.options.clone(),
            seed: order.seed,
            match_number,
            number: order.number,
            seats,
            limits: self.limits.clone(),
            clock: self.event.clock,
        }
    }
}

/// Progress of the wanted bouts: all of them, and those with a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScheduleProgress {
    /// Bouts that are wanted.
    pub scheduled: u64,
    /// Number of bouts with a result.
    pub finished: u64,
}

/// Groups plans into units that are played in one go: a match where programs stay for it, else a
/// bout.
pub(super) fn in_one_go(
    plans: impl Iterator<Item = BoutPlan>,
) -> impl Iterator<Item = Vec<BoutPlan>> {
    let mut plans = plans.peekable();
    std::iter::from_fn(move || {
        let first = plans.next()?;
        let (whole, number) = (first.limits.programs == ProgramLifetime::Match, first.match_number);
        let mut together = vec![first];
        while let Some(next) = plans.next_if(|next| whole && next.match_number == number) {
            together.push(next);
        }
        Some(together)
    })
}

fn seat_plan(player: &Player) -> SeatPlan {
    SeatPlan { bot: player.name.clone(), occupant: Occupant::Build(player.build) }
}

/// Inputs for the keys of an event's plans.
struct PlanKeyParts {
    shared: PlanKeys,
    /// The seat of every bot, in the form that keys contain.
    seats: Vec<String>,
}

/// Places of the bouts of one match.
struct MatchPlaces<'a> {
    plans: &'a EventPlans<'a>,
    number: u64,
    group: Vec<usize>,
    seating: MatchSeating<'a>,
    ids: BoutIds,
}

impl MatchPlaces<'_> {
    fn of<'a>(plans: &'a EventPlans<'a>, number: u64, group: Vec<usize>) -> MatchPlaces<'a> {
        let names: Vec<&str> = group.iter().map(|bot| plans.names[*bot]).collect();
        let ids = BoutIds::of(&plans.tournament.name, &plans.event.id, &names);
        let seating = plans.seating.of_match(&plans.names, &group);
        MatchPlaces { plans, number, group, seating, ids }
    }

    fn place(&mut self, number: u32) -> Option<BoutPlace> {
        let order = self.seating.bout(number)?;
        let keys = self.plans.keys(self.number, &self.group, &order);
        let seats: Vec<&str> = order.order.iter().map(|bot| &*keys.seats[*bot]).collect();
        Some(BoutPlace {
            bout: self.ids.id(number),
            key: keys.shared.key(order.seed, &seats),
            match_number: self.number,
            number,
        })
    }
}

impl EventPlans<'_> {
    fn keys(&self, match_number: u64, group: &[usize], order: &SeatOrder) -> &PlanKeyParts {
        self.keys.get_or_init(|| PlanKeyParts {
            shared: PlanKeys::of(&self.plan(match_number, group, order)),
            seats: self.players.iter().map(|player| PlanKeys::seat(&seat_plan(player))).collect(),
        })
    }
}

/// The whole schedule, including bouts that a run leaves out (`--only`, other shards).
impl Scheduled for EventPlans<'_> {
    fn bouts_per_match(&self) -> u32 {
        self.seating.bouts
    }

    fn count(&self) -> u64 {
        self.match_count().saturating_mul(self.seating.bouts.into())
    }

    fn finder(&self) -> Finder<'_> {
        let mut last: Option<MatchPlaces<'_>> = None;
        Box::new(move |match_number, number| {
            if last.as_ref().is_none_or(|last| last.number != match_number) {
                let group = self.group_at(match_number);
                last = group.map(|group| MatchPlaces::of(self, match_number, group));
            }
            last.as_mut()?.place(number)
        })
    }

    fn all(&self) -> Box<dyn Iterator<Item = BoutPlace> + Send + '_> {
        Box::new(self.matches().flat_map(move |(match_number, group)| {
            let mut places = MatchPlaces::of(self, match_number, group);
            (0..self.seating.bouts).map_while(move |number| places.place(number))
        }))
    }
}

#[cfg(test)]
mod tests;
