//! Database rows of an event and of a build.

use joust_build::PlacedBuild;
use joust_config::{Event, Tournament};
use joust_model::{EventSettings, Mirror};
use joust_standings::schedule;
use joust_store::BuildRow;

/// Part of a build's log that the database keeps, bytes.
const LOG_HEAD: usize = 4096;

/// Returns the database row with the settings of an event.
pub fn event_settings(tournament: &Tournament, event: &Event) -> EventSettings {
    EventSettings {
        id: event.id.clone(),
        game: event.game.id().to_owned(),
        revision: event.game.spec().revision,
        rules: event.rules.clone(),
        options: event.options.clone(),
        bouts_per_match: event.bouts,
        bots_per_match: u32::from(event.players_per_match),
        schedule: event.schedule.clone(),
        draw_seed: schedule::draw_seed(tournament, event),
        unrepeatable: !event.game.spec().can_repeat(),
        mirror: if event.mirror { Mirror::Pairs } else { Mirror::Off },
        seats: event.seats,
        tie_breaks: event.ranking(),
    }
}

pub(super) fn build_row(build: &PlacedBuild, now: i64) -> BuildRow {
    let log = std::fs::read(&build.log).unwrap_or_default();
    let words = build.command.iter().map(|word| word.to_string_lossy());
    BuildRow {
        hash: build.hash,
        result: build.result,
        language: build.language.clone(),
        toolchain: build.tool_versions(),
        recipe: words.collect::<Vec<_>>().join(" "),
        log_head: String::from_utf8_lossy(&log[..log.len().min(LOG_HEAD)]).into_owned(),
        built_at: now,
    }
}
