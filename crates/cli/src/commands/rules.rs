//! `joust rules`: the rules of a game, or the list of games.

use joust_referee::registry;

use super::shared;
use crate::args::RulesArgs;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) fn execute(args: &RulesArgs, screen: Screen) -> Result<Status, Failure> {
    match &args.game {
        None => screen.result(&list()),
        Some(id) => screen.result(shared::game(id)?.rules_text()),
    }
    Ok(Status::Done)
}

fn list() -> String {
    registry::ALL
        .iter()
        .map(|game| {
            let (id, title, sets) = (game.id(), game.title(), game.rule_sets().join(", "));
            format!("{id}: {title} (rule sets: {sets})\n")
        })
        .collect()
}
