//! `options:` of a `game.yaml`, in words of JSON Schema.

use joust_model::GameOptions;
use joust_referee::{OptionKind, OptionSpec, default_options};
use serde_json::Value;

use super::super::keys::game::{OptionKeys, OptionType};
use super::super::read::Cursor;
use super::super::rejection::Rejection;

/// Reads the options in the order of the file; mistakes are reported.
pub(super) fn read_options(file: &Cursor<'_>) -> Vec<OptionSpec> {
    let Some(section) = file.get("options") else { return Vec::new() };
    let option = |name: &String, at: &Cursor<'_>| {
        let keys: OptionKeys = at.read()?;
        let help = keys.description.clone();
        Some(OptionSpec { name: name.clone(), kind: read_kind(keys, at)?, help })
    };
    let entries = section.read_mapping();
    let options: Vec<OptionSpec> =
        entries.iter().filter_map(|(entry, at)| option(&entry.key, at)).collect();
    // Every event of the game has them all.
    if !GameOptions::from_referee(&default_options(&options)).is_within_bounds() {
        section.refuse(Rejection::bare("a game has at most 1,000 options, of 64 KiB together"));
        return Vec::new();
    }
    options
}

/// Returns the kind of an option, whose mistakes are reported.
fn read_kind(keys: OptionKeys, at: &Cursor<'_>) -> Option<OptionKind> {
    let refuse = |key: &str, rejection: Rejection| {
        at.get(key).unwrap_or_else(|| at.clone()).refuse(rejection);
        None
    };
    if let (Some(least), Some(most)) = (keys.minimum, keys.maximum)
        && least > most
    {
        let message = format!("the minimum {least} is above the maximum");
        let hint = format!("the maximum is {most}: `minimum: {most}, maximum: {least}`");
        return refuse("minimum", Rejection::new(message, hint));
    }
    match (keys.words, keys.kind) {
        (Some(words), _) => read_words(&words, keys.default.as_ref(), refuse),
        (None, Some(OptionType::Boolean)) => match keys.default {
            None => Some(OptionKind::Bool(false)),
            Some(Value::Bool(default)) => Some(OptionKind::Bool(default)),
            Some(_) => {
                let hint = "write `true` or `false`, without quotes";
                refuse("default", Rejection::new("expected `true` or `false`", hint))
            }
        },
        (None, Some(OptionType::Integer)) => {
            let (min, max) = (keys.minimum.unwrap_or(i64::MIN), keys.maximum.unwrap_or(i64::MAX));
            let Some(written) = keys.default else {
                let hint = "`default: 7` says what it is where no event does: the referee is told \
                            every option";
                return refuse("", Rejection::new("the option has no default", hint));
            };
            let range = || format!("it can be {min} to {max}");
            match written.as_i64() {
                Some(default) if (min..=max).contains(&default) => {
                    Some(OptionKind::Int { min, max, default })
                }
                Some(_) => {
                    let message = "the default is out of range";
                    refuse("default", Rejection::new(message, range()))
                }
                None if written.is_u64() => {
                    let message = "the number is out of range";
                    refuse("default", Rejection::new(message, range()))
                }
                None => refuse("default", Rejection::bare("expected a whole number")),
            }
        }
        _ => {
            let hint = "`{ type: integer, minimum: 3, maximum: 20, default: 7 }`, `{ type: boolean }` \
                        or `{ enum: [small, large] }`";
            let message = "an option is an integer, a boolean or one of some words";
            refuse("", Rejection::new(message, hint))
        }
    }
}

/// Returns an option that is one of some words, the default first.
fn read_words(
    values: &[Value],
    default: Option<&Value>,
    refuse: impl Fn(&str, Rejection) -> Option<OptionKind>,
) -> Option<OptionKind> {
    let word = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    };
    let words: Option<Vec<String>> = values.iter().map(word).collect();
    let Some(mut words) = words.filter(|words| !words.is_empty()) else {
        let wrong = Rejection::new("expected some words", "for instance `[small, large]`");
        return refuse("enum", wrong);
    };
    if let Some(default) = default {
        let found = word(default).and_then(|one| words.iter().position(|known| *known == one));
        let Some(index) = found else {
            return refuse("default", Rejection::bare("the default is none of the words"));
        };
        words[..=index].rotate_right(1);
    }
    Some(OptionKind::OneOf(words))
}
