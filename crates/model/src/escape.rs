//! Text from bots or strangers, made safe for terminals, public pages, Markdown and spreadsheets, and
//! rid of e-mail addresses, which must not be published.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns `text` with every character that could disturb a terminal or deceive a reader written as
/// `\u{..}`: control characters, line and paragraph separators, direction overrides and zero-width
/// characters. The first of two `#` is written like that, too, where some build service would
/// execute the text as a command, as in `##[error]`. A backslash is left alone.
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    push_escaped(&mut shown, text);
    shown
}

/// Returns `bytes` as text, escaped like [`escaped`]; a byte that is not UTF-8
/// becomes `\xNN`.
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

/// Returns at most `most` characters of a text, with an ellipsis where it is cut.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// Number of characters that are kept at the start and at the end of a long text.
const ENDS: (usize, usize) = (1200, 400);

/// Returns a text of several lines as one escaped line, with `
/// ` between them. The middle of a long text is left out.
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
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            // Not the variants of ideographs (U+E0100 to U+E01EF), which people see.
            | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Text in place of an e-mail address.
const ADDRESS: &str = "[e-mail]";

/// Returns a text that may be published.
pub fn public_text(text: &str) -> String {
    without_addresses(&escaped(text), ADDRESS)
}

/// Returns several lines that may be published; line ends and tabs are kept.
pub fn public_lines(bytes: &[u8]) -> String {
    let lines = bytes.split(|byte| *byte == b'\n');
    let shown = lines.map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let parts = line.split(|byte| *byte == b'\t').map(escaped_bytes);
        without_addresses(&parts.collect::<Vec<_>>().join("\t"), ADDRESS)
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// Returns a text for a Markdown table as a code span, in which markup, links, mentions and images
/// have no effect.
pub fn code_span(text: &str) -> String {
    let text = escaped(text);
    if text.is_empty() {
        return String::new();
    }
    let text = if text.contains('|') { without_pipes(&text) } else { text };
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns lines as a Markdown block without markup, ended by a line break. Each line begins with a
/// bar, so that a log reader does not take it for a command.
pub fn fenced<S: AsRef<str>>(lines: &[S]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| escaped(line.as_ref())).collect();
    let longest = lines.iter().map(|line| longest_run(line, '`')).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let body: String = lines.iter().map(|line| format!("| {line}\n")).collect();
    format!("{fence}text\n{body}{fence}\n")
}

/// Escapes pipes with backslashes. Other backslashes are replaced, because one before an escaped
/// pipe would undo the escape.
fn without_pipes(text: &str) -> String {
    text.replace('\\', "\\u{5c}").replace('|', "\\|")
}

fn longest_run(text: &str, character: char) -> usize {
    text.split(|other| other != character).map(str::len).max().unwrap_or(0)
}

/// Returns a text for a spreadsheet that is never read as a formula, also where a comma is the
/// decimal sign and `;` ends a cell.
pub fn spreadsheet_cell(text: &str) -> String {
    let formula = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    let cell = |part: &str| {
        let is_formula = part.trim_start_matches([' ', '"']).starts_with(formula);
        format!("{}{}", if is_formula { "'" } else { "" }, escaped(part))
    };
    text.split_inclusive(';').map(cell).collect()
}

/// Separators between a name and a domain, in any width.
const SIGNS: [char; 3] = ['@', '\u{fe6b}', '\u{ff20}'];

/// Replaces everything that looks like an address with `mark`: an `@` with a name before it and a
/// domain after it.
pub fn without_addresses(text: &str, mark: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, sign)) = rest.char_indices().find(|(_, one)| SIGNS.contains(one)) {
        let (before, behind) = (&rest[..at], &rest[at + sign.len_utf8()..]);
        let name = before.len() - before.trim_end_matches(is_of_name).len();
        let domain = domain_length(behind);
        if name == 0 || domain == 0 {
            shown.push_str(before);
            shown.push(sign);
        } else {
            shown.push_str(&before[..at - name]);
            shown.push_str(mark);
        }
        rest = &behind[if name == 0 { 0 } else { domain }..];
    }
    shown.push_str(rest);
    shown
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || "._%+-'!#$&*/=?^`{|}~".contains(character)
}

/// Returns how many bytes at the start of `text` are a domain.
fn domain_length(text: &str) -> usize {
    let is_of_domain = |c: char| c.is_alphanumeric() || c == '.' || c == '-';
    let end = text.find(|c| !is_of_domain(c)).unwrap_or(text.len());
    text[..end].trim_end_matches(['.', '-']).len()
}

/// Returns a bot's author without the e-mail address; `None` when nothing is left.
pub fn author_without_address(text: &str) -> Option<String> {
    const MARK: &str = "\u{0}";
    let text = without_addresses(text, MARK);
    if !text.contains(MARK) {
        return Some(text);
    }
    let text = text.replace("mailto:\u{0}", MARK);
    let text = ["<\u{0}>", "(\u{0})", "[\u{0}]", MARK]
        .iter()
        .fold(text, |text, address| text.replace(address, " "));
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").replace(" ,", ",").replace(" ;", ";");
    let text = text.trim_matches(|one: char| one.is_whitespace() || ",;:-|/<>()".contains(one));
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_stays_as_it_is() {
        assert_eq!(escaped("Ærøskøbing 数 🤖 a\\b"), "Ærøskøbing 数 🤖 a\\b");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened("ää", 2), "ää");
        assert_eq!(shortened("äää", 2), "ää…");
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

    #[test]
    fn a_code_span_is_longer_than_any_run_of_backticks() {
        let spans = ["huggy", "`", "a``b", " x"].map(code_span);
        assert_eq!(spans, ["`huggy`", "`` ` ``", "```a``b```", "`  x `"]);
    }

    #[test]
    fn nothing_ends_a_block_of_lines() {
        let lines = ["```", "</details>", "::error::x", "a\u{1b}[2J"];
        let expected = "````text\n| ```\n| </details>\n| ::error::x\n| a\\u{1b}[2J\n````\n";
        assert_eq!(fenced(&lines), expected);
    }

    #[test]
    fn a_pipe_does_not_end_a_cell() {
        assert_eq!(code_span("a|b"), "`a\\|b`");
        assert_eq!(code_span("a\\|b"), "`a\\u{5c}\\|b`");
        assert_eq!(code_span("a\n|b"), "`a\\u{5c}u{a}\\|b`");
    }

    #[test]
    fn what_a_spreadsheet_would_calculate_is_text() {
        let cells = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "x=1", "＝1"].map(spreadsheet_cell);
        let expected = ["'=1+1", "'+1", "'-1", "'@x", "'\\u{9}x", "'\\u{d}x", "x=1", "'＝1"];
        assert_eq!(cells, expected);
        let cells = ["a;=1;b", "a; \"+1\"", "a;b=1", "a-1;"].map(spreadsheet_cell);
        assert_eq!(cells, ["a;'=1;b", "a;' \"+1\"", "a;b=1", "a-1;"]);
    }

    #[test]
    fn an_address_is_left_out_wherever_it_stands() {
        assert_eq!(public_text("Jo <jo.x+1@mail.example.org>."), "Jo <[e-mail]>.");
        assert_eq!(public_text("a@b"), "[e-mail]");
        assert_eq!(public_text("x@y.z,u@v"), "[e-mail],[e-mail]");
        assert_eq!(public_lines(b"ok\n\tme@here.example\r\n"), "ok\n\t[e-mail]\n");
    }

    #[test]
    fn what_is_no_address_stays() {
        for text in ["@team", "a @ b", "3@", "@@", "", "mail@ home"] {
            assert_eq!(public_text(text), text);
        }
    }

    #[test]
    fn an_address_of_other_letters_is_left_out_too() {
        assert_eq!(public_text("jürgen@straße.example"), "[e-mail]");
        assert_eq!(public_text("a@b@c.example"), "[e-mail]@c.example");
    }

    #[test]
    fn an_author_has_a_name_and_no_address() {
        let author = |text| author_without_address(text);
        for text in [
            "Ada L. <ada@here.example>",
            "Ada L. (ada@here.example)",
            "Ada L., ada@here.example",
            "ada@here.example Ada L.",
            "Ada L. - mailto:ada@here.example",
            "Ada L. <ada\u{ff20}here.example>",
        ] {
            assert_eq!(author(text).as_deref(), Some("Ada L."), "{text}");
        }
        assert_eq!(author("ada@here.example"), None);
        assert_eq!(author("A <a@x.y>, B <b@x.y>").as_deref(), Some("A, B"));
    }

    #[test]
    fn an_author_without_an_address_stays() {
        for text in ["Ada", "@ada", "Team (A)", "a @ b", "- x -"] {
            assert_eq!(author_without_address(text).as_deref(), Some(text));
        }
    }
}
