//! Sample files for people who write parsers.

use super::{
    Blast, Bomb, Chance, Command, GameState, Ground, LineEndings, PowerUp, Report, Square, Views,
    advance,
};
use crate::{Parts, Sample, Seat, Seed};

/// The game seed of all samples.
const SEED: i32 = 2016;

/// Returns a name and both files for each thing a parser must cope with.
pub(super) fn views() -> Vec<Sample> {
    let samples = [
        ("start-2-players", GameState::fresh(SEED, 2), LineEndings::Lf),
        ("start-4-players", GameState::fresh(SEED, 4), LineEndings::Lf),
        ("start-8-players", GameState::fresh(SEED, 8), LineEndings::Lf),
        ("start-12-players", GameState::fresh(SEED, 12), LineEndings::Lf),
        ("line-ends-of-windows", GameState::fresh(SEED, 2), LineEndings::CrLf),
        ("negative-seed", GameState::fresh(-SEED, 2), LineEndings::Lf),
        ("player-on-its-bomb", after_planting(1), LineEndings::Lf),
        ("bombs-left-behind", bombs_left_behind(), LineEndings::Lf),
        ("explosion-and-death", after_planting(5), LineEndings::Lf),
        ("open-power-ups", open_power_ups(), LineEndings::Lf),
    ];
    let view = |(name, state, line_endings): (&str, GameState, LineEndings)| {
        Sample::new(name, Views::new(&names(&state), line_endings).render(&state))
    };
    let mut views: Vec<_> = samples.into_iter().map(view).collect();
    views.push(Sample::new("escapes-in-names", escapes_in_names()));
    views
}

fn names(state: &GameState) -> Vec<String> {
    ["Ada", "Brook", "Cleo", "Dave"]
        .iter()
        .cycle()
        .enumerate()
        .take(state.players.len())
        .map(|(seat, name)| format!("{name} {}", seat + 1))
        .collect()
}

/// Both players plant a bomb in round 0 and stay.
fn after_planting(rounds: u32) -> GameState {
    let mut state = GameState::fresh(SEED, 2);
    let (mut chance, mut report) = (Chance::new(Seed(0)), Report::new());
    for round in 0..rounds {
        let command = if round == 0 { Command::Bomb } else { Command::Nothing };
        advance(&mut state, &[Some(command); 2], &mut chance, &mut report);
    }
    state
}

fn bombs_left_behind() -> GameState {
    let mut state = GameState::fresh(SEED, 2);
    state.players[0].bag = 3;
    state.players[0].radius = 4;
    for (x, y, timer) in [(2, 3, 9), (3, 2, 7), (2, 2, 5)] {
        state.bombs.push(Bomb::new(state.square(x, y), Seat(0), timer, 4));
    }
    state.bombs.sort_by_key(|bomb| bomb.at);
    state.players[1].points = -120;
    state.round = 31;
    state
}

/// One power-up of each kind without its wall, one of them behind an explosion.
fn open_power_ups() -> GameState {
    let mut state = GameState::fresh(SEED, 2);
    for power_up in [PowerUp::Bag, PowerUp::Radius] {
        let holds = |number: &usize| state.blocks[*number].power_up == Some(power_up);
        let number = (0..state.blocks.len()).find(holds);
        let number = number.expect("every map hides both kinds");
        state.blocks[number].ground = Ground::Free;
        if power_up == PowerUp::Bag {
            let at = Square(number as u16);
            state.blasts.push(Blast { at, bomb_at: at, owner: Seat(0), bomb: 0 });
        }
    }
    state.round = 12;
    state
}

fn escapes_in_names() -> Parts {
    let state = GameState::fresh(SEED, 2);
    let names = ["\"quoted\" \\ / \u{1f4a3}".to_owned(), "tab\tand é".to_owned()];
    Views::new(&names, LineEndings::Lf).render(&state)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(sample: &str, name: &str) -> String {
        let views = views();
        let Sample { parts, .. } =
            views.iter().find(|view| view.name == sample).expect("there is such a sample");
        let bytes = parts.get(name).expect("there is such a file");
        String::from_utf8(bytes.to_vec()).expect("files are UTF-8")
    }

    #[test]
    fn the_sample_of_a_death_shows_one() {
        assert!(file("explosion-and-death", "map.txt").contains("\nStatus: Dead\n"));
        assert!(file("explosion-and-death", "state.json").contains("\"Exploding\":true"));
    }

    #[test]
    fn the_sample_of_power_ups_shows_each_kind() {
        let state_json = file("open-power-ups", "state.json");
        for kind in ["BombBagPowerUpEntity", "BombRaduisPowerUpEntity", "SuperPowerUp"] {
            assert!(state_json.contains(kind), "{kind}");
        }
    }

    #[test]
    fn the_sample_of_bombs_shows_the_owners_letter_and_digits() {
        let map = file("bombs-left-behind", "map.txt");
        assert!(map.contains("\n#a7"), "{map}");
        assert!(
            map.contains("Bombs: {x:2,y:2,fuse:5,radius:4},{x:3,y:2,fuse:7,radius:4},{x:2,y:3,")
        );
    }

    #[test]
    fn names_are_escaped_in_json_alone() {
        assert!(file("escapes-in-names", "state.json").contains(r#""\"quoted\" \\ / "#));
        assert!(file("escapes-in-names", "map.txt").contains("Player Name: \"quoted\" \\ / "));
    }
}
