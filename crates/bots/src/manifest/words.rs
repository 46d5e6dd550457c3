//! Words of a command, split the way people expect it, without a shell; and of the command lines
//! of other systems.

use super::Command;

/// Splits `text` at white space; single and double quotes keep words together.
/// Nothing else has a meaning: no variables, no escapes, no operators.
///
/// # Errors
///
/// A quote that is never closed.
pub fn split(text: &str) -> Result<Vec<String>, String> {
    let (words, open) = split_by(text, &['"', '\'']);
    open.map_or(Ok(words), |open| Err(format!("the quote `{open}` is never closed")))
}

/// Splits `text` at white space outside of `quotes`; returns the words with the quote that is never
/// closed, which reaches to the end.
pub(super) fn split_by(text: &str, quotes: &[char]) -> (Vec<String>, Option<char>) {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in text.chars() {
        match quote {
            Some(open) if open == character => quote = None,
            Some(_) => word.get_or_insert_default().push(character),
            None if quotes.contains(&character) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            None if character.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    (words, quote)
}

/// Name of the port in commands.
const PORT: &str = "$PORT";

/// Characters by which a shell does more than start a program with its words.
const OF_SHELLS: &[char] = &['$', '`', ';', '&', '|', '<', '>', '(', ')', '*', '?', '\\', '\0'];

/// Those among them by which a line is more than a command and its words.
const OF_SEVERAL: &[char] = &['`', ';', '&', '|', '<', '>', '(', ')', '\0'];

/// Beginning of a command that has a shell run a line.
const SHELL: [&str; 2] = ["/bin/sh", "-c"];

/// Programs that start another one, and what stands before that.
const STARTERS: [&str; 6] = ["env", "cross-env", "exec", "tini", "dumb-init", "--"];

/// Shells whose lines are read.
const SHELLS: [&str; 4] = ["sh", "/bin/sh", "bash", "/bin/bash"];

/// Splits a line into the words of one command, in which `$PORT` stands for the port; `None` if
/// only a shell could run it.
///
/// Leniencies: `exec` before the command; `${PORT}` and `${PORT:-8000}` for `$PORT`.
pub(super) fn plain(line: &str) -> Option<Command> {
    let words = split(line).ok()?;
    let words = words.iter().skip_while(|word| *word == "exec");
    command(words.map(String::as_str))
}

/// Returns the words of a line as [`plain`] does, or those of a shell that fills in variables and
/// names of files; `None` for more than one command.
pub(super) fn line(text: &str) -> Option<Command> {
    let text = text.trim();
    let is_one = !text.is_empty() && !text.contains(OF_SEVERAL) && split(text).is_ok();
    let shell = || is_one.then(|| SHELL.into_iter().chain([text]).map(str::to_owned).collect());
    plain(text).or_else(shell)
}

/// Returns the line that a command has a shell run.
pub(super) fn line_of_shell(command: &[String]) -> Option<&String> {
    command.split_last().filter(|(_, before)| *before == SHELL).map(|(line, _)| line)
}

/// Divides a command into `env` with the variables that are set for its program, if there are any,
/// and the program with its arguments.
pub(super) fn divide(command: &[String]) -> (Command, &[String]) {
    let is_setting = |word: &str| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || one == '_')
    };
    let is_starter = |word: &str| STARTERS.contains(&word.rsplit('/').next().unwrap_or(word));
    let is_before = |word: &&String| is_setting(word) || is_starter(word);
    let (before, rest) = command.split_at(command.iter().take_while(is_before).count());
    let mut settings: Command = before.iter().filter(|word| is_setting(word)).cloned().collect();
    if !settings.is_empty() {
        settings.insert(0, "env".to_owned());
    }
    (settings, rest)
}

/// Returns the words of a command that is written as a list.
pub(super) fn list(words: &[String]) -> Option<Command> {
    match words {
        [shell, option, text] if SHELLS.contains(&shell.as_str()) && option.ends_with('c') => {
            line(text)
        }
        _ => command(words.iter().map(String::as_str)),
    }
}

fn command<'a>(words: impl Iterator<Item = &'a str>) -> Option<Command> {
    let words: Command = words.map(with_port).collect();
    let is_plain = |word: &String| !word.replace(PORT, "").contains(OF_SHELLS);
    (!words.is_empty() && words.iter().all(is_plain)).then_some(words)
}

/// Writes the port in one way.
pub(super) fn with_port(word: &str) -> String {
    let parts = word.split_once("${PORT").and_then(|(before, rest)| {
        let (default, after) = rest.split_once('}')?;
        let is_port = default.is_empty() || default.starts_with(':');
        is_port.then_some((before, after))
    });
    parts.map_or(word.to_owned(), |(before, after)| format!("{before}{PORT}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_separate_and_quotes_join() {
        assert_eq!(split("a  'b c' d\"e f\"").unwrap(), ["a", "b c", "de f"]);
    }

    #[test]
    fn an_empty_word_can_be_quoted() {
        assert_eq!(split("a '' b").unwrap(), ["a", "", "b"]);
    }

    #[test]
    fn what_a_shell_would_obey_is_plain_text() {
        assert_eq!(split("a;$(b) `c` >d").unwrap(), ["a;$(b)", "`c`", ">d"]);
    }

    #[test]
    fn an_open_quote_is_refused() {
        assert!(split("a 'b").is_err());
    }

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

    #[test]
    fn a_line_for_a_shell_is_run_by_one() {
        let words = line(" java $JAVA_OPTS -jar a*.jar").unwrap();
        assert_eq!(words, ["/bin/sh", "-c", "java $JAVA_OPTS -jar a*.jar"]);
        assert_eq!(line_of_shell(&words), words.last());
        assert_eq!(line("node a.js"), plain("node a.js"));
        assert_eq!(line_of_shell(&plain("node a.js").unwrap()), None);
        for text in ["", " ", "a 'b", "a $B \0", "a $B; c", "a && b", "a `b`", "a $(b)"] {
            assert_eq!(line(text), None, "{text}");
        }
    }

    #[test]
    fn variables_stand_before_the_program() {
        let command = plain("cross-env NODE_ENV=production node --a=b x.js").unwrap();
        let (settings, rest) = divide(&command);
        assert_eq!(settings, ["env", "NODE_ENV=production"]);
        assert_eq!(rest, ["node", "--a=b", "x.js"]);
        assert_eq!(divide(&plain("./a=b c").unwrap()).1, ["./a=b", "c"]);
    }
}
