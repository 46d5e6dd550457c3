//! Compatibility of databases: whether they belong to one tournament, and their combined content.

use std::collections::BTreeMap;

use super::MergePart;
use crate::TournamentRow;
use crate::bots::RegisteredBot;
use joust_model::{DecisionRow, EventSettings, Seats, escaped};

/// Contents of the joined database, except for bouts.
pub(super) struct AgreedTables<'a> {
    pub(super) tournament: Option<&'a TournamentRow>,
    pub(super) events: Vec<(&'a EventSettings, &'a [RegisteredBot])>,
    pub(super) decisions: BTreeMap<&'a str, &'a [DecisionRow]>,
}

/// Combines the contents of the databases. Databases that another one continues are ignored.
pub(super) fn agree_on_tables(parts: &[MergePart]) -> Result<AgreedTables<'_>, Vec<String>> {
    let newest: Vec<&MergePart> = parts.iter().filter(|part| !part.is_continued).collect();
    let mut refusals: Vec<String> = parts.iter().filter_map(server).collect();
    let mut agreed =
        AgreedTables { tournament: None, events: Vec::new(), decisions: BTreeMap::new() };
    let mut of: Vec<&MergePart> = Vec::new();
    for part in newest {
        let Some(tournament) = &part.summary.tournament else { continue };
        let first = of.first().and_then(|first| Some((first, first.summary.tournament.as_ref()?)));
        if let Some((first, other)) = first.filter(|(_, other)| *other != tournament) {
            refusals.push(another_tournament([first, part], [other, tournament]));
            continue;
        }
        agreed.tournament = Some(tournament);
        of.push(part);
    }
    for (place, part) in of.iter().enumerate() {
        for event in &part.summary.events {
            let with_it =
                |other: &&&MergePart| other.summary.events.iter().any(|e| e.id == event.id);
            match of[..place].iter().find(with_it) {
                Some(first) => refusals.extend(differences(first, part, event)),
                None => agreed.events.push((event, &part.summary.fields[&event.id])),
            }
            let decisions = part.summary.decisions[&event.id].as_slice();
            let known = agreed.decisions.entry(event.id.as_str()).or_insert(decisions);
            match join_decisions(known, decisions) {
                Some(all) => *known = all,
                None => refusals.push(other_decisions(part, &event.id, known, decisions)),
            }
        }
    }
    if refusals.is_empty() { Ok(agreed) } else { Err(refusals) }
}

fn server(part: &MergePart) -> Option<String> {
    let (path, accounts) = (part.path.display(), part.summary.accounts);
    let text =
        format!("`{path}` holds {accounts} accounts of a game server, which cannot be joined");
    (accounts > 0).then_some(text)
}

fn another_tournament(parts: [&MergePart; 2], rows: [&TournamentRow; 2]) -> String {
    let said = |number: usize| {
        let (path, row) = (parts[number].path.display(), rows[number]);
        let seed = match row.public_seed() {
            Some(seed) => format!("seed {seed}"),
            None => "with a seed that was drawn for it".to_owned(),
        };
        format!("`{path}` is of `{}`, {seed}", escaped(&row.name))
    };
    format!("different tournaments: {}; {}", said(0), said(1))
}

/// Lists the differences of two databases about an event.
fn differences(one: &MergePart, other: &MergePart, event: &EventSettings) -> Vec<String> {
    let find = |part: &MergePart| part.summary.events.iter().find(|e| e.id == event.id).cloned();
    let (first, second) = (json(find(one).as_ref()), json(Some(event)));
    let mut found = Vec::new();
    for (key, value) in &second {
        let before = first.get(key).cloned().unwrap_or_default();
        if before != *value {
            found.push(format!("`{key}` is {before} in one and {value} in the other"));
        }
    }
    let fields = (&one.summary.fields[&event.id], &other.summary.fields[&event.id]);
    found.extend(field_differences(fields.0, fields.1));
    if event.seats == Seats::Listed && order(fields.0) != order(fields.1) {
        found.push("the bots are listed in another order, which decides who sits first".to_owned());
    }
    let names = (one.path.display(), other.path.display());
    let line = |what| format!("event `{}` of `{}` and `{}`: {what}", event.id, names.0, names.1);
    found.into_iter().map(line).collect()
}

fn json(event: Option<&EventSettings>) -> serde_json::Map<String, serde_json::Value> {
    match serde_json::to_value(event) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    }
}

fn field_differences(one: &[RegisteredBot], other: &[RegisteredBot]) -> Vec<String> {
    let by_name = |field: &'_ [RegisteredBot]| -> BTreeMap<String, RegisteredBot> {
        field.iter().map(|known| (known.bot.name.clone(), known.clone())).collect()
    };
    let (one, other) = (by_name(one), by_name(other));
    let mut names: Vec<_> = one.keys().chain(other.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let differs = |name: &&String| said(one.get(*name)) != said(other.get(*name));
    let line = |name: &String| {
        let (first, second) = (said(one.get(name)), said(other.get(name)));
        format!("bot `{}` {first} in one and {second} in the other", escaped(name))
    };
    names.into_iter().filter(differs).map(line).collect()
}

/// Returns the names of the bots in the order of registration.
fn order(field: &[RegisteredBot]) -> Vec<&str> {
    let entered = field.iter().filter(|known| known.is_entered);
    entered.map(|known| known.bot.name.as_str()).collect()
}

/// Describes those properties of a database's bot that affect results.
fn said(known: Option<&RegisteredBot>) -> String {
    let Some(RegisteredBot { bot, is_entered: true }) = known else {
        return "is not in the field".to_owned();
    };
    match (bot.build, &bot.sits_out) {
        (Some(build), None) => format!("is build {}", &build.to_string()[..16]),
        (Some(build), Some(_)) => {
            format!("does not play with build {}", &build.to_string()[..16])
        }
        (None, _) => "is not built".to_owned(),
    }
}

/// Returns the longer list if the shorter one is a prefix of it.
fn join_decisions<'a>(
    one: &'a [DecisionRow],
    other: &'a [DecisionRow],
) -> Option<&'a [DecisionRow]> {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    long.starts_with(short).then_some(long)
}

fn other_decisions(
    part: &MergePart,
    event: &str,
    known: &[DecisionRow],
    decisions: &[DecisionRow],
) -> String {
    let same = known.iter().zip(decisions).take_while(|(one, other)| one == other).count();
    let say = |row: &DecisionRow| format!("`{}` {}", escaped(&row.bot), row.decision.name());
    let (one, other) = (say(&known[same]), say(&decisions[same]));
    let path = part.path.display();
    format!(
        "event `{event}`: different decisions: `{path}` says {other}, another says {one}; which \
         came first is unknown, so take the decision in one of them only"
    )
}
