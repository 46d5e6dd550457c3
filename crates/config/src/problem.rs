//! Problems of a configuration, each with its place.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::SourceLocation;
use joust_model::{escaped, shortened};

/// The most characters of a line that are shown.
const SHOWN_CHARACTERS: usize = 100;

/// The most characters of one text of the file that a message repeats.
const REPEATED_CHARACTERS: usize = 200;

/// The most characters of a message, and of a hint.
const MESSAGE_CHARACTERS: usize = 4000;

/// Effect of a problem on the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The configuration is refused.
    Error,
    /// The configuration is accepted, but probably not what was meant.
    Warning,
}

/// One thing wrong with a file, with all that is needed to show it.
///
/// Its text is several lines: the message, the place, the line with a caret
/// under the value, and a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Effect on the command.
    pub severity: Severity,
    /// The setting, for instance `events[1].game`; empty for the whole file.
    pub at: String,
    /// Message: a lower-case fragment.
    pub message: String,
    /// The file.
    pub file: PathBuf,
    /// Place in the file; `None` when the file could not be read.
    pub place: Option<SourceLocation>,
    /// The line at that place.
    pub line: Arc<str>,
    /// Advice.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let separator = if self.at.is_empty() { "" } else { ": " };
        write!(f, "{severity}: {}{separator}{}", escaped(&self.at), escaped(&self.message))?;
        let file = escaped(&self.file.to_string_lossy());
        match self.place {
            Some(place) => self.write_excerpt(f, &file, place)?,
            None => write!(f, "\n --> {file}")?,
        }
        self.hint.iter().try_for_each(|hint| write!(f, "\nhint: {}", escaped(hint)))
    }
}

impl Problem {
    /// Makes an error of a whole file.
    pub(super) fn of_file(file: &Path, message: impl Into<String>) -> Self {
        let error = SourceText::new(file, "").error(SourceLocation::START, "", message);
        Self { place: None, ..error }
    }

    fn write_excerpt(
        &self,
        f: &mut fmt::Formatter<'_>,
        file: &str,
        place: SourceLocation,
    ) -> fmt::Result {
        let number = place.line.to_string();
        let margin = " ".repeat(number.len());
        write!(f, "\n{margin}--> {file}:{}:{}", place.line, place.column)?;
        let (line, before, width) = excerpt(&self.line, place);
        write!(f, "\n{margin} |\n{number} | {line}")?;
        write!(f, "\n{margin} | {}{}", " ".repeat(before), "^".repeat(width))
    }
}

/// Returns the shown part of `line`, the number of cells before the caret, and the width of the
/// caret in cells.
fn excerpt(line: &str, place: SourceLocation) -> (String, usize, usize) {
    let first = place.column.saturating_sub(1);
    let start = first.saturating_sub(SHOWN_CHARACTERS / 2);
    let start = if line.chars().count() <= SHOWN_CHARACTERS { 0 } else { start };
    let shown = |from: usize, to: usize| -> String {
        line.chars().skip(from).take(to.saturating_sub(from)).map(visible).collect()
    };
    let end = start + SHOWN_CHARACTERS;
    let before = shown(start, first).width();
    let marked = shown(first, (first + place.width).min(end)).width();
    (shown(start, end).trim_end().to_owned(), before, marked.max(1))
}

/// Returns a character of one or two cells for `character`, so that the caret
/// stands below what it means.
fn visible(character: char) -> char {
    match character {
        '\t' => ' ',
        _ if escaped(character.encode_utf8(&mut [0; 4])).chars().count() > 1 => '\u{fffd}',
        _ if character.width() == Some(0) => '\u{fffd}',
        _ => character,
    }
}

/// Cuts what a message has of the file, which stands between backticks: a file may have a key of
/// some MiB.
fn cut(message: &str) -> String {
    let parts = message.split('`').enumerate().map(|(index, part)| match index % 2 {
        0 => part.into(),
        _ => shortened(part, REPEATED_CHARACTERS),
    });
    shortened(&parts.collect::<Vec<_>>().join("`"), MESSAGE_CHARACTERS).into_owned()
}

/// All that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<Problem>);

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n\n" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// The text of a configuration file, for showing its lines.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// The file.
    pub file: PathBuf,
    lines: Vec<Arc<str>>,
}

impl SourceText {
    /// Keeps the lines of `text`.
    pub fn new(file: &Path, text: &str) -> Self {
        Self { file: file.to_owned(), lines: text.lines().map(Arc::from).collect() }
    }

    /// Returns the text of a file with these bytes.
    ///
    /// # Errors
    ///
    /// The place of the first byte that is not UTF-8.
    pub fn decode(file: &Path, bytes: Vec<u8>) -> Result<String, ConfigErrors> {
        String::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let place = SourceLocation::behind(&String::from_utf8_lossy(valid));
            let source = Self::new(file, &String::from_utf8_lossy(error.as_bytes()));
            let problem = source.error(place, "", "the file is not UTF-8");
            ConfigErrors(vec![problem.with_hint("save it with the encoding UTF-8")])
        })
    }

    /// Returns what stands at a place.
    pub fn text_at(&self, place: SourceLocation) -> String {
        let line = self.lines.get(place.line.wrapping_sub(1)).map_or("", |line| &**line);
        line.chars().skip(place.column.saturating_sub(1)).take(place.width).collect()
    }

    /// Makes an error at a place of this file.
    pub fn error(&self, place: SourceLocation, at: &str, message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Error,
            at: shortened(at, REPEATED_CHARACTERS).into_owned(),
            message: cut(&message.into()),
            file: self.file.clone(),
            place: Some(place),
            line: self.lines.get(place.line.wrapping_sub(1)).cloned().unwrap_or_default(),
            hint: None,
        }
    }
}

impl Problem {
    /// Adds a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(cut(&hint.into()));
        self
    }

    /// Adds a hint when there is one.
    #[must_use]
    pub fn with_hint_if(mut self, hint: Option<String>) -> Self {
        self.hint = hint.as_deref().map(cut).or(self.hint);
        self
    }

    /// Makes it a warning.
    #[must_use]
    pub fn as_warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str, place: SourceLocation) -> String {
        let source = SourceText::new(Path::new("tournament.yaml"), text);
        source.error(place, "events[1].game", "unknown game `x`").to_string()
    }

    #[test]
    fn the_caret_stands_below_the_value() {
        let text =
            problem("\n\n    game: bomber", SourceLocation { line: 3, column: 11, width: 6 });
        let expected = "error: events[1].game: unknown game `x`\n --> tournament.yaml:3:11\n  |\n\
                        3 |     game: bomber\n  |           ^^^^^^";
        assert_eq!(text, expected);
    }

    #[test]
    fn wide_and_dangerous_characters_keep_the_caret_in_place() {
        let text = problem("\u{1b}数: x", SourceLocation { line: 1, column: 5, width: 1 });
        assert!(text.ends_with("1 | \u{fffd}数: x\n  |      ^"), "{text}");
    }

    #[test]
    fn a_long_line_is_cut_around_the_value() {
        let line = format!("{}here{}", " ".repeat(1000), "x".repeat(1000));
        let text = problem(&line, SourceLocation { line: 1, column: 1001, width: 4 });
        let shown: Vec<_> = text.lines().collect();
        assert_eq!(shown[3].len(), "1 | ".len() + SHOWN_CHARACTERS);
        assert_eq!(shown[4].trim_start_matches(['|', ' ']), "^^^^");
        assert_eq!(shown[3].find("here"), shown[4].find('^'));
    }

    #[test]
    fn a_message_repeats_no_long_text_of_the_file() {
        let source = SourceText::new(Path::new("tournament.yaml"), "");
        let place = SourceLocation { line: 1, column: 1, width: 1 };
        let long = "é".repeat(3_900_000);
        for text in [format!("`{long}`"), long.clone(), "`a`".repeat(1_300_000)] {
            let message = format!("unknown key {text}");
            let hint = format!("did you mean {text}?");
            let problem = source.error(place, &long, message).with_hint(hint.clone());
            let shown = problem.to_string().chars().count();
            assert!(shown < 9000, "{shown}");
            let other = problem.clone().with_hint_if(Some(hint));
            assert_eq!(other, problem);
        }
        let one = source.error(place, "", format!("`{long}` is given twice, first on line 1"));
        assert_eq!(
            one.message,
            format!("`{}…` is given twice, first on line 1", "é".repeat(REPEATED_CHARACTERS))
        );
    }

    #[test]
    fn a_line_that_is_not_there_is_no_panic() {
        assert!(problem("", SourceLocation { line: 9, column: 9, width: 0 }).contains(":9:9"));
    }
}
