//! `events:` — the games of a tournament, each with its rules and bots.

use std::collections::{BTreeMap, BTreeSet};

use joust_referee::Game;

use super::build::{BUILD, BuildLimits, CALIBRATION, Calibration, build_key, calibration_key};
use super::defaults::{DEFAULTS, Shared};
use super::event::{Dependencies, Event, Examples, Logs, SEATS};
use super::game::{clock_of, fewest_players, read_game};
use super::game_defaults::GameDefaults;
use super::limits::{LIMITS, cpu_of_a_bout, limits_key};
use super::options::{check_together, default_options};
use super::pattern::read_bots;
use super::problem::{Problem, Source};
use super::section::{Item, Section};
use super::table::{Default, Key, Kind, Origins, Table, field, section, word};
use super::validate::{check_clock, check_limits, refuse_cpu_bout};
use super::{Place, event_values, game, libraries, options, pattern, schedule};
use joust_model::{Limits, ScheduleKind, Seats};

/// An entry of `events:`.
pub(super) static EVENT: Table<Event> = Table {
    name: "event",
    keys: &[
        Key::new("id", event_values::ID, "Unique in this file.")
            .follows("Default: the game's id.", |event| event.id = event.game.id().to_owned())
            .example("battlebots"),
        Key::new("game", game::GAME, "Which game is played.")
            .required("the id of a game")
            .example("battlebots"),
        Key::new("rules", game::RULES, "The game's rule set.")
            .follows("Default: its first.", game::take_first_rules)
            .example("documented"),
        Key::new("options", options::OPTIONS, "What can be changed about the game.").in_help("{}"),
        Key::new("clock", game::CLOCK, "Games on a clock: how it ticks.")
            .follows("Default `eager`.", game::be_eager)
            .example("eager"),
        Key::new(
            "pondering",
            game::PONDERING,
            "Bots that stay for a bout and are asked: `allow` lets them think while they are not \
             asked, `stop` freezes one that does.",
        )
        .follows(
            "Default `allow` where every bot has a core, else `stop`.",
            game::let_ponder_with_a_core,
        )
        .example("allow"),
        Key::new(
            "programs",
            game::PROGRAMS,
            "Bots that stay and are asked: a program is started for each `bout` (the default), or \
             kept over all bouts of a `match`, which is then played whole.",
        )
        .in_help("bout")
        .example("match"),
        Key::new(
            "start",
            game::START,
            "Languages that can be kept ready (Python, Ruby), one process per turn: `cold` starts each turn from nothing, \
             `exact` and `quick` as a copy of an interpreter that has started.",
        )
        .in_help("cold"),
        Key::new(
            "bots",
            pattern::BOTS,
            "Folders, single source files, archives; globs, relative to this file.",
        )
        .required("for instance `bots: [bots/battlebots/*]`")
        .example("[bots/*]"),
        Key::new(
            "bouts",
            Kind::Count { range: 1..=1_000_000, field: field!(Event, bouts) },
            "Bouts per match.",
        )
        .follows(
            "Default 5; of more than two players as many as there are seats.",
            event_values::play_every_seat,
        )
        .example("5"),
        Key::new(
            "mirror",
            Kind::Flag(field!(Event, mirror)),
            "Every other bout repeats the one before it, seats exchanged.",
        )
        .follows("Default true; with `seats: listed` false.", event_values::mirror_drawn_seats)
        .example("true"),
        Key::new(
            "seats",
            word!(Event, "seat order", SEATS, seats),
            "Who sits first: `drawn` (by lot from the seed, the default) or `listed`: who is \
             earlier in `bots`.",
        )
        .in_help("drawn"),
        Key::new("players_per_match", game::PLAYERS, "Bots in a match.")
            .follows("Default 2.", |event| {
                event.players_per_match = game::fewest_players(event.game.spec())
            })
            .example("2"),
        Key::new("schedule", schedule::OF_EVENT, schedule::HELP)
            .follows(
                "Default: everybody of two, partial with 100 matches per bot of more.",
                schedule::take_usual,
            )
            .example("{ kind: partial, matches_per_bot: 30 }"),
        limits_key(section!(Event, LIMITS, limits)),
        build_key(section!(Event, BUILD, build)),
        calibration_key(section!(Event, CALIBRATION, calibration)),
        Key::new(
            "logs",
            word!(Event, "choice", Logs::WORDS, logs),
            "Of which bouts the turns are kept, for replays and `joust verify`: `all`, `faults` (those in which a bot was at \
             fault) or `none`. A bout without is half as large; `joust rerun` plays it again.",
        )
        .in_help("all"),
        Key::new(
            "examples",
            word!(Event, "choice", Examples::WORDS, examples),
            "`retire`: bots with `example: true` play only until two others have entered.",
        )
        .in_help("keep"),
        Key::new(
            "one_per_owner",
            Kind::Flag(field!(Event, one_per_owner)),
            "Whether two bots with the same owner are refused.",
        )
        .is("false"),
        Key::new(
            "deadline",
            event_values::DEADLINE,
            "Bots changed later are listed, not played, for instance `2026-12-01T18:00:00Z`.",
        )
        .example("2026-12-01T18:00:00Z"),
        Key::new(
            "tie_breaks",
            event_values::TIE_BREAK_ORDER,
            "What separates bots that are level, in this order.",
        )
        .follows("", event_values::take_usual_tie_breaks)
        .example("[match-wins, bout-wins, head-to-head, sonneborn-berger, fewer-faults]"),
        Key::new("languages", event_values::VERSIONS, "Versions a bot must be built with, by language.")
            .example("{ python: \"3.11\" }"),
        Key::new(
            "dependencies",
            word!(Event, "choice", Dependencies::WORDS, dependencies),
            "`forbidden`: a bot that brings dependencies is not built.",
        )
        .in_help("allowed"),
        Key::new(
            "provides",
            libraries::PROVIDES,
            "Libraries that bots find, of Python or by language: `[numpy, scipy==1.16.0]`, or a file \
             `libraries.txt` that lists them with their hashes.",
        )
        .example("[numpy, scipy==1.16.0]"),
        Key::new(
            "allow_libraries",
            libraries::ALLOWED,
            "What a bot's own list of libraries may name, by language; `*` at the end stands for anything. Of a \
             language that is not there, everything.",
        )
        .example("{ python: [numpy, scipy], javascript: [\"@types/*\"] }"),
    ],
};

/// Events of a tournament.
const MOST_EVENTS: usize = 1000;

/// Reads the list of events.
pub(super) fn read_events(item: &Item<'_>, defaults: &Shared, origins: &Origins) -> Vec<Event> {
    let Some(items) = item.list() else { return Vec::new() };
    if items.is_empty() {
        let hint = "for instance `- { game: battlebots, bots: [bots/*] }`".to_owned();
        item.refuse("there is no event in the list", Some(hint));
    }
    if items.len() > MOST_EVENTS {
        let hint = "play the others as a tournament of their own".to_owned();
        item.refuse(format!("a tournament has at most {MOST_EVENTS} events"), Some(hint));
        return Vec::new();
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

/// Reads the keys whose values do not depend on the game.
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
