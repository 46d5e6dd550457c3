//! Last words of failed referees: the end of their standard error, for their authors.
//!
//! They are not part of a result, whose turn records only contain the last line, and are not
//! published on any table or page.

use std::sync::Arc;

use joust_model::escaped_bytes;
use parking_lot::Mutex;

/// The most bytes that are kept.
const BYTES: usize = 4096;

/// The most lines that are kept.
const LINES: usize = 20;

/// The last words of the most recently failed referee of those that share this. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct LastWords(Arc<Mutex<Vec<String>>>);

impl LastWords {
    /// Removes and returns the words: escaped lines, at most 20 and 4 KiB. Empty if no referee has
    /// failed since the last call, or the failed one wrote nothing.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock())
    }

    /// Stores the standard error of a failed referee.
    pub(super) fn keep(&self, stderr: &[u8]) {
        *self.0.lock() = last_lines(stderr);
    }
}

fn last_lines(stderr: &[u8]) -> Vec<String> {
    let start = stderr.len().saturating_sub(BYTES);
    let mut kept = &stderr[start..];
    // An incomplete first line is dropped, unless it is the only one.
    let is_cut = start > 0 && stderr[start - 1] != b'\n';
    if let Some(end) = kept.trim_ascii_end().iter().position(|byte| *byte == b'\n')
        && is_cut
    {
        kept = &kept[end + 1..];
    }
    let lines = kept.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    let first = lines.len().saturating_sub(LINES);
    lines[first..].iter().map(|line| escaped_bytes(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_and_escaped() {
        let words = LastWords::default();
        words.keep(b"Traceback:\n  File \"referee.py\"\n\nValueError: \x1b[2J\xff\n");
        let expected = ["Traceback:", "  File \"referee.py\"", "ValueError: \\u{1b}[2J\\xff"];
        assert_eq!(words.take(), expected);
        assert!(words.take().is_empty(), "they are taken once");
    }

    #[test]
    fn words_are_those_of_the_referee_that_failed_last() {
        let words = LastWords::default();
        words.keep(b"no such stone\n");
        words.clone().keep(b"");
        assert!(words.take().is_empty());
    }

    #[test]
    fn no_more_than_twenty_lines_and_four_kibibytes_are_kept() {
        let many: String = (0..100).map(|line| format!("{line}\n")).collect();
        let kept = last_lines(many.as_bytes());
        assert_eq!((kept.len(), &*kept[0], &*kept[19]), (20, "80", "99"));
        let long = format!("{}\nend\n", "x".repeat(5000));
        assert_eq!(last_lines(long.as_bytes()), ["end"]);
        assert_eq!(last_lines("x".repeat(5000).as_bytes()), ["x".repeat(4096)]);
    }
}
