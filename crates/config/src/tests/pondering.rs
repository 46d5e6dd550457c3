//! Tests of the treatment of bots that think while they are not asked.

use std::path::Path;

use joust_model::{Limits, Pondering};
use joust_referee::Catalogue;

use crate::{ConfigErrors, Tournament, parse};

fn read(setting: &str) -> Pondering {
    read_own(setting, "").pondering
}

/// Reads the limits of the only event of a tournament with a game of its own.
pub(super) fn read_own(setting: &str, game: &str) -> Limits {
    let tournament = try_own(setting, game);
    let tournament = tournament.unwrap_or_else(|errors| panic!("refused:\n{errors}"));
    tournament.events[0].limits.clone()
}

/// Reads a tournament with an event of a game of its own, under a folder named with a dot.
#[expect(clippy::disallowed_methods, reason = "the test writes what is read")]
pub(super) fn try_own(setting: &str, game: &str) -> Result<Tournament, ConfigErrors> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file can be written");
    };
    write("game.yaml", &format!("id: my-game\n{game}"));
    write("referee.py", "");
    let text = format!(
        "games: {{ my-game: {{ referee: . }} }}\nevents:\n  - game: my-game\n    bots: [bots/*]\n    {setting}\n"
    );
    let file = folder.path().join(Path::new("./tournament.yaml"));
    parse(&text, &file, &Catalogue::built_in())
}

#[test]
fn only_the_mistake_of_a_broken_game_is_reported() {
    let refused = try_own("", "odd: 1\n").expect_err("a wrong key").to_string();
    assert_eq!(refused.matches("error: ").count(), 1, "{refused}");
    assert!(refused.contains("unknown key `odd`"), "{refused}");
    assert!(refused.contains("/game.yaml:2:1\n") && !refused.contains("/./"), "{refused}");
}

#[test]
fn bots_that_share_a_core_may_think_between_asks_only_where_it_is_allowed() {
    assert_eq!(read(""), Pondering::Stop);
    assert_eq!(read("pondering: stop"), Pondering::Stop);
    assert_eq!(read("pondering: allow"), Pondering::Allow);
    assert_eq!(read("limits: { turn: 3s }"), Pondering::Stop);
}

#[test]
fn bots_of_games_of_ours_are_left_alone() {
    let tournament = super::accept(super::SMALL);
    assert_eq!(tournament.events[0].limits.pondering, Pondering::Allow);
    let refused = super::refuse(&super::with_event_lines("pondering: stop"));
    assert!(refused.contains("no bot of `battlebots` waits for its next turn"), "{refused}");
}

#[test]
fn bots_of_a_game_of_ours_that_stay_for_a_bout_may_be_stopped_between_asks() {
    let event = "events:\n  - game: battlesnake\n    bots: [a]\n";
    let read =
        |setting: &str| super::accept(&format!("{event}{setting}")).events[0].limits.pondering;
    assert_eq!(read(""), Pondering::Allow);
    assert_eq!(read("    pondering: stop\n"), Pondering::Stop);
}
