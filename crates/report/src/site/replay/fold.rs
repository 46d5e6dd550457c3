//! A recorded bout through the referee: its positions and what seats were shown.

use std::collections::HashMap;

use joust_referee::log::decode;
use joust_referee::{Connection, Game, Input, Output, Outputs, Seat, SendTo, registry};

use super::ReplayError;
use super::pack::{Packed, Packer};
use super::views::Views;
use super::words::Words;
use joust_model::{BoutPlan, decompress};

/// What the fold of a bout gives.
pub(super) struct Folded {
    /// What the game is called by people.
    pub(super) title: &'static str,
    /// The positions.
    pub(super) positions: Packed,
    /// The round after which each position stands, but for the first, with which
    /// the bout starts.
    pub(super) rounds: Vec<u32>,
    /// What seats were shown.
    pub(super) views: Views,
}

/// Folds the referee over a bout's action log, as stored.
pub(super) fn fold(
    plan: &BoutPlan,
    action_log: &[u8],
    words: &mut Words,
) -> Result<Folded, ReplayError> {
    let log = decompress(action_log).map_err(ReplayError::Compression)?;
    let inputs = decode(&log).map_err(ReplayError::Log)?;
    let mut table = Table::open(plan, words)?;
    for input in inputs {
        table.tell(input, words);
    }
    Ok(table.close(words))
}

/// A bout that is watched.
struct Table {
    title: &'static str,
    game: Box<dyn Game>,
    out: Outputs,
    packer: Packer,
    rounds: Vec<u32>,
    views: Views,
    /// Whose the connections are, for games that are played over them.
    owners: HashMap<Connection, Seat>,
    /// Whether something has happened since the last position was taken.
    is_stale: bool,
}

impl Table {
    fn open(plan: &BoutPlan, words: &mut Words) -> Result<Self, ReplayError> {
        let kind = registry::find(&plan.game)
            .ok_or_else(|| ReplayError::UnknownGame(plan.game.clone()))?;
        if kind.revision() != plan.revision {
            let (recorded, here) = (plan.revision, kind.revision());
            return Err(ReplayError::UnknownRevision { recorded, here });
        }
        let mut out = Outputs::new();
        let game = plan.start(kind, &mut out).map_err(ReplayError::Start)?;
        let packer = Packer::start(game.scene());
        let mut table = Self {
            title: kind.title(),
            game,
            out,
            packer,
            rounds: Vec::new(),
            views: Views::new(plan.seats.len()),
            owners: HashMap::new(),
            is_stale: false,
        };
        table.take_outputs(words);
        Ok(table)
    }

    fn tell(&mut self, input: Input, words: &mut Words) {
        if let Input::Opened { connection, seat: Some(seat) } = input {
            self.owners.insert(connection, seat);
        }
        self.game.next(&input, &mut self.out);
        self.is_stale = true;
        self.take_outputs(words);
    }

    fn take_outputs(&mut self, words: &mut Words) {
        let mut outputs = std::mem::take(&mut self.out);
        let now = self.game.rounds();
        self.views.settle(now, words);
        let mut over = None;
        for output in outputs.drain() {
            match output {
                Output::Ask { seat, parts, .. } => self.views.asked(now, seat, &parts, words),
                Output::Send { to, bytes } => self.hear(now, to, &bytes),
                Output::RoundOver { round } => over = Some(round),
                _ => {}
            }
        }
        self.out = outputs;
        if let Some(round) = over {
            self.take_position(round, words);
        }
    }

    /// Lines sent after a round are what a seat knows in the next one.
    fn hear(&mut self, round: u32, to: SendTo, bytes: &[u8]) {
        match to {
            SendTo::Connection(connection) => {
                if let Some(seat) = self.owners.get(&connection) {
                    self.views.heard(round, *seat, bytes);
                }
            }
            SendTo::All => self.views.all_heard(round, bytes),
        }
    }

    fn take_position(&mut self, round: u32, words: &mut Words) {
        self.packer.push(self.game.scene(), words);
        self.rounds.push(round);
        self.is_stale = false;
    }

    /// What happened after the last round belongs to it.
    fn close(mut self, words: &mut Words) -> Folded {
        self.views.settle(u32::MAX, words);
        if self.is_stale {
            self.packer.amend(self.game.scene());
        }
        Folded {
            title: self.title,
            positions: self.packer.finish(words),
            rounds: self.rounds,
            views: self.views,
        }
    }
}
