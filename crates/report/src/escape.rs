//! Escapes that single formats need beyond [`escaped`].

use joust_model::escaped;

/// Returns a text for a Markdown table: a code span, in which nothing is
/// mark-up, a link, a mention or an image.
#[must_use]
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

/// Returns lines as a Markdown block in which nothing is mark-up, ended by a line
/// break. Each line begins with a bar, so that nothing that reads a log takes it
/// for one of its own.
#[must_use]
pub fn fenced<S: AsRef<str>>(lines: &[S]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| escaped(line.as_ref())).collect();
    let longest = lines.iter().map(|line| longest_run(line, '`')).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let body: String = lines.iter().map(|line| format!("| {line}\n")).collect();
    format!("{fence}text\n{body}{fence}\n")
}

/// A backslash before a pipe would end the cell after all.
fn without_pipes(text: &str) -> String {
    text.replace('\\', "\\u{5c}").replace('|', "\\|")
}

fn longest_run(text: &str, character: char) -> usize {
    text.split(|other| other != character).map(str::len).max().unwrap_or(0)
}

/// Returns a text for a spreadsheet: never a formula.
pub(super) fn cell(text: &str) -> String {
    let shown = escaped(text);
    let formula = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    if text.starts_with(formula) { format!("'{shown}") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let cells = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "x=1", "＝1"].map(cell);
        let expected = ["'=1+1", "'+1", "'-1", "'@x", "'\\u{9}x", "'\\u{d}x", "x=1", "'＝1"];
        assert_eq!(cells, expected);
    }
}
