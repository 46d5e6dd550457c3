//! `options:` — what an organiser can change about a game.

use joust_referee::{OptionSpec, OptionValue, OptionsError, default_options};

use super::node::Value;
use super::section::{Item, Section};
use crate::model::GameOptions;

/// Reads `options:` of an event and fills in what was left out.
pub(super) fn read_options(event: &Section<'_>, known: &[OptionSpec]) -> GameOptions {
    let mut options = default_options(known);
    let Some(section) = event.item("options").and_then(|item| item.section()) else {
        return GameOptions::from_referee(&options);
    };
    for spec in known {
        let value = section.item(spec.name).and_then(|item| read_option(&item, spec));
        options.extend(value.map(|value| (spec.name.to_owned(), value)));
    }
    section.finish();
    GameOptions::from_referee(&options)
}

fn read_option(item: &Item<'_>, spec: &OptionSpec) -> Option<OptionValue> {
    let value = match &item.node.value {
        Value::Bool(value) => OptionValue::Bool(*value),
        Value::Text(text) => OptionValue::Text(text.clone()),
        Value::Int(number) if i64::try_from(*number).is_ok() => {
            OptionValue::Int(i64::try_from(*number).ok()?)
        }
        Value::Int(number) => OptionValue::Text(number.to_string()),
        Value::Float(number) => OptionValue::Text(format!("{number:?}")),
        _ => OptionValue::Text(item.node.kind().to_owned()),
    };
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
            item.refuse(error.to_string(), None);
            None
        }
    }
}
