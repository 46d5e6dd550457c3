//! How much was played.

use std::fmt;

/// How much was played of one game.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// Recorded matches.
    pub(crate) matches: u32,
    /// Bouts of those matches.
    pub(crate) bouts: u32,
    /// Rounds of those bouts.
    pub(crate) rounds: u32,
    /// Connections whose every byte was compared.
    pub(crate) connections: u32,
    /// Short situations, counted once per rule set.
    pub(crate) scenarios: u32,
    /// Files of the original compared byte for byte.
    pub(crate) files: u32,
}

impl Tally {
    /// Adds what another file held.
    pub(crate) fn add(&mut self, other: Self) {
        self.matches += other.matches;
        self.bouts += other.bouts;
        self.rounds += other.rounds;
        self.connections += other.connections;
        self.scenarios += other.scenarios;
        self.files += other.files;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { matches, bouts, rounds, connections, scenarios, files } = self;
        write!(f, "{matches} matches, {bouts} bouts, {rounds} rounds, {scenarios} scenarios, ")?;
        write!(f, "{files} files, {connections} connections")
    }
}
