//! Folder with a web server, as its author deploys it. Files of other systems say how it is
//! started; a `bot.yaml` beside them may say it instead.

mod start_files;
#[cfg(test)]
mod tests;

use std::path::{Component, Path};

use joust_config::read_plain;

use super::{Candidate, Command, Format, Manifest, bot_yaml, split_words, words};
use crate::problem::BotProblem;
use crate::source_language::SourceLanguages;
use start_files::StartLine;

/// Keys of bots that are web servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerKeys {
    /// Port at which it listens whatever it is given; `None` for the port that it is given.
    pub port: Option<u16>,
    /// Prefix of the paths of all requests: empty, or `/` and a name.
    pub path: String,
}

/// Start that was found; what is `None` is left to the language.
#[derive(Debug, Default, PartialEq, Eq)]
struct FoundStart {
    language: Option<String>,
    entry: Option<String>,
    run: Option<Command>,
    build: Option<Vec<Command>>,
}

/// Largest file that is read, bytes.
const LARGEST: u64 = 64 << 10;

/// Reader of a file's text; `None` where the file starts nothing.
type Reader = fn(&str) -> Option<StartLine>;

/// Files that start a server, in the order of trust.
const FILES: [(&str, Reader); 4] = [
    ("Procfile", start_files::read_procfile),
    ("Dockerfile", start_files::read_dockerfile),
    (".replit", start_files::read_replit),
    (PACKAGE, start_files::read_package),
];

/// File whose scripts other files name.
const PACKAGE: &str = "package.json";

/// File that names the libraries whose modules may be servers.
const REQUIREMENTS: &str = "requirements.txt";

/// A folder with a web server.
pub(super) const FORMAT: Format = Format {
    name: "server",
    form: "a folder with a web server (its main file, a `Procfile`, `Dockerfile`, `.replit` or \
           `package.json` says how it is started, or a `bot.yaml` with `language`, `build`, `run`)",
    fits: |candidate| candidate.path.is_dir(),
    read,
};

fn read(candidate: &Candidate<'_>) -> Result<Manifest, Vec<BotProblem>> {
    let found = find(candidate.path, candidate.languages);
    let language = candidate.language.or(found.language.as_deref());
    let plain = candidate.plain(language.unwrap_or_default())?;
    if bot_yaml::is_there(candidate) {
        let manifest = bot_yaml::read_server(candidate, &plain.name, language)?;
        return Ok(with_start(manifest, found));
    }
    if language.is_none() {
        let problem = BotProblem::new(candidate.path, "its language is not clear");
        return Err(vec![problem.hint("a `bot.yaml` in it may say `language: python`")]);
    }
    Ok(with_start(Manifest { server: Some(ServerKeys::default()), ..plain }, found))
}

/// Adds the start that was found to a manifest that sets none. A start in another language is not
/// the bot's.
fn with_start(manifest: Manifest, found: FoundStart) -> Manifest {
    let is_of_another = found.language.is_some_and(|language| language != manifest.language);
    let Manifest { entry, run, build, .. } = &manifest;
    if is_of_another || entry.is_some() || run.is_some() {
        let run = run.as_ref().map(|run| run.iter().map(|word| words::with_port(word)).collect());
        return Manifest { run, ..manifest };
    }
    let build = build.clone().or(found.build);
    Manifest { entry: found.entry, run: found.run, build, ..manifest }
}

/// Finds how the server in `folder` is started: by the first file whose command could start here,
/// else by the language that the files of the folder show.
fn find(folder: &Path, languages: &SourceLanguages) -> FoundStart {
    let package = start_files::parse_package(&read_text(folder, PACKAGE).unwrap_or_default());
    let found = FILES.iter().find_map(|(name, reader)| {
        let line = reader(&read_text(folder, name)?)?;
        usable(folder, languages, StartLine { run: package.expand(line.run), ..line })
    });
    let found = found.unwrap_or_default();
    let shown = languages.of_server(|name| is_file(folder, name));
    let Some((language, file)) = shown.filter(|_| found.language.is_none()) else { return found };
    let is_source = languages.of_file(Path::new(file)) == Some(language);
    let entry = Some(file.to_owned()).filter(|_| is_source && found.run.is_none());
    FoundStart { language: Some(language.to_owned()), entry, ..found }
}

/// Returns how a command starts a bot here; `None` if it names a program that other systems have,
/// or has a shell begin with another program than a language's. A main file alone is started as its
/// language starts it.
fn usable(folder: &Path, languages: &SourceLanguages, line: StartLine) -> Option<FoundStart> {
    let StartLine { run, build } = line;
    if let Some(text) = words::line_of_shell(&run) {
        let words = split_words(text).ok()?;
        let language = languages.of_command(words::divide(&words).1.first()?)?;
        return Some(FoundStart {
            language: Some(language.to_owned()),
            run: Some(run),
            ..FoundStart::default()
        });
    }
    let run = by_module(folder, languages, run);
    let (settings, command) = words::divide(&run);
    let (program, arguments) = command.split_first()?;
    let run = [&settings[..], command].concat();
    let is_of_package = program.starts_with(start_files::PROGRAMS);
    let known = if is_of_package { start_files::INTERPRETER } else { program };
    if let Some(language) = languages.of_command(known) {
        let language = Some(language.to_owned());
        return Some(match arguments {
            [file] if settings.is_empty() && !is_of_package && is_file(folder, file) => {
                let entry = Some(file.trim_start_matches("./").to_owned());
                FoundStart { language, entry, ..FoundStart::default() }
            }
            // A file of another place, as the last stage of a `Dockerfile` copies it.
            [file] if file.contains('.') && !file.contains('/') && !is_file(folder, file) => {
                return None;
            }
            _ => FoundStart { language, run: Some(run), ..FoundStart::default() },
        });
    }
    let is_inside = program.contains('/') && stays_inside(program);
    let build = Some(build).filter(|steps| !steps.is_empty());
    let is_made = build.is_some() && !is_file(folder, program);
    let build = build.filter(|_| is_made);
    (is_inside && (is_made || is_file(folder, program))).then_some(FoundStart {
        run: Some(run),
        build,
        ..FoundStart::default()
    })
}

/// Starts a module of the libraries that the folder names by the language's own command.
fn by_module(folder: &Path, languages: &SourceLanguages, run: Command) -> Command {
    let (settings, command) = words::divide(&run);
    let interpreter = command.first().and_then(|program| {
        let needs = read_text(folder, REQUIREMENTS)?.to_lowercase();
        needs.contains(program).then(|| languages.of_module(program)).flatten()
    });
    match interpreter {
        Some(interpreter) => {
            [&settings[..], &[interpreter.to_owned(), "-m".to_owned()], command].concat()
        }
        None => run,
    }
}

/// Reads a file of the folder; `None` for links, files that are too long, and what is not UTF-8.
fn read_text(folder: &Path, name: &str) -> Option<String> {
    if !is_file(folder, name) {
        return None;
    }
    String::from_utf8(read_plain(&folder.join(name), LARGEST).ok()?).ok()
}

fn is_file(folder: &Path, path: &str) -> bool {
    stays_inside(path) && folder.join(path).symlink_metadata().is_ok_and(|file| file.is_file())
}

fn stays_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
