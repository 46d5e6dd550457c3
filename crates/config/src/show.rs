//! The effective configuration, every value written out.

use super::keys::TOURNAMENT;
use super::table;
use super::tournament::Tournament;

/// Writes the effective configuration as YAML: read from the same folder it
/// gives the same tournament again.
#[must_use]
pub fn show(tournament: &Tournament) -> String {
    serde_yaml::to_string(&TOURNAMENT.show(tournament)).expect("plain values are YAML")
}

/// Writes every key there is as YAML, with what it is for and its default or an example.
#[must_use]
pub fn reference() -> String {
    table::page(&TOURNAMENT)
}
