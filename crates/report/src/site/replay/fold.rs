//! A recorded bout through the referee: its positions and what seats were shown.

use std::collections::HashMap;

use joust_model::cancel::Cancel;
use joust_model::{Fold, FoldError, Round, StoredBout, recorded_inputs};
use joust_referee::{Catalogue, Connection, Input, Output, Outputs, Seat, SendTo};

use super::pack::{Packed, Packer};
use super::views::Views;
use super::words::StringTable;

/// The most memory that the positions of a bout take, bytes: a log may be short and have millions
/// of them.
const MOST_MEMORY: usize = 256 << 20;

/// Result of the fold of a bout.
pub(super) struct Folded {
    /// The positions.
    pub(super) positions: Packed,
    /// The round before each position, except for the first position, which is the start.
    pub(super) rounds: Vec<Round>,
    /// Views of the seats.
    pub(super) views: Views,
    /// Time that each seat has left in each position, milliseconds; empty without such a limit.
    pub(super) left_ms: Vec<u128>,
}

/// Folds the referee over a bout's action log, as stored.
pub(super) fn fold(
    games: &Catalogue,
    stored: &StoredBout,
    words: &mut StringTable,
    cancel: &Cancel,
) -> Result<Folded, FoldError> {
    fold_within(MOST_MEMORY, games, stored, words, cancel)
}

fn fold_within(
    most: usize,
    games: &Catalogue,
    stored: &StoredBout,
    words: &mut StringTable,
    cancel: &Cancel,
) -> Result<Folded, FoldError> {
    let inputs = recorded_inputs(&stored.result.action_log)?;
    let fold = Fold::start(games, &stored.plan, Outputs::new())?;
    let mut table = FoldedBout::open(fold, stored.plan.seats.len(), words);
    for input in inputs {
        if cancel.is_cancelled() {
            return Err(FoldError::Stopped);
        }
        table.apply_input(&input, words)?;
        if table.packer.size() + words.size() > most {
            return Err(FoldError::TooManyPositions);
        }
    }
    Ok(table.close(words))
}

/// A bout that is watched.
struct FoldedBout {
    fold: Fold,
    packer: Packer,
    rounds: Vec<Round>,
    views: Views,
    left_ms: Vec<u128>,
    /// Owners of the connections, for games that are played over them.
    owners: HashMap<Connection, Seat>,
    /// True if something has happened since the last position was taken.
    is_stale: bool,
}

impl FoldedBout {
    fn open(fold: Fold, seats: usize, words: &mut StringTable) -> Self {
        let packer = Packer::start(fold.judge().scene());
        let mut table = Self {
            fold,
            packer,
            rounds: Vec::new(),
            views: Views::new(seats),
            left_ms: Vec::new(),
            owners: HashMap::new(),
            is_stale: false,
        };
        table.read_clocks();
        table.take_outputs(words);
        table
    }

    fn read_clocks(&mut self) {
        let left = (0..=u8::MAX).map(|seat| self.fold.time_left(Seat(seat)));
        self.left_ms.extend(left.map_while(|left| left.map(|left| left.as_millis())));
    }

    fn apply_input(&mut self, input: &Input, words: &mut StringTable) -> Result<(), FoldError> {
        if let Input::Opened { connection, seat: Some(seat) } = input {
            self.owners.insert(*connection, *seat);
        }
        self.fold.apply_input(input)?;
        self.is_stale = true;
        self.take_outputs(words);
        Ok(())
    }

    fn take_outputs(&mut self, words: &mut StringTable) {
        let now = self.fold.judge().rounds();
        self.views.end_messages(now, words);
        let mut over = None;
        for output in self.fold.take_outputs() {
            match output {
                Output::Ask { seat, parts, .. } => self.views.add_view(now, seat, &parts, words),
                Output::Send { to, bytes } => self.add_message(now, to, &bytes),
                Output::RoundOver { round } => over = Some(round),
                _ => {}
            }
        }
        if let Some(round) = over {
            self.add_position(round, words);
        }
    }

    /// Adds lines that were sent after a round: a seat knows them in the next one.
    fn add_message(&mut self, round: u32, to: SendTo, bytes: &[u8]) {
        match to {
            SendTo::Connection(connection) => {
                if let Some(seat) = self.owners.get(&connection) {
                    self.views.add_bytes(round, *seat, bytes);
                }
            }
            SendTo::All => self.views.add_bytes_to_all(round, bytes),
        }
    }

    fn add_position(&mut self, round: u32, words: &mut StringTable) {
        self.packer.push(self.fold.judge().scene(), words);
        self.rounds.push(Round(round));
        self.read_clocks();
        self.is_stale = false;
    }

    /// Adds events after the last round to that round.
    fn close(mut self, words: &mut StringTable) -> Folded {
        self.views.end_messages(u32::MAX, words);
        if self.is_stale {
            self.packer.amend(self.fold.judge().scene());
        }
        Folded {
            positions: self.packer.finish(words),
            rounds: self.rounds,
            views: self.views,
            left_ms: self.left_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::recorded;

    #[test]
    fn a_bout_with_more_positions_than_memory_is_refused_and_a_signal_ends_its_fold() {
        let (games, stored) = (Catalogue::built_in(), recorded(40));
        let cancel = Cancel::default();
        let fold = |most| fold_within(most, &games, &stored, &mut StringTable::default(), &cancel);
        assert_eq!(fold(MOST_MEMORY).ok().map(|folded| folded.rounds.len()), Some(40));
        assert!(matches!(fold(40 * 120), Err(FoldError::TooManyPositions)));
        cancel.cancel();
        assert!(matches!(fold(MOST_MEMORY), Err(FoldError::Stopped)));
    }
}
