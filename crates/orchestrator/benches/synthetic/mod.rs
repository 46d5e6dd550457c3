//! Leagues without bots: a schedule, and an executor that makes up the result of each plan.

pub(crate) mod sizes;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use joust_config::{self as config, Tournament};
use joust_model::{BotRow, BoutPlan, BoutResult, BuildHash, SeatPlan};
use joust_orchestrator::pipeline::{Player, event_settings};
use joust_play::executor::{
    Assignment, Delivery, Executing, Executor, ExecutorEvent, ExecutorLost,
};
use joust_store::{Store, TournamentRow};
use joust_testkit::fixtures::{self, noise};
use tokio::sync::mpsc::{Receiver, Sender};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

pub(crate) const EVENT: &str = "league";
/// Number of plans that the executor takes at once.
const TAKEN_AT_ONCE: usize = 256;

/// Returns a tournament of one event, with further keys of it.
pub(crate) fn tournament(keys: &str) -> Outcome<Tournament> {
    let text = format!(
        "name: Scale\nseed: 1\nevents:\n  - id: {EVENT}\n    game: battlebots\n    bots: [bots/*]\n{keys}"
    );
    config::parse(&text, Path::new("scale.yaml"), &joust_referee::Catalogue::built_in())
        .map_err(|errors| errors.to_string().into())
}

/// Returns bots by their numbers.
pub(crate) fn players(bots: usize) -> Vec<Player> {
    (0..bots).map(player).collect()
}

fn player(number: usize) -> Player {
    Player {
        name: format!("bot-{number:04}"),
        build: BuildHash::of("scale", &[&number.to_le_bytes()]),
        listed: u32::try_from(number).unwrap_or(u32::MAX),
    }
}

/// Stores the tournament, its event and the bots.
pub(crate) async fn begin(
    store: &Store,
    tournament: &Tournament,
    players: &[Player],
) -> Outcome<()> {
    let event = &tournament.events[0];
    store
        .put_tournament(&TournamentRow {
            name: tournament.name.clone(),
            seed: tournament.seed,
            seed_is_drawn: false,
        })
        .await?;
    store.put_event(&event_settings(tournament, event)).await?;
    let row = |(player, registration): (&Player, u32)| BotRow {
        name: player.name.clone(),
        language: "python3".to_owned(),
        build: Some(player.build),
        registration,
        ..BotRow::default()
    };
    let rows: Vec<_> = players.iter().zip(0..).map(row).collect();
    store.put_bots(EVENT, &rows).await?;
    Ok(())
}

/// Makes up results: the stronger bot, by its number, wins more often; no turn takes time.
#[derive(Clone, Default)]
pub(crate) struct Synthetic {
    /// Bouts whose logs the results have; noise where there are none.
    pub(crate) recorded: Arc<Vec<BoutResult>>,
}

impl Executor for Synthetic {
    fn execute(
        &self,
        mut assignments: Receiver<Assignment>,
        events: Sender<ExecutorEvent>,
    ) -> Executing {
        let own = self.clone();
        let work = move || {
            let mut taken = Vec::new();
            while assignments.blocking_recv_many(&mut taken, TAKEN_AT_ONCE) > 0 {
                let results: Vec<_> = taken.drain(..).map(|it| own.result(&it.plan)).collect();
                for result in results {
                    let delivery = Delivery::new(result.bout, Ok(result));
                    if events.blocking_send(delivery.into()).is_err() {
                        return;
                    }
                }
            }
        };
        Box::pin(async {
            let ended = tokio::task::spawn_blocking(work).await;
            ended.map_err(|panic| ExecutorLost(panic.to_string()))
        })
    }

    fn parallel(&self) -> usize {
        256
    }
}

impl Synthetic {
    fn result(&self, plan: &BoutPlan) -> BoutResult {
        let lot = plan.seed.0 % 1000;
        let strength = |seat: &SeatPlan| seat.bot[4..].parse::<u64>().unwrap_or(0);
        let lead =
            strength(&plan.seats[1]).wrapping_sub(strength(&plan.seats[0])).cast_signed() / 4;
        let ranks = match 500 + lead - lot.cast_signed() {
            -50..=50 => [1, 1],
            51.. => [1, 2],
            _ => [2, 1],
        };
        let seats = plan.seats.iter().zip(ranks).map(|(seat, rank)| fixtures::seat(seat, rank, 40));
        let made = BoutResult {
            rounds: 40,
            machine: "synthetic".to_owned(),
            took: Duration::from_millis(40),
            ..fixtures::result(plan, plan.key(), seats.collect())
        };
        let place = usize::try_from(lot).unwrap_or(0) % self.recorded.len().max(1);
        match self.recorded.get(place).cloned() {
            None => BoutResult {
                action_log: noise(plan.seed.0, 300),
                turn_log: noise(plan.seed.0, 500),
                ..made
            },
            Some(BoutResult { ended, rounds, state_hash, action_log, turn_log, .. }) => {
                BoutResult { ended, rounds, state_hash, action_log, turn_log, ..made }
            }
        }
    }
}
