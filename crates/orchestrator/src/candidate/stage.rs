//! Stage of a try: the event, the candidate and its field.

use std::path::Path;

use joust_bots::BotSource;
use joust_config::{Event, Tournament};
use joust_model::notices::{Listener, Notice};

use super::folder::{TryFolder, version_of};
use super::request::{CandidateError, TryRequest};
use crate::machine::Machine;

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
        let found = FoundCandidate::of(request, machine)?;
        found
            .problems
            .iter()
            .for_each(|problem| listener.notice(&Notice::Warning(problem.clone())));
        let FoundCandidate { event, candidate, mut field, .. } = found;
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
        let key = machine.key(&candidate, event);
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

/// An event and the bots in its field.
#[derive(Clone)]
struct EventField<'a> {
    event: &'a Event,
    field: Vec<BotSource>,
    problems: Vec<String>,
}

impl<'a> EventField<'a> {
    fn read(tournament: &Tournament, event: &'a Event, machine: &Machine) -> Self {
        let (field, problems) = machine.find_bots(tournament, event);
        Self { event, field, problems: problems.iter().map(ToString::to_string).collect() }
    }
}

/// Candidate that the request names, and its field.
struct FoundCandidate<'a> {
    event: &'a Event,
    candidate: BotSource,
    field: Vec<BotSource>,
    /// Problems of other bots, which do not play.
    problems: Vec<String>,
}

impl<'a> FoundCandidate<'a> {
    fn of(request: &'a TryRequest, machine: &Machine) -> Result<Self, CandidateError> {
        let tournament = &request.tournament;
        let fields: Vec<EventField<'_>> = events(request)?
            .into_iter()
            .map(|event| EventField::read(tournament, event, machine))
            .collect();
        let entered: Vec<&EventField<'_>> =
            fields.iter().filter(|one| entered(&one.field, &request.bot).is_some()).collect();
        let only = match (&fields[..], &entered[..]) {
            ([only], _) => only,
            (_, [only]) => *only,
            _ => {
                let ids = fields.iter().map(|one| one.event.id.clone());
                return Err(CandidateError::SeveralEvents(ids.collect()));
            }
        };
        let EventField { event, field, problems } = only.clone();
        let candidate = match entered_or_read(&field, event, &request.bot, machine)? {
            Some(candidate) => candidate,
            None => {
                let known = field.iter().map(|bot| bot.name().to_owned()).collect();
                return Err(CandidateError::NoCandidate { wanted: request.bot.clone(), known });
            }
        };
        Ok(Self { event, candidate, field, problems })
    }
}

/// Returns the events that may be meant.
fn events(request: &TryRequest) -> Result<Vec<&Event>, CandidateError> {
    let all = &request.tournament.events;
    let Some(wanted) = &request.event else { return Ok(all.iter().collect()) };
    let found: Vec<&Event> = all.iter().filter(|event| event.id == *wanted).collect();
    if found.is_empty() {
        let known = all.iter().map(|event| event.id.clone()).collect();
        return Err(CandidateError::NoSuchEvent { wanted: wanted.clone(), known });
    }
    Ok(found)
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

fn entered_or_read(
    field: &[BotSource],
    event: &Event,
    bot: &Path,
    machine: &Machine,
) -> Result<Option<BotSource>, CandidateError> {
    let candidate = match entered(field, bot) {
        Some(candidate) => candidate,
        None if !bot.exists() => return Ok(None),
        None => machine.read_bot(bot, &event.game).map_err(CandidateError::Unreadable)?,
    };
    match candidate.unreadable.is_empty() {
        true => Ok(Some(candidate)),
        false => Err(CandidateError::Unreadable(candidate.unreadable)),
    }
}
