//! From a field and a schedule to the plans of an event, one at a time.

use super::rounds::{Drawn, Record};
use joust_config::{Event, Tournament};
use joust_model::{
    BoutPlan, BuildHash, GameOptions, Limits, Occupant, Programs, RoundState, SeatPlan, Shard,
    Shared,
};
use joust_store::{BoutSet, Place, Scheduled};
use joust_tables::schedule::{self, RoundRobin, Schedule, SeatOrder, Seating};

/// A bot that plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Its name.
    pub name: String,
    /// What is run.
    pub build: BuildHash,
    /// Its place in the order of `bots:`, from 0.
    pub listed: u32,
}

/// Who meets whom.
enum Matches {
    /// All that will meet.
    Whole(Box<dyn Schedule>),
    /// Those of the rounds that are drawn.
    Rounds(Drawn),
}

/// The plans of an event, made one at a time.
pub struct EventPlans<'a> {
    tournament: &'a Tournament,
    event: &'a Event,
    players: &'a [Player],
    /// Whose matches are played; `None` for everybody's.
    only: Option<&'a [String]>,
    /// Whose bouts alone open the rounds that are on record; `None` for everybody's.
    trial: Option<&'a [String]>,
    names: Vec<&'a str>,
    options: Shared<GameOptions>,
    limits: Shared<Limits>,
    matches: Matches,
    seating: Seating,
    shard: Option<Shard>,
}

impl<'a> EventPlans<'a> {
    /// Makes the plans of `event` between `players`; only matches with one of
    /// `only`, unless that is empty.
    #[must_use]
    pub fn new(
        tournament: &'a Tournament,
        event: &'a Event,
        players: &'a [Player],
        only: &'a [String],
    ) -> Self {
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        let nothing: Box<dyn Schedule> = Box::new(RoundRobin::new(0));
        let whole = schedule::for_event(tournament, event, &names);
        let plans = Self {
            tournament,
            event,
            players,
            only: (!only.is_empty()).then_some(only),
            trial: None,
            options: event.options.clone().into(),
            limits: event.limits.clone().into(),
            matches: Matches::Whole(whole.unwrap_or(nothing)),
            names,
            seating: Seating::of(
                tournament,
                event,
                players.iter().map(|player| player.listed).collect(),
            ),
            shard: None,
        };
        plans.with_record(&Record::default())
    }

    /// Says what is on record of the event's rounds; nothing without it.
    #[must_use]
    pub fn with_record(mut self, record: &Record) -> Self {
        if let Some(drawn) = Drawn::of(&self, record) {
            self.matches = Matches::Rounds(drawn);
        }
        self
    }

    /// Says that only matches of these bots are wanted, which may be none.
    #[must_use]
    pub fn of_bots(mut self, bots: &'a [String]) -> Self {
        self.only = Some(bots);
        self
    }

    /// Says that these bots alone play, in the rounds that are on record: what others lack
    /// there opens no new round and holds up none. Said before the record is.
    #[must_use]
    pub fn in_trial_of(mut self, bots: Option<&'a [String]>) -> Self {
        self.trial = bots;
        self
    }

    /// Says whether a bout has to be over before the next round is drawn from it.
    pub(super) fn opens_rounds(&self, plan: &BoutPlan) -> bool {
        let sits = |name: &String| plan.seats.iter().any(|seat| seat.bot == *name);
        self.trial.is_none_or(|bots| bots.iter().any(sits))
    }

    pub(super) fn is_trial(&self) -> bool {
        self.trial.is_some()
    }

    /// Returns how far the event's rounds are; `None` where it has none.
    #[must_use]
    pub fn round_state(&self) -> Option<RoundState> {
        match &self.matches {
            Matches::Whole(_) => None,
            Matches::Rounds(drawn) => Some(drawn.state()),
        }
    }

    pub(super) fn event(&self) -> &'a Event {
        self.event
    }

    pub(super) fn names(&self) -> &[&'a str] {
        &self.names
    }

    pub(super) fn draw_seed(&self) -> u64 {
        schedule::draw_seed(self.tournament, self.event)
    }

    /// Returns the plans of a match.
    pub(super) fn of_group(&self, number: u64, group: &[usize]) -> Vec<BoutPlan> {
        let orders = self.seating.bouts(&self.names, group);
        orders.map(|order| self.plan(number, group, &order)).collect()
    }

    /// Returns the matches with their numbers.
    fn matches(&self) -> Box<dyn Iterator<Item = (u64, Vec<usize>)> + Send + '_> {
        match &self.matches {
            Matches::Whole(schedule) => Box::new((0_u64..).zip(schedule.matches())),
            Matches::Rounds(drawn) => Box::new(drawn.matches()),
        }
    }

    /// Makes the plans under limits that are not as configured.
    #[must_use]
    pub fn under(mut self, limits: Limits) -> Self {
        self.limits = limits.into();
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
            Programs::Bout => own.filter(is_missing).collect(),
            Programs::Match => {
                let own: Vec<u32> = own.collect();
                if own.iter().any(is_missing) { own } else { Vec::new() }
            }
        }
    }

    /// Returns those of the bouts that are `done` that are played again with their match,
    /// which is played whole and lacks others.
    #[must_use]
    pub fn played_again(&self, done: &BoutSet) -> BoutSet {
        let mut again = BoutSet::new(self.seating.bouts);
        if self.limits.programs == Programs::Match {
            for (number, group) in self.groups() {
                let bouts = self.missing(number, &group, done).into_iter();
                let bouts = bouts.filter(|bout| done.contains(number, *bout));
                bouts.for_each(|bout| _ = again.insert(number, bout));
            }
        }
        again
    }

    /// Returns how many of the bouts are wanted, and how many of these are `done`.
    #[must_use]
    pub fn progress(&self, done: &BoutSet) -> Progress {
        let mut progress = Progress::default();
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
    #[must_use]
    pub fn plan_at(&self, match_number: u64, number: u32) -> Option<BoutPlan> {
        self.plan_of(match_number, &self.group_at(match_number)?, number)
    }

    fn plan_of(&self, match_number: u64, group: &[usize], number: u32) -> Option<BoutPlan> {
        let order = self.seating.bout_at(&self.names, group, number)?;
        Some(self.plan(match_number, group, &order))
    }

    fn group_at(&self, match_number: u64) -> Option<Vec<usize>> {
        match &self.matches {
            Matches::Whole(schedule) => schedule.at(match_number),
            Matches::Rounds(drawn) => drawn.at(match_number),
        }
    }

    fn match_count(&self) -> u64 {
        match &self.matches {
            Matches::Whole(schedule) => schedule.count(),
            Matches::Rounds(drawn) => drawn.count(),
        }
    }

    /// Returns the matches that are wanted, with their numbers.
    fn groups(&self) -> impl Iterator<Item = (u64, Vec<usize>)> + '_ {
        self.matches().filter(|(_, group)| self.is_wanted(group))
    }

    fn bouts(&self, number: u64, group: Vec<usize>) -> impl Iterator<Item = BoutPlan> + '_ {
        let orders = self.seating.bouts(&self.names, &group);
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
            Programs::Bout => self.seating.pair_of(number, group.len()),
            Programs::Match => 0,
        };
        match &self.matches {
            Matches::Whole(_) => shard.takes(group, pair),
            // Neighbours of an order meet, so their places would fill one shard and not another.
            Matches::Rounds(_) => {
                let place = usize::try_from(match_number % RoundState::MATCHES).unwrap_or(0);
                shard.takes(&[place], pair)
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

/// How much of the bouts that are wanted has a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bouts that are wanted.
    pub scheduled: u64,
    /// Those that have a result.
    pub finished: u64,
}

/// The whole schedule: what a run leaves out (`--only`, other shards) is part of it.
impl Scheduled for EventPlans<'_> {
    fn bouts_per_match(&self) -> u32 {
        self.seating.bouts
    }

    fn count(&self) -> u64 {
        self.match_count().saturating_mul(self.seating.bouts.into())
    }

    fn at(&self, match_number: u64, number: u32) -> Option<Place> {
        self.plan_at(match_number, number).map(|plan| Place::of(&plan))
    }

    fn all(&self) -> Box<dyn Iterator<Item = Place> + Send + '_> {
        Box::new(self.matches().flat_map(move |(number, group)| {
            let plans =
                (0..self.seating.bouts).filter_map(move |it| self.plan_of(number, &group, it));
            plans.map(|plan| Place::of(&plan))
        }))
    }
}

/// Gathers plans to what is played in one go: a match where programs stay for it, else a
/// bout.
pub(super) fn in_one_go(
    plans: impl Iterator<Item = BoutPlan>,
) -> impl Iterator<Item = Vec<BoutPlan>> {
    let mut plans = plans.peekable();
    std::iter::from_fn(move || {
        let first = plans.next()?;
        let (whole, number) = (first.limits.programs == Programs::Match, first.match_number);
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

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};
    use std::path::Path;

    use super::*;

    fn players(count: usize) -> Vec<Player> {
        let player = |number| Player {
            name: format!("bot-{number:02}"),
            build: BuildHash::of("test", &[&[number]]),
            listed: u32::from(number),
        };
        (0..u8::try_from(count).unwrap()).map(player).collect()
    }

    /// The plans of an event whose matches are of four.
    fn fours(bots: usize, matches: u32) -> Vec<BoutPlan> {
        let text = format!(
            "events:\n  - {{ game: uwcs-bomberman, bots: [a], players_per_match: 4, schedule: {{ kind: \
             partial, matches_per_bot: {matches} }} }}\n"
        );
        let tournament =
            joust_config::parse(&text, Path::new("t.yaml"), &joust_referee::Catalogue::built_in())
                .unwrap();
        let players = players(bots);
        EventPlans::new(&tournament, &tournament.events[0], &players, &[]).all().collect()
    }

    fn seats_taken(plans: &[BoutPlan]) -> HashMap<(&str, usize), usize> {
        let mut taken = HashMap::new();
        for plan in plans {
            for (seat, planned) in plan.seats.iter().enumerate() {
                *taken.entry((planned.bot.as_str(), seat)).or_default() += 1;
            }
        }
        taken
    }

    #[test]
    fn shards_together_have_every_bout_once_and_keep_mirror_pairs_together() {
        let text = "events:\n  - { game: battlebots, bots: [a], bouts: 5 }\n";
        let tournament =
            joust_config::parse(text, Path::new("t.yaml"), &joust_referee::Catalogue::built_in())
                .unwrap();
        let (players, event) = (players(9), &tournament.events[0]);
        let plans = || EventPlans::new(&tournament, event, &players, &[]);
        let mut together: Vec<BoutPlan> = Vec::new();
        for number in 1..=4 {
            let shard = Shard::new(number, 4).unwrap();
            let own: Vec<_> = plans().of_shard(Some(shard)).all().collect();
            for plan in &own {
                let partner =
                    own.iter().any(|other| other.bout != plan.bout && other.seed == plan.seed);
                assert!(partner || plan.number == 4, "{plan:?}");
            }
            assert!((42..=48).contains(&own.len()), "shard {number} has {} bouts", own.len());
            together.extend(own);
        }
        together.sort_by_key(|plan| (plan.match_number, plan.number));
        assert_eq!(together, plans().all().collect::<Vec<_>>());
    }

    #[test]
    fn every_bout_is_found_by_its_place_whatever_the_schedule() {
        let kinds = [
            "{ kind: round-robin }",
            "{ kind: partial, matches_per_bot: 4 }",
            "{ kind: gauntlet, bots: [bot-03, bot-05] }",
            "{ kind: swiss, rounds: 3 }",
            "{ kind: divisions, rounds: 2, size: 4 }",
        ];
        for kind in kinds {
            let text = format!(
                "events:\n  - {{ game: battlebots, bots: [a], bouts: 3, schedule: {kind} }}\n"
            );
            let games = joust_referee::Catalogue::built_in();
            let tournament = joust_config::parse(&text, Path::new("t.yaml"), &games).unwrap();
            let players = players(11);
            let plans = EventPlans::new(&tournament, &tournament.events[0], &players, &[]);
            let places: Vec<Place> = Scheduled::all(&plans).collect();
            assert_eq!(places, plans.all().map(|plan| Place::of(&plan)).collect::<Vec<_>>());
            assert_eq!(places.len() as u64, plans.count(), "{kind}");
            let mut done = BoutSet::new(plans.bouts_per_match());
            for place in &places {
                assert_eq!(plans.at(place.match_number, place.number), Some(*place), "{kind}");
                assert!(done.insert(place.match_number, place.number), "a place of its own");
            }
            let last = places.last().unwrap();
            assert_eq!(plans.at(last.match_number + 1, 0), None, "{kind}");
            assert_eq!(plans.at(last.match_number, 3), None, "{kind}");
            assert_eq!(plans.unfinished(&done).count(), 0);
            assert_eq!(plans.unfinished(&BoutSet::default()).count(), places.len());
            let all = Progress { scheduled: plans.count(), finished: plans.count() };
            assert_eq!(plans.progress(&done), all);
        }
    }

    /// An event of five bots with programs that stay for a match.
    fn with_whole_matches() -> Tournament {
        let text = "events:\n  - { game: battlebots, bots: [a], bouts: 3 }\n";
        let games = joust_referee::Catalogue::built_in();
        let mut tournament = joust_config::parse(text, Path::new("t.yaml"), &games).unwrap();
        tournament.events[0].limits.programs = Programs::Match;
        tournament
    }

    #[test]
    fn a_match_that_is_played_whole_is_in_one_shard_and_in_one_go() {
        let tournament = with_whole_matches();
        let players = players(5);
        let plans = || EventPlans::new(&tournament, &tournament.events[0], &players, &[]);
        let mut matches = 0;
        for number in 1..=3 {
            let own = plans().of_shard(Some(Shard::new(number, 3).unwrap()));
            for together in in_one_go(own.all()) {
                assert_eq!(together.len(), 3);
                assert!(together.iter().all(|it| it.match_number == together[0].match_number));
                matches += 1;
            }
        }
        assert_eq!(matches, 10, "each once");
        let mut apart = with_whole_matches();
        apart.events[0].limits.programs = Programs::Bout;
        let plans = EventPlans::new(&apart, &apart.events[0], &players, &[]);
        assert!(in_one_go(plans.all()).all(|together| together.len() == 1));
    }

    #[test]
    fn a_match_that_lacks_a_bout_is_played_whole_again() {
        let tournament = with_whole_matches();
        let players = players(3);
        let plans = EventPlans::new(&tournament, &tournament.events[0], &players, &[]);
        let lacking = plans.all().nth(4).unwrap();
        let (mut finished, mut all) = (BoutSet::new(3), BoutSet::new(3));
        for plan in plans.all() {
            all.insert(plan.match_number, plan.number);
            if plan != lacking {
                finished.insert(plan.match_number, plan.number);
            }
        }
        assert_eq!(plans.unfinished(&all).count(), 0);
        assert_eq!(plans.played_again(&all).len(), 0);
        let again: Vec<_> = plans.unfinished(&finished).collect();
        assert_eq!(again.len(), 3);
        assert!(again.iter().all(|plan| plan.match_number == lacking.match_number));
        let replaced = plans.played_again(&finished);
        assert!(replaced.len() == 2 && !replaced.contains(lacking.match_number, lacking.number));
    }

    #[test]
    fn listed_seats_are_another_plan_for_the_same_bout_unless_the_lot_fell_so() {
        let plans = |seats: &str, is_turned: bool| -> Vec<BoutPlan> {
            let text = format!(
                "events:\n  - {{ game: battlebots, bots: [a], mirror: false, seats: {seats} }}\n"
            );
            let tournament = joust_config::parse(
                &text,
                Path::new("t.yaml"),
                &joust_referee::Catalogue::built_in(),
            )
            .unwrap();
            let mut players = players(4);
            if is_turned {
                players.iter_mut().for_each(|player| player.listed = 3 - player.listed);
            }
            EventPlans::new(&tournament, &tournament.events[0], &players, &[]).all().collect()
        };
        let (drawn, listed, turned) =
            (plans("drawn", false), plans("listed", false), plans("listed", true));
        assert_eq!(drawn, plans("drawn", true), "where lots are drawn the list plays no part");
        for ((drawn, listed), turned) in drawn.iter().zip(&listed).zip(&turned) {
            assert_eq!((drawn.bout, drawn.seed), (listed.bout, listed.seed));
            assert_eq!(drawn.key() == listed.key(), drawn.seats == listed.seats);
            assert!(listed.seats[0].bot < listed.seats[1].bot, "{listed:?}");
            assert!(turned.seats[0].bot > turned.seats[1].bot, "{turned:?}");
            assert_ne!(listed.key(), turned.key());
        }
    }

    #[test]
    fn shards_of_a_round_are_equal() {
        let text = "events:\n  - { game: battlebots, bots: [a], bouts: 2, schedule: { kind: swiss, rounds: 5 } }\n";
        let tournament =
            joust_config::parse(text, Path::new("t.yaml"), &joust_referee::Catalogue::built_in())
                .unwrap();
        let (players, event) = (players(80), &tournament.events[0]);
        let plans = || EventPlans::new(&tournament, event, &players, &[]);
        let open = RoundState { open: 1, of: 5, is_over: false };
        assert_eq!((plans().all().count(), plans().round_state()), (80, Some(open)));
        for number in 1..=4 {
            let share = plans().of_shard(Shard::new(number, 4).ok()).all().count();
            assert_eq!(share, 20, "shard {number} of 80");
        }
    }

    #[test]
    fn every_group_of_four_meets_with_all_rotations_of_its_seats() {
        let plans = fours(6, 100);
        assert_eq!(plans.len(), 60);
        let taken = seats_taken(&plans);
        assert!(taken.len() == 24 && taken.values().all(|count| *count == 10), "{taken:?}");
    }

    #[test]
    fn a_selection_gives_every_bot_every_seat_equally_often() {
        let plans = fours(16, 12);
        assert_eq!(plans.len(), 192);
        let taken = seats_taken(&plans);
        assert!(taken.len() == 64 && taken.values().all(|count| *count == 12), "{taken:?}");
        let bouts: HashSet<_> = plans.iter().map(|plan| plan.bout).collect();
        assert_eq!(bouts.len(), plans.len(), "every bout has its own id");
    }
}
