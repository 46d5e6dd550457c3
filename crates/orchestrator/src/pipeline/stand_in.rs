//! The configuration of bouts that no tournament describes.

use std::fmt::Write;
use std::path::Path;

use joust_referee::{Catalogue, Game};

use joust_config::{self as config, Event, Tournament};

/// Returns the tournament an empty file would describe: one event for every
/// game, everything as by default.
#[must_use]
pub fn tournament(folder: &Path, games: &Catalogue) -> Tournament {
    let mut text = String::from("events:\n");
    for game in games {
        let id = game.id();
        let _ = writeln!(text, "  - {{ id: {id}, game: {id}, bots: ['*'] }}");
    }
    let file = folder.join("tournament.yaml");
    config::parse(&text, &file, games).expect("the defaults are a tournament")
}

/// Returns how `game` is played in `tournament`: its first event of that game,
/// or the defaults.
#[must_use]
pub fn event(tournament: &Tournament, game: &Game) -> Event {
    let of_game = |event: &&Event| event.game.id() == game.id();
    if let Some(event) = tournament.events.iter().find(of_game) {
        return event.clone();
    }
    let defaults = self::tournament(&tournament.folder, &tournament.games);
    defaults.events.iter().find(of_game).expect("every game has its event").clone()
}
