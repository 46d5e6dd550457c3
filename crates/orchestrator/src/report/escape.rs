//! What single formats need beyond [`escaped`].

use crate::model::escaped;

/// Returns a text for a Markdown table: a code span, in which nothing is
/// mark-up, a link, a mention or an image.
pub(super) fn code_span(text: &str) -> String {
    let text = escaped(text);
    if text.is_empty() {
        return String::new();
    }
    let text = if text.contains('|') { without_pipes(&text) } else { text };
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
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
