//! Exit statuses; the help lists them.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It was done.
    Done,
    /// What was checked is not in order.
    NotInOrder,
    /// The command line, the configuration or a bot's folder is wrong.
    Usage,
    /// The database cannot be used.
    Database,
    /// The machine failed.
    Machine,
    /// The budget was used up.
    BudgetUsedUp,
    /// A bot of a change cannot be read, built, or does not play properly.
    BotBroken,
    /// A bot of a change is weaker than the one it replaces.
    Weaker,
    /// A change may not be made.
    Refused,
    /// Whether a bot is weaker than the one it replaces is not decided.
    Undecided,
    /// Ctrl-C.
    Interrupted,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Done => 0,
            Status::NotInOrder => 1,
            Status::Usage => 2,
            Status::Database => 3,
            Status::Machine => 4,
            Status::BudgetUsedUp => 5,
            Status::BotBroken => 6,
            Status::Weaker => 7,
            Status::Refused => 8,
            Status::Undecided => 9,
            Status::Interrupted => 130,
        })
    }
}
