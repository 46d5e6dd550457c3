//! Small leagues and the results that their bouts would have.

use std::path::Path;
use std::time::Duration;

use joust_config::{self as config, Tournament};
use joust_model::{
    BotRow, BoutPlan, BoutResult, BuildHash, SeatPlan, SeatResult, Verdict, VerdictCounts,
};
use joust_orchestrator::pipeline::{EventPlans, Player, event_settings};
use joust_store::{Store, TournamentRow};
use joust_testkit::fixtures;

/// The event of every league.
pub(crate) const EVENT: &str = "league";

/// Numbers that are the same each time.
pub(crate) struct Lot(u64);

impl Lot {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66_D1CE_4E5B)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            let other = usize::try_from(self.below(place as u64 + 1)).expect("an index");
            items.swap(place, other);
        }
    }
}

/// A league.
pub(crate) struct Made {
    pub(crate) tournament: Tournament,
    pub(crate) players: Vec<Player>,
}

impl Made {
    /// Draws the number of bots, of seats and of bouts, and whether bouts are mirrored.
    pub(crate) fn drawn(seed: u64) -> (Self, Lot) {
        let mut lot = Lot::new(seed);
        let (game, seats) = match lot.below(3) {
            0 => ("bomberman-2016", 3 + lot.below(2)),
            1 => ("uwcs-bomberman", 2 + lot.below(3)),
            _ => ("battlebots", 2),
        };
        let bots = seats + lot.below(4);
        let (bouts, mirror) = (1 + lot.below(5), lot.below(4) > 0);
        (
            Self::new(
                &format!(
                    "name: League {seed}\nseed: {seed}\nevents:\n  - id: {EVENT}\n    game: {game}\n    \
             bots: [bots/*]\n    players_per_match: {seats}\n    bouts: {bouts}\n    mirror: {mirror}\n"
                ),
                bots,
            ),
            lot,
        )
    }

    /// Reads a tournament's file and draws its bots.
    pub(crate) fn new(file: &str, bots: u64) -> Self {
        let tournament =
            config::parse(file, Path::new("league.yaml"), &joust_referee::Catalogue::built_in())
                .unwrap_or_else(|problems| panic!("{problems}"));
        let player = |number: u64| Player {
            name: format!("bot-{number}"),
            build: BuildHash::of("league", &[&number.to_le_bytes()]),
            listed: u32::try_from(number).unwrap_or(u32::MAX),
        };
        Self { tournament, players: (0..bots).map(player).collect() }
    }

    pub(crate) fn plans(&self) -> EventPlans<'_> {
        EventPlans::new(&self.tournament, &self.tournament.events[0], &self.players)
    }

    pub(crate) fn bouts(&self) -> u64 {
        self.plans().all().count() as u64
    }

    /// Stores the tournament, the event and the field of the league in the database, as a run does.
    pub(crate) async fn announce(&self, store: &Store) {
        let Tournament { name, seed, .. } = &self.tournament;
        let row = TournamentRow { name: name.clone(), seed: *seed, seed_is_drawn: false };
        store.put_tournament(&row).await.expect("a tournament");
        store
            .put_event(&event_settings(&self.tournament, &self.tournament.events[0]))
            .await
            .expect("an event");
        let rows = self.players.iter().zip(0..).map(|(player, registration)| BotRow {
            name: player.name.clone(),
            build: Some(player.build),
            registration,
            ..BotRow::default()
        });
        store.put_bots(EVENT, &rows.collect::<Vec<_>>()).await.expect("a field");
    }
}

/// Returns the result of a bout: by the plan alone, but for times and the machine's name.
pub(crate) fn result(plan: &BoutPlan, machine: u64) -> BoutResult {
    let mut lot = Lot::new(plan.seed.0 ^ u64::from(plan.number).rotate_left(40));
    let scores: Vec<i64> = plan.seats.iter().map(|_| lot.below(4).cast_signed()).collect();
    let rank = |score: i64| 1 + scores.iter().filter(|other| **other > score).count();
    let mut clock = Lot::new(machine ^ plan.seed.0);
    let seats = plan.seats.iter().zip(&scores).map(|(plan, score)| {
        let rank = u8::try_from(rank(*score)).expect("few seats");
        seat(plan, (rank, *score), (&mut lot, &mut clock))
    });
    let seats = seats.collect();
    BoutResult {
        rounds: 5,
        state_hash: format!("{:016x}", lot.next()).repeat(4),
        machine: format!("machine {machine}"),
        started_at: 1_790_000_000_000 + clock.below(1_000_000).cast_signed(),
        took: Duration::from_micros(clock.below(1_000_000)),
        action_log: lot.next().to_le_bytes().to_vec(),
        turn_log: clock.next().to_le_bytes().to_vec(),
        ..fixtures::result(plan, plan.key(), seats)
    }
}

fn seat(
    plan: &SeatPlan,
    (rank, score): (u8, i64),
    (lot, clock): (&mut Lot, &mut Lot),
) -> SeatResult {
    let mut verdicts = VerdictCounts::default();
    (0..3 + lot.below(3)).for_each(|_| verdicts.add(Verdict::Ok));
    (0..lot.below(2)).for_each(|_| verdicts.add(Verdict::Crash));
    SeatResult {
        score: score.into(),
        verdicts,
        cpu: Duration::from_micros(clock.below(1_000)),
        wall: Duration::from_micros(clock.below(1_000)),
        peak_memory_bytes: clock.below(1 << 20),
        ..fixtures::seat(plan, rank, 0)
    }
}
