//! Stage of a try: the candidate, its field, and the tournament that they play.

use std::path::Path;

use joust_bots::BotSource;
use joust_config::{Event, Examples, Logs, SeedSource, Tournament};
use joust_model::notices::{Listener, Notice};
use joust_model::{BotRow, ScheduleKind, Seats};
use joust_tables::schedule;

use super::place::{Place, version_of};
use super::request::{CandidateError, Request};
use crate::pipeline::Workshop;

/// Players and the folder of their results.
pub(super) struct Stage<'a> {
    /// The event of the league.
    pub(super) event: &'a Event,
    /// The candidate's name.
    pub(super) name: String,
    /// The candidate's build, in eight digits.
    pub(super) version: String,
    /// Folder of its tries.
    pub(super) place: Place,
    /// The candidate and its opponents, in order of their names.
    pub(super) sources: Vec<BotSource>,
    /// All bots of the field, the candidate not among them.
    pub(super) field: Vec<String>,
    /// The tournament of the try.
    pub(super) tournament: Tournament,
}

impl<'a> Stage<'a> {
    /// Finds candidate and field.
    pub(super) fn set(
        request: &'a Request,
        workshop: &Workshop,
        listener: &dyn Listener,
    ) -> Result<Self, CandidateError> {
        let found = Found::of(request, workshop)?;
        found
            .problems
            .iter()
            .for_each(|problem| listener.notice(&Notice::Warning(problem.clone())));
        let Found { event, candidate, mut field, .. } = found;
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
        let key = workshop.key(&candidate, event).map_err(|reason| CandidateError::NotBuilt {
            bot: name.clone(),
            game: event.game.id().to_owned(),
            reason: reason.to_string(),
        })?;
        field.push(candidate);
        field.sort_by(|one, other| one.name().cmp(other.name()));
        let (version, place) = (version_of(key), Place::of(&request.tournament, &event.id, &name));
        let database = place.database(&version);
        let tournament = staged(&request.tournament, event, &name, &database);
        Ok(Self { event, version, place, sources: field, field: all, tournament, name })
    }

    /// Returns the tournament with so many rounds.
    pub(super) fn tournament(&self, rounds: u32) -> Tournament {
        let mut tournament = self.tournament.clone();
        for event in &mut tournament.events {
            event.bouts = rounds.saturating_mul(event.players_per_match.max(2).into());
        }
        tournament
    }

    /// Returns the event that is played.
    pub(super) fn played(&self) -> &Event {
        &self.tournament.events[0]
    }

    /// Returns the database of this version.
    pub(super) fn database(&self) -> &Path {
        &self.tournament.database
    }

    /// Returns the opponents of each match among the bots that play, each sorted, in the
    /// order of the schedule.
    pub(super) fn groups(&self, rows: &[BotRow]) -> Vec<Vec<String>> {
        let plays = |row: &&BotRow| row.build.is_some() && row.sits_out.is_none();
        let mut names: Vec<&str> = rows.iter().filter(plays).map(|row| &*row.name).collect();
        names.retain(|name| self.sources.iter().any(|source| source.name() == *name));
        names.sort_unstable();
        let schedule = schedule::for_event(&self.tournament, self.played(), &names);
        let others = |group: Vec<usize>| {
            let mut others: Vec<String> = group.iter().map(|bot| names[*bot].to_owned()).collect();
            others.retain(|other| *other != self.name);
            others.sort();
            others
        };
        schedule.iter().flat_map(|whole| whole.matches()).map(others).collect()
    }
}

/// Makes the tournament of a try.
fn staged(tournament: &Tournament, event: &Event, bot: &str, database: &Path) -> Tournament {
    let mut played = event.clone();
    played.id = format!("try-{}", event.id);
    played.schedule = ScheduleKind::Gauntlet { bots: vec![bot.to_owned()] };
    played.mirror = true;
    played.seats = Seats::Drawn;
    played.deadline = None;
    played.examples = Examples::Keep;
    played.logs = Logs::All;
    let mut tournament = tournament.clone();
    tournament.events = vec![played];
    tournament.database = database.to_owned();
    // Versions are compared by the seeds that they share.
    tournament.seed_source = SeedSource::Written;
    tournament.keep_sources = false;
    tournament
}

/// An event's field as it lies there.
#[derive(Clone)]
struct Looked<'a> {
    event: &'a Event,
    field: Vec<BotSource>,
    /// Problems of the field.
    problems: Vec<String>,
}

impl<'a> Looked<'a> {
    fn at(tournament: &Tournament, event: &'a Event, workshop: &Workshop) -> Self {
        let (field, problems) = workshop.survey(tournament, event);
        Self { event, field, problems: problems.iter().map(ToString::to_string).collect() }
    }
}

/// Bots that the request names.
struct Found<'a> {
    event: &'a Event,
    candidate: BotSource,
    field: Vec<BotSource>,
    /// Problems of other bots, which do not play.
    problems: Vec<String>,
}

impl<'a> Found<'a> {
    fn of(request: &'a Request, workshop: &Workshop) -> Result<Self, CandidateError> {
        let tournament = &request.tournament;
        let fields: Vec<Looked<'_>> = events(request)?
            .into_iter()
            .map(|event| Looked::at(tournament, event, workshop))
            .collect();
        let entered: Vec<&Looked<'_>> =
            fields.iter().filter(|one| entered(&one.field, &request.bot).is_some()).collect();
        let only = match (&fields[..], &entered[..]) {
            ([only], _) => only,
            (_, [only]) => *only,
            _ => {
                let ids = fields.iter().map(|one| one.event.id.clone());
                return Err(CandidateError::SeveralEvents(ids.collect()));
            }
        };
        let Looked { event, field, problems } = only.clone();
        let candidate = match entered_or_read(&field, event, &request.bot, workshop)? {
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
fn events(request: &Request) -> Result<Vec<&Event>, CandidateError> {
    let all = &request.tournament.events;
    let Some(wanted) = &request.event else { return Ok(all.iter().collect()) };
    let found: Vec<&Event> = all.iter().filter(|event| event.id == *wanted).collect();
    if found.is_empty() {
        let known = all.iter().map(|event| event.id.clone()).collect();
        return Err(CandidateError::NoSuchEvent { wanted: wanted.clone(), known });
    }
    Ok(found)
}

/// Returns the bot of the field that lies at `bot`, or is called so where nothing lies there.
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
    workshop: &Workshop,
) -> Result<Option<BotSource>, CandidateError> {
    let candidate = match entered(field, bot) {
        Some(candidate) => candidate,
        None if !bot.exists() => return Ok(None),
        None => workshop.read_bot(bot, &event.game).map_err(CandidateError::Unreadable)?,
    };
    match candidate.unreadable.is_empty() {
        true => Ok(Some(candidate)),
        false => Err(CandidateError::Unreadable(candidate.unreadable)),
    }
}
