//! Failures of commands: the error, the exit status that names the side at fault, and a hint.

use std::error::Error;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use joust_model::{FoldError, escaped};
use joust_orchestrator::with_causes;
use joust_store::StoreError;

/// An error with its exit status and, where there is one, a hint.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), hint: None }
    }

    /// Makes the failure of a command line, a configuration or a bot's folder that is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Status::Usage, message)
    }

    /// Makes a failure from an error and its causes.
    pub(crate) fn from_error(status: Status, error: &dyn Error) -> Self {
        Self::new(status, with_causes(error))
    }

    /// Makes the failure of the machine from an error and its causes.
    pub(crate) fn machine(error: &dyn Error) -> Self {
        Self::from_error(Status::Machine, error)
    }

    /// Makes the failure of a file or folder that cannot be written.
    pub(crate) fn unwritable(status: Status, path: &Path, error: &io::Error) -> Self {
        let path = escaped(&path.display().to_string());
        Self::new(status, format!("`{path}` cannot be written: {error}"))
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn hint_if(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }

    /// Returns the text for standard error, ended by a newline.
    pub(crate) fn render(&self) -> String {
        let mut text = if self.message.starts_with("error:") {
            self.message.clone()
        } else {
            format!("error: {}", self.message)
        };
        if let Some(hint) = &self.hint {
            text.push_str("\nhint: ");
            text.push_str(hint);
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

impl From<&StoreError> for Failure {
    fn from(error: &StoreError) -> Self {
        let status = match error {
            StoreError::Ambiguous { .. }
            | StoreError::NoEvent { .. }
            | StoreError::NoBot { .. } => Status::Usage,
            StoreError::NoThread { .. } => Status::Machine,
            _ => Status::Database,
        };
        Self::from_error(status, error).hint_if(error.hint())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::from(&error)
    }
}

impl From<FoldError> for Failure {
    fn from(error: FoldError) -> Self {
        Self::from_error(Status::Failed, &error)
    }
}

/// Exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Status {
    /// It was done.
    Done = 0,
    /// A check failed.
    Failed = 1,
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
