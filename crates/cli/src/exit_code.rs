//! Exit statuses; the help lists them.

use std::process::ExitCode;

/// Exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It was done.
    Done,
    /// The thing that was checked is not in order.
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
    /// It is not decided whether a bot is weaker than the one it replaces.
    Undecided,
    /// Ctrl-C, SIGTERM or SIGHUP.
    Interrupted,
}

impl Status {
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NotInOrder => 1,
            Self::Usage => 2,
            Self::Database => 3,
            Self::Machine => 4,
            Self::BudgetUsedUp => 5,
            Self::BotBroken => 6,
            Self::Weaker => 7,
            Self::Refused => 8,
            Self::Undecided => 9,
            Self::Interrupted => 130,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.number())
    }
}
