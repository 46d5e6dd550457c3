//! Sample views for people who write parsers.

use super::{Bot, GameState, Mine, Projectile, Rules, render};
use crate::{Direction, Parts, Point, Sample, Seat};

/// Returns a file name and a view for each thing a parser must cope with.
pub(super) fn views(rules: Rules) -> Vec<Sample> {
    let samples = [
        ("start-seat-0.txt", GameState::start(), Seat(0)),
        ("start-seat-1.txt", GameState::start(), Seat(1)),
        ("bullet.txt", bullet(), Seat(0)),
        ("missile.txt", missile(), Seat(1)),
        ("landmines.txt", landmines(), Seat(0)),
        ("every-direction.txt", every_direction(), Seat(0)),
        ("one-hit-point.txt", one_hit_point(), Seat(1)),
        ("everything.txt", everything(rules), Seat(1)),
    ];
    samples
        .into_iter()
        .map(|(name, state, seat)| {
            let mut view = Vec::new();
            render(&state, rules, seat, &mut view);
            Sample::new(name, Parts::single(view))
        })
        .collect()
}

fn square(x: i32, y: i32) -> Point {
    Point { x, y }
}

fn mine(x: i32, y: i32) -> Mine {
    Mine { at: square(x, y), spent: false }
}

fn projectile(x: i32, y: i32, direction: Direction) -> Projectile {
    Projectile { at: square(x, y), direction }
}

fn bullet() -> GameState {
    let mut state = GameState::start();
    state.bots[1].at = square(6, 6);
    state.bullets.push(projectile(1, 4, Direction::S));
    state
}

fn missile() -> GameState {
    let mut state = GameState::start();
    state.missiles.push(projectile(6, 8, Direction::W));
    state.bots[0].hp = 9;
    state
}

fn landmines() -> GameState {
    let mut state = GameState::start();
    state.mines = vec![mine(2, 1), mine(7, 7), mine(2, 2)];
    state
}

fn every_direction() -> GameState {
    let mut state = GameState::start();
    for direction in Direction::ALL {
        let at = square(5, 5).step(direction);
        state.bullets.push(Projectile { at, direction });
        state.missiles.push(Projectile { at: at.step(direction), direction });
    }
    state
}

fn one_hit_point() -> GameState {
    let mut state = GameState::start();
    state.bots = [Bot { at: square(4, 4), hp: 1 }, Bot { at: square(5, 4), hp: 1 }];
    state
}

/// The README's picture; moved off row 0 and column 0 where nothing can be there.
fn everything(rules: Rules) -> GameState {
    let low = match rules {
        Rules::Documented => 0,
        Rules::Original => 1,
    };
    GameState {
        bots: [Bot { at: square(low, low), hp: 7 }, Bot { at: square(9, 9), hp: 10 }],
        paralysed_rounds: 0,
        bullets: vec![projectile(3, 9, Direction::W), projectile(3, 9, Direction::S)],
        missiles: vec![projectile(low, 4, Direction::S)],
        mines: vec![mine(6, low), mine(7, low), mine(8, low)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_documented_sample_is_the_readmes() {
        let expected = "X.....LLL.\n..........\n..........\n..........\nM.........\n\
                        ..........\n..........\n..........\n..........\n...B.....Y\n\
                        Y hp=10\nX hp=7\nB x=3 y=9 dir=W\nB x=3 y=9 dir=S\nM x=0 y=4 dir=S\n\
                        L x=6 y=0\nL x=7 y=0\nL x=8 y=0\n";
        let views = views(Rules::Documented);
        let Sample { parts, .. } =
            views.iter().find(|sample| sample.name == "everything.txt").unwrap();
        assert_eq!(parts.get("").unwrap(), expected.as_bytes());
    }
}
