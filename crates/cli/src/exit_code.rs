//! Exit statuses; the help lists them.

use std::process::ExitCode;

/// Exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Status {
    /// It was done.
    Done = 0,
    /// The thing that was checked is not in order.
    NotInOrder = 1,
    /// The command line, the configuration or a bot's folder is wrong.
    Usage = 2,
    /// The database cannot be used.
    Database = 3,
    /// The machine failed.
    Machine = 4,
    /// The budget was used up.
    BudgetUsedUp = 5,
    /// A bot of a change cannot be read, built, or does not play properly.
    BotBroken = 6,
    /// A bot of a change is weaker than the one it replaces.
    Weaker = 7,
    /// A change may not be made.
    Refused = 8,
    /// It is not decided whether a bot is weaker than the one it replaces.
    Undecided = 9,
    /// Ctrl-C, SIGTERM or SIGHUP.
    Interrupted = 130,
}

impl Status {
    pub(crate) fn number(self) -> u8 {
        self as u8
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.number())
    }
}
