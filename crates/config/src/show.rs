//! Effective configuration, every value written out.

use super::event::Event;
use super::events::has_bots_that_stay;
use super::keys::event::{EventId, EventKeys, RankKey};
use super::keys::schedule::Schedule;
use super::keys::tournament::{DrawnSeed, SeedNumber, SeedSetting, TournamentKeys};
use super::tournament::{SeedSource, Tournament};
use super::values::Count;
use super::yaml;

/// Writes the effective configuration as YAML: read from the same folder it
/// gives the same tournament again.
pub fn show(tournament: &Tournament) -> String {
    let keys = TournamentKeys {
        seed: match tournament.seed_source {
            SeedSource::Written => SeedSetting::Number(SeedNumber(tournament.seed.0)),
            SeedSource::ToDraw | SeedSource::Drawn => SeedSetting::Text(DrawnSeed::Drawn),
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

/// Returns the keys of an event, including the values that the game and other keys determine.
fn keys_of(event: &Event) -> EventKeys {
    let spec = event.game.spec();
    EventKeys {
        id: Some(EventId(event.id.clone())),
        rules: Some(event.rules.clone()),
        options: event.options.clone(),
        clock: event.clock,
        pondering: Some(event.limits.pondering).filter(|_| spec.has_bots_that_wait()),
        programs: Some(event.limits.programs).filter(|_| has_bots_that_stay(spec)),
        bouts: Some(Count(event.bouts)),
        mirror: Some(event.mirror),
        players_per_match: Some(Count(event.players_per_match.into())),
        schedule: Some(Schedule(event.schedule.clone())),
        limits: (&event.limits).into(),
        rank_by: Some(RankKey(event.rank_by)),
        tie_breaks: Some(event.tie_breaks.clone()),
        ..event.keys.clone()
    }
}
