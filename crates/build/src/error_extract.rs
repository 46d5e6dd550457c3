//! Extract from the output of a failed command: the lines with the reason.

use std::sync::LazyLock;

use joust_sandbox::TurnReport;
use regex::Regex;

use crate::trace::named_error;
use joust_bots::escape;

/// Largest number of lines that a failure shows.
const MOST_LINES: usize = 12;
/// Longest of these lines, characters.
const LINE_WIDTH: usize = 800;
/// Number of bytes at the end of the output that are searched.
const SEARCHED: usize = 512 << 10;

/// Beginnings of the reasons that compilers, package managers and Maven print.
static REASON: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"COMPILATION ERROR|Failed to execute|\[FATAL\]|\[ERROR\] .*\S|\berror( [A-Z]+\d+|\[E\d+\])?:|npm (ERR!|error)|undefined reference|^ERROR: ",
    )
});

/// Lines that they print around a reason.
static AROUND: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s*$|^\[(INFO|WARNING)\]|^\[ERROR\]\s*$|^\[ERROR\] (-> )?\[Help \d\]|Re-run Maven|To see the full stack trace|For more information about the errors|After correcting the problems, you can resume|mvn <(args|goals)>|^npm (ERR!|error)\s*$|A complete log of this run|^\[ERROR\] COMPILATION ERROR",
    )
});

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file are tested")
}

/// Returns `line` without the colours that some tools print even into a pipe.
pub(crate) fn uncoloured(line: &str) -> String {
    static COLOUR: LazyLock<Regex> = LazyLock::new(|| regex("\u{1b}\\[[0-9;]*m"));
    COLOUR.replace_all(line, "").into_owned()
}

/// Returns the lines with the reason why a command failed, escaped and shortened: from the first
/// that looks like a reason, else the last ones. Standard error goes before
/// standard output.
pub fn error_lines(report: &TurnReport) -> Vec<String> {
    let streams = [lines(&report.stderr), lines(&report.stdout)];
    let telling = streams.iter().find_map(|lines| {
        let first = lines.iter().position(|line| REASON.is_match(line))?;
        Some(&lines[first..])
    });
    let last = streams
        .iter()
        .find(|lines| !lines.is_empty())
        .map_or(&[][..], |lines| &lines[lines.len().saturating_sub(MOST_LINES)..]);
    // A tool that failed itself has a trace: what it names goes first.
    let named = telling.is_none().then(|| named_error(&report.stderr)).flatten();
    let shown = telling.unwrap_or(last).iter().filter(|line| Some(*line) != named.as_ref());
    named.iter().chain(shown).take(MOST_LINES).map(|line| shortened(line)).collect()
}

/// Messages of Python 3 about the syntax of Python 2, or the line it shows beneath.
static PYTHON_2: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"Missing parentheses in call to '(print|exec)'|multiple exception types must be parenthesized|leading zeros in decimal integer|inconsistent use of tabs and spaces|^\s*raise [\w.]+ *,|^\s*except [\w.]+ *, *\w+ *:|^\s*(print|exec) +[^=(\s]|[\w)\]] *<> *[\w(]|`\w+`",
    )
});

/// Returns whether Python 3 failed on syntax that Python 2 allows.
pub(crate) fn is_python_2(lines: &[String]) -> bool {
    let is_syntax = |line: &String| line.contains("SyntaxError") || line.contains("TabError");
    lines.iter().any(is_syntax) && lines.iter().any(|line| PYTHON_2.is_match(line))
}

/// Returns the printed lines, each once, without those that carry no information.
fn lines(bytes: &[u8]) -> Vec<String> {
    let tail = &bytes[bytes.len().saturating_sub(SEARCHED)..];
    let mut seen = std::collections::HashSet::new();
    let text = String::from_utf8_lossy(tail);
    let clean = text.lines().map(uncoloured);
    let mut lines: Vec<String> = clean.filter(|line| !AROUND.is_match(line)).collect();
    for line in &mut lines {
        if let Some((reason, _)) = line.split_once(" -> [Help ") {
            *line = reason.to_owned();
        }
    }
    lines.retain(|line| seen.insert(line.clone()));
    lines
}

fn shortened(line: &str) -> String {
    escape(&line.chars().take(LINE_WIDTH).collect::<String>())
}

#[cfg(test)]
mod tests {
    use joust_sandbox::Ending;

    use super::*;
    use crate::build_log::tests::report;

    fn of(stdout: &str, stderr: &str) -> Vec<String> {
        error_lines(&report(stdout.as_bytes(), stderr.as_bytes(), Ending::Exited(1)))
    }

    #[test]
    fn maven_says_the_reason_and_nothing_around_it() {
        let printed = "[INFO] Building\n\u{1b}[0m[\u{1b}[1;31mERROR\u{1b}[m] COMPILATION ERROR : \n\
            [ERROR] /bot/Main.java:[3,5] cannot find symbol\n  symbol: class X\n\
            [ERROR] Failed to execute goal compile on project a: Compilation failure\n\
            [ERROR] /bot/Main.java:[3,5] cannot find symbol\n[ERROR] \n\
            [ERROR] -> [Help 1]\n[ERROR] \n[ERROR] To see the full stack trace of the errors\n\
            [ERROR] Re-run Maven using the -X switch\n[ERROR] [Help 1] http://example.org\n";
        assert_eq!(
            of(printed, "WARNING: something of the runtime\n"),
            [
                "[ERROR] /bot/Main.java:[3,5] cannot find symbol",
                "  symbol: class X",
                "[ERROR] Failed to execute goal compile on project a: Compilation failure",
            ]
        );
    }

    #[test]
    fn a_long_reason_is_not_cut_before_what_is_missing() {
        let long = format!("[ERROR] Failed to execute goal on project {}: x", "a".repeat(400));
        assert!(of(&format!("{long} -> [Help 1]\n"), "")[0].ends_with("a: x"));
    }

    #[test]
    fn a_compiler_is_shown_from_its_first_error_on() {
        let errors: String = (0..50).map(|line| format!("a.c:{line}:1: error: no\n")).collect();
        let shown = of("", &format!("In file included from x\n{errors}"));
        assert_eq!((shown.len(), &*shown[0]), (12, "a.c:0:1: error: no"));
        let mono = "Compilation failed: 1 error(s), 0 warnings\n";
        let mono = format!("Bot.cs(3,7): error CS0246: `Newtonsoft' is missing\n{mono}");
        assert!(of(&mono, "")[0].contains("CS0246"));
    }

    #[test]
    fn python_2_is_known_by_what_python_3_says_of_it() {
        let said = |source: &str, error: &str| {
            is_python_2(&of("", &format!("  File \"a.py\", line 1\n    {source}\n{error}\n")))
        };
        let invalid = "SyntaxError: invalid syntax";
        let print = "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?";
        let tabs = "TabError: inconsistent use of tabs and spaces in indentation";
        assert!(said("print 'a'", print) && said("x = 1", tabs));
        for old in ["raise ValueError, 'a'", "if a <> b:", "x = `y`", "except IOError, e:"] {
            assert!(said(old, invalid), "{old}");
        }
        assert!(!said("def (", invalid) && !said("print(x", "SyntaxError: '(' was never closed"));
        assert!(!said("print 'a'", "NameError: a"), "no fault of the syntax");
    }

    #[test]
    fn without_a_line_that_looks_like_it_the_last_ones_are_shown() {
        let lines: String = (0..50).map(|line| format!("line {line}\n")).collect();
        let shown = of("out\n", &lines);
        assert_eq!((shown.len(), &*shown[11]), (12, "line 49"));
        assert_eq!(of("out\n", "\n"), ["out"]);
    }
}
