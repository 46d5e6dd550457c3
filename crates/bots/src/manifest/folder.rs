//! Folder without a manifest; the tournament sets its language.

use super::{Candidate, Format, Manifest};
use crate::name;
use crate::problem::BotProblem;

/// A folder of sources.
pub(super) struct Folder;

impl Format for Folder {
    fn form(&self) -> &'static str {
        "a folder whose entry in `bots:` says its language (`{ path: ..., language: java }`)"
    }

    fn name(&self) -> &'static str {
        "folder"
    }

    fn fits(&self, candidate: &Candidate<'_>) -> bool {
        candidate.path.is_dir() && candidate.language.is_some()
    }

    fn read(&self, candidate: &Candidate<'_>) -> Result<Manifest, Vec<BotProblem>> {
        let wrong = |message: String| vec![BotProblem::new(candidate.path, message)];
        let called = candidate.name().ok_or_else(|| wrong("its name is not UTF-8".to_owned()))?;
        let name = name::normalise(called).map_err(|error| wrong(error.to_string()))?;
        let language = candidate.language.unwrap_or_default().to_owned();
        Ok(Manifest { name, language, enabled: true, ..Manifest::default() })
    }
}
