//! Recording of the original, line by line: players, the map, every order.
//!
//! Source: [Recording](crate::docs::coderone_dungeon#recording).

use std::collections::BTreeMap;

use super::view::METAL_TAG;
use super::{GameState, Report, Spot};
use crate::bytes::push_json_string;

/// Returns the line of a player.
pub(super) fn player(name: &str) -> String {
    format!("0: add_player {}", quoted(name))
}

/// Returns the line of a board: an object of columns, each an object of rows, in the
/// order in which players, metal, wooden and ore blocks and ammo stand on them.
pub(super) fn map(state: &GameState) -> String {
    let tag = |tag: &str| quoted(tag);
    let players = state.players.iter().enumerate();
    let players = players.map(|(number, player)| (player.at, number.to_string()));
    let metal = state.metal.iter().map(|at| (*at, tag(METAL_TAG)));
    let blocks = state.blocks.iter().map(|block| (block.at, tag(block.kind.tag())));
    let ammo = state.ammo.iter().map(|ammo| (ammo.at, tag("a")));
    let mut columns = Columns::default();
    players.chain(metal).chain(blocks).chain(ammo).for_each(|(at, tag)| columns.put(at, tag));
    format!("0: map {}", columns.text())
}

/// Returns the lines of a tick's orders, in the order in which they were applied.
pub(super) fn orders(tick: u32, report: &Report) -> Vec<String> {
    let orders = report.orders.iter();
    orders.map(|(player, order)| format!("{tick}: {player} {}", order.name())).collect()
}

/// Columns with something on them, each with its rows.
#[derive(Default)]
struct Columns {
    /// Index of each column in `rows`.
    places: BTreeMap<i32, usize>,
    rows: Vec<(i32, Vec<String>)>,
}

impl Columns {
    fn put(&mut self, at: Spot, tag: String) {
        let place = *self.places.entry(at.x).or_insert(self.rows.len());
        if place == self.rows.len() {
            self.rows.push((at.x, Vec::new()));
        }
        self.rows[place].1.push(format!("\"{}\":{tag}", at.y));
    }

    fn text(&self) -> String {
        let columns = self.rows.iter().map(|(x, rows)| format!("\"{x}\":{{{}}}", rows.join(",")));
        format!("{{{}}}", columns.collect::<Vec<_>>().join(","))
    }
}

fn quoted(text: &str) -> String {
    let mut bytes = Vec::new();
    push_json_string(&mut bytes, text);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::{Ammo, Block, BlockKind, BoutOptions, Chance, Order, Player};
    use super::*;
    use crate::Seed;

    fn board() -> GameState {
        let options = BoutOptions { columns: 12, rows: 10, max_iterations: None, seats: 2 };
        let mut state = GameState::generate(&options, &mut Chance::from_seed(Seed(1)));
        let at = |x, y| Spot { x, y };
        let player = |x, y| Player { at: at(x, y), hp: 3, ammo: 3, reward: 0, power: 2 };
        state.players = vec![player(6, 2), player(8, 1)];
        state.metal = vec![at(6, 5), at(8, 3), at(0, 0)];
        state.blocks = vec![
            Block { kind: BlockKind::Wooden, at: at(8, 6), hp: 1 },
            Block { kind: BlockKind::Ore, at: at(6, 9), hp: 3 },
        ];
        state.ammo = vec![Ammo { at: at(0, 7), life: 175, taken: false }];
        state
    }

    #[test]
    fn a_map_has_columns_in_the_order_in_which_something_was_put_on_them() {
        assert_eq!(
            map(&board()),
            "0: map {\"6\":{\"2\":0,\"5\":\"ib\",\"9\":\"ob\"},\
             \"8\":{\"1\":1,\"3\":\"ib\",\"6\":\"sb\"},\"0\":{\"0\":\"ib\",\"7\":\"a\"}}"
        );
    }

    #[test]
    fn a_name_is_a_json_string_and_orders_follow_their_tick() {
        assert_eq!(player("a \"1\""), "0: add_player \"a \\\"1\\\"\"");
        let report =
            Report { orders: vec![(1, Order::Right), (0, Order::Bomb)], spawns: Vec::new() };
        assert_eq!(orders(1, &report), ["1: 1 r", "1: 0 b"]);
    }
}
