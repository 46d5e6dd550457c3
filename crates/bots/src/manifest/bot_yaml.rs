//! The native manifest: `bot.yaml` beside the source.
//!
//! Leniencies: a byte order mark; `build`, `run` and `args` as a text that is
//! split into words or as a list; `language` left out when `entry` ends in a
//! known extension. That of a web server may have none of the keys.

use std::num::NonZeroU16;
use std::path::Path;

use super::bot_yaml_keys::{BuildCommands, ManifestKeys, Word};
use super::{Candidate, Format, Manifest, ServerKeys};
use crate::problem::BotProblem;
use crate::source_language::SourceLanguages;
use joust_config::{self as config, KeyFile, PlainFileError, Rejection, read_plain};

/// Largest size of a manifest, bytes.
const LARGEST: u64 = 64 << 10;

/// Lines to begin with.
const EXAMPLE: &str = "for instance `name: my bot`";

/// The file's name.
const FILE: &str = "bot.yaml";

/// `bot.yaml`.
pub(super) struct BotYaml;

impl Format for BotYaml {
    fn form(&self) -> &'static str {
        "a folder with a `bot.yaml` (keys `name`, `language`, `entry`)"
    }

    fn name(&self) -> &'static str {
        FILE
    }

    fn fits(&self, candidate: &Candidate<'_>) -> bool {
        is_there(candidate)
    }

    fn read(&self, candidate: &Candidate<'_>) -> Result<Manifest, Vec<BotProblem>> {
        let known = ManifestContext {
            languages: candidate.languages,
            given: candidate.language,
            server: None,
        };
        read_known(candidate, known)
    }
}

/// Returns whether a candidate has a `bot.yaml`.
pub(super) fn is_there(candidate: &Candidate<'_>) -> bool {
    candidate.path.join(FILE).symlink_metadata().is_ok()
}

/// Reads the manifest of a web server, whose default name is `called`, in its normal form, and whose language
/// may be known.
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
    let text = load(&file).map_err(|problem| vec![problem])?;
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

fn load(file: &Path) -> Result<String, BotProblem> {
    let unreadable = |error: std::io::Error| BotProblem::io(file, "read", &error);
    let metadata = file.symlink_metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        let problem = BotProblem::new(file, "not a plain file");
        return Err(problem.hint("neither a link nor a pipe is read"));
    }
    let bytes = read_plain(file, LARGEST).map_err(|unread| match unread {
        PlainFileError::Io(error) => unreadable(error),
        PlainFileError::TooLong(_) => {
            BotProblem::new(file, format!("larger than {} KiB", LARGEST >> 10))
                .hint("a manifest is some lines of keys and values")
        }
        other => BotProblem::new(file, other.to_string()),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let last = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let column = String::from_utf8_lossy(last).chars().count() + 1;
        let problem = BotProblem::new(file, "not UTF-8").at(Some((line, column)));
        problem.hint("save it with the encoding UTF-8")
    })
}

/// Reads the text of a manifest that lies at `file`.
fn parse(file: &Path, text: &str, known: ManifestContext<'_>) -> Result<Manifest, Vec<BotProblem>> {
    let of_bot = |problems: Vec<config::Problem>| problems.into_iter().map(BotProblem::from);
    let file =
        KeyFile::parse(text, file, EXAMPLE).map_err(|all| of_bot(all).collect::<Vec<_>>())?;
    let (keys, mut problems) = file.read::<ManifestKeys>();
    let Some(keys) = keys else { return Err(of_bot(problems).collect()) };
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
        return Err(of_bot(problems).collect());
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
        if languages.has(language) {
            return Ok(language.clone());
        }
        let message = format!("unknown language `{language:.64}`");
        let hint = languages.suggest(language);
        return Err(file.error_at("language", Rejection::new(message, hint)).into());
    }
    let extension = keys.entry.as_ref().and_then(|entry| Path::new(&entry.0).extension()?.to_str());
    let of_extension = || extension.and_then(|extension| languages.of_extension(extension));
    match given.or_else(of_extension) {
        Some(language) => Ok(language.to_owned()),
        // Its value has been refused.
        None if file.has("language") => Ok(String::new()),
        None => Err(missing(file, "language", "python").into()),
    }
}

#[cfg(test)]
mod tests;
