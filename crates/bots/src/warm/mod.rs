//! Warm starts: which builds can be copies of an interpreter that has started, and what that
//! interpreter loads first.
//!
//! Nothing of a stranger may run in the server, which would outlive turns. So only Python is kept warm,
//! and only where the command is an interpreter of the machine and a file, without options, and where
//! no variable changes what an interpreter loads at its start. Bots that are started otherwise are
//! started cold, whatever the event says.

mod imports;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use joust_model::{Limits, Starts};
use joust_sandbox::Warm;

use super::PlacedBuild;
use super::recipe::BOT;

/// The module that an interpreter imports at the end of its own start.
const MODULE: &str = "sitecustomize.py";
const SERVER: &str = include_str!("sitecustomize.py");
/// The variable that says where an interpreter looks for modules first.
const PATH: &str = "PYTHONPATH";
/// Variables that change nothing of what is loaded at a start.
const HARMLESS: [&str; 6] = [
    PATH,
    "PYTHONHASHSEED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONNOUSERSITE",
    "PYTHONUNBUFFERED",
    "PYTHONIOENCODING",
];

impl PlacedBuild {
    /// Returns how this build is started where limits say how.
    #[must_use]
    pub fn starts(&self, limits: &Limits) -> Starts {
        if self.can_be_warm() { limits.starts } else { Starts::Cold }
    }

    /// Returns the name under which the cost of its start is measured.
    #[must_use]
    pub fn measured_as(&self, limits: &Limits) -> String {
        self.starts(limits).of_language(&self.language)
    }

    fn can_be_warm(&self) -> bool {
        let [interpreter, script] = self.command.as_slice() else { return false };
        let is_of_machine = |program: &Path| program.is_absolute() && !program.starts_with(BOT);
        self.language == "python"
            && is_of_machine(Path::new(interpreter))
            && Path::new(script).starts_with(BOT)
            && self.environment.iter().all(|(name, _)| is_harmless(name))
    }

    /// Returns what a seat keeps ready for it.
    pub(super) fn warm(&self, limits: &Limits) -> Option<Warm> {
        let starts = self.starts(limits);
        if starts.is_cold() {
            return None;
        }
        let folders = self.environment.iter().find(|(name, _)| name == PATH);
        let folders = folders.map(|(_, value)| format!("={}", value.to_string_lossy()));
        let mut words = vec![starts.word().to_owned(), folders.unwrap_or_default()];
        let script = Path::new(&self.command[1]).strip_prefix(BOT).unwrap_or(Path::new(""));
        words.extend(imports::standard(&self.folder, script));
        Some(Warm {
            stem: self.command.clone(),
            variables: vec![(PATH.into(), OsString::from(Warm::FOLDER))],
            words,
            file: (MODULE.to_owned(), SERVER.to_owned()),
        })
    }
}

/// Whether a variable leaves what an interpreter loads at its start as it is.
fn is_harmless(name: &OsStr) -> bool {
    let changes = |prefix: &str| name.as_bytes().starts_with(prefix.as_bytes());
    HARMLESS.iter().any(|harmless| name == *harmless)
        || !["PYTHON", "LD_", "GLIBC_", "GCONV_", "OPENSSL_", "MALLOC_"].into_iter().any(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_load_something_at_a_start_are_told_from_others() {
        for harmless in ["HOME", "PATH", "PYTHONPATH", "PYTHONHASHSEED", "JOUST_SEED", "LANG"] {
            assert!(is_harmless(OsStr::new(harmless)), "{harmless}");
        }
        for harmful in ["PYTHONHOME", "PYTHONWARNINGS", "LD_PRELOAD", "LD_LIBRARY_PATH"] {
            assert!(!is_harmless(OsStr::new(harmful)), "{harmful}");
        }
    }
}
