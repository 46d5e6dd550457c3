//! The native manifest: `bot.yaml` beside the source.
//!
//! Leniencies: a byte order mark; `build`, `run` and `args` as a text that is
//! split into words or as a list; `language` left out when `entry` ends in a
//! known extension. That of a web server may have none of the keys.

use std::num::NonZeroU16;
use std::path::Path;

use super::bot_yaml_keys::{BuildCommands, ManifestKeys};
use super::{Candidate, Format, Manifest, ServerKeys, read_manifest};
use crate::problem::BotProblem;
use crate::source_language::SourceLanguages;
use joust_config::{self as config, KeyFile, Rejection, SourceText, Word};

/// Lines to begin with.
const EXAMPLE: &str = "for instance `name: my bot`";

/// The file's name.
const FILE: &str = "bot.yaml";

/// `bot.yaml`.
pub(super) const FORMAT: Format = Format {
    name: FILE,
    form: "a folder with a `bot.yaml` (keys `name`, `language`, `entry`)",
    fits: is_there,
    read: |candidate| {
        let (languages, given) = (candidate.languages, candidate.language);
        read_known(candidate, ManifestContext { languages, given, server: None })
    },
};

/// Returns whether a candidate has a `bot.yaml`.
pub(super) fn is_there(candidate: &Candidate<'_>) -> bool {
    candidate.path.join(FILE).symlink_metadata().is_ok()
}

/// Reads the manifest of a web server, whose default name is `called`, in its normal form, and
/// whose language may be known.
///
/// # Errors
///
/// Everything that is wrong with it.
pub(super) fn read_server(
    candidate: &Candidate<'_>,
    called: &str,
    language: Option<&str>,
) -> Result<Manifest, Vec<BotProblem>> {
    let languages = candidate.languages;
    read_known(candidate, ManifestContext { languages, given: language, server: Some(called) })
}

fn read_known(
    candidate: &Candidate<'_>,
    known: ManifestContext<'_>,
) -> Result<Manifest, Vec<BotProblem>> {
    let file = candidate.path.join(FILE);
    let bytes = read_manifest(&file).map_err(|problem| vec![problem])?;
    let text = SourceText::decode(&file, bytes).map_err(|errors| of_bot(errors.0))?;
    parse(&file, &text, known)
}

/// Facts known before a manifest is read.
#[derive(Clone, Copy)]
struct ManifestContext<'a> {
    languages: &'a SourceLanguages,
    /// The bot's language, if the tournament sets it.
    given: Option<&'a str>,
    /// The default name of a bot that is a web server; `None` for other bots.
    server: Option<&'a str>,
}

fn of_bot(problems: Vec<config::Problem>) -> Vec<BotProblem> {
    problems.into_iter().map(BotProblem::from).collect()
}

/// Reads the text of a manifest that lies at `file`.
fn parse(file: &Path, text: &str, known: ManifestContext<'_>) -> Result<Manifest, Vec<BotProblem>> {
    let file = KeyFile::parse(text, file, EXAMPLE).map_err(of_bot)?;
    let (keys, mut problems) = file.read::<ManifestKeys>();
    let Some(keys) = keys else { return Err(of_bot(problems)) };
    if !file.has("name") && known.server.is_none() {
        problems.push(missing(&file, "name", "my bot"));
    }
    for key in ["port", "path"].iter().filter(|key| known.server.is_none() && file.has(key)) {
        let hint = "bots of this game have no port: leave it out";
        problems.push(file.error_at(key, Rejection::new("only for web servers", hint)));
    }
    let language = language(&keys, &file, known).unwrap_or_else(|problem| {
        problems.push(*problem);
        String::new()
    });
    if !problems.is_empty() {
        return Err(of_bot(problems));
    }
    let server = known.server.map(|_| ServerKeys {
        port: keys.port.map(NonZeroU16::get),
        path: keys.path.map(|path| path.0).unwrap_or_default(),
    });
    let called = || known.server.unwrap_or_default().to_owned();
    Ok(Manifest {
        name: keys.name.map_or_else(called, |name| name.0),
        author: keys.author.map(|author| author.0),
        owner: keys.owner.map(|owner| owner.0),
        language,
        entry: keys.entry.map(|entry| entry.0),
        build: keys.build.map(BuildCommands::into_commands),
        run: keys.run.map(|run| run.0),
        args: keys.args.map(|args| args.0).unwrap_or_default(),
        enabled: keys.enabled.unwrap_or(true),
        example: keys.example.unwrap_or(false),
        server,
        ..Manifest::default()
    })
}

fn missing(file: &KeyFile, key: &str, example: &str) -> config::Problem {
    let hint = format!("add a line such as `{key}: {example}`");
    file.error_at("", Rejection::new(format!("missing key `{key}`"), hint))
}

/// Returns the language from the manifest, the tournament or the extension of the entry.
fn language(
    keys: &ManifestKeys,
    file: &KeyFile,
    known: ManifestContext<'_>,
) -> Result<String, Box<config::Problem>> {
    let ManifestContext { languages, given, .. } = known;
    if let Some(Word(language)) = &keys.language {
        languages.check(language).map_err(|wrong| file.error_at("language", wrong))?;
        return Ok(language.clone());
    }
    let of_entry = || languages.of_file(Path::new(&keys.entry.as_ref()?.0));
    match given.or_else(of_entry) {
        Some(language) => Ok(language.to_owned()),
        // Its value has been refused.
        None if file.has("language") => Ok(String::new()),
        None => Err(missing(file, "language", "python").into()),
    }
}

#[cfg(test)]
mod tests;
