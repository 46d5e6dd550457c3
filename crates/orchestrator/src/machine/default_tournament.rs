//! The configuration of bouts that no tournament describes.

use std::fmt::Write;
use std::path::Path;

use joust_referee::{Catalogue, Game};

use joust_config::{self as config, ConfigErrors, Event, Tournament};

/// Returns the tournament an empty file would describe: one event for every
/// game, everything as by default.
pub fn tournament(folder: &Path, games: &Catalogue) -> Tournament {
    with_languages(folder, games, "").expect("the defaults are a tournament")
}

/// Returns [`tournament`] with the section `languages:` of `text`, which has nothing else.
///
/// # Errors
///
/// The problems of the section.
pub fn with_languages(
    folder: &Path,
    games: &Catalogue,
    text: &str,
) -> Result<Tournament, ConfigErrors> {
    let mut whole = format!("{text}\nevents:\n");
    for game in games {
        let id = game.id();
        let _ = writeln!(whole, "  - {{ id: {id}, game: {id}, bots: ['*'] }}");
    }
    config::parse(&whole, &folder.join("tournament.yaml"), games)
}

/// Returns how `game` is played in `tournament`: its first event of that game,
/// or the defaults.
pub fn event(tournament: &Tournament, game: &Game) -> Event {
    let of_game = |event: &&Event| event.game.id() == game.id();
    if let Some(event) = tournament.events.iter().find(of_game) {
        return event.clone();
    }
    let defaults = self::tournament(&tournament.folder, &tournament.games);
    defaults.events.iter().find(of_game).expect("every game has its event").clone()
}
