//! Whole bouts, written down: every view, answer, verdict and state.
//!
//! `tests/playthroughs/<game>-<rule set>.txt` must be what the referee plays
//! today. `JOUST_BLESS=1 cargo test -p joust-referee --test playthroughs` rewrites
//! them; a difference means that the rules changed, and the game's
//! revision must be raised. Every rule set of every registered game has one.

#![expect(
    clippy::disallowed_methods,
    reason = "a test keeps whole bouts in files; the referee itself never does"
)]

#[path = "playthroughs/answers.rs"]
mod answers;
#[path = "playthroughs/clients.rs"]
mod clients;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use answers::Answers;
use clients::Client;
use joust_referee::rng::ChaCha8;
use joust_referee::{
    Catalogue, Game, Input, Judge, Options, Output, Outputs, Parts, RequestId, Seat, SeatNumber,
    Seed, Setup, StateHash, Verdict, sha256,
};

const SEED: Seed = Seed(2026);

/// A longer line of a view is written down as its length and its hash.
const LONGEST_LINE_BYTES: usize = 4096;

struct Scribe {
    text: String,
    open: Vec<(Seat, RequestId, Parts)>,
}

impl Scribe {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.write_fmt(line).expect("writing to a string does not fail");
        self.text.push('\n');
    }

    fn see(&mut self, out: &mut Outputs) {
        for output in out.drain() {
            match output {
                Output::Ask { seat, request, parts, deadline, .. } => {
                    self.line(format_args!("ask seat {seat} request {} {deadline:?}", request.0));
                    self.parts(&parts);
                    self.open.push((seat, request, parts));
                }
                Output::Send { to, bytes } => {
                    self.line(format_args!("send {to:?} \"{}\"", bytes.escape_ascii()));
                }
                Output::Close { connection } => self.line(format_args!("close {connection:?}")),
                Output::Skip { seat } => self.line(format_args!("skip seat {seat}")),
                Output::Judged { seat, request, verdict, action } => {
                    let action = action.escape_debug();
                    self.line(format_args!(
                        "judged seat {seat} request {} {verdict} \"{action}\"",
                        request.0
                    ));
                }
                Output::Numbers { numbers, .. } => {
                    for SeatNumber { seat, name, value } in numbers {
                        self.line(format_args!("seat {seat} {name} {value}"));
                    }
                }
                Output::RoundOver { round } => self.line(format_args!("round {round} over")),
                Output::Over(outcome) => {
                    self.line(format_args!("over {} after {}", outcome.ended, outcome.rounds));
                    for (seat, result) in outcome.seats.iter() {
                        let (rank, score) = (result.rank, result.score);
                        self.line(format_args!("  seat {seat} rank {rank} score {score}"));
                    }
                }
            }
        }
    }

    fn answer(&mut self, seat: Seat, parts: &Parts) {
        let mut line = format!("answer seat {seat}");
        for part in &parts.0 {
            let text = String::from_utf8_lossy(&part.bytes);
            let gap = if part.name.is_empty() { "" } else { " " };
            let text = text.escape_debug();
            write!(line, "{gap}{} \"{text}\"", part.name)
                .expect("writing to a string does not fail");
        }
        self.line(format_args!("{line}"));
    }

    fn shown_line(&mut self, line: &[u8]) {
        if line.len() <= LONGEST_LINE_BYTES {
            return self.line(format_args!("  | {}", line.escape_ascii()));
        }
        let hash = StateHash(sha256(line));
        self.line(format_args!("  # {} bytes, sha-256 {hash}", line.len()));
    }

    fn parts(&mut self, parts: &Parts) {
        for part in &parts.0 {
            if !part.name.is_empty() {
                self.line(format_args!("  {}:", part.name));
            }
            for line in part.bytes.split_inclusive(|byte| *byte == b'\n') {
                self.shown_line(line);
            }
        }
    }
}

fn play(kind: &Game, rules: &str) -> String {
    let (options, seats) = (Options::new(), kind.spec().seats.fewest);
    let names: Vec<String> = (0..seats).map(|seat| format!("bot-{seat}")).collect();
    let setup = Setup { rules, options: &options, seed: SEED, seats, names: &names };
    let mut out = Outputs::new();
    let mut game = kind.start(&setup, &mut out).expect("the game starts");
    let mut scribe = Scribe { text: String::new(), open: Vec::new() };
    let revision = kind.spec().revision;
    scribe.line(format_args!("{} {rules}, revision {revision}, seed {SEED}", kind.id()));
    scribe.see(&mut out);
    let mut rng = ChaCha8::from_seed(SEED);
    if let Some(client) = Client::of(kind) {
        client.play(&mut *game, &mut scribe, &mut rng, seats);
    }
    while game.outcome().is_none() {
        play_round(&mut *game, &mut scribe, &mut rng, Answers::of(kind));
    }
    scribe.text
}

fn play_round(game: &mut dyn Judge, scribe: &mut Scribe, rng: &mut ChaCha8, answers: &Answers) {
    let mut out = Outputs::new();
    let open = std::mem::take(&mut scribe.open);
    if open.is_empty() {
        scribe.line(format_args!("tick"));
        game.next(&Input::Tick, &mut out).expect("the referee cannot fail");
    }
    for (seat, request, view) in open {
        let answers = answers.to(&view);
        let choice = rng.below(u32::try_from(answers.len()).expect("there are few answers"));
        let parts = answers[choice as usize].parts();
        scribe.answer(seat, &parts);
        game.next(&Input::Answer { seat, request, parts, verdict: Verdict::Ok }, &mut out)
            .expect("the referee cannot fail");
    }
    scribe.see(&mut out);
    let hash = game.state_hash().expect("the referee cannot fail");
    scribe.line(format_args!("state {hash}\n"));
}

fn golden_file(kind: &Game, rules: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/playthroughs");
    folder.join(format!("{}-{rules}.txt", kind.id()))
}

fn compare(path: &Path, today: &str) {
    let kept = fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("{}: {error}; write it with JOUST_BLESS=1", path.display()));
    let lines = || (1..).zip(kept.lines().zip(today.lines()));
    if let Some((line, (kept, today))) = lines().find(|(_, (kept, today))| kept != today) {
        panic!("{}:{line}: kept `{kept}`, today `{today}`", path.display());
    }
    assert_eq!(kept.len(), today.len(), "{}: one is longer", path.display());
}

#[test]
fn whole_bouts_are_played_as_written_down() {
    let bless = std::env::var_os("JOUST_BLESS").is_some_and(|value| value == "1");
    for kind in &Catalogue::built_in() {
        for rules in &kind.spec().rule_sets {
            let path = golden_file(kind, rules);
            let today = play(kind, rules);
            if bless {
                fs::write(&path, &today).expect("the playthrough can be written");
            }
            compare(&path, &today);
        }
    }
}
