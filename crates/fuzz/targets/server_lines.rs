//! Lines of clients at a game server: connections, bytes as they come, ticks, in both rule sets.
//!
//! The first byte chooses the rules. Then each step is one byte that says what happens and on which
//! connection, and, for bytes that arrive, one that says how many.
#![no_main]

use std::sync::Arc;

use joust_referee::{Catalogue, Connection, Input, Options, Outputs, Seed, Setup};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, mut rest)) = bytes.split_first() else { return };
    let games = Catalogue::built_in();
    let kind = games.find("uwcs-bomberman").expect("the game is there");
    let sets = &kind.spec().rule_sets;
    let rules = &sets[usize::from(first) % sets.len()];
    let (options, names) = (Options::new(), [String::new(), String::new()]);
    let setup =
        Setup { rules, options: &options, seed: Seed(first.into()), seats: 2, names: &names };
    let mut out = Outputs::new();
    let mut game = kind.start(&setup, &mut out).expect("the game starts");
    while let Some((&step, after)) = rest.split_first() {
        let (input, after) = input(step, after);
        rest = after;
        let mut out = Outputs::new();
        game.next(&input, &mut out).expect("the referee cannot fail");
    }
});

fn input(step: u8, rest: &[u8]) -> (Input, &[u8]) {
    let connection = Connection(u32::from(step >> 4) % 5);
    match step % 8 {
        0 => (Input::Opened { connection, seat: None }, rest),
        1 => (Input::Closed { connection }, rest),
        2 | 3 => (Input::Tick, rest),
        _ => {
            let (&length, rest) = rest.split_first().unwrap_or((&0, rest));
            let (bytes, rest) = rest.split_at(usize::from(length).min(rest.len()));
            (Input::Message { connection, bytes: Arc::from(bytes) }, rest)
        }
    }
}
