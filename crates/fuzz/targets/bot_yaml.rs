//! `bot.yaml` of a stranger.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "shared/manifest.rs"]
mod manifest;

fuzz_target!(|bytes: &[u8]| manifest::read("bot.yaml", "battlebots", bytes));
