//! Starts: the first position, from the seed.
//!
//! Source: [Starts](crate::docs::battlesnake#starts).

use super::map::Map;
use super::options::{MAX_HEALTH, SNAKES_MOST, START_LENGTH};
use super::{BoutOptions, GameState, Snake, Square, spawn};
use crate::rng::GoRand;
use crate::{Seed, Setup, StartError};

/// Error of a board that has no room for the snakes or their food.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

/// Returns the first position of so many snakes: as the original's before the first turn.
///
/// # Errors
///
/// [`NoRoom`] if the map or the board is too small.
pub fn place(options: &BoutOptions, seed: Seed, snakes: usize) -> Result<GameState, NoRoom> {
    let (width, height) = (options.width, options.height);
    if snakes > options.map.most_snakes().unwrap_or(SNAKES_MOST) {
        return Err(NoRoom);
    }
    let seed = seed.0.cast_signed();
    let state = GameState { turn: 0, width, height, food: vec![], hazards: vec![], snakes: vec![] };
    let mut start = Start { map: options.map, state, rng: GoRand::from_seed(seed) };
    start.place_snakes(snakes)?;
    start.state.hazards = start.hazards(seed);
    start.place_food(options.minimum_food)?;
    Ok(start.state)
}

/// Returns the first position of a bout.
///
/// # Errors
///
/// [`StartError`] if the map or the board has no room for all snakes.
pub(super) fn first_position(
    options: &BoutOptions,
    setup: &Setup<'_>,
) -> Result<GameState, StartError> {
    let placed = place(options, setup.seed, usize::from(setup.seats));
    placed.map_err(|NoRoom| options.no_room(setup.seats))
}

/// A position in the making.
struct Start {
    map: Map,
    state: GameState,
    rng: GoRand,
}

impl Start {
    fn place_snakes(&mut self, snakes: usize) -> Result<(), NoRoom> {
        let places = if self.map.has_bridges() {
            let quadrants = self.map.figures("quadrant").map(<[_]>::to_vec).collect();
            self.places_by_quadrant(quadrants, snakes)?
        } else if !self.map.figure("starts").is_empty() {
            self.fixed_places(snakes)
        } else {
            self.standard_places(snakes)?
        };
        let snake = |at| Snake { body: vec![at; START_LENGTH], health: MAX_HEALTH, out: None };
        self.state.snakes = places.into_iter().take(snakes).map(snake).collect();
        if self.state.snakes.len() < snakes { Err(NoRoom) } else { Ok(()) }
    }

    /// Returns places of the map's own: each list of starts serves four snakes, and those that are
    /// needed are shuffled as one.
    fn fixed_places(&mut self, snakes: usize) -> Vec<Square> {
        let lists = snakes.div_ceil(4).max(1);
        let mut places: Vec<_> =
            self.map.figures("starts").take(lists).flatten().copied().collect();
        self.rng.shuffle(&mut places);
        places.extend(self.map.figure("more-starts"));
        places
    }

    fn standard_places(&mut self, snakes: usize) -> Result<Vec<Square>, NoRoom> {
        let (side, is_square) = (self.state.width, self.state.width == self.state.height);
        match snakes {
            _ if !is_square => self.random_places(snakes),
            0..=8 if side >= 7 => Ok(self.corners_and_edges()),
            9.. if side >= 11 => self.places_by_quadrant(quadrants_of(side), snakes),
            9.. if side < 7 => Err(NoRoom),
            _ => self.random_places(snakes),
        }
    }

    fn corners_and_edges(&mut self) -> Vec<Square> {
        let (far, middle) = (self.state.width - 2, (self.state.width - 1) / 2);
        let square = |(x, y)| Square { x, y };
        let mut corners = [(1, 1), (1, far), (far, 1), (far, far)].map(square);
        let mut edges = [(1, middle), (middle, 1), (middle, far), (far, middle)].map(square);
        self.rng.shuffle(&mut corners);
        self.rng.shuffle(&mut edges);
        let places = if self.rng.below(2) == 0 { [corners, edges] } else { [edges, corners] };
        places.concat()
    }

    fn places_by_quadrant(
        &mut self,
        mut quadrants: Vec<Vec<Square>>,
        snakes: usize,
    ) -> Result<Vec<Square>, NoRoom> {
        let mut current = self.rng.below(4) as usize;
        let mut places = Vec::new();
        for _ in 0..snakes {
            let quadrant = &mut quadrants[current];
            let place = draw(&mut self.rng, quadrant.len()).ok_or(NoRoom)?;
            places.push(quadrant.swap_remove(place));
            current = (current + 1) % 4;
        }
        Ok(places)
    }

    /// Returns squares of one colour of a chessboard.
    fn random_places(&mut self, snakes: usize) -> Result<Vec<Square>, NoRoom> {
        let centre = self.centre();
        let is_place = |at: &Square| (at.x + at.y) % 2 == 0 && *at != centre;
        let mut free: Vec<_> = self.state.squares().filter(is_place).collect();
        let mut one = |_| Ok(free.remove(draw(&mut self.rng, free.len()).ok_or(NoRoom)?));
        (0..snakes).map(&mut one).collect()
    }

    fn centre(&self) -> Square {
        Square { x: (self.state.width - 1) / 2, y: (self.state.height - 1) / 2 }
    }

    fn hazards(&mut self, seed: i64) -> Vec<Square> {
        let GameState { width, height, .. } = self.state;
        match self.map {
            Map::InnerWall => ring(width, height, 2).collect(),
            Map::Rings => {
                let offsets = (2..width / 2).step_by(2);
                offsets.flat_map(|offset| ring(width, height, offset)).collect()
            }
            Map::Columns => spawn::pits(&self.state).collect(),
            Map::HealingPools => {
                let options: Vec<_> = self.map.figures(spawn::pools(width)).collect();
                let choice = draw(&mut GoRand::from_seed(seed), options.len());
                choice.map(|choice| options[choice].to_vec()).unwrap_or_default()
            }
            map => map.figure("hazards").to_vec(),
        }
    }

    fn place_food(&mut self, minimum: i32) -> Result<(), NoRoom> {
        let GameState { width, height, .. } = self.state;
        match self.map {
            Map::Empty | Map::CastleWall | Map::CastleWallLarge | Map::CastleWallExtraLarge => {
                Ok(())
            }
            Map::ArcadeMaze if minimum > 0 => {
                self.state.food.push(Square { x: 9, y: 11 });
                Ok(())
            }
            Map::ArcadeMaze => Ok(()),
            _ if width == height && width >= 7 => self.place_food_by_snakes(),
            _ => {
                self.place_food_anywhere();
                Ok(())
            }
        }
    }

    /// Places food in the centre, and before it diagonally beside each head, away from the centre,
    /// if there are few snakes or much room.
    fn place_food_by_snakes(&mut self) -> Result<(), NoRoom> {
        let centre = self.centre();
        let snakes = self.state.snakes.len();
        let has_meals = snakes <= 4 || self.state.width >= 11;
        for snake in (0..snakes).filter(|_| has_meals) {
            let head = self.state.snakes[snake].head();
            let beside = [(-1, -1), (-1, 1), (1, -1), (1, 1)].map(|(dx, dy)| head.shifted(dx, dy));
            let is_meal = |at: &&Square| self.is_meal(**at, head, centre);
            let meals: Vec<Square> = beside.iter().filter(is_meal).copied().collect();
            let choice = draw(&mut self.rng, meals.len()).ok_or(NoRoom)?;
            self.state.food.push(meals[choice]);
        }
        match self.is_taken(centre) {
            false => self.state.food.push(centre),
            true if self.map.has_bridges() => {}
            true => return Err(NoRoom),
        }
        Ok(())
    }

    fn is_meal(&self, at: Square, head: Square, centre: Square) -> bool {
        let is_farther = |at: i16, head: i16, centre: i16| {
            (at < head && head < centre) || (centre < head && head < at)
        };
        let (right, top) = (self.state.width - 1, self.state.height - 1);
        let is_corner = (at.x == 0 || at.x == right) && (at.y == 0 || at.y == top);
        at != centre
            && !is_corner
            && (is_farther(at.x, head.x, centre.x) || is_farther(at.y, head.y, centre.y))
            && !(if self.map.has_bridges() {
                self.is_taken(at)
            } else {
                self.state.food.contains(&at)
            })
    }

    /// Returns whether something is on a square; hazards count on maps with bridges.
    fn is_taken(&self, at: Square) -> bool {
        self.state.food.contains(&at)
            || self.state.snakes.iter().any(|snake| snake.body.contains(&at))
            || (self.map.has_bridges() && self.state.hazards.contains(&at))
    }

    fn place_food_anywhere(&mut self) {
        for _ in 0..self.state.snakes.len() {
            let free = spawn::free_squares(&self.state, self.map);
            if let Some(choice) = draw(&mut self.rng, free.len()) {
                self.state.food.push(free[choice]);
            }
        }
    }
}

/// Draws an index of a list of this length; `None` for an empty one.
fn draw(rng: &mut GoRand, length: usize) -> Option<usize> {
    (length > 0).then(|| rng.below(length as u32) as usize)
}

/// Returns four places in each quarter of a square board.
fn quadrants_of(side: i16) -> Vec<Vec<Square>> {
    let (half, offset) = (side / 2, side / 2 / 3);
    let (low, high) = (offset, half - offset);
    let first = [(low, low), (high, low), (low, high), (high, high)];
    let mirrors = [(false, false), (true, false), (false, true), (true, true)];
    let mirrored = |at: i16, is_mirrored: bool| if is_mirrored { side - 1 - at } else { at };
    let quadrant = |(in_x, in_y)| {
        let square = |(x, y)| Square { x: mirrored(x, in_x), y: mirrored(y, in_y) };
        first.map(square).to_vec()
    };
    mirrors.map(quadrant).to_vec()
}

/// Returns the squares of a rectangle that is `offset` - 1 squares away from the sides.
fn ring(width: i16, height: i16, offset: i16) -> impl Iterator<Item = Square> {
    let (left, right, top) = (offset - 1, width - offset, height - offset);
    let rows = (left..=right).flat_map(move |x| [Square { x, y: left }, Square { x, y: top }]);
    let columns = (offset..top).flat_map(move |y| [Square { x: left, y }, Square { x: right, y }]);
    rows.chain(columns)
}
