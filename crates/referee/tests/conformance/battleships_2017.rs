//! Recordings of Battleships 2017, in the formats that
//! `battleships-2017/README.md` gives.
//!
//! Played are all `*.jsonl.gz` and `*.jsonl` (matches) of the folder; of those
//! with a `<name>.files` folder every file in it is compared byte for byte. The
//! folder `replay-sample` is played as well, if there is one.
//!
//! The original's last release crashes in a round in which its harness has
//! killed somebody. Such a round is compared twice: the position at the crash
//! and its ranking must be what the round begins with here, and the round as
//! Joust plays it must end the bout in favour of the survivor, if there is one.

#[path = "battleships_2017_files.rs"]
mod kept;
#[path = "battleships_2017_match.rs"]
mod one_match;
#[path = "battleships_2017_record.rs"]
mod record;
#[path = "battleships_2017_sample.rs"]
mod sample;

use std::path::Path;

use joust_referee::games::battleships_2017::{Battleships2017, Bout, Rules};
use joust_referee::{
    Input, Judge, OptionValue, Options, Output, Outputs, Part, Parts, Referee, RequestId, Seat,
    Seed, Setup, Verdict,
};

use crate::files::{self, Failure};
use crate::tally::Tally;

/// Plays every recording in `folder`.
pub(crate) fn play(folder: &Path) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for path in files::with_ending(folder, &[".jsonl.gz", ".jsonl"])? {
        tally.add(one_match::play(&path)?);
    }
    let sample = folder.join("replay-sample");
    if sample.is_dir() {
        tally.add(sample::play(&sample)?);
    }
    Ok(tally)
}

/// A bout fed with recorded files.
struct Player {
    bout: Bout,
    out: Outputs,
    /// Last request of each seat, and its view.
    asked: Vec<(RequestId, Parts)>,
    /// Verdicts on the answers of the last round.
    judged: Vec<Verdict>,
}

impl Player {
    fn start(map_size: u8, names: &[String; 2]) -> Result<Self, String> {
        let size = ("map_size".to_owned(), OptionValue::Int(i64::from(map_size)));
        let options: Options = [size].into_iter().collect();
        let rules = Battleships2017.spec().default_rules();
        same("default rules", &Some(Rules::Original), &Rules::from_name(rules))?;
        let setup = Setup { rules, options: &options, seed: Seed(0), seats: 2, names };
        let mut out = Outputs::new();
        let bout = Bout::start(&setup, &mut out).map_err(|error| error.to_string())?;
        let mut player = Self { bout, out, asked: Vec::new(), judged: Vec::new() };
        player.collect();
        Ok(player)
    }

    /// Plays one round with both seats' files.
    fn answer(&mut self, answers: [Parts; 2]) -> Result<(), String> {
        if self.bout.outcome().is_some() {
            return Err("the bout is already over".to_owned());
        }
        let requests: Vec<RequestId> = self.asked.iter().map(|(request, _)| *request).collect();
        same("seats asked", &2, &requests.len())?;
        for (seat, parts) in (0..2).zip(answers) {
            let (seat, request) = (Seat(seat), requests[usize::from(seat)]);
            let input = Input::Answer { seat, request, parts, verdict: Verdict::Ok };
            self.bout.next(&input, &mut self.out).expect("the referee cannot fail");
        }
        self.collect();
        same("answers judged", &2, &self.judged.len())
    }

    fn collect(&mut self) {
        self.asked.clear();
        self.judged.clear();
        for output in self.out.drain() {
            match output {
                Output::Ask { request, parts, .. } => self.asked.push((request, parts)),
                Output::Judged { verdict, action, .. } => {
                    assert_eq!(verdict.is_ok(), !action.is_empty(), "{verdict} with `{action}`");
                    self.judged.push(verdict);
                }
                _ => {}
            }
        }
    }
}

fn part(name: &str, text: &str) -> Part {
    Part { name: name.into(), bytes: text.as_bytes().into() }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, recorded: &T, here: &T) -> Result<(), String> {
    if recorded == here {
        return Ok(());
    }
    Err(format!("{what}: recorded {recorded:?}, here {here:?}"))
}
