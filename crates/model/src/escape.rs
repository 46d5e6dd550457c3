//! Text that bots or strangers supplied, made safe to show.

use std::fmt::Write;

/// Returns `text` with every character that could disturb a terminal or
/// deceive a reader written as `\u{..}`: control characters, line and
/// paragraph separators, direction overrides, zero-width characters; and the first
/// of two `#` that some build service obeys wherever they stand in a line, as in
/// `##[error]`. A backslash is left alone.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    push_escaped(&mut shown, text);
    shown
}

/// Returns `bytes` as text, escaped like [`escaped`]; a byte that is not UTF-8
/// becomes `\xNN`.
#[must_use]
pub fn escaped_bytes(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        push_escaped(&mut shown, chunk.valid());
        for byte in chunk.invalid() {
            write!(shown, "\\x{byte:02x}").expect("a text takes all that is written");
        }
    }
    shown
}

/// Number of characters of a text on one line that are shown at its start and at its end.
const ENDS: (usize, usize) = (1200, 400);

/// Returns a text of several lines on one, escaped: with ` | ` between them,
/// a long one without its middle.
#[must_use]
pub fn on_one_line(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim().trim_start_matches("| ").trim());
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).map(escaped).collect();
    let line = lines.join(" | ");
    let length = line.chars().count();
    if length <= ENDS.0 + ENDS.1 {
        return line;
    }
    let head: String = line.chars().take(ENDS.0).collect();
    let tail: String = line.chars().skip(length - ENDS.1).collect();
    format!("{head} ... {tail}")
}

fn push_escaped(shown: &mut String, text: &str) {
    for (at, character) in text.char_indices() {
        if is_deceptive(character) || is_command(&text[at..]) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
}

/// Returns whether a text begins like `##[error]`, `##vso[...` or `##teamcity[...`.
pub fn is_command(text: &str) -> bool {
    let word = text.strip_prefix("##").map(|rest| rest.trim_start_matches(char::is_alphabetic));
    word.is_some_and(|rest| rest.starts_with('['))
}

fn is_deceptive(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{ffa0}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_stays_as_it_is() {
        assert_eq!(escaped("Ærøskøbing 数 🤖 a\\b"), "Ærøskøbing 数 🤖 a\\b");
    }

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(escaped("a\u{1b}[2Jb\n\t\u{7f}"), "a\\u{1b}[2Jb\\u{a}\\u{9}\\u{7f}");
        assert_eq!(escaped("\u{9b}31m"), "\\u{9b}31m");
    }

    #[test]
    fn direction_overrides_and_zero_width_characters_are_written_out() {
        assert_eq!(escaped("a\u{202e}b\u{200b}c\u{2066}"), "a\\u{202e}b\\u{200b}c\\u{2066}");
        assert_eq!(escaped("\u{feff}x\u{2028}"), "\\u{feff}x\\u{2028}");
    }

    #[test]
    fn what_a_build_service_obeys_is_written_out() {
        let shown = "a \\u{23}#[error]x \\u{23}#vso[task] #\\u{23}#[x] ## heading #[test]";
        assert_eq!(escaped("a ##[error]x ##vso[task] ###[x] ## heading #[test]"), shown);
    }

    #[test]
    fn several_lines_stand_on_one() {
        let reason = "`make` ended with status 1\n  | a.c:1: error\n\n  | a\u{1b}[2J";
        assert_eq!(on_one_line(reason), "`make` ended with status 1 | a.c:1: error | a\\u{1b}[2J");
        let long = on_one_line(&format!("begin {} end", "x".repeat(5000)));
        assert!(long.starts_with("begin x") && long.ends_with("x end"), "{long}");
        assert_eq!(long.chars().count(), 1605);
    }

    #[test]
    fn bad_utf8_is_written_out_byte_by_byte() {
        assert_eq!(escaped_bytes(b"ok \xff\xfe \xe2\x82"), "ok \\xff\\xfe \\xe2\\x82");
        assert_eq!(escaped_bytes("é\0".as_bytes()), "é\\u{0}");
    }
}
