//! Errors of a build.

use std::time::Duration;

use crate::detect::{Missing, NoTools};
use joust_bots::{BotProblem, FaultParty, escape, machine_error};
use joust_model::{Reason, escaped};

/// Limit that stopped a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum BuildLimit {
    /// Memory of the whole tree.
    Memory,
    /// Bytes or files written.
    Disk,
    /// Bytes printed.
    Output,
    /// Processes and threads.
    #[strum(serialize = "processes")]
    Tasks,
}

/// Reason why a bot has no build. The bot is left out and the tournament continues; a fault of
/// the machine costs no bot anything.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}", self.summary(), last_lines(self.lines()))]
pub enum NotBuilt {
    /// A tool is not on this machine.
    MissingToolchain(Missing),
    /// A command failed.
    Failed {
        /// The command.
        command: Vec<String>,
        /// Ending of the command: `ended with status 1`.
        status: String,
        /// The last lines it printed, escaped.
        lines: Vec<String>,
    },
    /// The build took too long.
    Timeout {
        /// The command that was running.
        command: Vec<String>,
        /// The limit.
        limit: Duration,
    },
    /// The build ran out of something.
    Limit {
        /// Limit that was reached.
        limit: BuildLimit,
        /// The command that was running.
        command: Vec<String>,
        /// The last lines it printed, escaped.
        lines: Vec<String>,
    },
    /// The bot cannot be built as it is: bad paths, no main file ...
    Refused(String),
    /// The run is being stopped.
    Stopped,
    /// The machine is at fault, not the bot.
    Infrastructure(String),
}

impl NotBuilt {
    /// Makes the fault of a program that is missing.
    pub fn missing(program: &str, reason: &str, install: &str) -> Self {
        Self::MissingToolchain(Missing {
            program: program.to_owned(),
            reason: reason.to_owned(),
            install: install.to_owned(),
        })
    }

    /// Makes the machine's fault of an error while doing `what`.
    pub fn infrastructure(what: &str) -> impl Fn(std::io::Error) -> Self + '_ {
        move |error| Self::Infrastructure(format!("cannot {what}: {error}"))
    }

    /// Returns the reason, with what a command printed as a field of its own.
    pub fn reason(&self) -> Reason {
        let build_log = self.lines().join("\n");
        Reason { ours: self.summary(), build_log, ..Reason::default() }
    }

    /// Returns the last lines that a command printed.
    fn lines(&self) -> &[String] {
        match self {
            Self::Failed { lines, .. } | Self::Limit { lines, .. } => lines,
            _ => &[],
        }
    }

    /// Returns the reason without what a command printed.
    pub fn summary(&self) -> String {
        match self {
            Self::MissingToolchain(missing) => missing.to_string(),
            // The name of a file that a build has made begins no line.
            Self::Failed { command, status, .. } => {
                format!("`{}` {}", shown_command(command), escaped(status))
            }
            Self::Timeout { command, limit } => {
                format!("the build took longer than {limit:?}, in `{}`", shown_command(command))
            }
            Self::Limit { limit, command, .. } => {
                format!("the build reached its {limit} limit in `{}`", shown_command(command))
            }
            Self::Refused(reason) => escape(reason),
            Self::Stopped => "stopped".to_owned(),
            Self::Infrastructure(reason) => format!("infrastructure-error: {}", escape(reason)),
        }
    }

    /// As [`NotBuilt::infrastructure`], for writing a bot's files: it is the bot's fault if their
    /// names or links make that impossible.
    pub fn of_files(what: &str) -> impl Fn(std::io::Error) -> Self + '_ {
        move |error| match machine_error::is_name_error(error.raw_os_error()) {
            true => Self::Refused(format!("cannot {what}: {error}")),
            false => Self::infrastructure(what)(error),
        }
    }

    /// Returns whether the machine is at fault: it is tried again, and costs no bot its place.
    pub fn is_of_machine(&self) -> bool {
        matches!(self, Self::Infrastructure(_))
    }

    /// Returns the word of the build's verdict: `build-failed`,
    /// `build-timeout`, `build-limit`, `build-refused`, `stopped` or `not built`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::MissingToolchain(_) => "not built",
            Self::Failed { .. } => "build-failed",
            Self::Timeout { .. } => "build-timeout",
            Self::Limit { .. } => "build-limit",
            Self::Refused(_) => "build-refused",
            Self::Stopped => "stopped",
            Self::Infrastructure(_) => "infrastructure-error",
        }
    }
}

impl From<Missing> for NotBuilt {
    fn from(missing: Missing) -> Self {
        Self::MissingToolchain(missing)
    }
}

impl From<NoTools> for NotBuilt {
    fn from(reason: NoTools) -> Self {
        match reason {
            NoTools::Missing(missing) => Self::MissingToolchain(missing),
            NoTools::Machine(reason) => Self::Infrastructure(reason),
        }
    }
}

impl From<BotProblem> for NotBuilt {
    fn from(problem: BotProblem) -> Self {
        match problem.fault {
            // The path is untrusted: it must not begin a line.
            FaultParty::Bot => Self::Refused(format!("in {problem}")),
            FaultParty::Machine => Self::Infrastructure(problem.to_string()),
        }
    }
}

/// Returns a command as people would type it, shortened.
pub fn shown_command(command: &[String]) -> String {
    let quoted = command.iter().map(|word| {
        let plain = |one: char| one.is_alphanumeric() || "-_./=:+,@%".contains(one);
        if word.contains('\n') {
            return "...".to_owned(); // a script of the languages table
        }
        if !word.is_empty() && word.chars().all(plain) { word.clone() } else { format!("{word:?}") }
    });
    let text: String = escape(&quoted.collect::<Vec<_>>().join(" "));
    if text.chars().count() <= 200 {
        return text;
    }
    // The essential part of a command is at its end, after the way to start a tool.
    let cut = |from: usize, most: usize| text.chars().skip(from).take(most).collect::<String>();
    format!("{}...{}", cut(0, 97), cut(text.chars().count() - 100, 100))
}

fn last_lines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n  | {line}")).collect()
}
