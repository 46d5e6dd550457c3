//! A starter bot for UWCS Bomberman: it walks where it can and lays no bomb.
//!
//! Joust starts this program once per bout. It connects to the game, registers when it
//! reads INIT, learns the map, and sends one action after each TICK:
//!
//!     ACTION UP | DOWN | LEFT | RIGHT | BOMB
//!
//! `joust rules uwcs-bomberman` has every line that the game sends, and the whole story.

use std::collections::HashMap;
use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;

const STEPS: [(&str, i32, i32); 4] = [("UP", -1, 0), ("DOWN", 1, 0), ("LEFT", 0, -1), ("RIGHT", 0, 1)];

type Square = (i32, i32);

struct Game {
    name: String,
    luck: u64,
    /// `grid[row][column]` is "0" free, "1" rock, "2" pillar.
    grid: Vec<Vec<String>>,
    players: HashMap<String, Square>,
}

impl Game {
    /// Returns an action.
    fn choose(&mut self, here: Square) -> &'static str {
        // Your ideas go here. Where are bombs? Who is near? Is there a way out?
        let open: Vec<&str> =
            STEPS.iter().filter(|step| self.is_free(target(here, step))).map(|step| step.0).collect();
        self.luck = self.luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        match open.len() {
            0 => "UP",
            ways => open[(self.luck >> 33) as usize % ways],
        }
    }

    fn is_free(&self, (row, column): Square) -> bool {
        let square = usize::try_from(row).ok().and_then(|row| self.grid.get(row));
        let square = square.zip(usize::try_from(column).ok()).and_then(|(row, column)| row.get(column));
        square.is_some_and(|square| square == "0")
    }

    /// Plays an action of the turn that is over.
    fn follow(&mut self, name: &str, action: &str) {
        let step = STEPS.iter().find(|step| step.0 == action);
        if let (Some(here), Some(step)) = (self.players.get(name).copied(), step) {
            if self.is_free(target(here, step)) {
                self.players.insert(name.to_owned(), target(here, step));
            }
        }
    }
}

fn target(from: Square, step: &(&str, i32, i32)) -> Square {
    (from.0 + step.1, from.1 + step.2)
}

fn setting(name: &str, default: &str) -> String {
    env::var(name).unwrap_or_else(|_| default.to_owned())
}

/// Reads a line as words; `None` when the game is over.
fn words(lines: &mut impl BufRead) -> io::Result<Option<Vec<String>>> {
    let mut line = String::new();
    if lines.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(line.split_whitespace().map(str::to_owned).collect()))
}

fn block(lines: &mut impl BufRead, count: usize) -> io::Result<Vec<Vec<String>>> {
    (0..count).map(|_| Ok(words(lines)?.unwrap_or_default())).collect()
}

fn play() -> io::Result<()> {
    let seed: u64 = setting("JOUST_SEED", "1").parse().unwrap_or(1);
    let port: u16 = setting("JOUST_PORT", "8037").parse().unwrap_or(8037);
    let mut stream = TcpStream::connect((setting("JOUST_HOST", "uwcs.co.uk").as_str(), port))?;
    stream.set_nodelay(true)?;
    let mut lines = BufReader::new(stream.try_clone()?);
    let name = format!("starter-{}", seed % 100_000);
    let mut game = Game { name, luck: seed, grid: Vec::new(), players: HashMap::new() };
    while let Some(line) = words(&mut lines)? {
        let count = line.get(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        match line.first().map_or("", String::as_str) {
            "INIT" => stream.write_all(format!("REGISTER {} secret\n", game.name).as_bytes())?,
            "MAP" => game.grid = block(&mut lines, count)?,
            "PLAYERS" => {
                game.players.clear();
                for entry in block(&mut lines, count)? {
                    if let [name, row, column] = &entry[..] {
                        let square = (row.parse().unwrap_or(-1), column.parse().unwrap_or(-1));
                        game.players.insert(name.clone(), square);
                    }
                }
            }
            "ACTIONS" => {
                for entry in block(&mut lines, count)? {
                    if let [name, action] = &entry[..] {
                        game.follow(name, action);
                    }
                }
            }
            "DEAD" => {
                for entry in block(&mut lines, count)? {
                    entry.first().map(|name| game.players.remove(name));
                }
            }
            "TICK" => {
                if let Some(here) = game.players.get(&game.name).copied() {
                    let action = game.choose(here);
                    stream.write_all(format!("ACTION {action}\n").as_bytes())?;
                }
            }
            _ => {} // echoes, scores and errors
        }
    }
    Ok(())
}

fn main() {
    // A connection that is lost is a game that is over.
    if let Err(error) = play() {
        if !matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe) {
            panic!("{error}");
        }
    }
}
