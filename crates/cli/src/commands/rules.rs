//! `joust rules`: the rules of a game, or the list of games.

use joust_referee::Catalogue;

use super::shared;
use crate::args::{GameArg, RulesArgs};
use crate::error::{Failure, Status};
use crate::output::Screen;

pub(super) fn execute(args: &RulesArgs, screen: Screen) -> Result<Status, Failure> {
    let games = shared::games();
    match &args.game {
        None => screen.result(&list(&games)),
        Some(wanted) => {
            let wanted = GameArg { game: wanted.clone(), file: args.file.clone() };
            let found = shared::find_game(&wanted, screen)?;
            screen.result(&found.game.spec().rules_text);
        }
    }
    Ok(Status::Done)
}

fn list(games: &Catalogue) -> String {
    let line = |game: &joust_referee::Game| {
        let spec = game.spec();
        let (id, title, sets) = (&spec.id, &spec.title, spec.rule_sets.join(", "));
        format!("{id}: {title} (rule sets: {sets})\n")
    };
    games.iter().map(line).collect()
}
