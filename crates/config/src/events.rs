//! `events:` — the games of a tournament, each with its rules and bots.

use std::collections::{BTreeMap, BTreeSet};

use joust_referee::Game;

use super::event::{Dependencies, Event, Examples, Logs};
use super::game::{clock_of, fewest_players, read_game};
use super::game_defaults::GameDefaults;
use super::keys::{DEFAULTS, EVENT};
use super::limits::cpu_of_a_bout;
use super::options::{check_together, default_options};
use super::pattern::read_bots;
use super::problem::{Problem, Source};
use super::schema::values::list_of;
use super::section::{Item, Section};
use super::shared::Shared;
use super::table::{Default, Kind, Origins, SectionKind, Shown};
use super::tournament::Tournament;
use super::validate::{check_clock, check_limits, refuse_cpu_bout};
use super::{BuildLimits, Calibration, Place};
use joust_model::{Limits, ScheduleKind, Seats};

/// The list of events.
pub(super) const SECTION: Kind<Tournament> = Kind::Section(SectionKind {
    read: |item, to, origins| to.events = read_events(item, &to.defaults, origins),
    set_defaults: |_| {},
    show: |of| Some(Shown::List(of.events.iter().map(|event| EVENT.show(event)).collect())),
    schema: || list_of(EVENT.schema_of_required(), 1),
    reference: |indent| {
        let inner = EVENT.reference(&format!("{indent}  "));
        format!("{indent}-\n{inner}")
    },
});

fn read_events(item: &Item<'_>, defaults: &Shared, origins: &Origins) -> Vec<Event> {
    let Some(items) = item.list() else { return Vec::new() };
    if items.is_empty() {
        let hint = "for instance `- { game: battlebots, bots: [bots/*] }`".to_owned();
        item.refuse("there is no event in the list", Some(hint));
    }
    let mut ids = BTreeSet::new();
    let mut events = Vec::new();
    for item in items {
        let event =
            item.section().and_then(|section| read_event(section, defaults, origins.clone()));
        let Some(event) = event else { continue };
        if !ids.insert(event.id.to_lowercase()) {
            item.reading.report(duplicate_id(item.reading.source, &item, &event));
        }
        events.push(event);
    }
    events
}

fn duplicate_id(source: &Source, item: &Item<'_>, event: &Event) -> Problem {
    let place = item.node.get("id").or(item.node.get("game")).map_or(event.place, |id| id.place);
    source
        .error(place, &format!("{}.id", item.path), format!("duplicate event id `{}`", event.id))
        .with_hint("give every event an `id` of its own; capitals do not count")
}

/// Reads one event; `None` when it has no known game. Every problem has been
/// reported, so the event is only used when there was none.
fn read_event(section: Section<'_>, defaults: &Shared, origins: Origins) -> Option<Event> {
    let event = match read_game(&section) {
        Some(game) => Some(read_event_of(game, &section, defaults, origins)),
        None => {
            read_without_a_game(&section, defaults);
            None
        }
    };
    section.finish();
    event
}

fn read_event_of(
    game: Game,
    section: &Section<'_>,
    defaults: &Shared,
    mut origins: Origins,
) -> Event {
    let own = GameDefaults::of(&game.spec().limits);
    let mut event = Event::blank(game, section.place);
    EVENT.set_defaults(&mut event);
    let Shared { schedule, limits, build, calibration } = defaults.clone();
    event = Event { limits, build, calibration, ..event };
    EVENT.read(section, &mut event, &mut origins);
    if let Some(schedule) = schedule.filter(|_| event.schedule_place.is_none()) {
        schedule.put(&mut event);
    }
    check_together(section, &event);
    own.fill(&mut event.limits, &origins);
    check_limits(section.reading, &origins, &event.limits);
    match (event.clock, clock_of(&event)) {
        (Some(pace), Some(clock)) => {
            let usual = cpu_of_a_bout(&clock, event.limits.bout);
            event.limits.cpu_bout.get_or_insert(usual);
            check_clock(section, &origins, &event.limits, pace, &clock);
        }
        _ => {
            refuse_cpu_bout(section.reading, &origins, event.game.id());
            event.limits.cpu_bout = None;
        }
    }
    event
}

/// What most keys may hold depends on the game; without one they are only known.
fn read_without_a_game(section: &Section<'_>, defaults: &Shared) {
    DEFAULTS.read(section, &mut defaults.clone(), &mut Origins::default());
    for key in EVENT.keys {
        match (section.item(key.name), &key.default) {
            (Some(item), _) if key.name == "bots" => drop(read_bots(&item)),
            (None, Default::Required(hint)) if key.name != "game" => {
                section.missing(key.name, hint);
            }
            _ => {}
        }
    }
}

impl Event {
    /// Makes an event of `game` in which nothing is set yet that the table of keys sets.
    fn blank(game: Game, place: Place) -> Self {
        Self {
            id: String::new(),
            place,
            rules: String::new(),
            options: default_options(game.spec()),
            bots: Vec::new(),
            bouts: 0,
            mirror: false,
            seats: Seats::default(),
            players_per_match: fewest_players(game.spec()),
            game,
            clock: None,
            schedule: ScheduleKind::default(),
            schedule_place: None,
            limits: Limits::default(),
            build: BuildLimits::default(),
            calibration: Calibration::default(),
            logs: Logs::All,
            examples: Examples::Keep,
            one_per_owner: false,
            deadline: None,
            tie_breaks: Vec::new(),
            language_versions: BTreeMap::new(),
            dependencies: Dependencies::Allowed,
            provides: BTreeMap::new(),
            allow_libraries: BTreeMap::new(),
        }
    }
}
