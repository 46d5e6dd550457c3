//! Reading one entry of `events:`.

use std::collections::BTreeMap;

use joust_referee::{ClockSpec, GameKind, registry};

use super::build::CALIBRATION_RUNS;
use super::event::{
    CLOCKS, DEFAULT_BOUTS, DEFAULT_MAX_MATCHES, Dependencies, Event, Examples, MOST_GROUPS,
    Pattern, Provided, SEATS, TIE_BREAKS,
};
use super::game_defaults::GameDefaults;
use super::layers::Layers;
use super::node::Value;
use super::options::read_options;
use super::section::{Item, Section, Written};
use super::suggest::did_you_mean;
use super::validate::{check_clock, check_limits, refuse_cpu_bout};
use joust_model::{GameOptions, Pace, Seats, TieBreak};

/// Most bouts of one match.
pub(super) const MOST_BOUTS: u32 = 1_000_000;

/// Reads one event; `None` when it has no known game. Every problem has been
/// reported, so the event is only used when there was none.
pub(super) fn read_event(section: Section<'_>, defaults: &Layers) -> Option<Event> {
    let layers = Layers::read(&section).over(defaults);
    let (game, bots) = (read_game(&section), read_bots(&section));
    let event = match game {
        Some(game) => Some(read_rest(&section, game, bots, &layers)),
        None => {
            skip_rest(&section);
            None
        }
    };
    section.finish();
    event
}

fn read_rest(
    section: &Section<'_>,
    game: &'static dyn GameKind,
    bots: Vec<Pattern>,
    layers: &Layers,
) -> Event {
    let options = read_options(section, game);
    let clock = read_clock(section, game, &options);
    let mut limits = layers.limits.complete(&GameDefaults::of(game.id()));
    check_limits(section.reading, &layers.limits, &limits);
    match clock {
        Some((pace, spec)) => {
            limits.cpu_bout = Some(layers.limits.cpu_bout(&spec, limits.bout));
            check_clock(section, &layers.limits, &limits, pace, &spec);
        }
        None => refuse_cpu_bout(section.reading, &layers.limits, game),
    }
    let count = |key, most| section.item(key).and_then(|item| item.count(most));
    let flag = |key| section.item(key).and_then(|item| item.flag());
    let id = section.item("id").and_then(|item| read_id(&item));
    let examples = section.item("examples");
    let dependencies = section.item("dependencies");
    let players = read_players(section, game);
    let seats = section.item("seats").and_then(|item| item.word("seat order", &SEATS));
    let seats = seats.unwrap_or_default();
    Event {
        id: id.unwrap_or_else(|| game.id().to_owned()),
        place: section.place,
        game,
        rules: read_rules(section, game),
        options,
        bots,
        bouts: count("bouts", MOST_BOUTS).map_or(default_bouts(players), |bouts| bouts.value),
        mirror: flag("mirror").unwrap_or(seats == Seats::Drawn),
        seats,
        players_per_match: players,
        clock: clock.map(|(pace, _)| pace),
        max_matches: read_max_matches(section, players),
        limits,
        build: layers.build.complete(),
        calibration_runs: layers.calibration_runs.unwrap_or(CALIBRATION_RUNS),
        examples: examples
            .and_then(|item| item.word("choice", &Examples::WORDS))
            .unwrap_or(Examples::Keep),
        one_per_owner: flag("one_per_owner").unwrap_or(false),
        deadline: section.item("deadline").and_then(|item| read_deadline(&item)),
        tie_breaks: read_tie_breaks(section, players),
        language_versions: read_versions(section),
        dependencies: dependencies
            .and_then(|item| item.word("choice", &Dependencies::WORDS))
            .unwrap_or(Dependencies::Allowed),
        provides: read_provides(section),
    }
}

/// What the other keys may hold depends on the game; without one they are only
/// known.
fn skip_rest(section: &Section<'_>) {
    const KEYS: [&str; 16] = [
        "id",
        "rules",
        "options",
        "clock",
        "bouts",
        "mirror",
        "seats",
        "players_per_match",
        "max_matches",
        "examples",
        "one_per_owner",
        "deadline",
        "tie_breaks",
        "languages",
        "dependencies",
        "provides",
    ];
    KEYS.into_iter().for_each(|key| drop(section.item(key)));
}

fn read_game(section: &Section<'_>) -> Option<&'static dyn GameKind> {
    let known: Vec<&str> = registry::ALL.iter().map(|game| game.id()).collect();
    let Some(item) = section.item("game") else {
        section.missing("game", &format!("games are `{}`", known.join("`, `")));
        return None;
    };
    let text = item.text()?.value;
    let game = registry::find(&text);
    if game.is_none() {
        let hint = did_you_mean(&text, &known, "games are");
        item.refuse(format!("unknown game `{text}`"), Some(hint));
    }
    game
}

/// How the clock strikes, and when by its own measure; `None` for games without.
fn read_clock(
    section: &Section<'_>,
    game: &'static dyn GameKind,
    options: &GameOptions,
) -> Option<(Pace, ClockSpec)> {
    let item = section.item("clock");
    let Some(spec) = game.clock(&options.to_referee()) else {
        if let Some(item) = item {
            let hint = "its bots are asked and waited for; `limits` bound how long".to_owned();
            item.refuse(format!("`{}` is not a game on a clock", game.id()), Some(hint));
        }
        return None;
    };
    let pace = item.and_then(|item| item.word("clock", &CLOCKS)).unwrap_or_default();
    Some((pace, spec))
}

fn read_rules(section: &Section<'_>, game: &'static dyn GameKind) -> String {
    let words: Vec<(&str, &str)> = game.rule_sets().iter().map(|name| (*name, *name)).collect();
    let written = section.item("rules").and_then(|item| item.word("rule set", &words));
    written.unwrap_or_else(|| game.rule_sets().first().copied().unwrap_or_default()).to_owned()
}

/// An id becomes part of folder and file names.
fn read_id(item: &Item<'_>) -> Option<String> {
    let text = item.text()?.value;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_fitting = (1..=64).contains(&text.len())
        && text.chars().all(is_plain)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !is_fitting {
        let hint = "up to 64 letters, digits, `.`, `_` and `-`, a letter or digit first";
        item.refuse(format!("`{text}` cannot be an event's id"), Some(hint.to_owned()));
        return None;
    }
    Some(text)
}

fn read_bots(section: &Section<'_>) -> Vec<Pattern> {
    let Some(item) = section.item("bots") else {
        section.missing("bots", "for instance `bots: [bots/battlebots/*]`");
        return Vec::new();
    };
    let Some(items) = item.list() else { return Vec::new() };
    if items.is_empty() {
        let hint = "for instance `bots: [bots/battlebots/*]`".to_owned();
        item.refuse("there is no pattern in the list", Some(hint));
    }
    items.iter().filter_map(read_pattern).collect()
}

/// Reads a pattern, or `{ path: ..., name: ..., language: ... }`.
fn read_pattern(item: &Item<'_>) -> Option<Pattern> {
    if !matches!(item.node.value, Value::Map(_)) {
        return read_glob(item);
    }
    let entry = item.section()?;
    let path = entry.item("path");
    if path.is_none() {
        entry.missing("path", "for instance `{ path: bots/old, language: python2 }`");
    }
    let pattern = path.and_then(|path| read_glob(&path));
    let language = entry.item("language").and_then(|item| item.text());
    let name = entry.item("name").and_then(|item| item.text());
    entry.finish();
    let value = |text: Option<Written<String>>| text.map(|text| text.value);
    Some(Pattern { name: value(name), language: value(language), ..pattern? })
}

fn read_glob(item: &Item<'_>) -> Option<Pattern> {
    let text = item.text()?;
    if text.value.trim().is_empty() {
        let hint = "for instance `bots/battlebots/*`".to_owned();
        item.refuse("an empty pattern selects no bot", Some(hint));
        return None;
    }
    if let Err(error) = globset::Glob::new(&text.value) {
        let hint = "a pattern has `*`, `?`, `[ab]` and `{a,b}`; `[*]` stands for a star itself";
        let message = format!("`{}` is not a pattern: {}", text.value, error.kind());
        item.refuse(message, Some(hint.to_owned()));
        return None;
    }
    Some(Pattern { text: text.value, name: None, language: None, place: text.place })
}

fn read_players(section: &Section<'_>, game: &'static dyn GameKind) -> u8 {
    let (fewest, most) = game.seats();
    let item = section.item("players_per_match");
    let written = item.and_then(|item| item.integer(fewest.max(2).into()..=most.into()));
    written
        .and_then(|written| u8::try_from(written.value).ok())
        .unwrap_or_else(|| fewest.max(2).min(most))
}

fn read_deadline(item: &Item<'_>) -> Option<i64> {
    let text = item.text()?.value;
    match text.parse::<jiff::Timestamp>() {
        Ok(time) => Some(time.as_millisecond()),
        Err(_) => {
            let hint = "write a date, a time and its zone: `2026-12-01T18:00:00Z` or `...+01:00`";
            item.refuse(format!("`{text}` is not a point in time"), Some(hint.to_owned()));
            None
        }
    }
}

/// Every bot of a match of more than two has every seat once.
fn default_bouts(players: u8) -> u32 {
    if players > 2 { players.into() } else { DEFAULT_BOUTS }
}

fn read_max_matches(section: &Section<'_>, players: u8) -> Option<u64> {
    let most = if players > 2 { MOST_GROUPS } else { u64::MAX };
    let written = section.item("max_matches").and_then(|item| item.integer(1..=most));
    let default = (players > 2).then_some(DEFAULT_MAX_MATCHES);
    written.map(|written| written.value).or(default)
}

fn read_tie_breaks(section: &Section<'_>, players: u8) -> Vec<TieBreak> {
    let default = if players > 2 { TieBreak::DEFAULT_OF_MORE } else { TieBreak::DEFAULT };
    let Some(item) = section.item("tie_breaks") else { return default.to_vec() };
    let mut order = Vec::new();
    for item in item.list().unwrap_or_default() {
        let Some(word) = item.word("tie-break", &TIE_BREAKS) else { continue };
        if order.contains(&word) {
            let hint = Some("delete one of the two".to_owned());
            item.refuse("this tie-break is in the list already", hint);
        }
        order.push(word);
    }
    order
}

fn read_versions(section: &Section<'_>) -> BTreeMap<String, String> {
    let Some(section) = section.item("languages").and_then(|item| item.section()) else {
        return BTreeMap::new();
    };
    let version = |text: super::section::Written<String>| text.value;
    section
        .all()
        .into_iter()
        .filter_map(|(entry, item)| Some((entry.key.clone(), item.text().map(version)?)))
        .collect()
}

/// The language of a bare list.
const LANGUAGE_OF_A_LIST: &str = "python";

/// Most libraries of one language.
const MOST_LIBRARIES: usize = 100;

/// Reads `provides:`: a list, which is Python's, or a list for each language.
fn read_provides(section: &Section<'_>) -> BTreeMap<String, Provided> {
    let Some(item) = section.item("provides") else { return BTreeMap::new() };
    if item.is_list() {
        let provided = read_libraries(&item);
        return provided.map(|one| (LANGUAGE_OF_A_LIST.to_owned(), one)).into_iter().collect();
    }
    let Some(section) = item.section() else { return BTreeMap::new() };
    let languages = section.all().into_iter();
    languages
        .filter_map(|(entry, item)| Some((entry.key.clone(), read_libraries(&item)?)))
        .collect()
}

fn read_libraries(item: &Item<'_>) -> Option<Provided> {
    let items = item.list()?;
    if items.len() > MOST_LIBRARIES {
        item.refuse(format!("more than {MOST_LIBRARIES} libraries"), None);
    }
    let names: Vec<String> = items.iter().filter_map(read_library).collect();
    (!names.is_empty()).then_some(Provided { names, place: item.node.place })
}

/// A name becomes an argument of a package manager: it can be no option, path or address.
fn read_library(item: &Item<'_>) -> Option<String> {
    let text = item.text()?.value;
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "._-+[],=<>!~*".contains(one);
    let is_name = text.starts_with(|first: char| first.is_ascii_alphanumeric());
    if is_name && text.len() <= 100 && text.chars().all(is_plain) {
        return Some(text);
    }
    let hint = "a name, with a version where it matters: `numpy`, `scipy==1.16.0`".to_owned();
    item.refuse(format!("`{text}` is not the name of a library"), Some(hint));
    None
}
