//! A starter bot for Bomberman (Entelect Challenge 2016): it blows walls up and steps aside.
//!
//! Joust starts this program once per round with two arguments: your key and a folder.
//! The folder holds `state.json` and `map.txt`; leave your move there in `move.txt`:
//! 1 up, 2 left, 3 right, 4 down, 5 plant a bomb, 6 set your oldest bomb off, 0 nothing.
//! `joust rules bomberman-2016` has the whole story.

use std::{env, fs, path::Path};

const STEPS: [(i32, i32); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];

struct Map {
    grid: Vec<Vec<u8>>,
    bombs: Vec<(i32, i32, i32)>,
    round: i32,
    may_plant: bool,
}

impl Map {
    fn read(text: &str, key: &str) -> Self {
        let mut map = Map { grid: Vec::new(), bombs: Vec::new(), round: 0, may_plant: false };
        let mut owner = "";
        for line in text.lines() {
            if line.starts_with('#') {
                map.grid.push(line.as_bytes().to_vec());
            } else if let Some(rest) = line.split("Current Round: ").nth(1) {
                map.round = numbers(rest).first().copied().unwrap_or(0);
            } else if let Some(rest) = line.strip_prefix("Key: ") {
                owner = rest;
            } else if let Some(rest) = line.strip_prefix("Bombs:") {
                map.may_plant |= owner == key && !rest.contains('{');
                map.bombs.extend(numbers(rest).chunks_exact(4).map(|bomb| (bomb[0], bomb[1], bomb[3])));
            }
        }
        map
    }

    fn symbol(&self, x: i32, y: i32) -> u8 {
        self.grid[y as usize - 1][x as usize - 1]
    }

    fn is_free(&self, x: i32, y: i32) -> bool {
        b" &!$".contains(&self.symbol(x, y))
    }

    fn is_safe(&self, x: i32, y: i32) -> bool {
        self.bombs.iter().all(|&(bx, by, radius)| {
            !(x == bx && (y - by).abs() <= radius || y == by && (x - bx).abs() <= radius)
        })
    }

    fn rate(&self, x: i32, y: i32) -> usize {
        let is_exit = |step: &&(i32, i32)| {
            let (x, y) = (x + step.0, y + step.1);
            self.is_free(x, y) && self.is_safe(x, y)
        };
        4 * usize::from(self.is_safe(x, y)) + STEPS.iter().filter(is_exit).count()
    }

    fn choose(&self, x: i32, y: i32, luck: usize) -> usize {
        // Your ideas go here. What is worth walking to? Can you shut somebody in?
        let walls = STEPS.iter().any(|step| self.symbol(x + step.0, y + step.1) == b'+');
        if self.is_safe(x, y) && walls && self.may_plant && luck % 3 == 0 {
            return 5;
        }
        let (mut best, mut chosen) = (self.rate(x, y), 0);
        for turn in 0..4 {
            let number = (turn + luck) % 4;
            let (x, y) = (x + STEPS[number].0, y + STEPS[number].1);
            if self.is_free(x, y) && self.rate(x, y) >= best {
                (best, chosen) = (self.rate(x, y), number + 1);
            }
        }
        chosen
    }
}

fn numbers(text: &str) -> Vec<i32> {
    let parts = text.split(|one: char| !one.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let (key, folder) = (&arguments[1], Path::new(&arguments[2]));
    let text = fs::read_to_string(folder.join("map.txt")).expect("the map is there");
    let map = Map::read(&text, key);
    let seed: u64 = env::var("JOUST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let luck = (seed % 1000) as usize + 7 * map.round as usize;
    let mut chosen = 0;
    for (y, row) in map.grid.iter().enumerate() {
        if let Some(x) = row.iter().position(|one| one.to_ascii_uppercase() == key.as_bytes()[0]) {
            chosen = map.choose(x as i32 + 1, y as i32 + 1, luck);
        }
    }
    fs::write(folder.join("move.txt"), chosen.to_string()).expect("the folder takes the move");
}
