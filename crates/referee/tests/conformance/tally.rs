//! Counts of all that was played.

use std::fmt;

/// Counts of all that was played of one game.
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
    /// Fresh maps, lists of numbers, single answers and the like.
    pub(crate) facts: u32,
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
        self.facts += other.facts;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { matches, bouts, rounds, connections, scenarios, files, facts } = self;
        write!(f, "{matches} matches, {bouts} bouts, {rounds} rounds, {scenarios} scenarios, ")?;
        write!(f, "{files} files, {connections} connections, {facts} other facts")
    }
}
