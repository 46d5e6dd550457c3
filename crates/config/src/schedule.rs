//! `schedule:` of an event and of `defaults:` — who meets whom.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde_json::{Value as Json, json};

use super::Place;
use super::event::{DEFAULT_MATCHES_PER_BOT, Event};
use super::section::{Item, Section};
use super::shape::{described, integer};
use super::table::{Kind, OwnKind, Shown};
use joust_model::ScheduleKind;

/// Help of the key.
pub(super) const HELP: &str = "Who meets whom: `round-robin` everybody, `partial` as many as \
    `matches_per_bot` says, `gauntlet` the named `bots` the others, `swiss` in `rounds` who is about \
    as strong, `divisions` in `rounds` everybody of a pool of `size` (`joust docs schedules`).";

/// Most matches of a bot in a partial schedule.
const MOST_MATCHES: u32 = 100_000;

/// Most rounds.
const MOST_ROUNDS: u32 = ScheduleKind::MOST_ROUNDS;

/// Bots of a pool, from and to.
const POOLS: RangeInclusive<u32> = 2..=1000;

/// The words of `kind`.
const KINDS: [(&str, Reader); 5] = [
    ("round-robin", round_robin),
    ("partial", partial),
    ("gauntlet", gauntlet),
    ("swiss", swiss),
    ("divisions", divisions),
];

/// Reads what a kind has beside its name.
type Reader = fn(&Section<'_>) -> Option<ScheduleKind>;

/// A schedule as it is written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    kind: ScheduleKind,
    place: Place,
}

impl Written {
    /// Has an event use it.
    pub(super) fn put(self, event: &mut Event) {
        event.schedule = self.kind;
        event.schedule_place = Some(self.place);
    }
}

/// That of an event.
pub(super) const OF_EVENT: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| read(item).map(|written| written.put(event)).is_some(),
    show: |event| Some(show(&event.schedule)),
    schema,
});

/// Groups of more than two are too many for all of them to meet.
pub(super) fn take_usual(event: &mut Event) {
    event.schedule = match event.players_per_match {
        0..=2 => ScheduleKind::RoundRobin,
        _ => ScheduleKind::Partial { matches_per_bot: DEFAULT_MATCHES_PER_BOT },
    };
}

/// Reads a schedule.
pub(super) fn read(item: &Item<'_>) -> Option<Written> {
    let section = item.section()?;
    let kind = match section.item("kind") {
        Some(kind) => kind.word("schedule", &KINDS),
        None => {
            section
                .missing("kind", "for instance `schedule: { kind: partial, matches_per_bot: 30 }`");
            None
        }
    };
    let Some(reader) = kind else {
        // Nobody knows which of the other keys belong here.
        section.all();
        return None;
    };
    let kind = reader(&section);
    section.finish();
    Some(Written { kind: kind?, place: item.node.place })
}

fn round_robin(_: &Section<'_>) -> Option<ScheduleKind> {
    Some(ScheduleKind::RoundRobin)
}

fn partial(section: &Section<'_>) -> Option<ScheduleKind> {
    let matches = needed(section, "matches_per_bot", "for instance `matches_per_bot: 30`")?;
    Some(ScheduleKind::Partial { matches_per_bot: matches.count(&(1..=MOST_MATCHES))? })
}

fn gauntlet(section: &Section<'_>) -> Option<ScheduleKind> {
    let list = needed(section, "bots", "the names of bots of this event: `bots: [ada, bob]`")?;
    let items = list.list()?;
    if items.is_empty() {
        list.refuse("there is no bot in the list", Some("name one bot, or more".to_owned()));
        return None;
    }
    let mut seen = BTreeSet::new();
    let mut bots = Vec::new();
    for item in items {
        let name = item.text()?;
        if !seen.insert(name.clone()) {
            let hint = Some("delete one of the two".to_owned());
            item.refuse(format!("`{name}` is in the list already"), hint);
        }
        bots.push(name);
    }
    Some(ScheduleKind::Gauntlet { bots })
}

fn swiss(section: &Section<'_>) -> Option<ScheduleKind> {
    Some(ScheduleKind::Swiss { rounds: rounds(section)? })
}

fn divisions(section: &Section<'_>) -> Option<ScheduleKind> {
    let size = needed(section, "size", "bots of a pool: `size: 10`");
    let (size, rounds) = (size.and_then(|size| size.count(&POOLS)), rounds(section));
    Some(ScheduleKind::Divisions { size: size?, rounds: rounds? })
}

fn rounds(section: &Section<'_>) -> Option<u32> {
    needed(section, "rounds", "for instance `rounds: 9`")?.count(&(1..=MOST_ROUNDS))
}

/// Returns a key that the kind needs.
fn needed<'a>(section: &Section<'a>, key: &str, hint: &str) -> Option<Item<'a>> {
    let item = section.item(key);
    if item.is_none() {
        section.missing(key, hint);
    }
    item
}

fn show(kind: &ScheduleKind) -> Shown {
    let of_kind: Vec<(&str, Shown)> = match kind {
        ScheduleKind::RoundRobin => Vec::new(),
        ScheduleKind::Partial { matches_per_bot } => {
            vec![("matches_per_bot", (*matches_per_bot).into())]
        }
        ScheduleKind::Gauntlet { bots } => vec![("bots", bots.clone().into())],
        ScheduleKind::Swiss { rounds } => vec![("rounds", (*rounds).into())],
        ScheduleKind::Divisions { size, rounds } => {
            vec![("size", (*size).into()), ("rounds", (*rounds).into())]
        }
    };
    let all = [("kind", kind.name().into())].into_iter().chain(of_kind);
    Shown::Map(all.map(|(key, value)| (key.to_owned(), value)).collect())
}

/// One shape for each kind.
pub(super) fn schema() -> Json {
    let matches = described(integer(1, MOST_MATCHES.into()), "Matches of each bot, at least.");
    let rounds = described(integer(1, MOST_ROUNDS.into()), "Rounds that are drawn.");
    let rounds = required(rounds);
    let (least, most) = POOLS.into_inner();
    let pool = described(integer(least.into(), most.into()), "Bots of a pool.");
    let names = json!({
        "type": "array", "items": { "type": "string" }, "minItems": 1, "uniqueItems": true,
        "description": "Names of bots of the event.",
    });
    let kinds = vec![
        json!({ "type": "null" }),
        of_kind("round-robin", json!({})),
        of_kind("partial", json!({ "matches_per_bot": required(matches) })),
        of_kind("gauntlet", json!({ "bots": names })),
        of_kind("swiss", json!({ "rounds": rounds })),
        of_kind("divisions", json!({ "size": required(pool), "rounds": rounds })),
    ];
    json!({ "anyOf": kinds })
}

/// A number that may not be left out.
fn required(mut number: Json) -> Json {
    number["type"] = "integer".into();
    number
}

fn of_kind(kind: &str, mut keys: Json) -> Json {
    keys["kind"] = json!({ "const": kind });
    let required: Vec<String> =
        keys.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    json!({
        "type": "object", "properties": keys, "required": required, "additionalProperties": false,
    })
}
