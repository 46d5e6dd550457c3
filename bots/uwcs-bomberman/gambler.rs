//! Plays the game on in its head, with everybody acting at random, a few hundred times a
//! turn, and takes the action after which it fared best.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

const WORDS: [&str; 5] = ["UP", "DOWN", "LEFT", "RIGHT", "BOMB"];
const STEPS: [(isize, isize); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
const BOMB: usize = 4;
const WAIT: usize = 5;
const REACH: usize = 3;

/// Games played on per action, and how many turns of each.
const GAMES: u32 = 60;
const TURNS: u32 = 12;

#[derive(Clone)]
struct Player {
    name: String,
    at: (usize, usize),
    is_alive: bool,
}

#[derive(Clone, Default)]
struct Game {
    map: Vec<Vec<u8>>,
    /// Turns until the bomb of a square explodes; 0: none.
    bombs: Vec<Vec<u8>>,
    players: Vec<Player>,
    fuse: u8,
}

/// xorshift64*
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % count
    }
}

impl Game {
    fn neighbour(&self, at: (usize, usize), way: usize) -> Option<(usize, usize)> {
        let row = at.0.checked_add_signed(STEPS[way].0)?;
        let column = at.1.checked_add_signed(STEPS[way].1)?;
        (row < self.map.len() && column < self.map[row].len()).then_some((row, column))
    }

    /// Plays a turn; returns how many others died, and whether player `me` did.
    fn turn(&mut self, actions: &[usize], me: usize) -> (u32, bool) {
        let fresh = self.fuse + 1;
        for (player, &action) in actions.iter().enumerate() {
            let at = self.players[player].at;
            if !self.players[player].is_alive || action == WAIT {
                continue;
            }
            if action == BOMB {
                if self.bombs[at.0][at.1] == 0 {
                    self.bombs[at.0][at.1] = fresh;
                }
            } else if let Some(to) = self.neighbour(at, action) {
                let bomb = self.bombs[to.0][to.1];
                if self.map[to.0][to.1] == b'0' && (bomb == 0 || bomb == fresh) {
                    self.players[player].at = to;
                }
            }
        }
        let hit = self.explode();
        if hit.is_empty() {
            return (0, false);
        }
        let (mut others, mut died) = (0, false);
        for (number, player) in self.players.iter_mut().enumerate() {
            if player.is_alive && hit.contains(&player.at) {
                player.is_alive = false;
                if number == me { died = true } else { others += 1 }
            }
        }
        (others, died)
    }

    fn explode(&mut self) -> Vec<(usize, usize)> {
        let mut due = Vec::new();
        for (row, line) in self.bombs.iter_mut().enumerate() {
            for (column, left) in line.iter_mut().enumerate().filter(|(_, left)| **left > 0) {
                *left -= 1;
                if *left == 0 {
                    due.push((row, column));
                }
            }
        }
        let mut hit = Vec::new();
        while let Some(bomb) = due.pop() {
            hit.push(bomb);
            for way in 0..STEPS.len() {
                let mut at = bomb;
                for _ in 0..REACH {
                    let Some(next) = self.neighbour(at, way) else { break };
                    at = next;
                    hit.push(at);
                    if std::mem::take(&mut self.bombs[at.0][at.1]) > 0 {
                        due.push(at);
                    }
                    if self.map[at.0][at.1] != b'0' {
                        break;
                    }
                }
            }
        }
        for &(row, column) in &hit {
            if self.map[row][column] == b'1' {
                self.map[row][column] = b'0';
            }
        }
        hit
    }

    /// What an action was worth in games that go on at random.
    fn worth(&self, me: usize, action: usize, random: &mut Random) -> i64 {
        let mut worth = 0;
        for _ in 0..GAMES {
            let mut game = self.clone();
            for turn in 0..TURNS {
                let mut actions: Vec<usize> =
                    (0..game.players.len()).map(|_| self.draw(random)).collect();
                if turn == 0 {
                    actions[me] = action;
                } else if actions[me] == BOMB {
                    actions[me] = WAIT;
                }
                let (others, died) = game.turn(&actions, me);
                if died {
                    worth -= 60 - 2 * i64::from(turn);
                    break;
                }
                worth += 40 * i64::from(others);
            }
            worth += 4 * (self.rocks() - game.rocks());
        }
        worth - i64::from(GAMES) * self.distance(me, action)
    }

    /// Anything, bombs less often than steps.
    fn draw(&self, random: &mut Random) -> usize {
        match random.below(14) {
            number @ 0..12 => number % 4,
            12 => BOMB,
            _ => WAIT,
        }
    }

    fn rocks(&self) -> i64 {
        self.map.iter().flatten().filter(|&&square| square == b'1').count() as i64
    }

    /// To the nearest other, after an action.
    fn distance(&self, me: usize, action: usize) -> i64 {
        let mut at = self.players[me].at;
        if let Some(to) = (action < BOMB).then(|| self.neighbour(at, action)).flatten() {
            if self.map[to.0][to.1] == b'0' {
                at = to;
            }
        }
        let others = self.players.iter().enumerate().filter(|(number, _)| *number != me);
        let living = others.filter(|(_, player)| player.is_alive);
        living.map(|(_, it)| (it.at.0.abs_diff(at.0) + it.at.1.abs_diff(at.1)) as i64).min().unwrap_or(0)
    }

    fn choose(&self, me: usize, random: &mut Random) -> Option<usize> {
        let best = (0..=WAIT).max_by_key(|&action| self.worth(me, action, random))?;
        if best != WAIT {
            return Some(best);
        }
        // Walking against something is standing still, and tells the clock so.
        (0..STEPS.len()).find(|&way| {
            let to = self.neighbour(self.players[me].at, way);
            to.is_none_or(|(row, column)| self.map[row][column] != b'0' || self.bombs[row][column] > 0)
        })
    }
}

fn main() {
    let variable = |name: &str| std::env::var(name).ok();
    let seed = variable("JOUST_SEED").and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| std::process::id().into());
    let host = variable("JOUST_HOST").unwrap_or_else(|| "uwcs.co.uk".to_owned());
    let port = variable("JOUST_PORT").unwrap_or_else(|| "8037".to_owned());
    let stream = TcpStream::connect(format!("{host}:{port}")).expect("the server is there");
    stream.set_nodelay(true).expect("a stream has that option");
    // Nothing more to hear means that the game is over.
    let _ = play(stream, &format!("gambler-{}", seed % 100_000), &mut Random(seed | 1));
}

fn play(mut stream: TcpStream, name: &str, random: &mut Random) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let (mut game, mut is_first) = (Game::default(), true);
    loop {
        let line = lines.next()?.ok()?;
        let mut words = line.split_whitespace();
        let word = words.next().unwrap_or_default();
        let count: usize = words.next().and_then(|count| count.parse().ok()).unwrap_or(0);
        let more = |lines: &mut std::io::Lines<BufReader<TcpStream>>| -> Option<Vec<String>> {
            lines.take(count).collect::<Result<_, _>>().ok()
        };
        match word {
            "INIT" => stream.write_all(format!("REGISTER {name} secret\n").as_bytes()).ok()?,
            "MAP" => {
                let rows = more(&mut lines)?;
                game.map = rows.iter().map(|row| row.bytes().filter(|&it| it != b' ').collect()).collect();
                game.bombs = game.map.iter().map(|row: &Vec<u8>| vec![0; row.len()]).collect();
                is_first = true;
            }
            "PLAYERS" => game.players = more(&mut lines)?.iter().filter_map(|it| player(it)).collect(),
            "ACTIONS" => {
                let mut actions = vec![WAIT; game.players.len()];
                for line in more(&mut lines)? {
                    let (who, what) = line.split_once(' ')?;
                    let number = game.players.iter().position(|player| player.name == who);
                    let action = WORDS.iter().position(|word| *word == what);
                    if let (Some(number), Some(action)) = (number, action) {
                        actions[number] = action;
                    }
                }
                game.turn(&actions, usize::MAX);
            }
            "DEAD" => {
                for dead in more(&mut lines)? {
                    let mut players = game.players.iter_mut();
                    players.find(|player| player.name == dead)?.is_alive = false;
                }
            }
            "TICK" => {
                if std::mem::take(&mut is_first) {
                    // The server that counts from 0 has the longer fuse.
                    game.fuse = if count == 0 { 5 } else { 4 };
                }
                let me = game.players.iter().position(|it| it.name == name && it.is_alive);
                let action = me.and_then(|me| game.choose(me, random));
                if let Some(action) = action {
                    stream.write_all(format!("ACTION {}\n", WORDS[action]).as_bytes()).ok()?;
                }
            }
            _ => {}
        }
    }
}

fn player(line: &str) -> Option<Player> {
    let mut words = line.split_whitespace();
    let name = words.next()?.to_owned();
    let at = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some(Player { name, at, is_alive: true })
}
