//! Places in a file.

/// A range of characters in one line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, counted in characters.
    pub column: usize,
    /// Characters, at least 1.
    pub width: usize,
}

impl SourceLocation {
    /// The first character of a file.
    pub const START: Self = Self { line: 1, column: 1, width: 1 };

    /// Returns the place behind the last character of `text`.
    pub fn behind(text: &str) -> Self {
        let last = text.rsplit('\n').next().unwrap_or_default();
        let line = text.matches('\n').count() + 1;
        Self { line, column: last.chars().count() + 1, width: 1 }
    }
}
