//! Standing table: a custom game, played with guests that join over the network, one bout after
//! another.

use std::net::{SocketAddr, TcpListener};

use joust_model::ConnectionCaps;
use joust_model::cancel::Cancel;
use joust_orchestrator::pipeline::unguessable;
use joust_referee::{AnswerForm, Game};

use super::warn_of_strangers;
use crate::args::{BoutSettingsArgs, PeopleArgs, PlayArgs, ServeArgs, StartCondition};
use crate::commands::{play, run};
use crate::error::{Failure, Status};
use crate::output::Screen;

/// Plays bout after bout until the run is stopped.
pub(super) fn execute(args: &ServeArgs, game: &Game, screen: Screen) -> Result<Status, Failure> {
    insist_on_options_of_tables(args)?;
    insist_on_lines(game)?;
    let address = free(args.listen)?;
    warn_of_strangers(address, screen);
    let mut seed = args.seed.unwrap_or_else(unguessable);
    let stop = Cancel::default();
    run::stop_on_signal(stop.clone(), screen);
    loop {
        let bout = PlayArgs {
            game: args.game.clone(),
            bots: args.bots.clone(),
            settings: BoutSettingsArgs {
                seed: seed.into(),
                rules: args.rules.clone(),
                ..BoutSettingsArgs::default()
            },
            people: PeopleArgs {
                listen: Some(address),
                guest_time: Some(args.caps.idle),
                start_condition: StartCondition::EnoughGuests,
                caps: ConnectionCaps {
                    connections: args.caps.connections as usize,
                    per_address: args.caps.per_address as usize,
                },
                ..PeopleArgs::default()
            },
            ..PlayArgs::default()
        };
        match play::execute_until(Some(&stop), &bout, screen) {
            // A stopped bout may still reach its end.
            Ok(_) if !stop.is_cancelled() => {}
            Err(failure) if failure.status != Status::Interrupted => return Err(failure),
            _ => {
                screen.message("stopped\n");
                return Ok(Status::Done);
            }
        }
        seed = seed.wrapping_add(1);
    }
}

/// Refuses other options: a table has no accounts, and one address for all.
fn insist_on_options_of_tables(args: &ServeArgs) -> Result<(), Failure> {
    let given = [
        ("--spectators", args.spectators.is_some()),
        ("--database", args.database.is_some()),
        ("--accounts", args.caps.accounts.is_some()),
        ("--new-names", args.caps.new_names.is_some()),
    ];
    let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) else {
        return Ok(());
    };
    let hint = match option {
        "--spectators" => "nobody but the players sees a table's bouts: leave it out",
        _ => "no names are kept at a table: leave it out",
    };
    let message = format!("a table for a game of one's own has no `{option}`");
    Err(Failure::new(Status::Usage, message).hint(hint))
}

/// People type lines: an answer has to be one.
fn insist_on_lines(game: &Game) -> Result<(), Failure> {
    let form = game.spec().external.as_ref().map(|external| &external.answer);
    match form {
        None | Some(AnswerForm::Lines(1) | AnswerForm::Prefix(_)) => Ok(()),
        Some(_) => {
            let message =
                format!("people cannot play `{}`: an answer is more than a line", game.id());
            Err(Failure::new(Status::Usage, message)
                .hint("`answer: { lines: 1 }` in game.yaml is what people can type"))
        }
    }
}

/// Returns an address that stays the same from bout to bout: port 0 is any free one.
fn free(address: SocketAddr) -> Result<SocketAddr, Failure> {
    if address.port() != 0 {
        return Ok(address);
    }
    let taken = TcpListener::bind(address).and_then(|listener| listener.local_addr());
    taken.map_err(|error| Failure::from_error(Status::Machine, &error))
}
