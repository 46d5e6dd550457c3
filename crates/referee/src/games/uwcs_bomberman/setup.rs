//! Start of a game: who may play, and the draws of the map, the players, their start squares.

use std::collections::BTreeMap;

use super::{Admission, GameOptions, GameState, MAX_PLAYERS, Player, Square};
use crate::rng::ChaCha8;
use crate::{Connection, Grid, Point, Seat, Seed};

/// The map's squares row by row, as numbers.
const MAP_DRAW: &str = "map";

/// The connections of the players, in the order of `PLAYERS`.
const PLAYERS_DRAW: &str = "players";

/// Row and column of each start square, in the order of `PLAYERS`.
const STARTS_DRAW: &str = "starts";

/// Number of free squares out of ten.
const FREE_OF_TEN: u32 = 3;

/// Source of the draws: the seed, or results that were recorded.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    rng: ChaCha8,
    resolved: BTreeMap<String, Vec<i64>>,
}

impl Draws {
    pub(super) fn new(seed: Seed) -> Self {
        Self { rng: ChaCha8::from_seed(seed), resolved: BTreeMap::new() }
    }

    /// Forces the next draw of a kind. Results that do not fit are not used.
    pub(super) fn resolve(&mut self, draw: String, values: Vec<i64>) {
        if [MAP_DRAW, PLAYERS_DRAW, STARTS_DRAW].contains(&&*draw) {
            self.resolved.insert(draw, values);
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        let bound = u32::try_from(bound).unwrap_or(u32::MAX).max(1);
        self.rng.below(bound) as usize
    }
}

/// A registered connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) connection: Connection,
    pub(super) seat: Option<Seat>,
    pub(super) name: String,
}

/// Returns the candidates that may become players, in the order from which the draw
/// starts: by connection, or by seat, so that a seat's luck does not depend on the
/// order in which clients arrive.
pub(super) fn admit(admission: Admission, registered: Vec<Candidate>) -> Vec<Candidate> {
    let mut admitted = registered;
    if admission == Admission::OnePerSeat {
        admitted.retain(|candidate| candidate.seat.is_some());
        admitted.sort_by_key(|candidate| (candidate.seat, candidate.connection));
        admitted.dedup_by_key(|candidate| candidate.seat);
    }
    admitted
}

/// Draws the map, the players and their squares; returns the position and the
/// connections in the order of `PLAYERS`.
pub(super) fn start(
    options: &GameOptions,
    candidates: Vec<Candidate>,
    draws: &mut Draws,
) -> (GameState, Vec<Connection>) {
    let map = draw_map(options, draws);
    let mut state = GameState::new(options.rows, options.columns, map);
    let chosen = choose(candidates, draws);
    let squares = draw_starts(options, chosen.len(), draws);
    let order = chosen.iter().map(|candidate| candidate.connection).collect();
    for (Candidate { connection, seat, name }, at) in chosen.into_iter().zip(squares) {
        clear_cross(&mut state, at);
        state.players.push(Player::new(connection, seat, name, at));
    }
    state.began_with = state.players.len();
    state.players.sort_by_key(|player| player.connection);
    (state, order)
}

fn draw_map(options: &GameOptions, draws: &mut Draws) -> Grid<Square> {
    let (rows, columns) = (usize::from(options.rows), usize::from(options.columns));
    let resolved = draws.resolved.remove(MAP_DRAW).and_then(|values| squares_of(&values));
    let squares = resolved.filter(|squares| squares.len() == rows * columns);
    let squares = squares.unwrap_or_else(|| random_squares(rows, columns, draws));
    let mut map = Grid::filled(columns, rows, Square::Free);
    for (index, square) in squares.into_iter().enumerate() {
        map.set(point(index / columns, index % columns), square);
    }
    map
}

fn squares_of(values: &[i64]) -> Option<Vec<Square>> {
    values.iter().map(|value| Square::from_number(*value)).collect()
}

/// Both coordinates odd: a pillar. Of the rest 30 % are free, one draw each.
fn random_squares(rows: usize, columns: usize, draws: &mut Draws) -> Vec<Square> {
    let mut squares = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        for column in 0..columns {
            let is_pillar = row % 2 == 1 && column % 2 == 1;
            squares.push(if is_pillar {
                Square::Pillar
            } else if draws.rng.below(10) < FREE_OF_TEN {
                Square::Free
            } else {
                Square::Rock
            });
        }
    }
    squares
}

/// Draws the players, in the order in which they are announced.
fn choose(candidates: Vec<Candidate>, draws: &mut Draws) -> Vec<Candidate> {
    let resolved = draws.resolved.remove(PLAYERS_DRAW);
    if let Some(chosen) = resolved.and_then(|values| named(&candidates, &values)) {
        return chosen;
    }
    let mut chosen = candidates;
    for index in (1..chosen.len()).rev() {
        let other = draws.below(index + 1);
        chosen.swap(index, other);
    }
    fair(chosen)
}

/// Returns as many candidates as may play, in the same order: those that come first, but the second
/// connection of an account only when each has its first, and so on.
fn fair(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut seen: BTreeMap<(Option<Seat>, &str), usize> = BTreeMap::new();
    let mut turns: Vec<(usize, usize)> = candidates
        .iter()
        .enumerate()
        .map(|(place, candidate)| {
            let turn = seen.entry((candidate.seat, &candidate.name)).or_default();
            *turn += 1;
            (*turn, place)
        })
        .collect();
    turns.sort_unstable();
    turns.truncate(MAX_PLAYERS);
    let is_chosen = |place: usize| turns.iter().any(|(_, chosen)| *chosen == place);
    let chosen = candidates.iter().enumerate().filter(|(place, _)| is_chosen(*place));
    chosen.map(|(_, candidate)| candidate.clone()).collect()
}

/// Returns the candidates with these connections, if that is a possible draw.
fn named(candidates: &[Candidate], values: &[i64]) -> Option<Vec<Candidate>> {
    let of = |value: &i64| {
        candidates.iter().find(|candidate| i64::from(candidate.connection.0) == *value).cloned()
    };
    let chosen: Vec<Candidate> = values.iter().map(of).collect::<Option<_>>()?;
    let mut distinct: Vec<i64> = values.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let is_draw = distinct.len() == candidates.len().min(MAX_PLAYERS);
    (is_draw && distinct.len() == values.len()).then_some(chosen)
}

/// Draws a square with even coordinates for each player, the row first; two may
/// get the same.
fn draw_starts(options: &GameOptions, players: usize, draws: &mut Draws) -> Vec<Point> {
    let (rows, columns) = (usize::from(options.rows), usize::from(options.columns));
    let resolved = draws.resolved.remove(STARTS_DRAW);
    if let Some(starts) = resolved.and_then(|values| points_of(&values, rows, columns))
        && starts.len() == players
    {
        return starts;
    }
    let mut even = |side: usize| draws.below(side) / 2 * 2;
    (0..players)
        .map(|_| {
            let row = even(rows);
            point(row, even(columns))
        })
        .collect()
}

fn points_of(values: &[i64], rows: usize, columns: usize) -> Option<Vec<Point>> {
    let (pairs, []) = values.as_chunks::<2>() else { return None };
    let inside = |value: i64, side: usize| usize::try_from(value).ok().filter(|at| *at < side);
    pairs
        .iter()
        .map(|[row, column]| Some(point(inside(*row, rows)?, inside(*column, columns)?)))
        .collect()
}

/// The square and its neighbours become free; pillars stay.
fn clear_cross(state: &mut GameState, at: Point) {
    for (columns, rows) in [(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0)] {
        let square = Point { x: at.x + columns, y: at.y + rows };
        if state.map.get(square) == Some(&Square::Rock) {
            state.map.set(square, Square::Free);
        }
    }
}

fn point(row: usize, column: usize) -> Point {
    let number = |side: usize| i32::try_from(side).unwrap_or(i32::MAX);
    Point { x: number(column), y: number(row) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(names: &[&str]) -> Vec<Candidate> {
        let of = |(number, name): (u32, &&str)| Candidate {
            connection: Connection(number),
            seat: None,
            name: (*name).to_owned(),
        };
        (0..).zip(names).map(of).collect()
    }

    #[test]
    fn an_account_with_many_connections_gets_one_seat_before_others_have_theirs() {
        let mut names = vec!["mallory"; 250];
        names.extend(["ann", "bob", "eve"]);
        for seed in 0..20 {
            let chosen = choose(candidates(&names), &mut Draws::new(Seed(seed)));
            let of = |name: &str| chosen.iter().filter(|one| one.name == name).count();
            assert_eq!([of("ann"), of("bob"), of("eve"), of("mallory")], [1, 1, 1, 3]);
        }
    }

    #[test]
    fn who_has_one_connection_each_is_drawn_and_listed_as_before() {
        let all = candidates(&["a", "b", "c", "d", "e", "f", "g", "h"]);
        assert_eq!(fair(all.clone()), all[..MAX_PLAYERS]);
        let few = candidates(&["a", "a", "b"]);
        assert_eq!(fair(few.clone()), few);
        let names = ["a", "a", "b", "a", "c", "d", "e"];
        let places: Vec<u32> =
            fair(candidates(&names)).iter().map(|one| one.connection.0).collect();
        assert_eq!(places, [0, 1, 2, 4, 5, 6]);
    }
}
