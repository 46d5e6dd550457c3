//! A single source file; its extension determines the language.

use super::{Candidate, Format, Manifest, java_classes};
use crate::problem::BotProblem;

/// A single source file.
pub(super) const FORMAT: Format = Format {
    name: "single-file",
    form: "a single source file whose extension names a language (`bot.py`, `bot.cpp` ...)",
    fits: |candidate| candidate.path.is_file() && language(candidate).is_some(),
    read,
};

fn language<'a>(candidate: &Candidate<'a>) -> Option<&'a str> {
    candidate.language.or_else(|| candidate.languages.of_file(candidate.path))
}

fn read(candidate: &Candidate<'_>) -> Result<Manifest, Vec<BotProblem>> {
    let file = candidate.path.file_name().and_then(|name| name.to_str());
    let file =
        file.ok_or_else(|| vec![BotProblem::new(candidate.path, "the file's name is not UTF-8")])?;
    let language = language(candidate).unwrap_or_default();
    let beside = match language {
        "java" => java_classes::find_companions(candidate.path, candidate.bots),
        _ => Vec::new(),
    };
    let entry = Some(file.to_owned());
    Ok(Manifest { entry, beside, ..candidate.plain(language)? })
}
