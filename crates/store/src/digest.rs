//! A hash of what a database says about its bouts, but for times.

use serde::Serialize;

use super::{BoutFilter, Store, StoreError};
use joust_model::{BoutId, Sha256, StoredBout, TurnLog, TurnRecord};

impl Store {
    /// Returns a hash that two databases share when they hold the same bouts
    /// with the same results, whenever, however fast and in whatever order they
    /// were played.
    ///
    /// Left out are times, memory, calibrations, the machine, and the mark that
    /// it was short of processors. A turn log that cannot be read counts as its
    /// bytes.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn contents_digest(&self) -> Result<String, StoreError> {
        let mut bouts = self.bouts(&BoutFilter::default()).await?;
        bouts.sort_unstable();
        let mut hash = Sha256::default();
        for bout in bouts {
            if let Some(stored) = self.bout(&bout.to_string()).await? {
                add(&mut hash, bout, &stored);
            }
        }
        Ok(hash.finish().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

fn add(hash: &mut Sha256, bout: BoutId, stored: &StoredBout) {
    let (plan, result) = (&stored.plan, &stored.result);
    hash.update(&bout.0);
    add_json(hash, plan);
    add_json(hash, &(&result.ended, result.rounds, &result.state_hash, &result.tier));
    add_json(hash, &(&result.joust_version, result.oversubscribed));
    for seat in &result.seats {
        let score = seat.score.as_millionths();
        add_json(
            hash,
            &(&seat.bot, seat.occupant, seat.rank, score, seat.verdicts, seat.limits_hit.0),
        );
    }
    add_bytes(hash, &result.action_log);
    match TurnLog::read(&result.turn_log) {
        Ok(turns) => {
            turns.into_iter().for_each(|turn| add_json(hash, &without_times(turn)));
            let numbers = TurnLog::read_numbers(&result.turn_log).unwrap_or_default();
            numbers.iter().for_each(|number| {
                let value = number.value.get().to_bits();
                add_json(hash, &(number.round, number.seat, number.label(), value));
            });
        }
        Err(_) => add_bytes(hash, &result.turn_log),
    }
}

fn without_times(turn: TurnRecord) -> TurnRecord {
    TurnRecord {
        wall_us: 0,
        cpu_us: 0,
        stall_us: 0,
        peak_memory_bytes: 0,
        cpu_partial: false,
        ..turn
    }
}

fn add_json(hash: &mut Sha256, value: &impl Serialize) {
    add_bytes(hash, &serde_json::to_vec(value).expect("plain data is JSON"));
}

fn add_bytes(hash: &mut Sha256, bytes: &[u8]) {
    hash.update(&(bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}
