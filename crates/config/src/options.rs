//! `options:` — what an organiser can change about a game.

use joust_referee::{GameKind, OptionSpec, OptionValue, OptionsError};
use serde_json::json;
use serde_yaml::Value as Yaml;

use super::event::Event;
use super::node::Value;
use super::section::{Item, Section};
use super::table::{Kind, OwnKind};
use joust_model::{GameOptions, Setting};

/// The game's options, complete.
pub(super) const OPTIONS: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        let Some(section) = item.section() else { return false };
        event.options = read_options(&section, event.game);
        section.finish();
        true
    },
    show: |event| {
        let options = event.options.0.iter();
        let options = options.map(|(name, setting)| (name.as_str().into(), show(setting)));
        Some(Yaml::Mapping(options.collect()))
    },
    schema: || json!({ "type": ["object", "null"] }),
});

/// Returns the options when none is written.
pub(super) fn default_options(game: &dyn GameKind) -> GameOptions {
    GameOptions::from_referee(&joust_referee::default_options(game.options()))
}

fn show(setting: &Setting) -> Yaml {
    match setting {
        Setting::Bool(value) => (*value).into(),
        Setting::Int(value) => (*value).into(),
        Setting::Text(value) => value.as_str().into(),
    }
}

/// Reads `options:` of an event and fills in what was left out.
fn read_options(section: &Section<'_>, game: &dyn GameKind) -> GameOptions {
    let known = game.options();
    let mut options = joust_referee::default_options(known);
    for spec in known {
        let given = section.item(spec.name);
        let value = given.as_ref().and_then(|item| check(item, spec, written(item)));
        options.extend(value.map(|value| (spec.name.to_owned(), value)));
        for name in game.original_names().iter().filter(|name| name.option == spec.name) {
            let Some(item) = section.item(name.name) else { continue };
            if given.is_some() {
                let hint = Some("delete one of the two".to_owned());
                item.refuse(format!("`{}` is given, too: they are the same", spec.name), hint);
                continue;
            }
            let value = check(&item, spec, name.translate(&written(&item)));
            options.extend(value.map(|value| (spec.name.to_owned(), value)));
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

fn check(item: &Item<'_>, spec: &OptionSpec, value: OptionValue) -> Option<OptionValue> {
    match spec.check(&value) {
        Ok(()) => Some(value),
        Err(OptionsError::Value { given, expected, .. }) => {
            item.refuse(
                format!("expected {expected}, found `{given}`"),
                Some(spec.help.to_owned()),
            );
            None
        }
        Err(error) => {
            item.refuse(error.to_string(), Some(spec.help.to_owned()));
            None
        }
    }
}
