// A starter bot for BattleBots: it walks up to the other bot and
// shoots from up to 4 squares.
//
// Joust starts this program once per turn. The last argument is the view:
//
//     ten lines of ten characters: . empty, Y you, X the other bot,
//         B bullet, M missile, L land mine
//     Y hp=10             your hit points
//     X hp=10             the other bot's
//     B x=3 y=9 dir=W     one line per bullet (flies 3 squares a turn, costs 1)
//     M x=0 y=4 dir=S     ... per missile (2 squares a turn, costs 2, splash 1)
//     L x=6 y=0           ... per land mine (costs 2, splash 1)
//
// x grows to the east, y to the south, (0, 0) is the upper left corner.
//
// Print one action: N NE E SE S SW W NW (a step); "B N", "M N", "L N" (a bullet,
// missile or mine, any direction); P (nobody moves for two turns, costs you 1).
// Anything else does nothing. `joust rules battlebots` has the whole story.

use std::env;

fn main() {
    let view = env::args_os().last().unwrap_or_default();
    println!("{}", choose(&view.to_string_lossy()));
}

fn choose(view: &str) -> String {
    let lines: Vec<&str> = view.split('\n').collect();
    let (Some(me), Some(foe)) = (find(&lines, 'Y'), find(&lines, 'X')) else {
        return "NO".to_owned();
    };
    let (dx, dy) = (foe.0 - me.0, foe.1 - me.1);
    let towards = direction(dx, dy);
    // Your ideas go here. Is a bullet coming (lines 12 and later)? Is a mine in the way?
    let aligned = dx == 0 || dy == 0 || dx.abs() == dy.abs();
    if aligned && dx.abs().max(dy.abs()) <= 4 {
        return format!("B {towards}");
    }
    towards
}

/// The x and y of a symbol, when it is in the ten lines of the arena.
fn find(lines: &[&str], symbol: char) -> Option<(i32, i32)> {
    lines
        .iter()
        .take(10)
        .zip(0..)
        .find_map(|(row, y)| row.find(symbol).map(|x| (x as i32, y)))
}

fn direction(dx: i32, dy: i32) -> String {
    let north_south = ["N", "", "S"][(dy.signum() + 1) as usize];
    let east_west = ["W", "", "E"][(dx.signum() + 1) as usize];
    format!("{north_south}{east_west}")
}
