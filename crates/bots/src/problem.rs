//! Problems of a bot's files: what is wrong, and where.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::machine_error;
use joust_config::{self as config, SourceLocation, SourceText};
use joust_model::escaped;

/// Largest file that a message quotes a line from, bytes.
const LARGEST_SHOWN: u64 = 4 << 20;

/// Characters of a message that repeats words of a manifest.
const LONGEST_MESSAGE: usize = 200;

/// One thing that is wrong with a bot, its manifest or its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotProblem {
    /// The file or folder; the tournament's own file for a glob.
    pub file: PathBuf,
    /// Line and column, from 1, where known.
    pub place: Option<(usize, usize)>,
    /// Description of the problem: a lower-case fragment.
    pub message: String,
    /// Advice to solve it.
    pub hint: Option<String>,
    /// Party at fault.
    pub fault: FaultParty,
}

/// Party at fault for a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultParty {
    /// The bot's author, or the person who put it there.
    #[default]
    Bot,
    /// The machine lacks something.
    Machine,
}

impl BotProblem {
    /// Makes a problem of a whole file or folder.
    pub fn new(file: &Path, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            place: None,
            message: message.into(),
            hint: None,
            fault: FaultParty::Bot,
        }
    }

    /// Makes a problem of an error of the system while doing `what`.
    pub fn io(file: &Path, what: &str, error: &io::Error) -> Self {
        let fault = if machine_error::is_machine_error(error) {
            FaultParty::Machine
        } else {
            FaultParty::Bot
        };
        Self { fault, ..Self::new(file, format!("cannot {what}: {error}")) }
    }

    /// Adds the place, if it is known.
    #[must_use]
    pub fn at(mut self, place: Option<(usize, usize)>) -> Self {
        self.place = place.or(self.place);
        self
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Makes the path of the file relative to `folder`; a path outside it stays as it is.
    #[must_use]
    pub fn seen_from(mut self, folder: &Path) -> Self {
        self.file = self.file.strip_prefix(folder).unwrap_or(&self.file).to_owned();
        self
    }

    /// Joins all problems of a file into one; `None` of an empty list.
    pub fn joined(problems: &[Self]) -> Option<Self> {
        let (first, others) = problems.split_first()?;
        let mut all = first.clone();
        if !others.is_empty() {
            all.message = first.advice();
            all.hint = None;
        }
        for other in others {
            let (line, column) = other.place.unwrap_or((1, 1));
            all.message.push_str(&format!("; {line}:{column}: {}", other.advice()));
        }
        Some(all)
    }

    /// Returns what is wrong, and what to do.
    pub fn advice(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{} ({hint})", self.message),
            None => self.message.clone(),
        }
    }
}

impl fmt::Display for BotProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One line: the path is untrusted, and the message may repeat untrusted text.
        write!(f, "{}", escaped(&self.file.to_string_lossy()))?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", escaped(&self.message))?;
        match &self.hint {
            Some(hint) => write!(f, " ({})", escaped(hint)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for BotProblem {}

/// Makes an untrusted text of several lines harmless to a terminal: control, direction and
/// invisible characters become `\u{..}`.
pub fn escape(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

impl From<config::Problem> for BotProblem {
    fn from(problem: config::Problem) -> Self {
        let separator = if problem.at.is_empty() { "" } else { ": " };
        let message = format!("{}{separator}{}", problem.at, problem.message);
        Self {
            place: problem.place.map(|place| (place.line, place.column)),
            hint: problem.hint,
            ..Self::new(&problem.file, format!("{message:.LONGEST_MESSAGE$}"))
        }
    }
}

impl From<BotProblem> for config::Problem {
    /// Makes a problem that shows the line it is about, read from the file.
    fn from(problem: BotProblem) -> Self {
        let place = problem.place.map(|(line, column)| SourceLocation { line, column, width: 1 });
        let text = place.and_then(|_| config::read_plain(&problem.file, LARGEST_SHOWN).ok());
        let text = text.and_then(|text| String::from_utf8(text).ok());
        let source = SourceText::new(&problem.file, text.as_deref().unwrap_or_default());
        let start = SourceLocation { line: 1, column: 1, width: 1 };
        let error = source.error(place.unwrap_or(start), "", problem.message);
        Self { place, ..error }.with_hint_if(problem.hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_stay_with_their_problems() {
        let problem = |message: &str, line| {
            BotProblem::new(Path::new("bot.yaml"), message).at(Some((line, 1)))
        };
        let both = [problem("one", 1).hint("do this"), problem("two", 2)];
        let joined = BotProblem::joined(&both).expect("there are problems");
        assert_eq!(joined.to_string(), "bot.yaml:1:1: one (do this); 2:1: two");
        let alone = BotProblem::joined(&both[..1]).expect("there is one");
        assert_eq!(alone, both[0]);
    }
}
