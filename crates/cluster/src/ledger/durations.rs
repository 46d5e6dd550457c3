//! Estimates of bouts' durations from earlier bouts.

use std::collections::HashMap;
use std::time::Duration;

use joust_model::BoutPlan;

/// Average durations of recent bouts: per bot of an event, and overall.
#[derive(Debug, Default)]
pub(super) struct DurationEstimates {
    pub(super) overall: Option<Duration>,
    bots: HashMap<String, HashMap<String, Duration>>,
}

impl DurationEstimates {
    /// Records the duration of a bout, or of a match that is played as one bout.
    pub(super) fn record(&mut self, plan: &BoutPlan, took: Duration) {
        follow(self.overall.get_or_insert(took), took);
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

    /// Returns the expected duration of a bout: the mean of its bots' averages. A bot without
    /// measurements counts with the overall average, but at least with `unknown`.
    pub(super) fn estimate(&self, plan: &BoutPlan, unknown: Duration) -> Duration {
        let bots = self.bots.get(&plan.event);
        let any = self.overall.unwrap_or_default().max(unknown);
        let of_bot = |bot: &String| bots.and_then(|bots| bots.get(bot)).copied().unwrap_or(any);
        let sum = plan
            .seats
            .iter()
            .fold(Duration::ZERO, |sum, seat| sum.saturating_add(of_bot(&seat.bot)));
        sum / u32::try_from(plan.seats.len()).unwrap_or(u32::MAX).max(1)
    }
}

/// Moves an average towards the latest value.
fn follow(average: &mut Duration, last: Duration) {
    *average = average.saturating_mul(7).saturating_add(last) / 8;
}
