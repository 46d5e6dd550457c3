//! Stage of a try: the event, the candidate and its field, and the folder of its tries, with a
//! database for each version.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use joust_bots::{BotProblem, BotSource, PerOwner};
use joust_config::{Event, Tournament};
use joust_model::digest_text;
use joust_model::notices::Listener;
use joust_store::StoreError;

use crate::machine::Machine;
use crate::pipeline::{RunError, RunOptions, chosen};

/// Players and the folder of their results.
pub(super) struct TryStage<'a> {
    /// The tournament of the league, and its event.
    pub(super) tournament: &'a Tournament,
    pub(super) event: &'a Event,
    /// The candidate's name.
    pub(super) name: String,
    /// The candidate's build, in eight digits.
    pub(super) version: String,
    /// Folder of its tries.
    pub(super) folder: TryFolder,
    /// The candidate and its opponents, in order of their names.
    pub(super) sources: Vec<BotSource>,
    /// All bots of the field, the candidate not among them.
    pub(super) field: Vec<String>,
}

impl<'a> TryStage<'a> {
    /// Finds candidate and field.
    pub(super) fn find(
        request: &'a TryRequest,
        machine: &Machine,
        listener: &dyn Listener,
    ) -> Result<Self, CandidateError> {
        let (event, mut field, problems) = field_of(request, machine)?;
        for problem in &problems {
            listener.warn(problem.to_string());
        }
        let candidate = candidate(&field, event, &request.bot, machine)?;
        let name = candidate.name().to_owned();
        field.retain(|bot| bot.name() != name);
        let all: Vec<String> = field.iter().map(|bot| bot.name().to_owned()).collect();
        if let Some(unknown) = request.against.iter().find(|wanted| !all.contains(wanted)) {
            let (event, wanted) = (event.id.clone(), unknown.clone());
            return Err(CandidateError::NoSuchOpponent { event, wanted, known: all });
        }
        field.retain(|bot| {
            request.against.is_empty() || request.against.iter().any(|name| name == bot.name())
        });
        let key = machine.builder(event).key(&candidate);
        let key = key.map_err(|reason| not_built(&name, event, reason.to_string()))?;
        field.push(candidate);
        field.sort_by(|one, other| one.name().cmp(other.name()));
        let (version, tournament) = (key.to_string()[..DIGITS].to_owned(), &request.tournament);
        let folder = TryFolder::of(tournament, &event.id, &name);
        Ok(Self { tournament, event, version, folder, sources: field, field: all, name })
    }

    /// Returns the error of a candidate that is not built.
    pub(super) fn not_built(&self, reason: String) -> CandidateError {
        not_built(&self.name, self.event, reason)
    }
}

fn not_built(bot: &str, event: &Event, reason: String) -> CandidateError {
    CandidateError::NotBuilt { bot: bot.to_owned(), game: event.game.id().to_owned(), reason }
}

/// An event, the bots in its field, and the problems of others, which do not play.
type EventField<'a> = (&'a Event, Vec<BotSource>, Vec<BotProblem>);

/// Returns the only event that may be meant, or the only one that has the candidate.
fn field_of<'a>(
    request: &'a TryRequest,
    machine: &Machine,
) -> Result<EventField<'a>, CandidateError> {
    let tournament = &request.tournament;
    let read = |event| {
        let (field, problems) = machine.find_bots(tournament, event, PerOwner::Any);
        (event, field, problems)
    };
    let events = chosen(tournament, request.event.as_slice())?;
    let ids = events.iter().map(|event| event.id.clone()).collect();
    let mut fields: Vec<EventField<'_>> = events.into_iter().map(read).collect();
    if fields.len() > 1 {
        fields.retain(|(_, field, _)| entered(field, &request.bot).is_some());
    }
    match (fields.pop(), fields.is_empty()) {
        (Some(only), true) => Ok(only),
        _ => Err(CandidateError::SeveralEvents(ids)),
    }
}

/// Returns the bot of the field at the path `bot`, or the one of that name if nothing is at the
/// path.
fn entered(field: &[BotSource], bot: &Path) -> Option<BotSource> {
    let found = match bot.canonicalize() {
        Ok(place) => {
            let is_there = |source: &&BotSource| {
                [&source.found, &source.source]
                    .into_iter()
                    .any(|path| path.canonicalize().is_ok_and(|path| path == place))
            };
            field.iter().find(is_there)
        }
        Err(_) => field.iter().find(|source| bot.to_str() == Some(source.name())),
    };
    found.cloned()
}

/// Returns the candidate: a bot of the field, or the one at the path `bot`.
fn candidate(
    field: &[BotSource],
    event: &Event,
    bot: &Path,
    machine: &Machine,
) -> Result<BotSource, CandidateError> {
    let candidate = match entered(field, bot) {
        Some(candidate) => candidate,
        None if bot.exists() => {
            machine.read_bot(bot, &event.game).map_err(CandidateError::Unreadable)?
        }
        None => {
            let known = field.iter().map(|bot| bot.name().to_owned()).collect();
            return Err(CandidateError::NoCandidate { wanted: bot.to_owned(), known });
        }
    };
    match candidate.unreadable.is_empty() {
        true => Ok(candidate),
        false => Err(CandidateError::Unreadable(candidate.unreadable)),
    }
}

/// The list of versions, in the order they were tried in.
const LIST: &str = "versions";

/// Digits of a build that name a version.
const DIGITS: usize = 8;

/// The largest list that is read, bytes.
const LARGEST_LIST: u64 = 1 << 20;

/// Folder of a bot's tries.
pub(super) struct TryFolder {
    pub(super) folder: PathBuf,
}

impl TryFolder {
    /// Returns the folder of the bot called `bot` in an event.
    pub(super) fn of(tournament: &Tournament, event: &str, bot: &str) -> Self {
        let top = tournament.folder.strip_prefix(".").unwrap_or(&tournament.folder);
        let folder = top.join(".joust").join("try");
        Self { folder: folder.join(event).join(file_name(bot)) }
    }

    /// Returns the database of a version.
    pub(super) fn database(&self, version: &str) -> PathBuf {
        self.folder.join(format!("{version}.db"))
    }

    /// Creates the folder, in which files can be made. Nothing in it is a bot's source.
    pub(super) fn create(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        tempfile::tempfile_in(&self.folder).map(drop)
    }

    /// Returns the version that was tried last before `version`, of those that are there.
    pub(super) fn last_before(&self, version: &str) -> Option<String> {
        let mut others = self.versions().into_iter().rev().filter(|other| other != version);
        others.find(|other| self.database(other).is_file())
    }

    /// Records that a version is tried, as the newest one.
    pub(super) fn note(&self, version: &str) -> io::Result<()> {
        if self.versions().last().is_some_and(|last| last == version) {
            return Ok(());
        }
        let mut list = OpenOptions::new().create(true).append(true).open(self.list())?;
        writeln!(list, "{version}")
    }

    fn list(&self) -> PathBuf {
        self.folder.join(LIST)
    }

    /// Reads the list of versions. Lines that are no version are skipped, because people may edit
    /// the file.
    fn versions(&self) -> Vec<String> {
        let list = self.list();
        let is_small = fs::metadata(&list).is_ok_and(|file| file.len() <= LARGEST_LIST);
        let text = if is_small { fs::read(&list).unwrap_or_default() } else { Vec::new() };
        let text = String::from_utf8_lossy(&text);
        let is_version =
            |line: &&str| line.len() == DIGITS && line.bytes().all(|byte| byte.is_ascii_hexdigit());
        text.lines().map(str::trim).filter(is_version).map(str::to_owned).collect()
    }
}

/// Returns a bot's name as a folder's; different names have different folders.
fn file_name(bot: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    let plain: String = bot.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    if plain == bot && bot.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return plain;
    }
    format!("{plain}-{}", digest_text("joust-try-1", &[bot.as_bytes()], DIGITS))
}

/// Request.
#[derive(Clone, Debug)]
pub struct TryRequest {
    /// The tournament whose field the candidate meets.
    pub tournament: Tournament,
    /// Path of the candidate, or the name of a bot of the field.
    pub bot: PathBuf,
    /// The event; `None` for the only one, or the one that has the candidate.
    pub event: Option<String>,
    /// Opponents by name; all when it is empty.
    pub against: Vec<String>,
    /// Time for bouts.
    pub time: Duration,
    /// Options of the runs: `jobs`, `isolation` and `cache` count.
    pub run: RunOptions,
}

/// Reason why a candidate was not tried.
#[derive(Debug, thiserror::Error)]
pub enum CandidateError {
    /// The tournament has several events, and none was named.
    #[error("the tournament has several events: {}", .0.join(", "))]
    SeveralEvents(Vec<String>),
    /// There is nothing to try.
    #[error("there is neither a file nor a bot `{}`", joust_model::escaped(&.wanted.display().to_string()))]
    NoCandidate {
        /// Name that was asked for.
        wanted: PathBuf,
        /// The bots of the field.
        known: Vec<String>,
    },
    /// The candidate's files cannot be used.
    #[error("{}", .0.iter().map(|problem| format!("error: {problem}")).collect::<Vec<_>>().join("\n"))]
    Unreadable(Vec<BotProblem>),
    /// The field has no such bot.
    #[error("the field of `{event}` has no bot `{}`", joust_model::escaped(.wanted))]
    NoSuchOpponent {
        /// The event.
        event: String,
        /// Name that was asked for.
        wanted: String,
        /// The bots there are, without the candidate.
        known: Vec<String>,
    },
    /// There are too few bots to play against.
    #[error("`{event}` has {} to play against, and a match takes {players}", joust_model::counted(*.opponents, "bot"))]
    TooFew {
        /// The event.
        event: String,
        /// Bots that could be built, without the candidate.
        opponents: usize,
        /// Bots of a match, the candidate included.
        players: u8,
    },
    /// The candidate cannot be built, and why, on several lines, escaped.
    #[error("`{}` cannot be built: {reason}", joust_model::escaped(.bot))]
    NotBuilt {
        /// The candidate.
        bot: String,
        /// Its game.
        game: String,
        /// Why.
        reason: String,
    },
    /// Databases of tries cannot be kept.
    #[error("`{}` cannot be written", .folder.display())]
    Folder {
        /// Their folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(folder: PathBuf) -> TryFolder {
        TryFolder { folder }
    }

    #[test]
    fn the_last_version_is_the_one_tried_before_whatever_came_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = place(folder.path().join("ann"));
        place.create().expect("a folder");
        assert_eq!(place.last_before("aaaaaaaa"), None);
        for version in ["aaaaaaaa", "bbbbbbbb", "aaaaaaaa", "aaaaaaaa"] {
            place.note(version).expect("a line");
            fs::write(place.database(version), "").expect("a file");
        }
        assert_eq!(place.last_before("aaaaaaaa").as_deref(), Some("bbbbbbbb"));
        assert_eq!(place.last_before("cccccccc").as_deref(), Some("aaaaaaaa"));
        fs::remove_file(place.database("aaaaaaaa")).expect("it was there");
        assert_eq!(place.last_before("cccccccc").as_deref(), Some("bbbbbbbb"));
        assert_eq!(fs::read_to_string(place.list()).unwrap().lines().count(), 3);
    }

    #[test]
    fn a_folder_in_which_no_file_can_be_made_is_no_place() {
        assert!(place("/proc/self".into()).create().is_err());
    }

    #[test]
    fn a_list_of_rubbish_is_no_list() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = place(folder.path().to_owned());
        fs::write(place.list(), b"../../etc\n\xff\xfe\naaaa\nzzzzzzzz\n").expect("a file");
        assert_eq!(place.last_before("aaaaaaaa"), None);
    }

    #[test]
    fn names_that_no_folder_has_get_one_of_their_own() {
        assert_eq!(file_name("sniper-2.1"), "sniper-2.1");
        let names = ["Ann", "ann", "..", "ü", "ö", "a b", "a_b"].map(file_name);
        assert!(
            names.iter().all(|name| name.is_ascii() && !name.contains(['/', ' '])),
            "{names:?}"
        );
        let mut folded = names.map(|name| name.to_lowercase()).to_vec();
        folded.sort();
        folded.dedup();
        assert_eq!(folded.len(), 7, "{folded:?}");
    }
}
