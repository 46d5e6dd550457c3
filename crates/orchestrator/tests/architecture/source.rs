//! Rust source without comments, strings and other text that only looks like code.

/// Returns `text` with comments, texts and character literals blanked out; line
/// ends stay where they are.
pub(crate) fn code_of(text: &str) -> String {
    let mut scanner = Scanner { rest: text, code: String::with_capacity(text.len()) };
    while scanner.step() {}
    scanner.code
}

struct Scanner<'a> {
    rest: &'a str,
    code: String,
}

impl Scanner<'_> {
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        let blank = match first {
            '/' if self.rest.starts_with("//") => self.rest.find('\n').unwrap_or(self.rest.len()),
            '/' if self.rest.starts_with("/*") => block_comment(self.rest),
            '"' => quoted(self.rest, '"'),
            '\'' => character(self.rest),
            'r' | 'b' | 'c' if !self.is_inside_word() => raw_text(self.rest),
            _ => 0,
        };
        if blank == 0 {
            self.code.push(first);
            self.rest = &self.rest[first.len_utf8()..];
            return true;
        }
        let (blanked, rest) = self.rest.split_at(blank);
        self.code.extend(blanked.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
        true
    }

    fn is_inside_word(&self) -> bool {
        self.code.ends_with(is_word)
    }
}

pub(crate) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let step = match () {
            () if rest.starts_with("/*") => {
                depth += 1;
                2
            }
            () if rest.starts_with("*/") => {
                depth -= 1;
                2
            }
            () => rest.chars().next().map_or(1, char::len_utf8),
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// Returns the length of a text that begins and ends with `quote`.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A lifetime is no character literal.
fn character(text: &str) -> usize {
    let mut after = text.chars().skip(1);
    match (after.next(), after.next()) {
        (Some('\\'), _) | (Some(_), Some('\'')) => quoted(text, '\''),
        _ => 0,
    }
}

fn raw_text(text: &str) -> usize {
    let prefix = text.len() - text.trim_start_matches(['b', 'c', 'r']).len();
    let after = &text[prefix..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    let is_raw = text[..prefix].ends_with('r') && prefix <= 2;
    if !is_raw || !after[hashes..].starts_with('"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let body = prefix + hashes + 1;
    text[body..].find(&end).map_or(text.len(), |at| body + at + end.len())
}

#[test]
fn only_code_is_left() {
    let text =
        "a // crate::b\n/* c /* d */ */ \"e\\\"f\" 'g' '\\'' h<'i> br#\"j\"k\"# l r\"m\" car\n";
    let words: Vec<String> = code_of(text).split_whitespace().map(str::to_owned).collect();
    assert_eq!(words, ["a", "h<'i>", "l", "car"]);
    assert_eq!(code_of(text).lines().count(), 2);
}
