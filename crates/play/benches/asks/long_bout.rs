//! A long bout, and what each of its asks takes of the processor.

use std::error::Error;
use std::ops::ControlFlow;

use joust_model::{BoutResult, Round};
use joust_play::executor::Equipment;
use joust_play::executor::bout::{PlayOptions, play_plan};
use joust_play::{BoutEvent, BoutObserver};

use super::arena::{Program, plan};
use super::cpu::Spent;

/// Asks before those that count.
const WARM_UP: u32 = 2_000;
/// Asks that count.
const ASKS: u32 = 20_000;

/// Observer of the processor time: when the asks begin that count, and after them.
#[derive(Default)]
struct Clerk {
    before: Option<Spent>,
    after: Option<Spent>,
}

impl BoutObserver for Clerk {
    fn observe(&mut self, event: &BoutEvent<'_>) -> ControlFlow<()> {
        match event {
            BoutEvent::Round { round: Round(WARM_UP), .. } => self.before = Some(Spent::now()),
            BoutEvent::Round { round, .. } if round.0 == WARM_UP + ASKS => {
                self.after = Some(Spent::now());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// A bout that was played, and what one ask took.
pub(crate) struct LongBout {
    pub(crate) each: Spent,
    pub(crate) result: BoutResult,
}

/// Plays one on a core.
pub(crate) fn play(
    equipment: &Equipment,
    bot: Program,
    core: usize,
) -> Result<LongBout, Box<dyn Error>> {
    let mut clerk = Clerk::default();
    let plan = plan(1, WARM_UP + ASKS + 2, bot);
    let result = play_plan(equipment, &plan, PlayOptions::new(&[core], &mut clerk))?;
    let faults: u32 = result.seats.iter().map(|seat| seat.verdicts.faults()).sum();
    if faults > 0 || result.ended != "enough" {
        return Err(
            format!("the bout is not in order: {} after {faults} faults", result.ended).into()
        );
    }
    let (Some(before), Some(after)) = (clerk.before, clerk.after) else {
        return Err("the bout was too short".into());
    };
    Ok(LongBout { each: (after - before).of_one(ASKS), result })
}
