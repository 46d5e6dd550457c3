//! `.zip` of a bot.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "shared/archive.rs"]
mod archive;

fuzz_target!(|bytes: &[u8]| archive::unpack_one("bot.zip", bytes));
