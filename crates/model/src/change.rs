//! Changes of a bout other than its first result.

use strum::{EnumString, IntoStaticStr};

use crate::clock::UnixMillis;
use crate::{BoutId, StoredBout};

/// Change of a bout: the reason for a line in its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Change {
    /// The bout was played again, because the inputs of its result had changed.
    Replaced,
    /// An organiser replaced the result.
    Amended,
    /// An internal error voided a try, which has no result.
    Voided,
    /// The bout was played again to see whether it has the same course.
    Rerun,
}

/// One line of a bout's audit trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRow {
    /// The bout.
    pub bout: BoutId,
    /// The kind of change.
    pub change: Change,
    /// The reason; the outcome of a rerun.
    pub reason: String,
    /// The moment.
    pub at: UnixMillis,
    /// The result that was replaced; `None` for a voided try and a rerun.
    pub before: Option<StoredBout>,
}

impl Change {
    /// Returns the name used in the database and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}
