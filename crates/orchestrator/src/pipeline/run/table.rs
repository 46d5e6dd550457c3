//! Table that is shown while bouts are played: first what was there before.

use std::sync::Arc;
use std::time::Duration;

use super::{PreparedEvent, Run, event_settings};
use crate::board;
use crate::pipeline::plans::Player;
use joust_model::EventInfo;
use joust_model::notices::{Notice, RunningTotal};
use joust_standings::standings::StandingsRow;
use joust_store::{Store, StoreError};

/// Time for which workers wait for the table. Bouts of a large database take seconds to add up.
/// Bouts that are played here wait longer: their clocks would suffer.
const PATIENCE: Duration = Duration::from_millis(20);

impl Run<'_> {
    /// Reports what the bots have so far; where that takes long, while workers play.
    pub(super) async fn report_table(
        &self,
        ready: &mut PreparedEvent<'_>,
        players: &[Player],
    ) -> Result<(), StoreError> {
        // What an earlier round was to be told would be told twice.
        ready.table.shutdown().await;
        let bots: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
        let settings = event_settings(self.tournament, ready.event);
        let event = board::event_between(settings, bots.iter().map(String::as_str));
        let tie_breaks = ready.event.tie_breaks.clone();
        self.listener.notice(&Notice::Table { bots, tie_breaks });
        if !ready.replaced.is_empty() {
            return Ok(());
        }
        // As it is before anything more is played.
        let moment = self.store.at_one_moment().await?;
        let listener = Arc::clone(&self.listener);
        let (told, is_told) = tokio::sync::oneshot::channel();
        ready.table.spawn(async move {
            let added = add_up(&moment, &event).await;
            let added = added.map(|table| listener.notice(&Notice::TableBefore(table)));
            if let Err(Err(error)) = told.send(added) {
                tracing::warn!(%error, "what bots had before is not shown");
            }
        });
        let patience = if self.coordinator.is_some() { PATIENCE } else { Duration::MAX };
        tokio::time::timeout(patience, is_told).await.map_or(Ok(()), |told| told.unwrap_or(Ok(())))
    }
}

/// Adds up what is on record.
async fn add_up(moment: &Store, event: &EventInfo) -> Result<Vec<RunningTotal>, StoreError> {
    let standings = board::count(moment, event).await?.standings(event, &[]);
    Ok(standings.rows.into_iter().map(standing).collect())
}

fn standing(row: StandingsRow) -> RunningTotal {
    RunningTotal {
        halves: u64::try_from(row.points.0 / 2).unwrap_or(0),
        bouts: (row.bouts.won + row.bouts.drawn + row.bouts.lost).into(),
        won: row.bouts.won.into(),
        score: row.score,
        faults: row.verdicts.faults().into(),
        bot: row.bot.name,
    }
}
