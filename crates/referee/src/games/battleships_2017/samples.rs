//! Sample views for people who write parsers.

use super::replay::seat_files;
use super::{ANSWER_FILES, BoutOptions, Command, Frame, GameState, MapSize, Rules, advance, read};
use crate::{Part, Parts, Sample, Seat};

const NAMES: [&str; 2] = ["Bravo", "Kraken9"];

/// Placements that fit on every map: what `A` and `B` do in round 0.
const FLEETS: [&str; 2] = [
    "Carrier 0 0 north\nBattleship 2 0 north\nCruiser 4 0 north\nSubmarine 6 0 north\nDestroyer 2 5 east\n",
    "Carrier 1 6 east\nBattleship 6 1 north\nCruiser 0 0 north\nSubmarine 2 2 east\nDestroyer 2 4 east\n",
];

/// Commands of `A` and `B` in the rounds after.
type Commands = &'static [[&'static str; 2]];

/// Hits and misses on both maps, and a command that is refused.
const FIGHT: Commands =
    &[["1,2,2", "1,0,0"], ["1,3,2", "1,0,1"], ["1,3,3", "6,99,99"], ["1,4,2", "1,6,6"]];

/// A shield of `B` that is up and was struck.
const SHIELD: Commands = &[
    ["1,0,0", "1,0,0"],
    ["1,0,1", "1,0,1"],
    ["1,0,2", "1,0,2"],
    ["1,5,5", "1,0,3"],
    ["1,5,4", "1,0,4"],
    ["1,5,3", "1,3,0"],
    ["1,5,2", "1,3,1"],
    ["1,2,2", "8,2,2"],
];

/// Returns a file name and the files of a seat for each thing a parser must
/// cope with. The name stands before the names of the files.
pub(super) fn views(rules: Rules) -> Vec<Sample> {
    let medium = BoutOptions::new(rules);
    let small = BoutOptions { size: MapSize::Small, ..medium };
    let large = BoutOptions { size: MapSize::Large, ..medium };
    let samples: [(&str, BoutOptions, usize, Commands); 6] = [
        ("start-small", small, 0, &[]),
        ("start-medium", medium, 0, &[]),
        ("start-large", large, 0, &[]),
        ("placed", medium, 1, &[]),
        ("fight", small, 1, FIGHT),
        ("shield", small, 1, SHIELD),
    ];
    let mut views = Vec::new();
    for (name, options, placements, commands) in samples {
        let state = play(&options, placements, commands);
        for (key, seat) in [("a", Seat(0)), ("b", Seat(1))] {
            views.push(Sample::new(format!("{name}-{key}"), files(&state, &options, seat)));
        }
    }
    views
}

fn play(options: &BoutOptions, placements: usize, commands: Commands) -> GameState {
    let mut state = GameState::start(options);
    let rounds = std::iter::repeat_n(&FLEETS, placements).chain(commands);
    for (round, answers) in rounds.enumerate() {
        let file = &ANSWER_FILES[usize::from(round >= placements)];
        let [a, b] = answers.map(|text| command(options, file, text));
        advance(&mut state, options, [Some(&a), Some(&b)]);
    }
    state
}

fn command(options: &BoutOptions, file: &str, text: &str) -> Command {
    let part = Part { name: file.into(), bytes: text.as_bytes().into() };
    read(options, &Parts(vec![part])).command
}

fn files(state: &GameState, options: &BoutOptions, seat: Seat) -> Parts {
    let names = NAMES.map(str::to_owned);
    Parts(seat_files(&Frame { state, options, names: &names }, seat, &mut Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map_of(name: &str) -> String {
        let views = views(Rules::Original);
        let Sample { parts, .. } =
            views.iter().find(|sample| sample.name == name).expect("it is there");
        String::from_utf8(parts.get("map.txt").expect("a map").to_vec()).expect("text")
    }

    #[test]
    fn the_fight_shows_hits_and_misses() {
        let map = map_of("fight-a");
        assert!(map.contains("Hit: 3\n"), "{map}");
        assert!(map.contains("!") && map.contains("*") && map.contains("c"), "{map}");
    }

    #[test]
    fn the_shield_shows_a_struck_cell() {
        let map = map_of("shield-b");
        assert!(map.contains("Status: Activated, Charges: 1), Center Point: X:2,Y:2"), "{map}");
        assert!(map.contains('@'), "{map}");
    }
}
