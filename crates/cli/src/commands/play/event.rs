//! Settings of the bout: rules, options, seed and clock.

use joust_config::{Event, Tournament};
use joust_model::ClockMode;
use joust_orchestrator::machine::default_tournament;
use joust_referee::{Game, OptionValue};

use super::checks::{check_clock, check_seats, check_turns};
use super::options::{complete, option};
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
        return Err(Failure::new(Status::Usage, message).hint(
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
            Some(_) => {
                let message = format!("`{}` is not played on a clock", game.id());
                Err(Failure::new(Status::Usage, message))
            }
        };
    }
    if people::at_the_keyboard(args) == 0 && args.people.listen.is_none() {
        return Ok(args.clock.clock.or(configured));
    }
    match args.clock.clock {
        // People can play only against the real-time clock, which waits for no seat.
        None | Some(ClockMode::Realtime) => Ok(Some(ClockMode::Realtime)),
        Some(other) => {
            let message = format!("people play in real time, not `{}`", other.name());
            Err(Failure::new(Status::Usage, message))
        }
    }
}
