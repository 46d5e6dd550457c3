//! A single source file; its extension determines the language.

use super::{Candidate, Format, Manifest, java_classes};
use crate::name;
use crate::problem::BotProblem;

/// A single source file.
pub(super) struct SingleFile;

impl SingleFile {
    fn language<'a>(candidate: &Candidate<'a>) -> Option<&'a str> {
        let by_extension = || {
            let extension = candidate.path.extension()?.to_str()?;
            candidate.languages.of_extension(extension)
        };
        candidate.language.or_else(by_extension)
    }
}

impl Format for SingleFile {
    fn form(&self) -> &'static str {
        "a single source file whose extension names a language (`bot.py`, `bot.cpp` ...)"
    }

    fn name(&self) -> &'static str {
        "single-file"
    }

    fn fits(&self, candidate: &Candidate<'_>) -> bool {
        candidate.path.is_file() && Self::language(candidate).is_some()
    }

    fn read(&self, candidate: &Candidate<'_>) -> Result<Manifest, Vec<BotProblem>> {
        let wrong = |message: String| vec![BotProblem::new(candidate.path, message)];
        let file = candidate.path.file_name().and_then(|name| name.to_str());
        let (Some(file), Some(stem)) = (file, candidate.name()) else {
            return Err(wrong("the file's name is not UTF-8".to_owned()));
        };
        let name = name::normalise(stem).map_err(|error| wrong(error.to_string()))?;
        let language = Self::language(candidate).unwrap_or_default().to_owned();
        let beside = match &*language {
            "java" => java_classes::find_companions(candidate.path),
            _ => Vec::new(),
        };
        let entry = Some(file.to_owned());
        Ok(Manifest { name, language, entry, beside, enabled: true, ..Manifest::default() })
    }
}
