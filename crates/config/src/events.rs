//! Events from their keys: values that the game and other keys determine are filled in and checked.

use std::collections::BTreeSet;
use std::path::Path;

use joust_model::{Limits, Pondering, ScheduleKind, Seats, TieBreak};
use joust_referee::{Game, GameSpec, RankBy, SeatRange, Thinking};

use super::games::Games;
use super::keys::event::{BotEntry, BotKeys, EventKeys};
use super::keys::schedule::Schedule;
use super::limits::{check_clock, check_limits, cpu_of_a_bout, fill_limits, refuse_cpu_bout};
use super::node::NodeValue;
use super::options::{check_together, read_options};
use super::read::Cursor;
use super::rejection::{Rejection, did_you_mean};
use super::tournament::{DEFAULT_MATCHES_PER_BOT, Event, Pattern, Requirements};

/// Bouts of a match when nothing is written.
const DEFAULT_BOUTS: u32 = 5;

/// Events of a tournament.
const MOST_EVENTS: usize = 1000;

/// Reads the list of events of a tournament that names files of `folder`.
pub(super) fn read_events(file: &Cursor<'_>, folder: &Path, games: &Games) -> Vec<Event> {
    let Some(list) = file.get("events") else {
        let hint = "an event is a game with its bots: `joust config reference` has every key";
        file.refuse_missing("events", hint);
        return Vec::new();
    };
    if list.read::<Vec<serde::de::IgnoredAny>>().is_none() {
        return Vec::new();
    }
    let items = list.items();
    if items.is_empty() {
        let hint = "for instance `- { game: battlebots, bots: [bots/*] }`";
        list.refuse(Rejection::new("there is no event in the list", hint));
    }
    if items.len() > MOST_EVENTS {
        let message = format!("a tournament has at most {MOST_EVENTS} events");
        list.refuse(Rejection::new(message, "play the others as a tournament of their own"));
        return Vec::new();
    }
    let mut ids = BTreeSet::new();
    let mut events = Vec::new();
    for item in items {
        let event = item.clone().over(file.get("defaults"));
        let Some(read) = read_event(&event, folder, games) else { continue };
        if !ids.insert(read.id.to_lowercase()) {
            refuse_id(&item, &read.id);
        }
        events.push(read);
    }
    events
}

fn refuse_id(item: &Cursor<'_>, id: &str) {
    let written = item.get("id").or_else(|| item.get("game"));
    let node = written.map_or(item.node, |written| written.node);
    let at = item.at(node, format!("{}.id", item.path));
    let hint = "give every event an `id` of its own; capitals do not count";
    at.refuse(Rejection::new(format!("duplicate event id `{id}`"), hint));
}

/// Reads one event; `None` when it has no known game. Every problem is reported, and the event is
/// used only when there are no problems.
fn read_event(cursor: &Cursor<'_>, folder: &Path, games: &Games) -> Option<Event> {
    let keys: EventKeys = cursor.read()?;
    let game = find_game(cursor, &keys.game, games);
    match cursor.get("bots") {
        None => cursor.refuse_missing("bots", "for instance `bots: [bots/battlebots/*]`"),
        Some(bots) if matches!(&bots.node.value, NodeValue::List(list) if list.is_empty()) => {
            let hint = "for instance `bots: [bots/battlebots/*]`";
            bots.refuse(Rejection::new("there is no pattern in the list", hint));
        }
        Some(_) => {}
    }
    if matches!(&keys.schedule, Some(Schedule(ScheduleKind::Gauntlet { .. }))) {
        check_names(cursor);
    }
    let event = event_of(game?, keys, cursor, folder);
    if let Some(order) = cursor.get("tie_breaks") {
        order.refuse_repeated(|_| "this tie-break is in the list already".to_owned());
        refuse_first(&order, &event);
    }
    Some(event)
}

/// Checks the names of a gauntlet, which could be read.
fn check_names(event: &Cursor<'_>) {
    let Some(bots) = event.find(&["schedule", "bots"]) else { return };
    bots.refuse_repeated(|name| format!("`{name}` is in the list already"));
    if matches!(&bots.node.value, NodeValue::List(list) if list.is_empty()) {
        bots.refuse(Rejection::new("there is no bot in the list", "name one bot, or more"));
    }
}

/// Refuses a tie-break that already ranks the bots.
fn refuse_first(order: &Cursor<'_>, event: &Event) {
    let first = TieBreak::from(event.rank_by).name();
    for item in order.items().iter().filter(|item| item.node.text() == Some(first)) {
        let hint = "leave it out, or set `rank_by: points`, `matches` or `score`";
        item.refuse(Rejection::new(format!("the bots are ranked by `{first}` already"), hint));
    }
}

/// Returns the game of an event.
fn find_game(event: &Cursor<'_>, id: &str, games: &Games) -> Option<Game> {
    let known = games.catalogue.ids();
    let Some(written) = event.get("game") else {
        event.refuse_missing("game", &format!("games are `{}`", known.join("`, `")));
        return None;
    };
    let game = games.catalogue.find(id).cloned();
    // A text that could not be read is refused already.
    if game.is_none() && written.node.text() == Some(id) && !games.refused.contains(id) {
        let hint = did_you_mean(id, &known, "games are");
        written.refuse(Rejection::new(format!("unknown game `{id}`"), hint));
    }
    game
}

fn event_of(game: Game, keys: EventKeys, cursor: &Cursor<'_>, folder: &Path) -> Event {
    let spec = game.spec();
    let players = players(&keys, cursor, spec);
    let is_crowd = players > 2;
    let schedule = match &keys.schedule {
        Some(schedule) => schedule.0.clone(),
        None if is_crowd => ScheduleKind::Partial { matches_per_bot: DEFAULT_MATCHES_PER_BOT },
        None => ScheduleKind::RoundRobin,
    };
    // A match of many has one winner, but the second of four has done better than the last.
    let rank_by = match spec.rank_by {
        RankBy::Matches if is_crowd => RankBy::Points,
        other => other,
    };
    let bouts = if is_crowd { players.into() } else { DEFAULT_BOUTS };
    let pattern = |(entry, at): (BotEntry, Cursor<'_>)| {
        let BotKeys { path, name, language } = entry.into();
        let place = at.get("path").map_or(at.node.place, |path| path.node.place);
        let text = |text: super::values::Paragraphs| text.0;
        Pattern { text: path.0, name: name.map(text), language: language.map(text), place }
    };
    let bots = cursor.get("bots").map_or_else(Vec::new, |bots| bots.items());
    let mut event = Event {
        id: keys.id.as_ref().map_or_else(|| spec.id.clone(), |id| id.0.clone()),
        place: cursor.node.place,
        rules: rules(&keys, cursor, spec),
        options: read_options(cursor, spec),
        bouts: keys.bouts.map_or(bouts, |count| count.0),
        mirror: keys.mirror.unwrap_or(keys.seats == Seats::Drawn),
        seats: keys.seats,
        players_per_match: players,
        clock: None,
        schedule,
        schedule_place: cursor.get("schedule").map(|schedule| schedule.node.place),
        limits: limits(&keys, cursor, &game),
        build: keys.build.clone(),
        calibration_runs: keys.calibration.runs.0,
        logs: keys.logs,
        examples: keys.examples,
        one_per_owner: keys.one_per_owner,
        deadline: keys.deadline.map(|deadline| deadline.0),
        requirements: Requirements {
            versions: keys.languages.clone(),
            dependencies: keys.dependencies,
            provides: keys.provides.clone().read(folder, cursor.get("provides").as_ref()),
            allowed_libraries: keys.allow_libraries.clone(),
        },
        rank_by: keys.rank_by.map_or(rank_by, |key| key.0),
        tie_breaks: keys.tie_breaks.clone().unwrap_or_else(|| TieBreak::DEFAULT.to_vec()),
        bots: keys.bots.clone().into_iter().zip(bots).map(pattern).collect(),
        game,
        keys,
    };
    check_together(cursor, &event);
    set_clock(&mut event, cursor);
    event
}

/// Returns the bots of a match.
fn players(keys: &EventKeys, event: &Cursor<'_>, game: &GameSpec) -> u8 {
    let SeatRange { fewest, most } = game.seats;
    let least = fewest.max(2);
    let usual = least.min(most);
    let Some(count) = keys.players_per_match else { return usual };
    let players = u8::try_from(count.0).ok().filter(|players| (least..=most).contains(players));
    if players.is_none() {
        let hint = format!("it can be {least} to {most}");
        event.refuse_at("players_per_match", format!("`{}` is out of range", count.0), hint);
    }
    players.unwrap_or(usual)
}

/// Returns the rule set.
fn rules(keys: &EventKeys, event: &Cursor<'_>, game: &GameSpec) -> String {
    let Some(rules) = &keys.rules else { return game.default_rules().to_owned() };
    if !game.rule_sets.contains(rules) {
        let known: Vec<&str> = game.rule_sets.iter().map(String::as_str).collect();
        let hint = did_you_mean(rules, &known, "it is one of");
        event.refuse_at("rules", format!("unknown rule set `{rules}`"), hint);
    }
    rules.clone()
}

/// Returns the limits of a bot, except those that depend on the clock.
fn limits(keys: &EventKeys, event: &Cursor<'_>, game: &Game) -> Limits {
    let spec = game.spec();
    let mut limits = keys.limits();
    if keys.pondering.is_none() && !has_cores_of_its_own(spec) {
        limits.pondering = Pondering::Stop;
    }
    let id = game.id();
    if keys.pondering == Some(Pondering::Stop) && !spec.has_bots_that_wait() {
        let message = format!("no bot of `{id}` waits for its next turn");
        let hint = "the setting is for games whose bots stay for a bout and are asked";
        event.refuse_at("pondering", message, hint);
    }
    if !limits.programs.are_for_a_bout() && !has_bots_that_stay(spec) {
        let message = format!("no bot of `{id}` can stay for a match");
        let hint = "the setting is for games with a referee of their own whose bots are asked by \
                    lines";
        event.refuse_at("programs", message, hint);
    }
    fill_limits(&mut limits, &spec.limits, |key| event.find(&["limits", key]).is_some());
    check_limits(event, &limits);
    limits
}

/// Sets the values that only games on a clock have.
fn set_clock(event: &mut Event, cursor: &Cursor<'_>) {
    let id = event.game.id();
    let Some(clock) = event.game.spec().clock(&event.options.to_referee()) else {
        let hint = "its bots are asked and waited for; `limits` bound how long";
        cursor.refuse_at("clock", format!("`{id}` is not a game on a clock"), hint);
        refuse_cpu_bout(cursor, id);
        event.limits.cpu_bout = None;
        return;
    };
    let pace = event.keys.clock.unwrap_or_default();
    event.clock = Some(pace);
    let usual = cpu_of_a_bout(&clock, event.limits.bout);
    event.limits.cpu_bout.get_or_insert(usual);
    check_clock(cursor, &event.limits, pace, &clock);
}

/// Returns whether a bot can think while another one is asked without costing it anything.
fn has_cores_of_its_own(game: &GameSpec) -> bool {
    game.thinking != Thinking::OneAfterAnother || !game.has_bots_that_wait()
}

/// Returns whether bots of the game can stay for more than an answer.
pub(super) fn has_bots_that_stay(game: &GameSpec) -> bool {
    game.has_bots_that_wait() && game.external.as_ref().is_some_and(|external| external.stays)
}
