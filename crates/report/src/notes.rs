//! Notes for people at a terminal.

use textwrap::{Options, WordSplitter, fill};

/// Returns a text whose lines are broken at words where a terminal of `width` columns ends;
/// continued lines are indented.
pub fn wrapped(text: &str, width: Option<u16>) -> String {
    let Some(width) = width.map(usize::from) else { return text.to_owned() };
    let options = Options::new(width)
        .subsequent_indent("  ")
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    let lines: Vec<_> = text.lines().map(|line| fill(line, &options)).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_words_and_go_on_indented() {
        let text = "next: joust report --out site\nbye";
        assert_eq!(wrapped(text, Some(20)), "next: joust report\n  --out site\nbye");
        assert_eq!(wrapped(text, None), text);
    }

    #[test]
    fn a_word_that_is_too_long_stays_whole() {
        let text = "see https://contest.example/a-long-way";
        assert_eq!(wrapped(text, Some(10)), "see\n  https://contest.example/a-long-way");
    }
}
