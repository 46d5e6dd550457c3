//! A recorded bout through the referee, for its judgements alone: no view and no
//! position is drawn and nothing is kept, so that whole databases can be judged again.

use joust_referee::log::LogReader;
use joust_referee::{Game, Outcome, Output, Outputs, Seat, StateHash, Verdict};

use super::fold::{FoldError, start};
use joust_model::BoutPlan;

/// How an answer was judged.
pub(super) struct Judged<'a> {
    pub(super) round: u32,
    pub(super) seat: Seat,
    pub(super) verdict: Verdict,
    pub(super) action: &'a str,
}

/// Where a recorded bout ended.
pub(super) struct End {
    /// `None` when it was not over.
    pub(super) outcome: Option<Outcome>,
    pub(super) state_hash: StateHash,
    /// Recorded inputs after the bout was over.
    pub(super) left_over: usize,
}

/// Judges a recorded bout; `log` is its action log, decompressed. `take` is told
/// of every judgement, in order.
pub(super) fn judge(
    plan: &BoutPlan,
    log: &[u8],
    mut take: impl FnMut(Judged<'_>),
) -> Result<End, FoldError> {
    let mut inputs = LogReader::new(log).map_err(FoldError::Log)?;
    let mut out = Outputs::without_views();
    let mut game = start(plan, &mut out)?;
    let mut outcome = None;
    let mut is_round_over = false;
    absorb((game.rounds(), &mut out), &mut outcome, &mut take);
    while outcome.is_none() || !is_round_over {
        let Some(input) = inputs.lend() else { break };
        let round = game.rounds();
        game.next(input.map_err(FoldError::Log)?, &mut out);
        is_round_over = absorb((round, &mut out), &mut outcome, &mut take);
    }
    end(&*game, outcome, inputs)
}

fn end(
    game: &dyn Game,
    outcome: Option<Outcome>,
    mut inputs: LogReader<'_>,
) -> Result<End, FoldError> {
    let mut left_over = 0;
    while let Some(input) = inputs.lend() {
        input.map_err(FoldError::Log)?;
        left_over += 1;
    }
    Ok(End { outcome, state_hash: game.state_hash(), left_over })
}

/// Takes the referee's outputs; returns whether a round was completed.
fn absorb(
    (round, out): (u32, &mut Outputs),
    outcome: &mut Option<Outcome>,
    take: &mut impl FnMut(Judged<'_>),
) -> bool {
    let mut is_round_over = false;
    for output in &out.list {
        match output {
            Output::Judged { seat, verdict, action, .. } => {
                take(Judged { round, seat: *seat, verdict: *verdict, action });
            }
            Output::RoundOver { .. } => is_round_over = true,
            Output::Over(over) => *outcome = Some(over.clone()),
            _ => {}
        }
    }
    out.list.clear();
    is_round_over
}
