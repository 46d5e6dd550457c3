//! Limits of a bot in a bout, as configured, and modes in which its programs run: how they start, how
//! long they live, and whether they think while they are not asked.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// Limits of a bot as configured, before calibration is added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time of the whole tree in one turn: the primary limit.
    pub cpu: Duration,
    /// Wall clock of one turn; an answer after it does not count.
    pub turn: Duration,
    /// Wall clock after which the process is killed. It is not calibrated, but it is at least
    /// `turn` plus calibration.
    pub kill: Duration,
    /// Memory of the whole tree.
    pub memory: Bytes,
    /// Processes and threads.
    pub processes: u32,
    /// Open descriptors per process.
    pub descriptors: u32,
    /// Standard output of one turn.
    pub output: Bytes,
    /// Bytes of standard error that are kept per turn.
    pub stderr: Bytes,
    /// Bytes in the scratch folder.
    pub disk: Bytes,
    /// Files in the scratch folder.
    pub files: u32,
    /// Time until a long-lived bot is ready.
    pub start: Duration,
    /// Wall budget of a whole bout.
    pub bout: Duration,
    /// Processor time of a long-lived bot's whole tree in a whole bout, including its start. `None`
    /// for turn-based games, which have `cpu`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_bout: Option<Duration>,
    /// Processor cores that a thinking bot has for itself.
    pub cores_per_bot: u32,
    /// Treatment of bots that stay for a bout and think while they are not asked.
    #[serde(default, skip_serializing_if = "Pondering::is_allowed")]
    pub pondering: Pondering,
    /// Lifetime of bots that stay: a bout or a match.
    #[serde(default, skip_serializing_if = "ProgramLifetime::are_for_a_bout")]
    pub programs: ProgramLifetime,
    /// Kind of start of the programs of one turn.
    #[serde(default, skip_serializing_if = "StartMode::is_cold")]
    pub starts: StartMode,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cpu: Duration::from_secs(1),
            turn: Duration::from_secs(2),
            kill: Duration::from_secs(4),
            memory: Bytes::from_mib(512),
            processes: 64,
            descriptors: 256,
            output: Bytes::from_kib(64),
            stderr: Bytes::from_kib(256),
            disk: Bytes::from_mib(64),
            files: 10_000,
            start: Duration::from_secs(10),
            bout: Duration::from_secs(30 * 60),
            cpu_bout: None,
            cores_per_bot: 1,
            pondering: Pondering::Allow,
            programs: ProgramLifetime::Bout,
            starts: StartMode::Cold,
        }
    }
}

/// A number of bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Bytes(pub u64);

impl Bytes {
    /// Makes a number of bytes from mebibytes.
    pub const fn from_mib(mebibytes: u64) -> Self {
        Self(mebibytes << 20)
    }

    /// Makes a number of bytes from kibibytes.
    pub const fn from_kib(kibibytes: u64) -> Self {
        Self(kibibytes << 10)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        let fitting =
            UNITS.iter().find(|(size, _)| self.0 >= *size && self.0.is_multiple_of(*size));
        match fitting {
            Some((size, unit)) => write!(f, "{}{unit}", self.0 / size),
            None => write!(f, "{}B", self.0),
        }
    }
}

/// Start mode of a program that plays one turn, for languages with warm interpreters.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum StartMode {
    /// A new process.
    #[default]
    Cold,
    /// A copy of a started interpreter, which reads, runs and ends the bot as usual.
    Exact,
    /// A copy of a started interpreter, which runs the bot and ends it itself.
    Quick,
}

impl StartMode {
    /// The words of the setting.
    pub const WORDS: [(&'static str, Self); 3] =
        [("cold", Self::Cold), ("exact", Self::Exact), ("quick", Self::Quick)];

    /// Returns whether programs start as new processes.
    pub fn is_cold(&self) -> bool {
        *self == Self::Cold
    }

    /// Returns the word of the setting.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }

    /// Returns the name under which the start of `language` is measured; each start mode is
    /// measured like a toolchain of its own.
    #[must_use]
    pub fn of_language(self, language: &str) -> String {
        match self {
            Self::Cold => language.to_owned(),
            Self::Exact | Self::Quick => format!("{language} ({})", self.word()),
        }
    }
}

/// Clock mode of a game with a clock.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename = "clock", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ClockMode {
    /// Ticks at fixed times, whatever the bots do.
    Realtime,
    /// Ticks as soon as every living bot has acted, at the latest when [`ClockMode::Realtime`]
    /// would. The game is the same, without idle waiting.
    #[default]
    Eager,
    /// As [`ClockMode::Eager`], and simultaneous events are put into the order of the seats.
    /// Deterministic bots that answer in time then produce the same log again.
    Lockstep,
}

impl ClockMode {
    /// All clock modes.
    pub const ALL: [Self; 3] = [Self::Realtime, Self::Eager, Self::Lockstep];

    /// Returns the word used in configuration, reports and the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Treatment of a bot that stays for its bout and uses the processor while it is not asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum Pondering {
    /// It may continue to think.
    #[default]
    Allow,
    /// It is frozen until it is asked again. A bot that waits for its next view is left alone.
    Stop,
}

impl Pondering {
    /// Returns whether pondering is allowed.
    pub fn is_allowed(&self) -> bool {
        *self == Self::Allow
    }
}

/// Lifetime of the program of a bot that is started once and asked often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum ProgramLifetime {
    /// One bout.
    #[default]
    Bout,
    /// All bouts of a match, which are played in one go.
    Match,
}

impl ProgramLifetime {
    /// Returns whether programs stay for one bout.
    pub fn are_for_a_bout(&self) -> bool {
        *self == Self::Bout
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn a_warm_start_is_measured_under_a_name_of_its_own() {
        assert_eq!(StartMode::Cold.of_language("python"), "python");
        assert_eq!(StartMode::Exact.of_language("python"), "python (exact)");
        assert!(StartMode::WORDS.iter().all(|(word, starts)| starts.word() == *word));
    }

    #[test]
    fn limits_of_cold_starts_are_written_as_they_always_were() {
        let text = |starts| serde_json::to_string(&Limits { starts, ..Limits::default() }).unwrap();
        assert!(!text(StartMode::Cold).contains("starts"));
        assert!(text(StartMode::Exact).contains("\"starts\":\"exact\""));
    }
}
