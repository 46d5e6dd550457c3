//! A recorded bout through the referee, for its judgements alone: no view and no
//! position is drawn and nothing is kept, so that whole databases can be judged again.

use joust_referee::log::LogReader;
use joust_referee::{Catalogue, Outcome, Output, Outputs, Seat, StateHash, Verdict};

use joust_model::{BoutPlan, Fold, FoldError, NumberRecord, NumberSource};

/// Judgement of an answer.
pub(super) struct JudgedTurn<'a> {
    pub(super) round: u32,
    pub(super) seat: Seat,
    pub(super) verdict: Verdict,
    pub(super) action: &'a str,
}

/// End of a recorded bout.
pub(super) struct JudgedEnd {
    /// `None` when it was not over.
    pub(super) outcome: Option<Outcome>,
    pub(super) state_hash: StateHash,
    /// Recorded inputs after the bout was over.
    pub(super) left_over: usize,
    /// Numbers that the referee counted.
    pub(super) numbers: Vec<NumberRecord>,
}

/// Judges a recorded bout; `log` is its action log, decompressed. `take` is called with every
/// judgement, in order.
pub(super) fn judge(
    games: &Catalogue,
    plan: &BoutPlan,
    log: &[u8],
    mut take: impl FnMut(JudgedTurn<'_>),
) -> Result<JudgedEnd, FoldError> {
    let mut inputs = LogReader::new(log).map_err(FoldError::Log)?;
    let mut fold = Fold::start(games, plan, Outputs::without_views())?;
    let (mut outcome, mut numbers) = (None, Vec::new());
    absorb(fold.judge().rounds(), fold.outputs(), &mut outcome, &mut numbers, &mut take);
    while outcome.is_none() || !fold.has_completed_round() {
        let Some(input) = inputs.lend() else { break };
        let round = fold.judge().rounds();
        fold.apply_input(input.map_err(FoldError::Log)?)?;
        absorb(round, fold.outputs(), &mut outcome, &mut numbers, &mut take);
    }
    let mut left_over = 0;
    while let Some(input) = inputs.lend() {
        input.map_err(FoldError::Log)?;
        left_over += 1;
    }
    Ok(JudgedEnd { outcome, state_hash: fold.state_hash()?, left_over, numbers })
}

/// Processes the referee's output for a round: judgements, the end, and the numbers it counted.
fn absorb(
    round: u32,
    said: &[Output],
    outcome: &mut Option<Outcome>,
    numbers: &mut Vec<NumberRecord>,
    take: &mut impl FnMut(JudgedTurn<'_>),
) {
    for output in said {
        match output {
            Output::Judged { seat, verdict, action, .. } => {
                take(JudgedTurn { round, seat: *seat, verdict: *verdict, action });
            }
            Output::Over(over) => *outcome = Some(over.clone()),
            Output::Numbers { after, numbers: counted } => {
                numbers.extend(counted.iter().map(|number| NumberRecord {
                    round: *after,
                    seat: number.seat.0,
                    source: NumberSource::Referee,
                    name: number.name.to_string(),
                    value: number.value,
                }));
            }
            _ => {}
        }
    }
}
