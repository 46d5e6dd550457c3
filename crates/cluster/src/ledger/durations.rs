//! Estimates of bouts' durations, from those of earlier bouts.

use std::collections::HashMap;
use std::time::Duration;

use joust_model::BoutPlan;

/// Durations of recent bouts: of each bot of an event, and of all.
#[derive(Debug, Default)]
pub(super) struct DurationEstimates {
    all: Option<Duration>,
    bots: HashMap<String, HashMap<String, Duration>>,
}

impl DurationEstimates {
    /// Returns the average duration of recent bouts.
    pub(super) fn overall(&self) -> Option<Duration> {
        self.all
    }

    /// Records the duration of a bout, or of a match that is played whole.
    pub(super) fn record(&mut self, plan: &BoutPlan, took: Duration) {
        follow(self.all.get_or_insert(took), took);
        if !self.bots.contains_key(&plan.event) {
            self.bots.insert(plan.event.clone(), HashMap::new());
        }
        let Some(bots) = self.bots.get_mut(&plan.event) else { return };
        for seat in &plan.seats {
            match bots.get_mut(&seat.bot) {
                Some(known) => follow(known, took),
                None => _ = bots.insert(seat.bot.clone(), took),
            }
        }
    }

    /// Returns how long a bout is expected to take: what bouts of its bots take in the middle. A bot
    /// of which nothing is known counts as any other one, but as one that takes `unknown` at least.
    pub(super) fn estimate(&self, plan: &BoutPlan, unknown: Duration) -> Duration {
        let bots = self.bots.get(&plan.event);
        let any = self.all.unwrap_or_default().max(unknown);
        let of_bot = |bot: &String| bots.and_then(|bots| bots.get(bot)).copied().unwrap_or(any);
        let sum = plan
            .seats
            .iter()
            .fold(Duration::ZERO, |sum, seat| sum.saturating_add(of_bot(&seat.bot)));
        sum / u32::try_from(plan.seats.len()).unwrap_or(u32::MAX).max(1)
    }
}

/// Moves an average towards what came last.
fn follow(average: &mut Duration, last: Duration) {
    *average = average.saturating_mul(7).saturating_add(last) / 8;
}
