//! Recordings of BattleBots, in the formats that `battlebots/README.md` gives.
//!
//! Played are all `*.jsonl.gz` and `*.jsonl` (matches) and all `*.json`
//! (scenarios) of the folder.

#[path = "battlebots_match.rs"]
mod battlebots_match;
#[path = "battlebots_record.rs"]
mod record;
#[path = "battlebots_scenarios.rs"]
mod scenarios;

use std::path::Path;

use joust_referee::games::battlebots::{Bout, BoutOptions, GameState};
use joust_referee::{Input, Judge, Output, Outputs, Parts, RequestId, Seat, Verdict};

use crate::files::{self, Failure};
use crate::tally::Tally;

/// Plays every recording in `folder`.
pub(crate) fn play(folder: &Path) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for path in files::with_ending(folder, &[".jsonl.gz", ".jsonl"])? {
        tally.add(battlebots_match::play(&path)?);
    }
    for path in files::with_ending(folder, &[".json"])? {
        tally.add(scenarios::play(&path)?);
    }
    Ok(tally)
}

/// A bout fed with recorded outputs.
struct Player {
    bout: Bout,
    out: Outputs,
    views: Vec<(RequestId, Vec<u8>)>,
}

impl Player {
    fn start(options: BoutOptions, state: GameState) -> Self {
        let mut out = Outputs::new();
        let bout = Bout::from_state(options, state, &mut out);
        let mut player = Self { bout, out, views: Vec::new() };
        player.collect();
        player
    }

    fn is_over(&self) -> bool {
        self.bout.outcome().is_some()
    }

    /// Plays one round and says what differs from the recorded one.
    fn play_round(&mut self, round: &record::Round) -> Result<(), String> {
        if self.is_over() {
            return Err("the bout is already over".to_owned());
        }
        let asked = std::mem::take(&mut self.views);
        for (seat, (_, view)) in asked.iter().enumerate() {
            same(&format!("view of seat {seat}"), &round.views[seat], &text(view))?;
        }
        for (seat, (request, _)) in asked.into_iter().enumerate() {
            self.answer(seat, request, &round.outputs[seat]);
        }
        if let Some(actions) = &round.actions {
            for (seat, action) in actions.iter().enumerate() {
                let taken = round.outputs[seat].trim().to_owned();
                same(&format!("action of seat {seat}"), action, &taken)?;
            }
        }
        self.check_judged(round)?;
        self.collect();
        same("state", &round.state, &record::Position::of(self.bout.state()))
    }

    fn answer(&mut self, seat: usize, request: RequestId, output: &str) {
        let seat = Seat(u8::try_from(seat).expect("there are two seats"));
        let parts = Parts::single(output.as_bytes());
        let input = Input::Answer { seat, request, parts, verdict: Verdict::Ok };
        self.bout.next(&input, &mut self.out).expect("the referee cannot fail");
    }

    /// An answer judged `ok` carries the trimmed output as its action.
    fn check_judged(&self, round: &record::Round) -> Result<(), String> {
        let mut judged = 0;
        for output in &self.out.list {
            let Output::Judged { seat, verdict, action, .. } = output else { continue };
            let trimmed = round.outputs[seat.index()].trim();
            let expected = if verdict.is_ok() { trimmed } else { "" };
            same(&format!("judged action of seat {seat}"), &expected, &&**action)?;
            judged += 1;
        }
        same("judged answers", &2, &judged)
    }

    fn collect(&mut self) {
        for output in self.out.drain() {
            if let Output::Ask { request, parts, .. } = output {
                let view = parts.get("").expect("a view has one part").to_vec();
                self.views.push((request, view));
            }
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, recorded: &T, here: &T) -> Result<(), String> {
    if recorded == here {
        return Ok(());
    }
    Err(format!("{what}: recorded {recorded:?}, here {here:?}"))
}
