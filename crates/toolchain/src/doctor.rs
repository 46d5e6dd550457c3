//! Health of this machine: the features that its sandbox enforces, the languages whose tools are
//! installed, and the commands that install the others.

use std::path::{Path, PathBuf};

use joust_sandbox::{Feature, Host, Tier};
use serde::Serialize;

use crate::detect::{Missing, NoTools, Toolchain, Toolchains};
use crate::language::Language;
use crate::{installed, threads};

/// Sandbox features that this machine can enforce.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SandboxHealth {
    /// The tier every bot would run in.
    pub tier: Tier,
    /// Each feature, with the reason for its degree of enforcement.
    pub features: Vec<Feature>,
    /// The one command that would raise the tier, where one is known.
    pub raise: Option<String>,
    /// Two seats, made one after the other; `None` if they cannot be made now.
    pub seats: Option<SeatHealth>,
}

/// Two seats that were made one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatHealth {
    /// Time of the first, for which nothing was ready, microseconds.
    pub first_us: u128,
    /// Time of the second.
    pub second_us: u128,
    /// Number of them for which name spaces were ready.
    pub ready: u64,
    /// Number of them that had to wait for name spaces.
    pub waited_for: u64,
}

/// Returns the features that a host can enforce.
pub fn sandbox(host: &Host) -> SandboxHealth {
    SandboxHealth {
        tier: host.tier(),
        features: host.features().to_vec(),
        raise: host.raise_hint(),
        seats: seats(host),
    }
}

fn seats(host: &Host) -> Option<SeatHealth> {
    let [first, second] = host.time_seats().ok()?;
    let counts = host.seat_counts();
    Some(SeatHealth {
        first_us: first.as_micros(),
        second_us: second.as_micros(),
        ready: counts.ready,
        waited_for: counts.waited_for,
    })
}

/// Tools that this machine has of one language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LanguageHealth {
    /// The language's id.
    pub language: String,
    /// Display name.
    pub title: String,
    /// The ways to build it that work here, best first.
    pub found: Vec<FoundTools>,
    /// Missing tools of the others.
    pub missing: Vec<MissingTools>,
    /// Files of this machine that run code at every start, but for bots that do not see them.
    #[serde(serialize_with = "joust_model::paths::as_texts")]
    pub code_at_start: Vec<PathBuf>,
}

/// The tools of one way to build a language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundTools {
    /// The variant's name in the languages table.
    pub variant: String,
    /// The real programs.
    #[serde(serialize_with = "joust_model::paths::as_texts")]
    pub programs: Vec<PathBuf>,
    /// Version texts of the tools.
    pub version: String,
}

/// Missing tool of one way to build a language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MissingTools {
    /// The variant's name in the languages table.
    pub variant: String,
    /// The program and why it is missing.
    pub reason: String,
    /// The command that installs it.
    pub install: String,
}

impl LanguageHealth {
    /// Returns whether bots of this language can be built and run.
    pub fn works(&self) -> bool {
        !self.found.is_empty()
    }
}

/// Finds the tools of every language, several at a time.
pub fn languages(toolchains: &Toolchains) -> Vec<LanguageHealth> {
    let all: Vec<_> = toolchains.languages().iter().collect();
    threads::map_in_parallel(all.len(), &all, |_, (id, language)| health(toolchains, id, language))
}

fn health(toolchains: &Toolchains, id: &str, language: &Language) -> LanguageHealth {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    let mut code_at_start = Vec::new();
    for variant in &language.variants {
        match toolchains.find(id, variant) {
            Ok(tools) => {
                code_at_start.extend(code(language, &tools));
                found.push(FoundTools {
                    variant: variant.name.clone(),
                    programs: tools.programs.values().cloned().collect(),
                    version: tools.version.clone(),
                });
            }
            Err(reason) => missing.push(missing_tools(&variant.name, reason)),
        }
    }
    code_at_start.sort();
    code_at_start.dedup();
    let (language, title) = (id.to_owned(), language.title.clone());
    LanguageHealth { language, title, found, missing, code_at_start }
}

fn code(language: &Language, tools: &Toolchain) -> Vec<PathBuf> {
    let installed = language.installed.as_ref();
    installed.map(|installed| installed::code_at_start(installed, tools)).unwrap_or_default()
}

/// Returns the files of this machine that run code at every start of the language called `id`, by
/// the tools that are found first.
pub fn code_at_start(toolchains: &Toolchains, id: &str) -> Vec<PathBuf> {
    let Some(language) = toolchains.languages().get(id) else { return Vec::new() };
    let found = |variant| toolchains.find(id, variant).ok();
    let tools = language.variants.iter().find_map(found);
    tools.map(|tools| code(language, &tools)).unwrap_or_default()
}

/// Returns the effect on bots of a file that runs code at every start.
pub fn code_at_start_line(file: &Path) -> String {
    format!(
        "`{}` runs code at every start: for bots that bring a list of requirements, and for all in tier C",
        file.display()
    )
}

fn missing_tools(variant: &str, reason: NoTools) -> MissingTools {
    let (reason, install) = match reason {
        NoTools::Missing(Missing { program, reason, install }) => {
            (format!("`{program}` {reason}"), install)
        }
        NoTools::Machine(reason) => (reason, String::new()),
    };
    MissingTools { variant: variant.to_owned(), reason, install }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::detect::Machine;
    use crate::language::Languages;

    #[test]
    fn every_language_is_looked_for_and_bash_is_there() {
        let machine = Machine::new(OsStr::new("/bin"), None, Duration::from_secs(20));
        let toolchains = Toolchains::new(Arc::new(Languages::shipped()), machine);
        let languages = languages(&toolchains);
        assert_eq!(languages.len(), 15);
        let bash = languages.iter().find(|language| language.language == "bash").unwrap();
        assert!(bash.works(), "{:?}", bash.missing);
        assert!(bash.found[0].version.contains("bash"));
    }
}
