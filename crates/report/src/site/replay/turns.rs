//! The turns of a bout, column by column: equal things side by side pack well.

use serde::Serialize;

use super::words::StringTable;
use joust_model::{
    BoutResult, PublicPart, Publication, Round, TurnLog, TurnLogError, TurnRecord, escaped_bytes,
};

/// The turns of a bout in the order of judgement: one list per column, one
/// number per turn. Columns that are not public are empty.
#[derive(Debug, Default, Serialize)]
pub(super) struct Columns {
    round: Vec<Round>,
    seat: Vec<u8>,
    /// Words: 0 for none, otherwise the word's number plus one.
    action: Vec<u32>,
    /// Verdicts by code.
    verdict: Vec<u8>,
    wall_us: Vec<u64>,
    cpu_us: Vec<u64>,
    /// Pairs of a turn's number and its limits touched, as bits.
    limits: Vec<u32>,
    /// Pairs of a turn's number and a word: why.
    reason: Vec<u32>,
    /// Pairs of a turn's number and a word: first bytes of output.
    output: Vec<u32>,
    /// Pairs of a turn's number and a word: last bytes of standard error.
    stderr: Vec<u32>,
}

/// Reads a bout's turn log.
pub(super) fn columns(
    result: &BoutResult,
    publication: &Publication,
    words: &mut StringTable,
) -> Result<Columns, TurnLogError> {
    let mut columns = Columns::default();
    for (number, turn) in (0..).zip(TurnLog::read(&result.turn_log)?) {
        columns.push(number, &turn, publication, words);
    }
    Ok(columns)
}

impl Columns {
    fn push(
        &mut self,
        number: u32,
        turn: &TurnRecord,
        publication: &Publication,
        words: &mut StringTable,
    ) {
        self.round.push(turn.round);
        self.seat.push(turn.seat);
        let action = if turn.action.is_empty() { 0 } else { words.number(&turn.action) + 1 };
        self.action.push(action);
        if publication.shows(PublicPart::Times) {
            self.wall_us.push(turn.wall_us);
            self.cpu_us.push(turn.cpu_us);
        }
        if publication.shows(PublicPart::Verdicts) {
            self.verdict.push(turn.verdict);
            if !turn.limits_hit.is_empty() {
                self.limits.extend([number, u32::from(turn.limits_hit.0)]);
            }
            pair(&mut self.reason, number, &turn.reason, words);
        }
        if publication.shows(PublicPart::Stderr) {
            pair(&mut self.output, number, &escaped_bytes(&turn.output), words);
            pair(&mut self.stderr, number, &String::from_utf8_lossy(&turn.stderr), words);
        }
    }
}

fn pair(column: &mut Vec<u32>, number: u32, text: &str, words: &mut StringTable) {
    if !text.is_empty() {
        column.extend([number, words.number(text)]);
    }
}
