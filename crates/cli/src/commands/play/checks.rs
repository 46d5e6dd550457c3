//! Checks of options against a game: a feature that it lacks is refused before anything is built.

use joust_referee::{Game, SeatRange};

use crate::args::PlayArgs;
use crate::commands::people;
use crate::error::{Failure, Status};

/// Refuses what only games with a keyboard for their clock can do.
pub(super) fn check_clock(args: &PlayArgs, game: &Game) -> Result<(), Failure> {
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
        let message = format!("`{}` has no `{option}`", game.id());
        return Err(Failure::new(Status::Usage, message));
    }
    if args.clock.single_step && !args.view.show && people::at_the_keyboard(args) == 0 {
        let message = "`--single-step` is for those who watch: add `--show`";
        return Err(Failure::new(Status::Usage, message));
    }
    Ok(())
}

/// Refuses seats that no lobby can fill.
pub(super) fn check_seats(args: &PlayArgs, game: &Game) -> Result<(), Failure> {
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
    Err(Failure::new(Status::Usage, message).hint(hint))
}

/// Refuses what only games that ask and wait can do.
pub(super) fn check_turns(args: &PlayArgs, game: &Game) -> Result<(), Failure> {
    let people = people::at_the_keyboard(args);
    if people > 1 && !game.spec().people.keys.is_empty() {
        let message = format!("`{}` has one keyboard for one person", game.id());
        return Err(Failure::new(Status::Usage, message));
    }
    let is_over_tcp = people::are_clients(game);
    if is_over_tcp && people > 0 && args.people.listen.is_some() {
        let message = "`--human` and `--listen` both want the keyboard in a game on a clock";
        return Err(Failure::new(Status::Usage, message)
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
            Err(Failure::new(Status::Usage, message))
        }
        _ => Ok(()),
    }
}
