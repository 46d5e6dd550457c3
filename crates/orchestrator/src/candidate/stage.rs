//! Stage of a try: the event, the candidate and its field.

use std::path::Path;

use joust_bots::{BotProblem, BotSource, PerOwner};
use joust_config::{Event, Tournament};
use joust_model::notices::{Listener, Notice};

use super::folder::{TryFolder, version_of};
use super::request::{CandidateError, TryRequest};
use crate::machine::Machine;
use crate::pipeline::chosen;

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
            listener.notice(&Notice::Warning(problem.to_string()));
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
        let (version, tournament) = (version_of(key), &request.tournament);
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
