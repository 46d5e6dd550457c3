//! The real binary with real bots, command by command.

mod bad_input;
mod chain;
mod ci;
mod clients;
mod dispute;
mod dungeon;
mod dungeon_clock;
mod dungeon_desk;
mod editors;
mod entry;
mod fresh_runner;
mod interrupt;
mod naive;
mod noise;
mod older;
mod output;
mod people;
mod play;
mod replays;
mod report;
mod report_stop;
mod run;
mod shards;
mod standings;
mod starters;
mod text;
mod whole_database;

use std::path::Path;

use joust_testkit::env::TestEnv;
use joust_testkit::league;

fn cache() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/joust-cache"))
}

/// Makes an empty folder.
fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_joust")).with_cache(cache())
}

/// Makes a folder with a tournament of three bots.
fn small() -> TestEnv {
    league::small(env!("CARGO_BIN_EXE_joust"), cache())
}
