//! A starter bot for Battleships (Entelect Challenge 2017): it hunts on every second square.
//!
//! Joust starts this program once per round with two arguments: your key (A or B) and a
//! folder with `state.json` and `map.txt`. Leave your answer in that folder: in phase 1
//! `place.txt`, five lines such as `Carrier 0 0 East`; in phase 2 `command.txt`, one line
//! `code,x,y` (code 1 is a single shot). (0, 0) is the lower left corner, y grows to the north.
//! `joust rules battleships-2017` has the other weapons and the shield.

use std::{env, fs, path::Path};

const FLEET: [&str; 5] = ["Carrier", "Battleship", "Cruiser", "Submarine", "Destroyer"];

#[derive(Default)]
struct Map {
    /// The opponent's squares, lowest row first: ~ unknown, * hit, ! missed, @ shield.
    rows: Vec<Vec<u8>>,
    round: usize,
    phase: usize,
}

impl Map {
    fn read(text: &str) -> Self {
        let (mut map, mut theirs) = (Map::default(), false);
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("Round Number :") {
                map.round = rest.trim().parse().unwrap_or(0);
            } else if let Some(rest) = line.strip_prefix("Phase :") {
                map.phase = rest.trim().parse().unwrap_or(0);
            } else if line.starts_with('#') {
                theirs = line.ends_with("Opponent");
            } else if theirs {
                map.rows.insert(0, line.as_bytes().to_vec());
            }
        }
        map
    }

    fn symbol(&self, x: usize, y: usize) -> Option<u8> {
        self.rows.get(y)?.get(x).copied()
    }

    fn is_near(&self, x: usize, y: usize) -> bool {
        let around = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
        around.into_iter().any(|(x, y)| self.symbol(x, y) == Some(b'*'))
    }

    fn command(&self, luck: usize) -> String {
        let squares = (0..self.rows.len()).flat_map(|y| (0..self.rows[y].len()).map(move |x| (x, y)));
        let all: Vec<_> = squares.filter(|&(x, y)| self.symbol(x, y) == Some(b'~')).collect();
        let near: Vec<_> = all.iter().copied().filter(|&(x, y)| self.is_near(x, y)).collect();
        let second: Vec<_> = all.iter().copied().filter(|(x, y)| (x + y) % 2 == 0).collect();
        // Your ideas go here: seeker missiles, shields, what must be sunk already ...
        match [near, second, all].into_iter().find(|targets| !targets.is_empty()) {
            Some(targets) => {
                let (x, y) = targets[(luck + 31 * self.round) % targets.len()];
                format!("1,{x},{y}\n")
            }
            None => "0,0,0\n".to_owned(),
        }
    }
}

fn place() -> String {
    // Your ideas go here: any five lines that do not cross and stay on the map.
    FLEET.iter().enumerate().map(|(y, ship)| format!("{ship} 0 {y} East\n")).collect()
}

fn main() {
    let folder = env::args().nth(2).expect("the folder is the second argument");
    let folder = Path::new(&folder);
    let map = Map::read(&fs::read_to_string(folder.join("map.txt")).expect("the map is there"));
    let seed: u64 = env::var("JOUST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let (name, answer) = match map.phase {
        1 => ("place.txt", place()),
        _ => ("command.txt", map.command((seed % 1000) as usize)),
    };
    fs::write(folder.join(name), answer).expect("the folder takes the answer");
}
