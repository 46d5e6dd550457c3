//! Quirks of the original: where its program differs from its README, or surprises.
//!
//! There is one rule set, `original`: the program wins. The README is from
//! the public project `EntelectChallenge/2016-Bomberman`, the program the code
//! of the same commit. Differences in running bots (limits, calibration, files
//! left behind) are not the referee's and not here.

use std::cmp::Reverse;

use super::{Bomb, Command, Player};
use crate::Verdict;

/// Returns the number of the last possible round, counted from 0.
///
/// README: at most width times height rounds. Program: rounds 0 to width times
/// height, one more.
///
/// Source: [End and leader board](crate::docs::bomberman_2016#end-and-leader-board).
pub fn last_round(side: u8) -> u32 {
    u32::from(side) * u32::from(side)
}

/// Returns the command of a bot by the number of do-nothings in a row that it
/// completes.
///
/// README: after more than 20 the bot places a bomb to kill itself. Program: the
/// 20th becomes a bomb, the 21st stays, and from then on
/// ([`is_run_no_more`]) the bot triggers in every round.
///
/// Source: [Idle rule](crate::docs::bomberman_2016#idle-rule).
pub fn command_of_an_idle_bot(in_a_row: u32) -> Command {
    if in_a_row == super::IDLE_ROUNDS { Command::Bomb } else { Command::Nothing }
}

/// Returns whether a bot that did nothing `in_a_row` times is no longer run.
///
/// README: not said. Program: a bot that does nothing again after the bomb is
/// never run again, also when it survives. The bomb does not end the row.
///
/// Source: [Idle rule](crate::docs::bomberman_2016#idle-rule).
pub fn is_run_no_more(in_a_row: u32) -> bool {
    in_a_row > super::IDLE_ROUNDS
}

/// Returns whether the `move.txt` of a turn with this verdict counts.
///
/// README: not said. Program: the exit status does not matter, so the move of a
/// bot that ended with another status than 0, or by a signal of its own, counts.
/// One that was killed, ran over a limit or could not be started does nothing,
/// even if its move was written in time.
///
/// Source: [`move.txt`](crate::docs::bomberman_2016#movetxt).
pub fn move_counts(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Ok | Verdict::ExitNonzero | Verdict::Crash)
}

/// Returns how the leader board sorts a player; the smallest key leads.
///
/// README: alive, points, round killed. Program: with equal points the one
/// killed EARLIER stands higher; what then still is equal stays in seat order.
///
/// Source: [End and leader board](crate::docs::bomberman_2016#end-and-leader-board).
pub fn leader_board_key(player: &Player) -> (bool, Reverse<i64>, u32) {
    let killed = player.killed_round.unwrap_or(0);
    (!player.is_alive(), Reverse(player.total_points()), killed)
}

/// Returns how many bomb bags a quadrant of the map hides.
///
/// README: two bags per player. Program: the bags of a quadrant are rounded
/// down, so 3, 5, 7, 9 and 11 players get fewer.
///
/// Source: [Power-ups on the map](crate::docs::bomberman_2016#power-ups-on-the-map).
pub fn bags_in_a_quadrant(players: u8) -> u8 {
    2 * players / 4
}

/// Returns the quadrant that gets its bags in the pass `pass`, from 0 to 3; the
/// radii of the same pass go to quadrant `pass`.
///
/// README: not said. Program: 0, 3, 2, 1; number 4 stands for quadrant 0.
///
/// Source: [Power-ups on the map](crate::docs::bomberman_2016#power-ups-on-the-map).
pub fn quadrant_of_bags(pass: i32) -> i32 {
    4 - pass
}

/// Returns whether a block this many columns and rows from a player stays free of
/// random walls.
///
/// README: a safe zone of two blocks. Program: nearer than 2 in a straight line,
/// so the block two away may hold a wall. Guard walls stand at distance 3.
///
/// Source: [Walls](crate::docs::bomberman_2016#walls).
pub fn is_safe_zone(columns: i32, rows: i32) -> bool {
    columns * columns + rows * rows < 4
}

/// Returns what each living owner of a bomb in a chain gets.
///
/// README: the points of its own bomb; if two bombs hit the same
/// thing, both owners get the points. Program: the same without a chain; in a chain the
/// hits of all bombs add up and every owner gets the sum.
///
/// Source: [Removal and points](crate::docs::bomberman_2016#removal-and-points).
pub fn points_of_a_chain<'a>(bombs: impl Iterator<Item = &'a Bomb>) -> i64 {
    bombs.map(|bomb| bomb.score).sum()
}

/// Returns whether a player gets what its bombs earned in this round.
///
/// README: the points of the round of death are forfeited. Program: only these
/// are; the 50 points of a super power-up taken in that round stay.
///
/// Source: [Removal and points](crate::docs::bomberman_2016#removal-and-points),
/// [README against program](crate::docs::bomberman_2016#readme-against-program).
pub fn earns_with_bombs(player: &Player) -> bool {
    player.is_alive()
}

/// Returns the `BombBag` of `map.txt`: what is left of the bag.
///
/// README: the bag is what is left. Program: in `map.txt`; `state.json` shows the
/// bag's size.
///
/// Source: [`map.txt`](crate::docs::bomberman_2016#maptxt).
pub fn bag_in_map_txt(bag: u32, planted: u32) -> i64 {
    i64::from(bag) - i64::from(planted)
}

/// Returns the digit of a bomb in `map.txt` while its owner is elsewhere.
///
/// Program: the timer; it would fail with 10, but no owner can have left such a
/// bomb in time. Here 10 is shown as 9.
///
/// Source: [`map.txt`](crate::docs::bomberman_2016#maptxt).
pub fn digit_of_a_bomb(timer: u32) -> u8 {
    b'0' + timer.min(9) as u8
}

/// The type of a bomb radius power-up in `state.json`, misspelt by the program.
///
/// Source: [`state.json`](crate::docs::bomberman_2016#statejson).
pub const BOMB_RADIUS_TYPE: &str = "BombRaduisPowerUpEntity";

impl Player {
    /// Doubles the radius of the bombs to come.
    ///
    /// README and program: times 2. Neither covers more than 31 doublings, which
    /// 12 players make possible; here the radius then stays at the largest number.
    ///
    /// Source: [Taking power-ups](crate::docs::bomberman_2016#taking-power-ups).
    pub(super) fn double_radius(&mut self) {
        self.radius = self.radius.saturating_mul(2).min(i32::MAX.cast_unsigned());
    }
}
