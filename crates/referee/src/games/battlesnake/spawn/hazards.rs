//! Hazards that maps and the royale ruleset make in the course of a bout.

use super::super::{BoutOptions, GameState, Map, Square};
use super::Spawner;
use crate::rng::GoRand;

impl Spawner {
    /// Changes the hazards as the map does in turn `state.turn`.
    pub(super) fn change_hazards(&mut self, options: &BoutOptions, state: &mut GameState) {
        let (turn, every) = (state.turn, options.shrink_every);
        match options.map {
            Map::Royale if turn + 1 >= every => shrink(self, options, state),
            Map::HazardPits if every > 0 && turn.is_multiple_of(every) => {
                fill_pits(state, turn / every);
            }
            Map::HealingPools if every > 0 && turn > 0 && turn.is_multiple_of(every) => {
                self.dry_pool(state);
            }
            Map::Sinkholes => sink(state, if every == 0 { 10 } else { every }),
            Map::SnailMode => leave_trails(state),
            Map::Scatter if !turn.is_multiple_of(2) => self.scatter(state),
            Map::ExpandScatter if turn.is_multiple_of(2) => self.scatter_rings(state),
            Map::Spiral if (turn + 1).is_multiple_of(3) => self.wind_spiral(state),
            Map::GrowBox if turn.is_multiple_of(12) => self.grow_box(state),
            Map::ExpandBox if turn.is_multiple_of(20) => self.expand_box(state),
            _ => {}
        }
    }

    /// Returns a generator of the bout's own seed.
    fn fresh(&mut self) -> &mut GoRand {
        self.rng.reseed(self.seed);
        &mut self.rng
    }

    /// Removes a pool. The original draws all of a bout from one generator, which is repeated here.
    fn dry_pool(&mut self, state: &mut GameState) {
        let first = Map::HealingPools.figure(pools(state.width)).len();
        let left = state.hazards.len();
        if left == 0 {
            return;
        }
        let rng = self.fresh();
        for pools in (left + 1..=first).rev() {
            rng.below(pools as u32);
        }
        state.hazards.swap_remove(rng.below(left as u32) as usize);
    }

    /// Adds a square of the shuffled board.
    fn scatter(&mut self, state: &mut GameState) {
        let mut squares: Vec<_> = state.squares().collect();
        self.fresh().shuffle(&mut squares);
        state.hazards.extend(squares.get(state.turn as usize / 2));
    }

    /// Adds the next square of a list: a point, then the shuffled rings around it.
    fn scatter_rings(&mut self, state: &mut GameState) {
        let rng = self.fresh();
        let middle = draw_point(rng, 1, [state.width - 1; 2]);
        let mut entry = state.turn as usize / 2;
        for distance in 0..=reach(state, middle) {
            let mut ring: Vec<_> = ring_around(state, middle, distance).collect();
            rng.shuffle(&mut ring);
            match ring.get(entry) {
                Some(at) => return state.hazards.push(*at),
                None => entry -= ring.len(),
            }
        }
    }

    /// Adds the next square of the spiral, if it is on the board.
    fn wind_spiral(&mut self, state: &mut GameState) {
        let (low_x, low_y) = (3 * state.width / 10, 3 * state.height / 10);
        let rng = self.fresh();
        let x = draw_between(rng, low_x, state.width - 1 - low_x);
        let y = draw_between(rng, low_y, state.height - 1 - low_y);
        let at = spiral_step(state, Square { x, y }, (state.turn - 2) / 3);
        state.hazards.extend(at.filter(|at| state.contains(*at)));
    }

    /// Adds the side by which the box grows now; its first square at the start.
    fn grow_box(&mut self, state: &mut GameState) {
        let GameState { width, height, .. } = *state;
        if state.hazards.len() >= (width * height) as usize {
            return;
        }
        let rng = self.fresh();
        let middle = draw_point(rng, 2, [width - 2, height - 2]);
        let (mut low, mut high) = (middle, middle);
        let mut grown = vec![middle];
        for _ in 0..state.turn / 12 {
            let sides = [
                (low.x > 0).then_some((-1, 0)),
                (high.y < height - 1).then_some((0, 1)),
                (high.x < width - 1).then_some((1, 0)),
                (low.y > 0).then_some((0, -1)),
            ];
            let sides: Vec<(i16, i16)> = sides.into_iter().flatten().collect();
            if sides.is_empty() {
                return;
            }
            let (dx, dy) = sides[rng.below(sides.len() as u32) as usize];
            let edge = if dx + dy < 0 { &mut low } else { &mut high };
            *edge = edge.shifted(dx, dy);
            let Square { x, y } = *edge;
            grown = match dx {
                0 => (low.x..=high.x).map(|x| Square { x, y }).collect(),
                _ => (low.y..=high.y).map(|y| Square { x, y }).collect(),
            };
        }
        state.hazards.extend(grown);
    }

    /// Adds the next ring around a point.
    fn expand_box(&mut self, state: &mut GameState) {
        let middle = draw_point(self.fresh(), 2, [state.width - 2; 2]);
        let distance = i16::try_from(state.turn / 20).unwrap_or(i16::MAX);
        if distance <= reach(state, middle) {
            let ring: Vec<_> = ring_around(state, middle, distance).collect();
            state.hazards.extend(ring);
        }
    }
}

fn draw_between(rng: &mut GoRand, low: i16, high: i16) -> i16 {
    low + rng.below((high - low + 1).max(1).unsigned_abs().into()) as i16
}

/// Draws a square whose column and row are from `low` to `high`.
fn draw_point(rng: &mut GoRand, low: i16, high: [i16; 2]) -> Square {
    let [x, y] = high.map(|high| draw_between(rng, low, high));
    Square { x, y }
}

/// Returns the largest ring around `middle` that a map draws.
fn reach(state: &GameState, middle: Square) -> i16 {
    let Square { x, y } = middle;
    x.max(y).max(state.width - x).max(state.height - y)
}

/// Returns the squares of the board at this distance from `middle`, as a king walks.
fn ring_around(state: &GameState, middle: Square, distance: i16) -> impl Iterator<Item = Square> {
    let is_there =
        move |at: &Square| (at.x - middle.x).abs().max((at.y - middle.y).abs()) == distance;
    state.squares().filter(is_there)
}

/// Returns the square of a step of the spiral; step 0 is the middle. It may lie off the board.
fn spiral_step(state: &GameState, middle: Square, step: u32) -> Option<Square> {
    let Some(mut step) = step.checked_sub(1).map(i64::from) else { return Some(middle) };
    for ring in 1..=reach(state, middle) {
        let side = 2 * i64::from(ring);
        if step < 4 * side {
            let along = (step % side) as i16;
            let (dx, dy) = match step / side {
                0 => (1 - ring + along, ring),
                1 => (ring, ring - 1 - along),
                2 => (ring - 1 - along, -ring),
                _ => (-ring, 1 - ring + along),
            };
            return Some(middle.shifted(dx, dy));
        }
        step -= 4 * side;
    }
    None
}

/// Returns the squares with an odd column and an odd row.
pub(in super::super) fn pits(state: &GameState) -> impl Iterator<Item = Square> + use<> {
    state.squares().filter(|at| at.x % 2 == 1 && at.y % 2 == 1)
}

/// Replaces the hazards by so many layers of all pits but the starts.
fn fill_pits(state: &mut GameState, age: u32) {
    let starts = Map::HazardPits.figure("starts");
    state.hazards.clear();
    for _ in 0..(age % 7).min(4) {
        let pits = pits(state).filter(|at| !starts.contains(at));
        state.hazards.extend(pits);
    }
}

/// Returns the name of the figures that are pools of a board of this width.
pub(in super::super) fn pools(width: i16) -> &'static str {
    match width {
        7 => "pools-7",
        11 => "pools-11",
        _ => "pools-19",
    }
}

/// Adds a layer to the sinkhole, wider by one every so many turns.
fn sink(state: &mut GameState, every: u32) {
    let GameState { turn, width, height, .. } = *state;
    let rings = match width {
        7 => 3,
        19 => 7,
        _ => 5,
    };
    let centre = Square { x: width / 2, y: height / 2 };
    if turn == 1 {
        state.hazards.push(centre);
    } else if turn > every && turn <= every * rings && (turn - 1).is_multiple_of(every) {
        let reach = ((turn - 1) / every) as i16;
        let is_in = |at: &Square| {
            let (dx, dy) = ((at.x - centre.x).abs(), (at.y - centre.y).abs());
            dx <= reach && dy <= reach && dx + dy < 2 * reach
        };
        state.hazards.extend(state.squares().filter(is_in));
    }
}

/// Dries old trails by a layer, and lays down those that tails left. Trails of this turn wait
/// above the board for the next one.
fn leave_trails(state: &mut GameState) {
    let height = state.height;
    let mut hazards = std::mem::take(&mut state.hazards);
    hazards.sort_unstable();
    let mut dried = None;
    for at in hazards {
        if at.y >= height {
            let back = at.shifted(0, -height);
            if state.living().all(|snake| snake.head() != back) {
                state.hazards.push(back);
            }
        } else if dried.replace(at) == Some(at) {
            state.hazards.push(at);
        }
    }
    let trails = state.snakes.iter().filter(|snake| snake.is_alive() && !snake.has_grown());
    let trail = |snake: &super::super::Snake| {
        std::iter::repeat_n(snake.tail().shifted(0, height), snake.body.len())
    };
    state.hazards.extend(trails.flat_map(trail));
}

/// Replaces the hazards by everything outside a box that shrinks: royale.
pub(in super::super) fn shrink(
    spawner: &mut Spawner,
    options: &BoutOptions,
    state: &mut GameState,
) {
    state.hazards.clear();
    let cuts = (state.turn + 1).checked_div(options.shrink_every).unwrap_or_default();
    let (mut low, mut high) =
        (Square::default(), Square { x: state.width - 1, y: state.height - 1 });
    let rng = spawner.fresh();
    for _ in 0..cuts {
        match rng.below(4) {
            0 => low.x += 1,
            1 => high.x -= 1,
            2 => low.y += 1,
            _ => high.y -= 1,
        }
    }
    let is_outside =
        |at: &Square| !(low.x..=high.x).contains(&at.x) || !(low.y..=high.y).contains(&at.y);
    if cuts > 0 {
        state.hazards.extend(state.squares().filter(is_outside));
    }
}
