//! The pieces that the summary is made of: a stranger's text stands in code spans,
//! our own as it is.

use std::fmt::Write;
use std::path::Path;

use joust_report::code_span;

/// Characters of a text of one line.
const LINE_WIDTH: usize = 400;
/// Rows of a table.
pub(super) const MOST_ROWS: usize = 60;

/// Appends to a text.
pub(super) fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a text takes all that is written");
}

/// A stranger's text of one line.
pub(super) fn span(text: &str) -> String {
    let short: String = text.chars().take(LINE_WIDTH).collect();
    code_span(&short)
}

/// A path of a stranger's.
pub(super) fn file(path: &Path) -> String {
    span(&path.to_string_lossy())
}

/// A sentence of ours with strangers' names in it. What ours has in backticks stands in
/// quotes: within a code span they would be seen.
pub(super) fn sentence(text: &str) -> String {
    span(&text.replace('`', "'"))
}

/// Appends the number of rows that were left out.
pub(super) fn more(text: &mut String, rows: usize) {
    if rows > MOST_ROWS {
        push(text, format_args!("\nand {} more; `summary.json` has all\n", rows - MOST_ROWS));
    }
}

/// The beginning of a block that is closed at first. Its title is HTML.
pub(super) fn folded(title: &str) -> String {
    format!("\n<details><summary>{title}</summary>\n\n")
}

/// A stranger's name where Markdown is not read.
pub(super) fn plain(name: &str) -> String {
    let name = joust_model::escaped(name);
    let mut shown = String::new();
    for one in name.chars() {
        match one {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '@' => shown.push_str("&#64;"),
            '#' => shown.push_str("&#35;"),
            '`' | '*' | '_' | '[' | ']' | '!' | '|' | '~' | '\\' | '"' | '\'' | ':' | '/' => {
                push(&mut shown, format_args!("&#{};", u32::from(one)));
            }
            other => shown.push(other),
        }
    }
    format!("<code>{shown}</code>")
}
