//! Effective configuration, every value written out.

use joust_model::ScheduleKind;

use super::build::CalibrationSettings;
use super::event::{Event, Pattern};
use super::events::{has_bots_that_stay, has_bots_that_wait};
use super::keys::bots::{BotEntry, BotKeys, Glob};
use super::keys::event::{Deadline, EventId, EventKeys};
use super::keys::libraries::Provides;
use super::keys::limits::CalibrationKeys;
use super::keys::schedule::Schedule;
use super::keys::tournament::{SeedSetting, TournamentKeys};
use super::tournament::{SeedSource, Tournament};
use super::values::{Count, Paragraphs};
use super::yaml;

/// Writes the effective configuration as YAML: read from the same folder it
/// gives the same tournament again.
#[must_use]
pub fn show(tournament: &Tournament) -> String {
    let keys = TournamentKeys {
        seed: match tournament.seed_source {
            SeedSource::Written => SeedSetting::Number(tournament.seed.0),
            SeedSource::ToDraw | SeedSource::Drawn => SeedSetting::Drawn,
        },
        defaults: None,
        events: tournament.events.iter().map(keys_of).collect(),
        ..tournament.keys.clone()
    };
    let all = serde_yaml::to_string(&keys).expect("plain values are YAML");
    // Keys with nothing behind them are left out, unless the text is too long to be read.
    match yaml::read(&all) {
        Ok(node) => serde_yaml::to_string(&node).expect("plain values are YAML"),
        Err(_) => all,
    }
}

/// Returns the keys that give an event.
fn keys_of(event: &Event) -> EventKeys {
    let spec = event.game.spec();
    EventKeys {
        id: Some(EventId(event.id.clone())),
        game: event.game.id().to_owned(),
        rules: Some(event.rules.clone()),
        options: event.options.clone(),
        clock: event.clock,
        pondering: Some(event.limits.pondering).filter(|_| has_bots_that_wait(spec)),
        programs: Some(event.limits.programs).filter(|_| has_bots_that_stay(spec)),
        start: event.limits.starts,
        bots: event.bots.iter().map(entry_of).collect(),
        bouts: Some(Count(event.bouts)),
        mirror: Some(event.mirror),
        seats: event.seats,
        players_per_match: Some(Count(event.players_per_match.into())),
        schedule: Some(Schedule(ScheduleKind::clone(&event.schedule))),
        limits: (&event.limits).into(),
        build: (&event.build).into(),
        calibration: calibration_of(&event.calibration),
        logs: event.logs,
        examples: event.examples,
        one_per_owner: event.one_per_owner,
        deadline: event.deadline.map(Deadline),
        tie_breaks: Some(event.tie_breaks.clone()),
        languages: event.language_versions.clone(),
        dependencies: event.dependencies,
        provides: Provides::listed(&event.provides),
        allow_libraries: event.allow_libraries.clone(),
    }
}

fn calibration_of(settings: &CalibrationSettings) -> CalibrationKeys {
    CalibrationKeys { runs: Count(settings.runs) }
}

fn entry_of(pattern: &Pattern) -> BotEntry {
    let text = |text: &String| Paragraphs(text.clone());
    let path = Glob(pattern.text.clone());
    match (&pattern.name, &pattern.language) {
        (None, None) => BotEntry::Text(path),
        (name, language) => BotEntry::Mapping(BotKeys {
            path,
            name: name.as_ref().map(text),
            language: language.as_ref().map(text),
        }),
    }
}
