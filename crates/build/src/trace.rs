//! Traces of errors: the line that names the error, in the last output of a program.
//!
//! The runtimes' traces end in frames, source lines or notes, which say where it
//! happened and not what. Each runtime has its shape here.

use std::sync::LazyLock;

use regex::Regex;

#[cfg(test)]
mod tests;

/// Number of bytes at the end of the output that are searched.
const SEARCHED: usize = 64 << 10;

/// Largest number of lines that the text of an error may have before its frames.
const MOST_TEXT: usize = 12;

/// Finds the error in a trace of one shape.
type TraceFormat = fn(&[&str]) -> Option<String>;

/// Every shape; the first that finds its own is believed.
const SHAPES: [TraceFormat; 7] = [rust, go, cpp, julia, python, frames, ruby];

/// Returns a program's last message: the error that its trace names, else the last line that is
/// not blank.
pub fn last_words(stderr: &[u8]) -> Option<String> {
    let text = tail(stderr);
    let lines = lines(&text);
    let last = || lines.last().map(|line| line.trim().to_owned());
    SHAPES.iter().find_map(|shape| shape(&lines)).or_else(last)
}

/// Returns the error that a trace in `stderr` names, if there is one.
pub fn named_error(stderr: &[u8]) -> Option<String> {
    let text = tail(stderr);
    let lines = lines(&text);
    SHAPES.iter().find_map(|shape| shape(&lines))
}

/// Replacement for lines that were left out; it passes for a frame.
const LEFT_OUT: &str = "\t... lines left out\n";

/// Returns the end of `stderr` in no more than `most` bytes; where a trace is cut, the error
/// that it names goes before.
pub fn shortened(stderr: &[u8], most: usize) -> Vec<u8> {
    let end = |most: usize| &stderr[stderr.len().saturating_sub(most)..];
    let Some(named) = (stderr.len() > most).then(|| named_error(stderr)).flatten() else {
        return end(most).to_vec();
    };
    if end(most).windows(named.len()).any(|part| part == named.as_bytes()) {
        return end(most).to_vec();
    }
    let mut kept: Vec<u8> = named.into_bytes();
    kept.truncate(most / 2);
    kept.push(b'\n');
    kept.extend_from_slice(LEFT_OUT.as_bytes());
    let rest = end(most.saturating_sub(kept.len()));
    let line = rest.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    kept.extend_from_slice(&rest[line..]);
    kept
}

fn tail(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(SEARCHED)..]).into_owned()
}

/// Returns the lines up to the last with something in it, without what Node adds.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let says_nothing = |line: &str| {
        line.is_empty() || line.starts_with("Node.js v") || line.starts_with("(Use `node ")
    };
    while lines.last().is_some_and(|line| says_nothing(line)) {
        lines.pop();
    }
    lines
}

/// Rust: `thread 'main' panicked at main.rs:1:5:`, and the text in the next line.
fn rust(lines: &[&str]) -> Option<String> {
    let at = lines.iter().rposition(|line| {
        line.starts_with("thread '") && line.contains("' ") && line.contains(" panicked at ")
    })?;
    let panicked = &lines[at][lines[at].find("panicked at ")?..];
    let text = lines.get(at + 1).filter(|_| panicked.ends_with(':'));
    Some(text.map_or(panicked.to_owned(), |text| format!("{panicked} {text}")))
}

/// Go: `panic: ...` or `fatal error: ...` before the goroutines.
fn go(lines: &[&str]) -> Option<String> {
    let is_named = |line: &&str| line.starts_with("panic: ") || line.starts_with("fatal error: ");
    let at = lines.iter().position(is_named)?;
    let has_goroutines = lines[at..].iter().any(|line| line.starts_with("goroutine "));
    has_goroutines.then(|| lines[at].to_owned())
}

/// C++: the type of what was thrown, and `what():` beneath it.
fn cpp(lines: &[&str]) -> Option<String> {
    let start = "terminate called after throwing an instance of '";
    let at = lines.iter().rposition(|line| line.starts_with(start))?;
    let thrown = lines[at][start.len()..].trim_end_matches('\'');
    let what = lines.get(at + 1).and_then(|line| line.trim_start().strip_prefix("what():"));
    Some(what.map_or(thrown.to_owned(), |what| format!("{thrown}: {}", what.trim())))
}

/// Julia: `ERROR: ...` before the `Stacktrace:`.
fn julia(lines: &[&str]) -> Option<String> {
    let stack = lines.iter().rposition(|line| *line == "Stacktrace:")?;
    lines[..stack].iter().rfind(|line| line.starts_with("ERROR: ")).map(|line| (*line).to_owned())
}

/// Python: the first line after the last `Traceback` that is not indented.
fn python(lines: &[&str]) -> Option<String> {
    let trace = lines.iter().rposition(|line| *line == "Traceback (most recent call last):")?;
    let is_named = |line: &&&str| !line.is_empty() && !line.starts_with([' ', '\t']);
    lines[trace + 1..].iter().find(is_named).map(|line| (*line).to_owned())
}

/// Java, C#, JavaScript and their relatives: the error stands above the last frames, the
/// innermost cause above the last of all. What follows a trace is not part of it.
fn frames(lines: &[&str]) -> Option<String> {
    let last = lines.iter().rposition(|line| is_frame(line))?;
    let after = &lines[last + 1..];
    // Node shows the fields of an error in braces.
    let in_braces = lines[last].ends_with('{') && after.last() == Some(&"}");
    if !after.is_empty() && !in_braces {
        return None;
    }
    let first = lines[..last].iter().rposition(|line| !is_frame(line))?;
    let text = lines[..=first].iter().rev().take(MOST_TEXT);
    let mut text = text.take_while(|line| !line.is_empty() && !is_frame(line));
    let named = text.find(|line| NAMED.is_match(line)).unwrap_or(&lines[first]);
    let plain = BEFORE.replace(named.trim(), "");
    (!plain.is_empty()).then(|| plain.into_owned())
}

fn is_frame(line: &str) -> bool {
    static FRAME: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^\s+(at \S|\.\.\. (\d+ (more|common)|lines left out)|--- End of |\[CIRCULAR)")
    });
    FRAME.is_match(line)
}

/// Words before the name of an error.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"^(Exception in thread "[^"]*" |Caused by: |Unhandled [eE]xception[.:] |\[ERROR\] FATAL UNHANDLED EXCEPTION: |---> |Uncaught )+"#,
    )
});

/// A line that begins with the name of an error, perhaps after what stands before one.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"^\s*(Exception in thread |Caused by: |Unhandled [eE]xception[.:] |\[ERROR\] FATAL|---> |Uncaught |[\w.$+`]*(Error|Exception|Throwable)\b|[\w$]+(\.[\w$+`]+)+: )"#,
    )
});

/// Ruby: the class of the error in brackets at the end of the line with its place.
fn ruby(lines: &[&str]) -> Option<String> {
    static RAISED: LazyLock<Regex> = LazyLock::new(|| regex(r"^\S.*:\d+:in .+ \([A-Z][\w:]*\)$"));
    lines.iter().rfind(|line| RAISED.is_match(line)).map(|line| (*line).to_owned())
}

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file are tested")
}
