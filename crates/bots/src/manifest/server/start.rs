//! Start of a server, from the files of the systems that it was written for. They are read, never
//! run.

use std::path::{Component, Path};

use joust_config::read_plain;

use super::{dockerfile, package_json, procfile, replit, words};
use crate::manifest::{Command, split_words};
use crate::source_language::SourceLanguages;

/// Largest file that is read, bytes.
const LARGEST: u64 = 64 << 10;

/// Reader of a file's text; `None` where the file starts nothing.
type Reader = fn(&str) -> Option<StartLine>;

/// Files that start a server, in the order of trust.
const FILES: [(&str, Reader); 4] = [
    ("Procfile", procfile::read),
    ("Dockerfile", dockerfile::read),
    (".replit", replit::read),
    (PACKAGE, package_json::read),
];

/// File whose scripts other files name.
const PACKAGE: &str = "package.json";

/// File that names the libraries whose modules may be servers.
const REQUIREMENTS: &str = "requirements.txt";

/// Command of a file, and the steps of the build that it names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StartLine {
    /// The command: at least one word.
    pub(super) run: Command,
    /// Steps of the build.
    pub(super) build: Vec<Command>,
}

/// Start that was found; what is `None` is left to the language.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FoundStart {
    pub(super) language: Option<String>,
    pub(super) entry: Option<String>,
    pub(super) run: Option<Command>,
    pub(super) build: Option<Vec<Command>>,
}

/// Finds how the server in `folder` is started: by the first file whose command could start here,
/// else by the language that the files of the folder show.
pub(super) fn find(folder: &Path, languages: &SourceLanguages) -> FoundStart {
    let package = package_json::parse(&read(folder, PACKAGE).unwrap_or_default());
    let found = FILES.iter().find_map(|(name, reader)| {
        let line = reader(&read(folder, name)?)?;
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
    let is_of_package = program.starts_with(package_json::PROGRAMS);
    let known = if is_of_package { package_json::INTERPRETER } else { program };
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
        let needs = read(folder, REQUIREMENTS)?.to_lowercase();
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
fn read(folder: &Path, name: &str) -> Option<String> {
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
