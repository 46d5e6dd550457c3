//! Table that is shown while bouts are played: first what was there before.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::{Ready, Run, event_settings};
use crate::pipeline::plans::Player;
use joust_model::notices::{Notice, Standing};
use joust_model::{BoutSummary, Pair, SeatSummary};
use joust_store::{EventSettings, Store, StoreError};

/// Time for which workers wait for the table. Bouts of a large database take seconds to add up.
/// Bouts that are played here wait longer: their clocks would suffer.
const PATIENCE: Duration = Duration::from_millis(20);

impl Run<'_> {
    /// Tells what the bots have so far. Where that takes long it is told while workers play.
    pub(super) async fn tell_the_table(
        &self,
        ready: &mut Ready<'_>,
        players: &[Player],
    ) -> Result<(), StoreError> {
        // What an earlier round was to be told would be told twice.
        ready.table.shutdown().await;
        let bots: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
        let table = SoFar::of(&bots);
        let tie_breaks = ready.event.tie_breaks.clone();
        self.listener.notice(&Notice::Table { bots, tie_breaks });
        if !ready.replaced.is_empty() {
            return Ok(());
        }
        // As it is before anything more is played.
        let moment = self.store.at_one_moment().await?;
        let settings = event_settings(self.tournament, ready.event);
        let listener = Arc::clone(&self.listener);
        let (told, is_told) = tokio::sync::oneshot::channel();
        ready.table.spawn(async move {
            let added = add_up(moment, &settings, table).await;
            let added = added.map(|table| listener.notice(&Notice::TableBefore(table.standings)));
            if let Err(Err(error)) = told.send(added) {
                tracing::warn!(%error, "what bots had before is not shown");
            }
        });
        let patience = if self.office.is_some() { PATIENCE } else { Duration::MAX };
        tokio::time::timeout(patience, is_told).await.map_or(Ok(()), |told| told.unwrap_or(Ok(())))
    }
}

/// Adds up what is on record.
async fn add_up(
    moment: Store,
    event: &EventSettings,
    mut table: SoFar,
) -> Result<SoFar, StoreError> {
    if !event.is_of_pairs() {
        return moment.fold_results(&event.id, table, SoFar::add).await;
    }
    if let Some(totals) = moment.totals(event).await? {
        totals.pairs().for_each(|pair| table.add_pair(pair));
    }
    Ok(table)
}

/// The points of bots in bouts among themselves.
struct SoFar {
    standings: Vec<Standing>,
    places: HashMap<String, usize>,
}

impl SoFar {
    fn of(bots: &[String]) -> Self {
        let row = |bot: &String| Standing { bot: bot.clone(), ..Standing::default() };
        let standings: Vec<_> = bots.iter().map(row).collect();
        let places = standings.iter().zip(0..);
        Self { places: places.map(|(row, place)| (row.bot.clone(), place)).collect(), standings }
    }

    #[expect(clippy::needless_pass_by_value, reason = "results are handed over one by one")]
    fn add(&mut self, bout: BoutSummary) {
        let seats: Option<Vec<usize>> =
            bout.seats.iter().map(|seat| self.places.get(&*seat.bot).copied()).collect();
        for (own, place) in seats.unwrap_or_default().into_iter().enumerate() {
            let (row, seat) = (&mut self.standings[place], &bout.seats[own]);
            row.halves += halves(&bout, own);
            row.bouts += 1;
            row.won += u64::from(is_winner(&bout, own));
            row.score += seat.score;
            row.faults += u64::from(seat.verdicts.faults());
        }
    }
}

impl SoFar {
    /// Adds what two bots did against each other, if both are among these.
    fn add_pair(&mut self, pair: Pair<'_>) {
        let places = pair.bots.map(|bot| self.places.get(bot).copied());
        let [Some(first), Some(second)] = places else { return };
        let [lost, drawn, won] = pair.totals.bouts().map(u64::from);
        for (own, (place, won)) in [(first, won), (second, lost)].into_iter().enumerate() {
            let row = &mut self.standings[place];
            row.halves += 2 * won + drawn;
            row.won += won;
            row.score += pair.totals.score(own);
            row.faults += u64::from(pair.totals.verdicts(own).faults());
        }
        for place in [first, second] {
            self.standings[place].bouts += lost + drawn + won;
        }
    }
}

/// Returns whether a seat alone is first.
fn is_winner(bout: &BoutSummary, own: usize) -> bool {
    let mut others = bout.seats.iter().enumerate().filter(|(other, _)| *other != own);
    others.all(|(_, other)| other.rank > bout.seats[own].rank)
}

fn halves(bout: &BoutSummary, own: usize) -> u64 {
    let others = bout.seats.iter().enumerate().filter(|(other, _)| *other != own);
    let of = |(_, other): (usize, &SeatSummary)| match bout.seats[own].rank.cmp(&other.rank) {
        Ordering::Less => 2,
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    };
    others.map(of).sum()
}
