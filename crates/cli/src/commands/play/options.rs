//! Game options as the command line has them.

use joust_model::{GameOptions, escaped};
use joust_referee::{Game, OptionKind, OptionValue, Options, complete_options};

use crate::error::{Failure, Status};

/// Adds the defaults of missing options.
pub(super) fn complete(game: &Game, options: &Options) -> Result<GameOptions, Failure> {
    complete_options(&game.spec().options, options)
        .map(|options| GameOptions::from_referee(&options))
        .map_err(|error| Failure::from_error(Status::Usage, &error))
}

/// Reads `NAME=VALUE`.
pub(in crate::commands) fn option(
    game: &Game,
    text: &str,
) -> Result<(String, OptionValue), Failure> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        Failure::new(Status::Usage, format!("option `{}` has no value", escaped(text)))
            .hint("give options as NAME=VALUE")
    })?;
    let options = &game.spec().options;
    let known: Vec<_> = options.iter().map(|spec| spec.name.as_str()).collect();
    let original = game.spec().original_names.iter().find(|original| original.name == name);
    if let Some(original) = original {
        let value = original.translate(&OptionValue::Text(value.to_owned()));
        return Ok((original.option.clone(), value));
    }
    let spec = options.iter().find(|spec| spec.name == name).ok_or_else(|| {
        let message = format!("`{}` has no option `{}`", game.id(), escaped(name));
        Failure::new(Status::Usage, message).hint(format!("its options are: {}", known.join(", ")))
    })?;
    let parsed = match spec.kind {
        OptionKind::Bool(_) => value.parse().map(OptionValue::Bool).ok(),
        OptionKind::Int { .. } | OptionKind::OptionalInt { .. } => {
            value.parse().map(OptionValue::Int).ok()
        }
        OptionKind::OneOf(_) | OptionKind::HostName(_) => None,
    };
    Ok((name.to_owned(), parsed.unwrap_or_else(|| OptionValue::Text(value.to_owned()))))
}
