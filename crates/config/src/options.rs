//! `options:` — what an organiser can change about a game.

use joust_referee::{GameSpec, OptionSpec, OptionValue, OptionsError, Seed, Setup, StartError};
use serde_json::json;

use super::event::Event;
use super::node::Value;
use super::section::{Item, Section};
use super::table::{Kind, OwnKind, Shown};
use joust_model::{GameOptions, Setting};

/// The game's options, complete.
pub(super) const OPTIONS: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        let Some(section) = item.section() else { return false };
        event.options = read_options(&section, event.game.spec());
        section.finish();
        if !event.options.is_within_bounds() {
            item.refuse("all options together have more than 64 KiB", None);
        }
        true
    },
    show: |event| {
        let options = event.options.0.iter();
        Some(Shown::Map(options.map(|(name, one)| (name.clone(), show(one))).collect()))
    },
    schema: || json!({ "type": ["object", "null"] }),
});

/// Returns the options when none is written.
pub(super) fn default_options(game: &GameSpec) -> GameOptions {
    GameOptions::from_referee(&joust_referee::default_options(&game.options))
}

fn show(setting: &Setting) -> Shown {
    match setting {
        Setting::Bool(value) => (*value).into(),
        Setting::Int(value) => (*value).into(),
        Setting::Text(value) => value.as_str().into(),
    }
}

/// Reads `options:` of an event and fills in what was left out.
fn read_options(section: &Section<'_>, game: &GameSpec) -> GameOptions {
    let known = &game.options;
    let mut options = joust_referee::default_options(known);
    for spec in known {
        let given = section.item(&spec.name);
        let value = given.as_ref().and_then(|item| check(item, spec, written(item)));
        options.extend(value.map(|value| (spec.name.clone(), value)));
        for name in game.original_names.iter().filter(|name| name.option == spec.name) {
            let Some(item) = section.item(&name.name) else { continue };
            if given.is_some() {
                let hint = Some("delete one of the two".to_owned());
                item.refuse(format!("`{}` is given, too: they are the same", spec.name), hint);
                continue;
            }
            let value = check(&item, spec, name.translate(&written(&item)));
            options.extend(value.map(|value| (spec.name.clone(), value)));
        }
    }
    GameOptions::from_referee(&options)
}

fn written(item: &Item<'_>) -> OptionValue {
    match &item.node.value {
        Value::Bool(value) => OptionValue::Bool(*value),
        Value::Text(text) => OptionValue::Text(text.clone()),
        Value::Int(number) => i64::try_from(*number)
            .map_or_else(|_| OptionValue::Text(number.to_string()), OptionValue::Int),
        Value::Float(number) => OptionValue::Text(format!("{number:?}")),
        _ => OptionValue::Text(item.node.kind().to_owned()),
    }
}

/// Reports options that are possible alone and not together, or not with so many players.
pub(super) fn check_together(section: &Section<'_>, event: &Event) {
    let checked = event.game.check(&Setup {
        rules: &event.rules,
        options: &event.options.to_referee(),
        seed: Seed(0),
        seats: event.players_per_match,
        names: &[],
    });
    let Err(error) = checked else { return };
    let (name, given, expected) = match &error {
        StartError::Options(OptionsError::Value { name, given, expected }) => {
            (name, given, expected)
        }
        // Its own key has been refused.
        StartError::UnknownRules(_) | StartError::Seats(_) => return,
        StartError::Options(_) | StartError::Judge(_) => {
            let Section { reading, place, path, .. } = section;
            return reading.report(reading.source.error(*place, path, error.to_string()));
        }
    };
    let spec = event.game.spec();
    let originals = spec.original_names.iter().filter(|one| one.option == *name);
    let names = [name].into_iter().chain(originals.map(|one| &one.name));
    let item = section.item("options");
    let written = item.as_ref().and_then(|item| names.into_iter().find_map(|it| item.node.get(it)));
    let place =
        written.or(item.as_ref().map(|item| item.node)).map_or(section.place, |it| it.place);
    let path = format!("{}.options.{name}", section.path);
    let message = format!("expected {expected}, found `{given}`");
    let help = spec.options.iter().find(|one| one.name == *name).map(|one| one.help.clone());
    let problem = section.reading.source.error(place, &path, message);
    section.reading.report(problem.with_hint_if(help));
}

fn check(item: &Item<'_>, spec: &OptionSpec, value: OptionValue) -> Option<OptionValue> {
    match spec.check(&value) {
        Ok(()) => Some(value),
        Err(OptionsError::Value { given, expected, .. }) => {
            item.refuse(format!("expected {expected}, found `{given}`"), Some(spec.help.clone()));
            None
        }
        Err(error) => {
            item.refuse(error.to_string(), Some(spec.help.clone()));
            None
        }
    }
}
