//! Whole configurations, accepted and refused.

mod accepted;
mod bounds;
mod files;
mod games;
mod keys;
mod pondering;
mod programs;
mod refused;
mod schema;

use joust_referee::Catalogue;
use std::path::Path;

use super::{ConfigErrors, Tournament, parse};

/// The smallest tournament.
const SMALL: &str = "events:\n  - game: battlebots\n    bots: [bots/*]\n";

fn read(text: &str) -> Result<Tournament, ConfigErrors> {
    parse(text, Path::new("cup/tournament.yaml"), &Catalogue::built_in())
}

fn accept(text: &str) -> Tournament {
    read(text).unwrap_or_else(|errors| panic!("refused:\n{errors}"))
}

fn refuse(text: &str) -> String {
    read(text).expect_err("it was accepted").to_string()
}

/// Adds lines to the smallest tournament's only event.
fn with_event_lines(lines: &str) -> String {
    let indented: Vec<String> = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!("{SMALL}{}", indented.concat())
}

/// As many mistakes as fit into one file.
const EVIL: &str = "\
name: 2026
seed: -1
databse: results.db
defaults:
  limits:
    cpu: 1
    turn: fast
    memory: 512
    memory: 1GiB
    proceses: 64
  build: { time: 10 min, network: closed }
  calibration: 10
events:
  - id: league
    game: batlebots
    bots: [bots/*]
  - id: League
    game: battlebots
    rules: orginal
    bots: bots/battlebots/*
    bouts: 0
    options: { max_rounds: 100000 }
    tie_breaks: [points, head-2-head]
    limits: { turn: 3s, kill: 2s }
  - id: league
    game: battlebots
    bots: [bots/*]
    deadline: next week
";
