//! The numbers of the game and what an organiser can change.

use super::spec::SPEC;
use crate::options::whole;
use crate::{OptionSpec, Setup, StartError};

/// Columns of the board where the options say nothing.
pub const COLUMNS: usize = 7;

/// Rows of the board where the options say nothing.
pub const ROWS: usize = 6;

/// Discs in a row that win where the options say nothing.
pub const CONNECT: usize = 4;

const COLUMNS_KEY: &str = "columns";
const ROWS_KEY: &str = "rows";
const CONNECT_KEY: &str = "connect";

/// Returns the options of an event that plays this game.
pub(super) fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::int(COLUMNS_KEY, 4..=20, COLUMNS as i64, "columns of the board"),
        OptionSpec::int(ROWS_KEY, 4..=20, ROWS as i64, "rows of the board"),
        OptionSpec::int(CONNECT_KEY, 3..=10, CONNECT as i64, "discs in a row that win"),
    ]
}

/// Settings of a bout of this game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoutOptions {
    /// Columns of the board.
    pub columns: usize,
    /// Rows of the board.
    pub rows: usize,
    /// Discs in a row that win. Where the longer side of the board is shorter, every
    /// bout is a draw.
    pub connect: usize,
}

impl BoutOptions {
    /// Reads rules and options of `setup`.
    ///
    /// # Errors
    ///
    /// [`StartError`] names the rule set, the option or the number of seats
    /// that does not fit.
    pub fn from_setup(setup: &Setup<'_>) -> Result<Self, StartError> {
        let options = SPEC.complete(setup)?;
        Ok(Self {
            columns: whole(&options, COLUMNS_KEY).unwrap_or(COLUMNS),
            rows: whole(&options, ROWS_KEY).unwrap_or(ROWS),
            connect: whole(&options, CONNECT_KEY).unwrap_or(CONNECT),
        })
    }
}
