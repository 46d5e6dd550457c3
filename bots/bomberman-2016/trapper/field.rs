//! The map, the bombs on it, and who can get out of their way.

use crate::json::Json;

pub type Spot = (i32, i32);

pub const NOTHING: usize = 0;
pub const PLANT: usize = 5;
pub const TRIGGER: usize = 6;
/// Nothing, up, left, right, down: what the commands 0 to 4 do.
pub const STEPS: [Spot; 5] = [(0, 0), (0, -1), (-1, 0), (1, 0), (0, 1)];
/// Longer than any fuse.
const AHEAD: i32 = 12;
/// How far a way is looked for.
const FAR: i32 = 40;

#[derive(Clone)]
pub struct Bomb {
    pub at: Spot,
    /// Rounds from now until it explodes.
    pub due: i32,
    pub radius: i32,
    pub owner: String,
}

#[derive(Clone)]
pub struct Player {
    pub key: String,
    pub at: Spot,
    pub bag: i32,
    pub radius: i32,
}

#[derive(Clone)]
pub struct Field {
    pub round: i32,
    side: i32,
    ground: Vec<u8>,
    pub prizes: Vec<Spot>,
    pub bombs: Vec<Bomb>,
    /// Who is alive.
    pub players: Vec<Player>,
}

/// Where a player can be in the rounds to come, and how it began.
pub struct Walks {
    /// First commands, a bit each, after which the player need not die.
    pub lasting: u32,
    /// Per block the rounds to it and the first commands of the ways that are as short.
    pub ways: Vec<Option<(i32, u32)>>,
}

impl Field {
    pub fn read(text: &str) -> Self {
        let state = Json::read(text);
        let side = state.get("MapWidth").integer();
        let size = ((side + 2) * (side + 2)) as usize;
        let round = state.get("CurrentRound").integer();
        let mut field = Field { round, side, ground: vec![b'#'; size], prizes: vec![], bombs: vec![], players: vec![] };
        for block in state.get("GameBlocks").items().iter().flat_map(Json::items) {
            field.add_block(block);
        }
        for player in state.get("RegisteredPlayerEntities").items() {
            if !player.get("Killed").is_true() {
                field.players.push(Player {
                    key: player.get("Key").text().to_owned(),
                    at: spot_of(player),
                    bag: player.get("BombBag").integer(),
                    radius: player.get("BombRadius").integer(),
                });
            }
        }
        field
    }

    fn add_block(&mut self, block: &Json) {
        let at = spot_of(block);
        let index = self.index(at);
        let kind = block.get("Entity").get("$type").text();
        self.ground[index] = match kind {
            _ if kind.contains("Indestructible") => b'#',
            _ if kind.contains("Destructible") => b'+',
            _ => b' ',
        };
        if !block.get("PowerUp").is_null() {
            self.prizes.push(at);
        }
        let bomb = block.get("Bomb");
        if !bomb.is_null() {
            self.bombs.push(Bomb {
                at,
                due: bomb.get("BombTimer").integer(),
                radius: bomb.get("BombRadius").integer(),
                owner: bomb.get("Owner").get("Key").text().to_owned(),
            });
        }
    }

    pub fn index(&self, (x, y): Spot) -> usize {
        (y * (self.side + 2) + x) as usize
    }

    pub fn spots(&self) -> Vec<Spot> {
        (1..=self.side).flat_map(|y| (1..=self.side).map(move |x| (x, y))).collect()
    }

    pub fn ground(&self, spot: Spot) -> u8 {
        self.ground[self.index(spot)]
    }

    pub fn bombs_of<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Bomb> {
        self.bombs.iter().filter(move |bomb| bomb.owner == key)
    }

    /// The blocks that a bomb covers.
    pub fn blast(&self, from: Spot, radius: i32) -> Vec<Spot> {
        let mut covered = vec![from];
        for (dx, dy) in &STEPS[1..] {
            for n in 1..=radius {
                let spot = (from.0 + n * dx, from.1 + n * dy);
                if self.ground(spot) == b'#' {
                    break;
                }
                covered.push(spot);
                if self.ground(spot) == b'+' || self.bombs.iter().any(|bomb| bomb.at == spot) {
                    break;
                }
            }
        }
        covered
    }

    /// The walls in a blast.
    pub fn walls(&self, from: Spot, radius: i32) -> Vec<Spot> {
        let covered = self.blast(from, radius).into_iter();
        covered.filter(|spot| self.ground(*spot) == b'+').collect()
    }

    /// For each block the rounds in which it burns, a bit each, and the last round in which a
    /// bomb bars it. A bomb in the blast of another explodes with it; walls and bombs that are
    /// gone do not stop a later blast. With `wary`, bombs of others that live may be triggered:
    /// they burn from the second round on.
    fn burning(&self, key: &str, wary: bool) -> (Vec<u32>, Vec<i32>) {
        let mut burns = vec![0_u32; self.ground.len()];
        let mut blocked = vec![0; self.ground.len()];
        let mut left = self.clone();
        for n in 1..=AHEAD {
            let is_due = |bomb: &&Bomb| bomb.due <= n;
            let mut exploding: Vec<Bomb> = left.bombs.iter().filter(is_due).cloned().collect();
            let mut number = 0;
            while let Some(bomb) = exploding.get(number).cloned() {
                for spot in left.blast(bomb.at, bomb.radius) {
                    burns[self.index(spot)] |= 1 << n;
                    let is_new = |other: &&Bomb| other.at == spot && exploding.iter().all(|bomb| bomb.at != spot);
                    let other = left.bombs.iter().find(is_new).cloned();
                    exploding.extend(other);
                }
                blocked[self.index(bomb.at)] = n;
                number += 1;
            }
            left.bombs.retain(|bomb| exploding.iter().all(|gone| gone.at != bomb.at));
            for (ground, rounds) in left.ground.iter_mut().zip(&burns) {
                if *ground == b'+' && rounds >> n & 1 != 0 {
                    *ground = b' ';
                }
            }
        }
        let lives = |owner: &str| self.players.iter().any(|player| player.key == owner);
        for bomb in self.bombs.iter().filter(|bomb| wary && bomb.owner != key && lives(&bomb.owner)) {
            for spot in self.blast(bomb.at, bomb.radius) {
                burns[self.index(spot)] |= (2..=bomb.due).map(|n| 1 << n).sum::<u32>();
            }
        }
        (burns, blocked)
    }

    /// The ways of `player` that nobody burns on. `first` is what it does in the first round,
    /// standing still; without it all moves are tried.
    pub fn walks(&self, player: &Player, first: Option<usize>, wary: bool) -> Walks {
        let (burns, blocked) = self.burning(&player.key, wary);
        let mut walks = Walks { lasting: 0, ways: vec![None; self.ground.len()] };
        let mut edge = vec![(player.at, 1 << first.unwrap_or(NOTHING))];
        walks.ways[self.index(player.at)] = Some((0, edge[0].1));
        for n in 1..=FAR {
            let fire = |spot: Spot| n <= AHEAD && burns[self.index(spot)] >> n & 1 != 0;
            let mut reached: Vec<(Spot, u32)> = vec![];
            let mut place = vec![usize::MAX; self.ground.len()];
            for &(at, firsts) in edge.iter().filter(|(at, _)| !fire(*at)) {
                for (command, step) in STEPS.iter().enumerate() {
                    let spot = (at.0 + step.0, at.1 + step.1);
                    let index = self.index(spot);
                    let moves = command != NOTHING;
                    let shut = self.ground(spot) != b' ' || blocked[index] >= n || self.somebody(spot, player);
                    if fire(spot) || moves && (shut || n == 1 && first.is_some()) {
                        continue;
                    }
                    let firsts = if n == 1 { 1 << first.unwrap_or(command) } else { firsts };
                    if n > AHEAD && walks.ways[index].is_some_and(|(rounds, _)| rounds < n) {
                        continue;
                    }
                    if place[index] == usize::MAX {
                        place[index] = reached.len();
                        reached.push((spot, 0));
                    }
                    reached[place[index]].1 |= firsts;
                }
            }
            for (spot, firsts) in &reached {
                let index = self.index(*spot);
                walks.ways[index].get_or_insert((n, *firsts));
            }
            if n == AHEAD {
                walks.lasting = reached.iter().fold(0, |all, (_, firsts)| all | firsts);
            }
            edge = reached;
        }
        walks
    }

    fn somebody(&self, spot: Spot, but: &Player) -> bool {
        self.players.iter().any(|player| player.at == spot && player.key != but.key)
    }

    /// This field with a bomb where `player` stands.
    pub fn planted(&self, player: &Player) -> Self {
        let mut next = self.clone();
        let due = 2 + (3 * player.bag).min(9);
        next.bombs.push(Bomb { at: player.at, due, radius: player.radius, owner: player.key.clone() });
        next
    }

    /// This field with the player's shortest fuse at its end; `None` when that changes nothing.
    /// Bombs that explode in this round do so before anybody's command.
    pub fn triggered(&self, player: &Player) -> Option<Self> {
        let (_, explodes) = self.burning(&player.key, false);
        let mut next = self.clone();
        let waits = |bomb: &&mut Bomb| bomb.owner == player.key && explodes[self.index(bomb.at)] > 1;
        let bomb = next.bombs.iter_mut().filter(waits).min_by_key(|bomb| (bomb.due, bomb.at.1, bomb.at.0))?;
        if explodes[self.index(bomb.at)] <= 2 {
            return None;
        }
        bomb.due = 2;
        Some(next)
    }
}

fn spot_of(thing: &Json) -> Spot {
    let location = thing.get("Location");
    (location.get("X").integer(), location.get("Y").integer())
}
