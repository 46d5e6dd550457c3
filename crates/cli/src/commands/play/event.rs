//! Settings of the bout: rules, options, seed and clock. A feature that the game lacks is refused
//! before anything is built.

use joust_config::{Event, Tournament};
use joust_model::{ClockMode, GameOptions, escaped};
use joust_orchestrator::machine::default_tournament;
use joust_referee::{Game, OptionKind, OptionValue, Options, SeatRange, complete_options};

use crate::args::PlayArgs;
use crate::commands::{people, shared};
use crate::error::{Failure, Status};

/// The option of games whose original numbered its maps.
const MAP_SEED: &str = "map_seed";

/// Returns the settings of the bout: the tournament's event of this game if a file was named, with
/// the changes of the command line.
pub(super) fn event(
    args: &PlayArgs,
    game: &Game,
    tournament: &Tournament,
) -> Result<Event, Failure> {
    let mut event = default_tournament::event(tournament, game);
    if let Some(rules) = &args.settings.rules.rules {
        shared::check_rules(game, rules)?;
        event.rules.clone_from(rules);
    }
    let mut options = event.options.to_referee();
    if args.people.listen.is_some() && args.game.file.named().is_none() {
        let patient = game.spec().people.options.iter();
        options.extend(patient.map(|one| (one.name.clone(), OptionValue::Int(one.value))));
    }
    for text in &args.settings.rules.options {
        let (name, value) = option(game, text)?;
        options.insert(name, value);
    }
    if args.settings.seed < 0 {
        let seed = OptionValue::Int(map_seed(args, game)?);
        options.entry(MAP_SEED.into()).or_insert(seed);
    }
    event.options = complete(game, &options)?;
    event.clock = clock(args, game, event.clock)?;
    check_seats(args, game)?;
    check_turns(args, game)?;
    check_clock(args, game)?;
    Ok(event)
}

/// Returns a negative seed: the original of a game with seeded maps took any number of 32
/// bits for one.
fn map_seed(args: &PlayArgs, game: &Game) -> Result<i64, Failure> {
    if !game.spec().options.iter().any(|spec| spec.name == MAP_SEED) {
        let message = format!("a seed of `{}` is not below 0: `{}`", game.id(), args.settings.seed);
        return Err(Failure::usage(message).hint(
            "only a game with an option `map_seed` takes the negative seeds of an original",
        ));
    }
    Ok(i64::try_from(args.settings.seed).unwrap_or(i64::MIN))
}

/// Returns how the clock strikes, if the game has one.
fn clock(
    args: &PlayArgs,
    game: &Game,
    configured: Option<ClockMode>,
) -> Result<Option<ClockMode>, Failure> {
    if configured.is_none() {
        return match args.clock.clock {
            None => Ok(None),
            Some(_) => Err(Failure::usage(format!("`{}` is not played on a clock", game.id()))),
        };
    }
    if people::at_the_keyboard(args) == 0 && args.people.listen.is_none() {
        return Ok(args.clock.clock.or(configured));
    }
    match args.clock.clock {
        // People can play only against the real-time clock, which waits for no seat.
        None | Some(ClockMode::Realtime) => Ok(Some(ClockMode::Realtime)),
        Some(other) => {
            Err(Failure::usage(format!("people play in real time, not `{}`", other.name())))
        }
    }
}

/// Refuses what only games with a keyboard for their clock can do.
fn check_clock(args: &PlayArgs, game: &Game) -> Result<(), Failure> {
    let wanted = [
        ("--start-paused", args.clock.start_paused),
        ("--single-step", args.clock.single_step),
        ("--endless", args.clock.endless),
    ];
    let is_over_tcp = people::are_clients(game);
    let wanted = wanted.into_iter().filter(|(_, is_wanted)| *is_wanted);
    let cannot =
        |option: &str| game.spec().people.keys.is_empty() || is_over_tcp && option == "--endless";
    if let Some(option) = wanted.map(|(option, _)| option).find(|option| cannot(option)) {
        return Err(Failure::usage(format!("`{}` has no `{option}`", game.id())));
    }
    if args.clock.single_step && !args.view.show && people::at_the_keyboard(args) == 0 {
        return Err(Failure::usage("`--single-step` is for those who watch: add `--show`"));
    }
    Ok(())
}

/// Refuses seats that no lobby can fill.
fn check_seats(args: &PlayArgs, game: &Game) -> Result<(), Failure> {
    let SeatRange { fewest, most } = game.spec().seats;
    let seats = args.bots.len() + people::at_the_keyboard(args);
    let least = if args.people.listen.is_some() { 0 } else { usize::from(fewest) };
    let room = usize::from(most) - usize::from(args.people.listen.is_some());
    if (least..=room).contains(&seats) {
        return Ok(());
    }
    let wanted = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
    let guests = if args.people.listen.is_some() { ", guests included" } else { "" };
    let message = format!("`{}` is played by {wanted}{guests}, not {seats}", game.id());
    let hint = "each bot's path is one seat, and `--human` is one for a person";
    Err(Failure::usage(message).hint(hint))
}

/// Refuses what only games that ask and wait can do.
fn check_turns(args: &PlayArgs, game: &Game) -> Result<(), Failure> {
    let people = people::at_the_keyboard(args);
    if people > 1 && !game.spec().people.keys.is_empty() {
        return Err(Failure::usage(format!("`{}` has one keyboard for one person", game.id())));
    }
    let is_over_tcp = people::are_clients(game);
    if is_over_tcp && people > 0 && args.people.listen.is_some() {
        let message = "`--human` and `--listen` both want the keyboard in a game on a clock";
        return Err(Failure::usage(message)
            .hint("with `--listen` a person can join with `nc` from another terminal"));
    }
    let wanted = [
        ("--human", people > 0 && game.spec().people.keys.is_empty()),
        ("--listen", args.people.listen.is_some() && !is_over_tcp),
    ];
    let wanted = wanted.into_iter().find(|(_, is_wanted)| *is_wanted);
    match wanted {
        Some((option, _)) if game.spec().clock.is_some() => {
            let message = format!("`{}` is played on a clock and has no `{option}`", game.id());
            Err(Failure::usage(message))
        }
        _ => Ok(()),
    }
}

/// Adds the defaults of missing options.
fn complete(game: &Game, options: &Options) -> Result<GameOptions, Failure> {
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
        Failure::usage(format!("option `{}` has no value", escaped(text)))
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
        Failure::usage(message).hint(format!("its options are: {}", known.join(", ")))
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
