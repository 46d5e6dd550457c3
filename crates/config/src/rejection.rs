//! Message and advice about one value.

use std::fmt;

/// Message and advice about a value. Serde carries it as a text of two lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Description of the mistake: a lower-case fragment.
    pub message: String,
    /// Advice.
    pub hint: Option<String>,
}

impl Rejection {
    /// Makes a rejection with advice.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()) }
    }

    /// Makes a rejection without advice.
    pub(crate) fn bare(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// Refuses with advice unless a value is as it has to be.
    ///
    /// # Errors
    ///
    /// The rejection.
    pub fn unless(
        is_good: bool,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Result<(), Self> {
        if is_good { Ok(()) } else { Err(Self::new(message, hint)) }
    }

    pub(super) fn from_display(text: &dyn fmt::Display) -> Self {
        let text = text.to_string();
        match text.split_once('\n') {
            Some((message, hint)) => Self::new(message, hint),
            None => Self::bare(text),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message.replace('\n', "\\n"))?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n{hint}"))
    }
}
