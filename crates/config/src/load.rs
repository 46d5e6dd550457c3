//! Reader of a whole `tournament.yaml`, and comparison of two that differ in the paths of their bots
//! only.

use std::collections::BTreeSet;
use std::path::Path;

use joust_model::{Seed, escaped};
use joust_referee::Catalogue;

use super::derived_schema::schema_of;
use super::events::read_events;
use super::games::Games;
use super::keys::tournament::{SeedSetting, TournamentKeys};
use super::plain_file::{PlainFileError, folder_of, read_plain};
use super::problem::{ConfigErrors, Problem, Severity, SourceText};
use super::read::{Cursor, KeyFile};
use super::rejection::{Rejection, did_you_mean};
use super::tournament::{Event, SeedSource, Tournament};
use super::yaml::{self, LARGEST_FILE};

/// Hint for an empty file.
const LEAST: &str = "a tournament has at least `events:` with one game and its bots";

/// Reads the configuration in the file `path`; `games` ship with Joust.
///
/// # Errors
///
/// [`ConfigErrors`] with everything that is wrong with it.
pub fn load(path: &Path, games: &Catalogue) -> Result<Tournament, ConfigErrors> {
    let error = match read_plain(path, LARGEST_FILE) {
        Ok(bytes) => return parse(&SourceText::decode(path, bytes)?, path, games),
        Err(error) => error,
    };
    let mut message = error.to_string();
    let hint = match error {
        PlainFileError::Io(error) if error.kind() == std::io::ErrorKind::NotFound => {
            "the file does not exist".clone_into(&mut message);
            "name the configuration, go to the folder with the `tournament.yaml`, or make a contest here with `joust init`"
        }
        PlainFileError::Folder => "name the file `tournament.yaml` in it",
        PlainFileError::NotPlain(_) => "write the configuration to a file and name that",
        PlainFileError::TooLong(_) => "is it the right file?",
        PlainFileError::Io(_) => "check that it is a file you may read",
    };
    Err(ConfigErrors(vec![Problem::of_file(path, message).with_hint(hint)]))
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

/// Reads as [`parse`] does, but looks in another folder for the files that the text names: its own
/// games, and lists of libraries.
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
    let file = KeyFile::parse(text, path, LEAST).map_err(ConfigErrors)?;
    let read_file = |cursor: &Cursor<'_>| read(cursor, path, folder, games);
    let (tournament, problems) = file.read_with(schema_of::<TournamentKeys>, read_file);
    let (errors, warnings): (Vec<_>, Vec<_>) =
        problems.into_iter().partition(|problem| problem.severity == Severity::Error);
    match tournament {
        Some(tournament) if errors.is_empty() => Ok(Tournament { warnings, ..tournament }),
        _ => Err(ConfigErrors(errors)),
    }
}

fn read(file: &Cursor<'_>, path: &Path, files: &Path, shipped: &Catalogue) -> Option<Tournament> {
    let keys: TournamentKeys = file.read()?;
    if keys.languages.len() > MOST_LANGUAGES {
        let message = format!("a tournament defines at most {MOST_LANGUAGES} languages");
        file.get("languages")?.refuse(Rejection::bare(message));
        return None;
    }
    let folder = folder_of(path);
    let games = Games::read(file, &keys.games, files, shipped);
    let events = read_events(file, files, &games);
    check_titles(file, &events);
    let (seed, seed_source) = match keys.seed {
        SeedSetting::Number(seed) => (Seed(seed.0), SeedSource::Written),
        SeedSetting::Text(_) => (Seed(0), SeedSource::ToDraw),
    };
    Some(Tournament {
        name: keys.name.0.clone(),
        seed,
        seed_source,
        database: folder.join(&keys.database.0),
        file: path.to_owned(),
        folder,
        keep_sources: keys.keep_sources,
        games: games.catalogue,
        external: games.external,
        events,
        report: keys.report.clone().into(),
        site: keys.site.clone().into(),
        entries: keys.entries.clone(),
        languages: keys.languages.clone(),
        warnings: Vec::new(),
        keys,
        source: file.source().clone(),
        root: file.node.clone(),
    })
}

/// Most languages of a tournament.
const MOST_LANGUAGES: usize = 500;

/// Most titles that are refused: each is compared with all events.
const MOST_TITLES: usize = 20;

/// Refuses titles of events that there are not.
fn check_titles(file: &Cursor<'_>, events: &[Event]) {
    let Some(titles) = file.find(&["site", "titles"]) else { return };
    let ids: Vec<&str> = events.iter().map(|event| event.id.as_str()).collect();
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    let mut unknown = titles.entries(None);
    unknown.retain(|(entry, _)| !known.contains(entry.key.as_str()));
    for (entry, title) in unknown.into_iter().take(MOST_TITLES) {
        let message = format!("there is no event `{}`", escaped(&entry.key));
        let hint = did_you_mean(&entry.key, &ids, "its events are");
        title.refuse(Rejection::new(message, hint));
    }
}

/// Returns whether two tournament files are equal except for the `bots` of their events, so that
/// the later one adds a bot and changes nothing else. False when
/// one of them cannot be read.
pub fn differ_in_bots_only(one: &str, other: &str) -> bool {
    without_bots(one).is_some_and(|one| Some(one) == without_bots(other))
}

/// Returns whether two tournament files have the same comments in the same order: editors and
/// other tools obey some. A `#` within a text counts as one, and so does a directive.
pub fn have_equal_comments(one: &str, other: &str) -> bool {
    let comments = |text: &str| -> Vec<String> {
        let lines = yaml::plain_lines(text);
        let start = |line: &str| if line.starts_with('%') { Some(0) } else { line.find('#') };
        lines.lines().filter_map(|line| Some(line[start(line)?..].to_owned())).collect()
    };
    comments(one) == comments(other)
}

fn without_bots(text: &str) -> Option<serde_json::Value> {
    let mut root = yaml::read(&yaml::plain_lines(text)).ok()?.to_json();
    for event in root.get_mut("events")?.as_array_mut()? {
        event.as_object_mut()?.remove("bots");
    }
    Some(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_bots_of_an_event_may_differ() {
        let base = "name: a\nevents: [{ game: g, bots: [x] }]";
        assert!(differ_in_bots_only(base, "events: [{ bots: [x, y], game: g }]\nname: a"));
        assert!(!differ_in_bots_only(base, "name: b\nevents: [{ game: g, bots: [x] }]"));
        assert!(!differ_in_bots_only(base, "name: a\nevents: [{ game: h, bots: [x] }]"));
        assert!(!differ_in_bots_only(base, "name: [a"));
        assert!(!differ_in_bots_only("name: a", "name: a"), "no events, no tournament");
    }

    #[test]
    fn comments_count_wherever_they_stand() {
        let base = "# an editor's line\nevents: # all\n- bots: [x] # mine\n";
        assert!(have_equal_comments(base, &base.replace("[x]", "[x, y]")));
        assert!(!have_equal_comments(base, &base.replace("# all", "# none")));
        assert!(!have_equal_comments(base, &base.replace("# mine", "")));
        assert!(!have_equal_comments(base, &format!("{base}# vim: set modeline\n")));
        assert!(!have_equal_comments(base, &format!("%X vim: set modeline\n---\n{base}")));
    }
}
