//! `bot.json` of a stranger, in both of Entelect's games.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "shared/manifest.rs"]
mod manifest;

fuzz_target!(|bytes: &[u8]| {
    let game = match bytes.first() {
        Some(first) if first % 2 == 1 => "bomberman-2016",
        _ => "battleships-2017",
    };
    manifest::read("bot.json", game, bytes);
});
