//! Bouts of two Python bots through the whole bout loop on two processors, cold and quick by turns.

use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_build::PlacedBuild;
use joust_model::{BoutPlan, Limits, StartMode};
use joust_play::executor::{Equipment, Local, Sharing};
use joust_sandbox::{Host, HostOptions};

use super::table::{self, Bot};
use super::{Result, cpu, executed};

/// Bouts at once.
pub(crate) const JOBS: usize = 2;
/// Bouts of a batch, two for each processor.
const BOUTS: u32 = 4;

/// Cost of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Batch {
    /// Processor time of everything: this process, launchers, servers and bots.
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
}

/// Plays one batch of so many turns.
pub(crate) fn play(
    equipment: &Equipment,
    build: &PlacedBuild,
    starts: StartMode,
    turns: u32,
) -> Result<Batch> {
    let limits = Limits { starts, ..Limits::default() };
    let bots = ["one", "two"].map(|name| Bot {
        name: name.to_owned(),
        command: build.command.clone(),
        hash: build.hash,
    });
    let plans = (0..BOUTS)
        .map(|bout| table::plan([&bots[0], &bots[1]], bout, turns.div_ceil(2 * BOUTS), &limits));
    let plans: Vec<BoutPlan> = plans.collect();
    let before = cpu::with_children()?;
    let began = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // A machine of its own: seats that it keeps end with it, and are counted.
    let executor =
        Local::new(Arc::new(renewed(equipment, build)?), Some(JOBS), Sharing::OneBotACore);
    let deliveries = runtime.block_on(executed::run(&executor, plans));
    let wall = began.elapsed();
    drop((executor, runtime));
    let cpu = cpu::with_children()? - before;
    let mut played = 0;
    for delivery in deliveries {
        for seat in delivery.result.map_err(|failure| format!("{failure:?}"))?.seats {
            if seat.verdicts.faults() > 0 {
                return Err("a fault of a bot".into());
            }
            played += seat.verdicts.0.iter().sum::<u32>();
        }
    }
    if played < turns {
        return Err(format!("{played} turns were played").into());
    }
    Ok(Batch { cpu, wall })
}

fn renewed(equipment: &Equipment, build: &PlacedBuild) -> Result<Equipment> {
    Ok(Equipment {
        games: equipment.games.clone(),
        host: Host::probe(&HostOptions::default())?,
        builds: [(build.hash, Arc::new(build.clone()))].into(),
        calibrations: equipment.calibrations.clone(),
        machine: equipment.machine.clone(),
        cancel: equipment.cancel.clone(),
    })
}
