//! `options:` of an event: settings of its game that an organiser can change.

use joust_model::GameOptions;
use joust_referee::{GameSpec, OptionSpec, OptionValue, OptionsError, Seed, Setup, StartError};

use super::node::NodeValue;
use super::read::Cursor;
use super::rejection::Rejection;
use super::tournament::Event;

/// Reads the options of an event and fills in those that are left out.
pub(super) fn read_options(event: &Cursor<'_>, game: &GameSpec) -> GameOptions {
    let mut options = joust_referee::default_options(&game.options);
    let Some(section) = event.get("options") else { return GameOptions::from_referee(&options) };
    let names = game.options.iter().map(|spec| spec.name.as_str());
    let originals = game.original_names.iter().map(|original| original.name.as_str());
    let known: Vec<&str> = names.chain(originals).collect();
    for (entry, value) in section.read_section(&known) {
        let original = game.original_names.iter().find(|one| one.name == entry.key);
        let name = original.map_or(&entry.key, |original| &original.option);
        let Some(spec) = game.options.iter().find(|spec| spec.name == *name) else { continue };
        if original.is_some() && section.get(name).is_some() {
            let message = format!("`{name}` is given, too: they are the same");
            value.refuse(Rejection::new(message, "delete one of the two"));
            continue;
        }
        let written = written(&value);
        let given = original.map_or_else(|| written.clone(), |one| one.translate(&written));
        options.extend(check(&value, spec, given).map(|given| (name.clone(), given)));
    }
    let options = GameOptions::from_referee(&options);
    if !options.is_within_bounds() {
        section.refuse(Rejection::bare("all options together have more than 64 KiB"));
    }
    options
}

fn written(item: &Cursor<'_>) -> OptionValue {
    match &item.node.value {
        NodeValue::Bool(value) => OptionValue::Bool(*value),
        NodeValue::Text(text) => OptionValue::Text(text.clone()),
        NodeValue::Int(number) => i64::try_from(*number)
            .map_or_else(|_| OptionValue::Text(number.to_string()), OptionValue::Int),
        NodeValue::Float(number) => OptionValue::Text(format!("{number:?}")),
        _ => OptionValue::Text(item.node.kind().to_owned()),
    }
}

fn check(item: &Cursor<'_>, spec: &OptionSpec, value: OptionValue) -> Option<OptionValue> {
    let error = match spec.check(&value) {
        Ok(()) => return Some(value),
        Err(error) => error,
    };
    let message = match error {
        OptionsError::Value { given, expected, .. } => {
            format!("expected {expected}, found `{given}`")
        }
        error => error.to_string(),
    };
    item.refuse(Rejection::new(message, &spec.help));
    None
}

/// Reports options that are valid alone but not together, or not with so many players.
pub(super) fn check_together(cursor: &Cursor<'_>, event: &Event) {
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
            return cursor.refuse(Rejection::bare(error.to_string()));
        }
    };
    let spec = event.game.spec();
    let originals = spec.original_names.iter().filter(|one| one.option == *name);
    let mut names = [name].into_iter().chain(originals.map(|one| &one.name));
    let section = cursor.get("options");
    let written = section.as_ref().and_then(|section| names.find_map(|name| section.get(name)));
    let node = written.or(section).map_or(cursor.node, |at| at.node);
    let path = format!("{}.options.{name}", cursor.path);
    let hint = spec.options.iter().find(|one| one.name == *name).map(|one| one.help.clone());
    let message = format!("expected {expected}, found `{given}`");
    cursor.at(node, path).refuse(Rejection { message, hint });
}
