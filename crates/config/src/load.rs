//! Reader of a whole `tournament.yaml`.

use std::path::Path;

use super::keys::TOURNAMENT;
use super::node::Node;
use super::plain_file::{Unread, read_plain};
use super::problem::{ConfigErrors, Severity, Source};
use super::section::{Item, Reading};
use super::suggest::did_you_mean;
use super::table::Origins;
use super::tournament::{Tournament, folder_of};
use super::yaml::{self, LARGEST_FILE};
use joust_model::escaped;
use joust_referee::Catalogue;

/// Hint for an empty file.
const LEAST: &str = "a tournament has at least `events:` with one game and its bots";

/// Reads the configuration in the file `path`; `games` ship with Joust.
///
/// # Errors
///
/// [`ConfigErrors`] with everything that is wrong with it.
pub fn load(path: &Path, games: &Catalogue) -> Result<Tournament, ConfigErrors> {
    let refuse = |message: String, hint: &str| {
        let mut problem = Source::new(path, "").error(super::Place::START, "", message);
        problem.place = None;
        Err(ConfigErrors(vec![problem.with_hint(hint)]))
    };
    match read_plain(path, LARGEST_FILE) {
        Ok(bytes) => parse_bytes(&bytes, path, games),
        Err(Unread::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => refuse(
            "the file does not exist".to_owned(),
            "name the configuration, go to the folder with the `tournament.yaml`, or make a contest here with `joust init`",
        ),
        Err(error @ Unread::Folder) => {
            refuse(error.to_string(), "name the file `tournament.yaml` in it")
        }
        Err(error @ Unread::NotPlain(_)) => {
            refuse(error.to_string(), "write the configuration to a file and name that")
        }
        Err(error @ Unread::TooLong(_)) => refuse(error.to_string(), "is it the right file?"),
        Err(error @ Unread::Io(_)) => {
            refuse(error.to_string(), "check that it is a file you may read")
        }
    }
}

fn parse_bytes(bytes: &[u8], path: &Path, games: &Catalogue) -> Result<Tournament, ConfigErrors> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text, path, games),
        Err(error) => {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let place = yaml::end_of(&valid);
            let source = Source::new(path, &String::from_utf8_lossy(bytes));
            let problem = source.error(place, "", "the file is not UTF-8");
            Err(ConfigErrors(vec![problem.with_hint("save it with the encoding UTF-8")]))
        }
    }
}

/// Reads the configuration `text`; `path` names it in messages, and relative
/// paths in it are relative to the folder of `path`; `games` ship with Joust.
///
/// # Errors
///
/// [`ConfigErrors`] with everything that is wrong with it.
pub fn parse(text: &str, path: &Path, games: &Catalogue) -> Result<Tournament, ConfigErrors> {
    parse_with_games_in(&folder_of(path), text, path, games)
}

/// Reads as [`parse`] does, but that the folders of the games which the text brings are
/// looked for in another folder.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_with_games_in(
    folder: &Path,
    text: &str,
    path: &Path,
    games: &Catalogue,
) -> Result<Tournament, ConfigErrors> {
    let text = yaml::plain_lines(text);
    let source = Source::new(path, &text);
    let root = yaml::parse(&text, &source, LEAST)?;
    let reading = Reading::new(&source, games).with_games_in(folder);
    let tournament = read(&reading, &root, path);
    let (errors, warnings): (Vec<_>, Vec<_>) = reading
        .into_problems()
        .into_iter()
        .partition(|problem| problem.severity == Severity::Error);
    match tournament {
        Some(mut tournament) if errors.is_empty() => {
            tournament.warnings = warnings;
            Ok(tournament)
        }
        _ => Err(ConfigErrors(errors)),
    }
}

fn read(reading: &Reading<'_>, root: &Node, path: &Path) -> Option<Tournament> {
    let item = Item { reading, path: String::new(), node: root };
    let section = item.section()?;
    let mut tournament = Tournament::blank(reading, root, path);
    TOURNAMENT.set_defaults(&mut tournament);
    TOURNAMENT.read(&section, &mut tournament, &mut Origins::default());
    section.finish();
    check_titles(reading, &tournament);
    Some(tournament)
}

/// Refuses titles of events that there are not.
fn check_titles(reading: &Reading<'_>, tournament: &Tournament) {
    let ids: Vec<&str> = tournament.events.iter().map(|event| event.id.as_str()).collect();
    for id in tournament.site.titles.keys().filter(|id| !ids.contains(&id.as_str())) {
        let message = format!("there is no event `{}`", escaped(id));
        let problem = tournament.error_at(&["site", "titles", id], message);
        reading.report(problem.with_hint(did_you_mean(id, &ids, "its events are")));
    }
}
