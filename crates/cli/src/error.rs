//! Failures of commands: the error, the exit status that tells whose fault it is, and a hint.

use std::error::Error;

use joust_model::FoldError;
use joust_store::StoreError;

use crate::exit_code::Status;

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

    /// Makes a failure from an error and its causes.
    pub(crate) fn from_error(status: Status, error: &dyn Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let text = inner.to_string();
            if !message.ends_with(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            cause = inner.source();
        }
        Self::new(status, message)
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
        Self::from_error(Status::NotInOrder, &error)
    }
}
