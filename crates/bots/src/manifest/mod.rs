//! Manifests: an author's description of a bot. Each format has a file here and a line in
//! `FORMATS`. No code of a bot is run to read one.

mod bot_json;
mod bot_yaml;
mod bot_yaml_keys;
mod lenient_json;
mod python_imports;
mod python_module;
mod server;
mod sources;
mod words;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

pub use bot_yaml_keys::schema;
pub(super) use python_module::agent_of_path;
pub use server::ServerKeys;
pub use words::split as split_words;

use super::name;
use super::problem::BotProblem;
use super::source_language::SourceLanguages;
use joust_config::{PlainFileError, read_plain};
use joust_model::author_without_address;
use joust_referee::GameSpec;

/// Largest size of a manifest, bytes.
const LARGEST: u64 = 64 << 10;

/// A command: the program and its arguments. No shell sees it.
pub type Command = Vec<String>;

/// Description of a bot by its author.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The bot's name, normalised.
    pub name: String,
    /// Author; an address is left out.
    pub author: Option<String>,
    /// Owner, for events that allow one bot each.
    pub owner: Option<String>,
    /// The language's id.
    pub language: String,
    /// The main file, relative to the source.
    pub entry: Option<String>,
    /// Further files and whole folders of a bot that is a single file, relative to the folder that
    /// `entry` is relative to.
    pub beside: Vec<String>,
    /// Commands in place of the language's build.
    pub build: Option<Vec<Command>>,
    /// The command of a turn in place of the language's.
    pub run: Option<Command>,
    /// Arguments before what the game passes.
    pub args: Vec<String>,
    /// Arguments after what the game passes, where the game allows them.
    pub trailing: Vec<String>,
    /// True if it takes part at all.
    pub enabled: bool,
    /// True if it only fills an empty field.
    pub example: bool,
    /// Project of a manifest that names one and the file to run.
    pub project: Option<Project>,
    /// Keys of a bot that is a web server.
    pub server: Option<ServerKeys>,
}

/// Keys of `bot.json` that other manifests lack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// The project's folder, relative to the bot's folder; empty for the bot's folder itself. It
    /// may be missing: Go programs are named by their import path.
    pub folder: String,
    /// The file to run, relative to the bot's folder, as the build of the original
    /// system would have made it.
    pub run_file: String,
    /// The bot's type, in the original's spelling.
    pub bot_type: String,
}

impl Project {
    /// Returns the prefix of the project's paths; empty for the bot's folder.
    pub fn prefix(&self) -> String {
        if self.folder.is_empty() { String::new() } else { format!("{}/", self.folder) }
    }

    /// Returns the name of the program to run as a build on Linux gives it: without `.exe`.
    pub fn program_name(&self) -> &str {
        let name = self.run_file.rsplit('/').next().unwrap_or(&self.run_file);
        match name.len().checked_sub(4).and_then(|at| name.split_at_checked(at)) {
            Some((stem, end)) if end.eq_ignore_ascii_case(".exe") => stem,
            _ => name,
        }
    }
}

/// Places of other bots where there are none.
static NO_OTHERS: BTreeSet<PathBuf> = BTreeSet::new();

/// Possible place of a manifest.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The folder or file an event's glob found.
    pub path: &'a Path,
    /// The game.
    pub game: &'a GameSpec,
    /// The languages.
    pub languages: &'a SourceLanguages,
    /// Name of the bot where `path` is only the place at which its archive was unpacked.
    pub called: Option<&'a str>,
    /// The id of its language, if the tournament sets it.
    pub language: Option<&'a str>,
    /// Absolute paths of all bots: what another of them names is not looked for, as no bot
    /// carries the source of another.
    pub bots: &'a BTreeSet<PathBuf>,
}

impl<'a> Candidate<'a> {
    /// Returns the candidate at `path` whose name and language the tournament leaves open.
    pub fn new(path: &'a Path, game: &'a GameSpec, languages: &'a SourceLanguages) -> Self {
        Self { path, game, languages, called: None, language: None, bots: &NO_OTHERS }
    }

    /// Returns the default name of a bot: the name of its archive, of its folder, or of its file
    /// without the extension. `None` when that is not UTF-8.
    pub(super) fn name(&self) -> Option<&'a str> {
        let stem = if self.path.is_dir() { self.path.file_name() } else { self.path.file_stem() };
        self.called.or_else(|| stem?.to_str())
    }

    /// Returns the manifest of a bot with the default name, in a language.
    fn plain(&self, language: &str) -> Result<Manifest, Vec<BotProblem>> {
        let wrong = |message: String| vec![BotProblem::new(self.path, message)];
        let name = self.name().ok_or_else(|| wrong("its name is not UTF-8".to_owned()))?;
        let name = name::normalise(name).map_err(|error| wrong(error.to_string()))?;
        Ok(Manifest { name, language: language.to_owned(), enabled: true, ..Manifest::default() })
    }
}

/// One way to describe a bot.
struct Format {
    /// Name, which games list if they accept it.
    name: &'static str,
    /// Description of a bot of this form, for people.
    form: &'static str,
    /// Test whether a candidate has this form.
    fits: fn(&Candidate<'_>) -> bool,
    /// Reader of the manifest; its error is everything that is wrong.
    read: fn(&Candidate<'_>) -> Result<Manifest, Vec<BotProblem>>,
}

/// Every form a bot may have; the first that fits is taken.
static FORMATS: [Format; 6] = [
    bot_yaml::FORMAT,
    bot_json::FORMAT,
    server::FORMAT,
    python_module::FORMAT,
    sources::SINGLE_FILE,
    sources::FOLDER,
];

/// Returns the first form that the candidate has and its game accepts.
fn format_of(candidate: &Candidate<'_>) -> Option<&'static Format> {
    accepted(candidate).find(|format| (format.fits)(candidate))
}

/// Returns the forms that the candidate's game accepts.
fn accepted(candidate: &Candidate<'_>) -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|format| candidate.game.accepts(format.name))
}

/// Returns whether the candidate has a form that its game accepts.
pub(super) fn has_form(candidate: &Candidate<'_>) -> bool {
    format_of(candidate).is_some()
}

/// Reads a candidate's manifest.
///
/// # Errors
///
/// Everything that is wrong with it; the accepted forms when it has none.
pub fn read(candidate: &Candidate<'_>) -> Result<Manifest, Vec<BotProblem>> {
    let format = format_of(candidate).ok_or_else(|| vec![no_form(candidate)])?;
    let manifest = (format.read)(candidate)?;
    // From here on it is published in many ways.
    let author = manifest.author.as_deref().and_then(author_without_address);
    let language = candidate.language.map_or(manifest.language, str::to_owned);
    Ok(Manifest { author, language, ..manifest })
}

/// Reads the file of a manifest.
fn read_manifest(file: &Path) -> Result<Vec<u8>, BotProblem> {
    let unreadable = |error: io::Error| BotProblem::io(file, "read", &error);
    if !file.symlink_metadata().map_err(unreadable)?.is_file() {
        let problem = BotProblem::new(file, "not a plain file");
        return Err(problem.hint("neither a link nor a pipe is read"));
    }
    read_plain(file, LARGEST).map_err(|unread| match unread {
        PlainFileError::TooLong(_) => {
            BotProblem::new(file, format!("larger than {} KiB", LARGEST >> 10))
                .hint("a manifest is some lines of keys and values")
        }
        other => unreadable(other.into()),
    })
}

fn no_form(candidate: &Candidate<'_>) -> BotProblem {
    let file = candidate.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = candidate.path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let ("bot.yaml" | "bot.json", Some(folder)) = (file, folder) {
        let name = folder.file_name().unwrap_or(folder.as_os_str());
        let hint = format!("name the folder that it is in: `{}`", name.display());
        return BotProblem::new(candidate.path, "a manifest, not a bot").hint(hint);
    }
    let ending = candidate.path.extension().and_then(|ending| ending.to_str());
    if let Some("7z" | "bz2" | "rar" | "tar" | "xz") = ending {
        let hint = "pack it again as `.zip` or `.tar.gz`";
        return BotProblem::new(candidate.path, "an archive that is not unpacked").hint(hint);
    }
    let forms: Vec<&str> = accepted(candidate).map(|format| format.form).collect();
    let mut hint = format!("a bot of `{}` is {}", candidate.game.id, forms.join(", or "));
    if let Some(file) = python_module::likely(candidate) {
        let beside = candidate.path.parent().unwrap_or(candidate.path);
        let file = file.strip_prefix(beside).unwrap_or(&file);
        hint.push_str(&format!("; here it may be `{}`", file.display()));
    }
    BotProblem::new(candidate.path, "not a bot").hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_windows_has_the_name_its_build_gives_it_here() {
        let name = |run_file: &str| {
            let project = Project { run_file: run_file.to_owned(), ..Project::default() };
            project.program_name().to_owned()
        };
        assert_eq!(name("target/release/rust_bot.EXE"), "rust_bot");
        assert_eq!(name("bot.v1"), "bot.v1");
        assert_eq!(name("é"), "é");
    }
}
