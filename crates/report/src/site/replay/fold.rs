//! A recorded bout through the referee: its positions and what seats were shown.

use std::collections::HashMap;
use std::time::Duration;

use joust_model::{Fold, FoldError, StoredBout, recorded_inputs};
use joust_referee::{Catalogue, Connection, GameSpec, Input, Output, Outputs, Seat, SendTo};

use super::pack::{Packed, Packer};
use super::views::Views;
use super::words::StringTable;

/// Result of the fold of a bout.
pub(super) struct Folded {
    /// Description of the game.
    pub(super) heading: Heading,
    /// The positions.
    pub(super) positions: Packed,
    /// The round before each position, except for the first position, which is the start.
    pub(super) rounds: Vec<u32>,
    /// Views of the seats.
    pub(super) views: Views,
    /// Time that each seat has left in each position, milliseconds; empty without such a limit.
    pub(super) left_ms: Vec<u128>,
}

/// Part of a game's description that a replay has.
#[derive(Default)]
pub(super) struct Heading {
    /// Title of the game.
    pub(super) title: String,
    /// Time for which a position is shown, if the game specifies it.
    pub(super) pace: Option<Duration>,
}

impl Heading {
    fn of(spec: &GameSpec) -> Self {
        let pace = spec.external.as_ref().and_then(|external| external.viewer.pace);
        Self { title: spec.title.clone(), pace }
    }
}

/// Folds the referee over a bout's action log, as stored.
pub(super) fn fold(
    games: &Catalogue,
    stored: &StoredBout,
    words: &mut StringTable,
) -> Result<Folded, FoldError> {
    let inputs = recorded_inputs(&stored.result.action_log)?;
    let fold = Fold::start(games, &stored.plan, Outputs::new())?;
    let heading = games.find(&stored.plan.game).map(|game| Heading::of(game.spec()));
    let mut table = FoldedBout::open(fold, stored.plan.seats.len(), words);
    for input in inputs {
        table.apply_input(&input, words)?;
    }
    Ok(table.close(heading.unwrap_or_default(), words))
}

/// A bout that is watched.
struct FoldedBout {
    fold: Fold,
    packer: Packer,
    rounds: Vec<u32>,
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
        self.rounds.push(round);
        self.read_clocks();
        self.is_stale = false;
    }

    /// Adds events after the last round to that round.
    fn close(mut self, heading: Heading, words: &mut StringTable) -> Folded {
        self.views.end_messages(u32::MAX, words);
        if self.is_stale {
            self.packer.amend(self.fold.judge().scene());
        }
        Folded {
            heading,
            positions: self.packer.finish(words),
            rounds: self.rounds,
            views: self.views,
            left_ms: self.left_ms,
        }
    }
}
