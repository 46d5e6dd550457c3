//! Many short bouts: what Joust takes beside the referee and the starts of bots, and what
//! a second job adds.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_play::executor::{Assignment, Equipment, Executor, ExecutorEvent, Needs};
use joust_play::executor::{Local, Sharing};
use tokio::sync::mpsc::channel;

use super::arena::{Arena, Program, plan};
use super::cpu::{self, Spent};

/// Cost of all bouts together.
pub(crate) struct Played {
    pub(crate) wall: Duration,
    /// Answers given.
    pub(crate) asks: u32,
    /// All of it, with every process that was started.
    pub(crate) all: Duration,
    /// The bots, as their results say.
    pub(crate) bots: Duration,
    /// The referees.
    pub(crate) referee: Duration,
}

impl Played {
    /// Returns the time that neither a bot nor a referee took.
    pub(crate) fn own(&self) -> Duration {
        self.all.saturating_sub(self.bots + self.referee)
    }
}

/// Plays so many bouts with so many jobs.
pub(crate) fn play(
    equipment: Equipment,
    bouts: u32,
    jobs: usize,
) -> Result<Played, Box<dyn Error>> {
    let equipment = Arc::new(equipment);
    let before = cpu::with_children()?;
    let began = Instant::now();
    let executor = Local::new(Arc::clone(&equipment), Some(jobs), Sharing::OneBotACore);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let Delivered { bots, asks } = runtime.block_on(delivered(&executor, bouts))?;
    let wall = began.elapsed();
    let referee = Spent::now().referee;
    drop((executor, runtime, equipment));
    let all = cpu::with_children()? - before;
    Ok(Played { wall, asks, all, bots, referee })
}

/// Sums over the results.
#[derive(Default)]
struct Delivered {
    /// Processor time of all bots.
    bots: Duration,
    asks: u32,
}

async fn delivered(executor: &Local, bouts: u32) -> Result<Delivered, Box<dyn Error>> {
    let (to_play, assignments) = channel(64);
    let (events, mut delivered) = channel(64);
    let giving = async move {
        for number in 0..bouts {
            let plan = plan(number, 1, Program::CBot);
            let assignment = Assignment::new(plan, Needs::default());
            if to_play.send(assignment).await.is_err() {
                break;
            }
        }
        drop(to_play);
    };
    let taking = async {
        let (mut sum, mut played) = (Delivered::default(), 0);
        while let Some(event) = delivered.recv().await {
            if let ExecutorEvent::Delivered(delivery) = event {
                let result = delivery.result.map_err(|failure| format!("{failure:?}"))?;
                sum.bots += result.seats.iter().map(|seat| seat.cpu).sum::<Duration>();
                sum.asks += result.rounds;
                if result.seats.iter().any(|seat| seat.verdicts.faults() > 0) {
                    return Err(format!("a fault in a bout that ended with `{}`", result.ended));
                }
                played += 1;
            }
        }
        if played == bouts { Ok(sum) } else { Err(format!("{played} bouts were delivered")) }
    };
    let (executed, (), sum) = tokio::join!(executor.execute(assignments, events), giving, taking);
    executed?;
    Ok(sum?)
}

/// Returns the cost of one start of a bot and its end, bare.
pub(crate) fn start(arena: &Arena) -> Result<Duration, Box<dyn Error>> {
    const STARTS: u32 = 500;
    let before = cpu::with_children()?;
    for _ in 0..STARTS {
        let status = arena.bare(Program::CBot).stdin(std::process::Stdio::null()).status()?;
        if !status.success() {
            return Err("the bot failed".into());
        }
    }
    Ok((cpu::with_children()? - before) / STARTS)
}
