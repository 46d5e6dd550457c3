//! Words of a command line of other systems.

use crate::manifest::{Command, split_words};

/// Name of the port in commands.
const PORT: &str = "$PORT";

/// Characters by which a shell does more than start a program with its words.
const OF_SHELLS: &[char] = &['$', '`', ';', '&', '|', '<', '>', '(', ')', '*', '?', '\\', '\0'];

/// Splits a line into the words of one command, in which `$PORT` stands for the port; `None` if only a
/// shell could run it.
///
/// Leniencies: `exec` before the command; `${PORT}` and `${PORT:-8000}` for `$PORT`.
pub(super) fn plain(line: &str) -> Option<Command> {
    let words = split_words(line).ok()?;
    let words = words.iter().skip_while(|word| *word == "exec");
    command(words.map(String::as_str))
}

/// Returns the words of a command that are written as a list; `None` as for [`plain`].
pub(super) fn command<'a>(words: impl Iterator<Item = &'a str>) -> Option<Command> {
    let words: Command = words.map(with_port).collect();
    let is_plain = |word: &String| !word.replace(PORT, "").contains(OF_SHELLS);
    (!words.is_empty() && words.iter().all(is_plain)).then_some(words)
}

/// Writes the port in one way in all words.
pub(super) fn with_ports(command: Command) -> Command {
    command.iter().map(|word| with_port(word)).collect()
}

/// Writes the port in one way.
fn with_port(word: &str) -> String {
    let parts = word.split_once("${PORT").and_then(|(before, rest)| {
        let (default, after) = rest.split_once('}')?;
        let is_port = default.is_empty() || default.starts_with(':');
        is_port.then_some((before, after))
    });
    parts.map_or(word.to_owned(), |(before, after)| format!("{before}{PORT}{after}"))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn quotes_join_and_the_port_is_written_in_one_way() {
        let words = plain("exec java '-Dname=a b' -DPORT=${PORT:-8000} -jar x.jar").unwrap();
        assert_eq!(words, ["java", "-Dname=a b", "-DPORT=$PORT", "-jar", "x.jar"]);
        assert_eq!(plain("ruby x.rb -p ${PORT}").unwrap()[3], "$PORT");
    }

    #[test]
    fn lines_for_a_shell_are_no_command() {
        for line in ["", "a; b", "a && b", "a > b", "$HOME/a", "a `b`", "a 'b", "${PORTAL}", "exec"]
        {
            assert_eq!(plain(line), None, "{line}");
        }
    }
}
