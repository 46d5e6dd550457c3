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
}
