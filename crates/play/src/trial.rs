//! Trial of a game: bouts with generated answers, and a check that they are repeatable.
//!
//! A bout is played with answers drawn from a seed: random bytes, words of the view, numbers,
//! answers that never come and bots that die. It is then judged again by another instance of the
//! game, which the caller starts under other circumstances. Both must produce the same questions,
//! views and outcome.

mod answers;

use std::fmt;
use std::time::{Duration, Instant};

use joust_model::{Round, counted, escaped};
use joust_referee::{
    DeadlineClass, Game, Input, Judge, JudgeError, Options, Outcome, Output, Outputs, Part, Parts,
    RequestId, Seat, SeatNumber, SeatOutcome, Seed, Setup, StartError, StateHash,
};

pub use answers::Answering;
use answers::Answers;

/// Number of answers after which a bout may be abandoned, because enough of its middle was tested.
pub const SOME_ANSWERS: usize = 1000;

/// Number of answers after which a bout is abandoned in any case.
pub const MOST_ANSWERS: usize = 20_000;

/// Parameters of a trial's bout.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Kind of answers that the seats give.
    pub answering: Answering,
    /// The bout's seed; the answers are drawn from it, too.
    pub seed: Seed,
    /// Number of seats that play.
    pub seats: u8,
    /// The game's options; missing ones have their defaults.
    pub options: Options,
    /// Number of answers after which it is abandoned.
    pub most: usize,
}

/// A played bout of a trial.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Parameters of the bout.
    pub trial: Trial,
    /// Its steps: the start, and one after each input.
    steps: Vec<Step>,
    inputs: Vec<Input>,
    /// Outcome of the bout; `None` if it was abandoned.
    pub outcome: Option<Outcome>,
    /// Number of questions to seats.
    pub asks: usize,
    /// Time that it took.
    pub took: Duration,
}

/// Outputs of a referee in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    outputs: Vec<Output>,
    hash: StateHash,
}

/// Failure of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialError {
    /// The bout could not be started.
    Start(String),
    /// The referee failed.
    Referee {
        /// Number of answers that it received.
        answers: usize,
        /// The last answer that it received, with its seat, if there was one.
        last: Option<String>,
        /// Error of the referee.
        error: JudgeError,
    },
}

impl TrialError {
    /// Returns whether it failed at the start, so that no answer was the cause.
    pub fn is_at_start(&self) -> bool {
        matches!(self, Self::Start(_) | Self::Referee { answers: 0, .. })
    }
}

impl fmt::Display for TrialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(why) => f.write_str(why),
            Self::Referee { answers, last, error } => {
                write!(f, "after {}", counted(*answers, "answer"))?;
                last.iter().try_for_each(|last| write!(f, ", the last of them {last}"))?;
                write!(f, ": {error}")
            }
        }
    }
}

impl std::error::Error for TrialError {}

/// The first step in which two judgements of the same answers differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Number of answers that the referee had received.
    pub answers: usize,
    /// Description of what differs.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.answers {
            0 => write!(f, "at the start {}", self.what),
            answers => write!(f, "after answer {answers} {}", self.what),
        }
    }
}

/// A running bout.
struct Running {
    judge: Box<dyn Judge>,
    out: Outputs,
}

impl Running {
    fn start(game: &Game, trial: &Trial) -> Result<Self, TrialError> {
        let names: Vec<String> = (0..trial.seats).map(|seat| format!("bot {seat}")).collect();
        let setup = Setup {
            rules: game.spec().default_rules(),
            options: &trial.options,
            seed: trial.seed,
            seats: trial.seats,
            names: &names,
        };
        let mut out = Outputs::new();
        let judge = game.start(&setup, &mut out).map_err(|error| match error {
            StartError::Judge(error) => TrialError::Referee { answers: 0, last: None, error },
            other => TrialError::Start(other.to_string()),
        })?;
        Ok(Self { judge, out })
    }

    /// Collects the outputs since the last step.
    fn step(&mut self) -> Result<Step, JudgeError> {
        Ok(Step { outputs: self.out.drain().collect(), hash: self.judge.state_hash()? })
    }

    fn next(&mut self, input: &Input) -> Result<Step, JudgeError> {
        self.judge.next(input, &mut self.out)?;
        self.step()
    }
}

impl Trial {
    /// Plays the bout.
    ///
    /// # Errors
    ///
    /// [`TrialError`] when the referee fails, which no answer may cause.
    pub fn play(&self, game: &Game) -> Result<Tried, TrialError> {
        let began = Instant::now();
        let mut running = Running::start(game, self)?;
        let mut answers = Answers::new(self, game);
        let mut inputs: Vec<Input> = Vec::new();
        let failed = |inputs: &[Input], error| TrialError::Referee {
            answers: inputs.len(),
            last: inputs.last().map(told),
            error,
        };
        let mut steps = vec![running.step().map_err(|error| failed(&inputs, error))?];
        let mut open = asked(&steps[0]);
        open.reverse();
        let mut asks = open.len();
        while let Some(ask) = open.pop().filter(|_| inputs.len() < self.most) {
            let input = answers.next(ask);
            let taken = running.next(&input);
            inputs.push(input);
            let step = taken.map_err(|error| failed(&inputs, error))?;
            let more = asked(&step);
            asks += more.len();
            open.splice(0..0, more.into_iter().rev());
            steps.push(step);
        }
        let outcome = running.judge.outcome().cloned();
        Ok(Tried { trial: self.clone(), steps, inputs, outcome, asks, took: began.elapsed() })
    }
}

impl Tried {
    /// Judges the bout again with another instance of the game, and returns the first difference.
    ///
    /// # Errors
    ///
    /// [`TrialError`] when that game's referee fails.
    pub fn judge_again(&self, game: &Game) -> Result<Option<Difference>, TrialError> {
        let mut running = Running::start(game, &self.trial)?;
        for answers in 0..self.steps.len() {
            if let Some(what) = self.judge_step(answers, &mut running)? {
                return Ok(Some(Difference { answers, what }));
            }
        }
        Ok(None)
    }

    /// Judges several bouts again with one instance of the game, interleaving their steps, and
    /// returns the first difference with the index of its bout.
    ///
    /// # Errors
    ///
    /// [`TrialError`] when that game's referee fails.
    pub fn judge_by_turns(
        bouts: &[Self],
        game: &Game,
    ) -> Result<Option<(usize, Difference)>, TrialError> {
        let started = bouts.iter().map(|bout| Running::start(game, &bout.trial));
        let mut running: Vec<Running> = started.collect::<Result<_, _>>()?;
        let longest = bouts.iter().map(|bout| bout.steps.len()).max().unwrap_or(0);
        for answers in 0..longest {
            for (place, (bout, running)) in bouts.iter().zip(&mut running).enumerate() {
                if let Some(what) = bout.judge_step(answers, running)? {
                    return Ok(Some((place, Difference { answers, what })));
                }
            }
        }
        Ok(None)
    }

    /// Judges the step after `answers` answers, and returns its difference.
    fn judge_step(
        &self,
        answers: usize,
        running: &mut Running,
    ) -> Result<Option<String>, TrialError> {
        let Some(step) = self.steps.get(answers) else { return Ok(None) };
        let before = answers.checked_sub(1).and_then(|last| self.inputs.get(last));
        let again = match before {
            None => running.step(),
            Some(input) => running.next(input),
        };
        let last = before.map(told);
        let again = again.map_err(|error| TrialError::Referee { answers, last, error })?;
        Ok(differing(step, &again))
    }

    /// Returns the seats' views, in the order of the questions.
    pub fn views(&self) -> impl Iterator<Item = (Seat, Parts)> + '_ {
        self.steps.iter().flat_map(asked).map(|ask| (ask.seat, ask.view))
    }

    /// Returns the number of answers that the referee received.
    pub fn answers(&self) -> usize {
        self.inputs.len()
    }
}

/// A question that is not answered yet.
struct Asked {
    seat: Seat,
    request: RequestId,
    view: Parts,
}

fn asked(step: &Step) -> Vec<Asked> {
    let asks = step.outputs.iter().filter_map(|output| match output {
        Output::Ask { seat, request, parts, .. } => {
            Some(Asked { seat: *seat, request: *request, view: parts.clone() })
        }
        _ => None,
    });
    asks.collect()
}

/// Returns the difference between a step and its first judgement, if there is one.
fn differing(before: &Step, again: &Step) -> Option<String> {
    let views = |step: &Step| asked(step).into_iter().map(|ask| (ask.seat, ask.view));
    let of_seat = |(seat, one): (Seat, Parts), (other, two): (Seat, Parts)| match () {
        () if seat != other => Some(format!("seat {seat} is asked, and then seat {other}")),
        () if one != two => Some(format!("seat {seat} is shown {}", both(&one, &two))),
        () => None,
    };
    let shown = views(before).zip(views(again)).find_map(|(one, two)| of_seat(one, two));
    match () {
        () if shown.is_some() => shown,
        () if before.outputs.len() != again.outputs.len() => {
            let (one, two) = (before.outputs.len(), again.outputs.len());
            Some(format!("the referee says {one} things, and then {two}"))
        }
        () if before.outputs != again.outputs => {
            let pairs = before.outputs.iter().zip(&again.outputs);
            let (one, two) = pairs.into_iter().find(|(one, two)| one != two)?;
            Some(match (said(one), said(two)) {
                (one, two) if one != two => format!("{one:.300}; and then {two:.300}"),
                (one, _) => format!("{one:.300}; and then so as well, but with other files"),
            })
        }
        () if before.hash != again.hash => {
            Some("the position, or what is told beside views, is another one".to_owned())
        }
        () => None,
    }
}

/// Describes an output of a referee for people.
fn said(output: &Output) -> String {
    match output {
        Output::Ask { seat, request, deadline, .. } => {
            let time = match deadline {
                DeadlineClass::Own { ms } => format!("{ms} ms"),
                DeadlineClass::Start | DeadlineClass::Turn | DeadlineClass::Tick => {
                    "the usual time".to_owned()
                }
            };
            format!("seat {seat} has {time} for question {}", request.0)
        }
        Output::Send { bytes, .. } => format!("{} bytes are sent", bytes.len()),
        Output::Close { connection } => format!("connection {} is closed", connection.0),
        Output::Skip { seat } => format!("seat {seat} is passed over"),
        Output::Judged { seat, verdict, action, .. } => {
            format!("the answer of seat {seat} is judged `{verdict}` {:.60}", quoted(action))
        }
        Output::Numbers { numbers, .. } => {
            let one = |one: &SeatNumber| format!("{}={} of seat {}", one.name, one.value, one.seat);
            let all: Vec<_> = numbers.iter().map(one).collect();
            format!("the referee counts {}", all.join(", "))
        }
        Output::RoundOver { round } => format!("round {} is over", Round(*round)),
        Output::Over(outcome) => ended(outcome),
    }
}

/// Describes the end of a bout, for people.
fn ended(outcome: &Outcome) -> String {
    let list = |one: fn(&SeatOutcome) -> String| {
        outcome.seats.0.iter().map(one).collect::<Vec<_>>().join(" ")
    };
    let (ranks, scores) = (list(|seat| seat.rank.to_string()), list(|seat| seat.score.to_string()));
    let (reason, rounds) = (quoted(&outcome.ended), counted(outcome.rounds, "round"));
    format!("the bout ends after {rounds} by {reason:.100}, ranks {ranks}, scores {scores}")
}

fn quoted(text: &str) -> String {
    format!("`{}`", escaped(text))
}

/// Returns the first line in which two views differ.
fn both(one: &Parts, two: &Parts) -> String {
    let (one, two) = (whole(one), whole(two));
    let mut lines = one.lines().zip(two.lines()).filter(|(one, two)| one != two);
    match lines.next() {
        Some((one, two)) => format!("`{one:.100}`, and then `{two:.100}`"),
        None => format!("{} bytes, and then {}", one.len(), two.len()),
    }
}

/// Returns all parts of a view or an answer, one after the other.
fn whole(parts: &Parts) -> String {
    let text = |part: &Part| String::from_utf8_lossy(&part.bytes).into_owned();
    parts.0.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Describes an answer, for people.
fn told(input: &Input) -> String {
    let Input::Answer { seat, parts, verdict, .. } = input else { return String::new() };
    format!("of seat {seat}: `{verdict}` {:.60?}", whole(parts))
}

#[cfg(test)]
mod tests;
