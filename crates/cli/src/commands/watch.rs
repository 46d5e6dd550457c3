//! What `joust play` shows while a bout is played: every round with `--show`,
//! its actions with `-v`, and a stop at the first trouble with `--debug`.

use std::io::{self, IsTerminal};
use std::ops::Range;
use std::thread;
use std::time::{Duration, Instant};

use joust_orchestrator::cancel::Cancel;
use joust_orchestrator::model::{BoutPlan, Pace, StoredBout, TurnRecord, escaped, escaped_bytes};
use joust_orchestrator::pipeline::{EndOfBout, Follower};
use joust_orchestrator::play::{Flow, Moment, Watcher};

use super::play_log::ReplayFolder;
use super::record::Recording;
use super::run;
use crate::args::PlayArgs;
use crate::error::Failure;
use crate::keyboard::{self, Key};
use crate::output::Screen;
use crate::scene::{Ink, draw};

/// How often somebody who looks is left for a look at Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// Looks on for a person.
pub(super) struct Onlooker {
    screen: Screen,
    names: Vec<String>,
    people: Range<usize>,
    is_on_the_clock: bool,
    show: Option<Duration>,
    verbose: bool,
    debug: bool,
    can_wait: bool,
    folder: Option<ReplayFolder>,
    recording: Option<Recording>,
    trouble: Option<Failure>,
    last_look: Duration,
    cancel: Cancel,
    report: Report,
    bouts: u32,
}

/// Prints the result of a bout.
pub(super) type Report = Box<dyn Fn(&StoredBout) -> Result<(), Failure>>;

/// What there is to look on.
pub(super) struct Looking {
    /// Everybody's name, in seat order.
    pub(super) names: Vec<String>,
    /// The seats of those who are people.
    pub(super) people: Range<usize>,
    /// How the clock strikes, if the game has one.
    pub(super) clock: Option<Pace>,
    /// Where the replay goes.
    pub(super) folder: Option<ReplayFolder>,
    /// Where the recording goes.
    pub(super) recording: Option<Recording>,
    /// Whether to stop.
    pub(super) cancel: Cancel,
    /// Who is told of results.
    pub(super) report: Report,
}

impl Onlooker {
    pub(super) fn new(args: &PlayArgs, looking: Looking, screen: Screen) -> Self {
        // A person whose seat shows nothing looks at the board; a pause would stop a clock that
        // strikes on time.
        let plays_on_the_clock = !looking.people.is_empty() && looking.clock.is_some();
        let delay = if looking.clock == Some(Pace::Realtime) { Duration::ZERO } else { args.delay };
        Self {
            screen,
            names: looking.names,
            people: looking.people,
            is_on_the_clock: looking.clock.is_some(),
            show: if plays_on_the_clock {
                Some(Duration::ZERO)
            } else {
                args.show.then_some(delay)
            },
            verbose: args.verbose,
            debug: args.debug,
            can_wait: !args.human.is_empty() || io::stdin().is_terminal(),
            folder: looking.folder,
            recording: looking.recording,
            trouble: None,
            last_look: if args.endless { Duration::ZERO } else { args.wait_end },
            cancel: looking.cancel,
            report: looking.report,
            bouts: 0,
        }
    }

    /// Returns what could not be written.
    pub(super) fn trouble(&mut self) -> Option<Failure> {
        self.trouble.take()
    }

    /// Begins the recording of a bout.
    pub(super) fn start(&mut self, seed: u64) -> Result<(), Failure> {
        self.recording.as_mut().map_or(Ok(()), |recording| recording.begin(seed))
    }

    /// Completes what is written of a bout, lets the last picture stand for a while
    /// and prints the result.
    pub(super) fn finish(&mut self, stored: &StoredBout) -> Result<(), Failure> {
        if let Some(folder) = self.folder.as_mut() {
            folder.finish(stored)?;
        }
        if let Some(recording) = self.recording.as_mut() {
            recording.finish(stored)?;
        }
        self.look_once_more()?;
        (self.report)(stored)
    }

    /// Lets the last picture stand.
    fn look_once_more(&self) -> Result<(), Failure> {
        let until = Instant::now() + self.last_look;
        while self.show.is_some() && Instant::now() < until {
            if self.cancel.is_cancelled() {
                return Err(run::interrupted());
            }
            thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
        Ok(())
    }

    /// Goes on unless something went wrong, which is kept.
    fn go_on(&mut self, done: Result<(), Failure>) -> Flow {
        match done {
            Ok(()) => Flow::Continue,
            Err(failure) => {
                self.trouble = Some(failure);
                Flow::Stop
            }
        }
    }

    fn log(&mut self, moment: &Moment<'_>) -> Flow {
        let written = self.write(moment);
        self.go_on(written)
    }

    fn write(&mut self, moment: &Moment<'_>) -> Result<(), Failure> {
        if let Some(folder) = self.folder.as_mut() {
            folder.write(moment)?;
        }
        match (self.recording.as_mut(), moment) {
            (Some(recording), Moment::Turn(turn)) => recording.turn(turn),
            _ => Ok(()),
        }
    }

    fn turn(&mut self, turn: &TurnRecord) -> Flow {
        let name = self.names.get(usize::from(turn.seat)).map_or("", String::as_str);
        if self.verbose {
            self.screen.error(&turn_line(name, turn, self.is_on_the_clock));
        }
        let is_bot = !self.people.contains(&usize::from(turn.seat));
        let troubled = is_bot && (!turn.verdict().is_ok() || !turn.stderr.is_empty());
        if self.debug && troubled {
            self.debug = false;
            return self.stop_and_wait(name, turn);
        }
        Flow::Continue
    }

    fn stop_and_wait(&self, name: &str, turn: &TurnRecord) -> Flow {
        let mut text = format!(
            "`{}` (seat {}) in round {}: {}\n",
            escaped(name),
            turn.seat,
            turn.round,
            turn.verdict()
        );
        for (what, bytes) in [("output", &turn.output), ("stderr", &turn.stderr)] {
            for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                text.push_str(&format!("{what}| {}\n", escaped_bytes(line)));
            }
        }
        self.screen.error(&text);
        if !self.can_wait {
            return Flow::Continue;
        }
        self.screen.error("press Enter to go on, or type q and Enter to stop: ");
        match keyboard::wait(Duration::MAX) {
            Key::Line(answer) if answer.trim() == "q" => Flow::Stop,
            _ => Flow::Continue,
        }
    }

    fn draw(&self, scene: &joust_referee::Scene) {
        let Some(delay) = self.show else { return };
        let drawing = draw(scene, Ink::when(self.screen.colours()));
        if io::stdout().is_terminal() {
            // Home and clear below, so that rounds replace one another.
            self.screen.result(&format!("\u{1b}[H\u{1b}[J{drawing}"));
            thread::sleep(delay);
        } else {
            self.screen.result(&format!("{drawing}\n"));
        }
    }
}

impl Watcher for Onlooker {
    fn see(&mut self, moment: &Moment<'_>) -> Flow {
        if self.log(moment) == Flow::Stop {
            return Flow::Stop;
        }
        match moment {
            Moment::Asked { .. } | Moment::Input(_) => Flow::Continue,
            Moment::Turn(turn) => self.turn(turn),
            Moment::Begin { scene } | Moment::Round { scene, .. } => {
                if self.show.is_some() {
                    self.draw(&scene());
                }
                Flow::Continue
            }
        }
    }
}

impl Follower for Onlooker {
    fn begin(&mut self, plan: &BoutPlan) -> Flow {
        if self.bouts > 0 {
            self.screen.message(&format!("a new map: --seed {}", plan.seed));
        }
        self.bouts += 1;
        let started = self.start(plan.seed);
        self.go_on(started)
    }

    fn end(&mut self, ended: &EndOfBout) -> Flow {
        match ended {
            EndOfBout::Played(stored) => {
                let finished = self.finish(stored);
                self.go_on(finished)
            }
            EndOfBout::Abandoned => Flow::Continue,
        }
    }
}

fn turn_line(name: &str, turn: &TurnRecord, is_on_the_clock: bool) -> String {
    let action =
        if turn.action.is_empty() { turn.verdict().to_string() } else { escaped(&turn.action) };
    let wall = turn.wall_us;
    // A program that stays is measured as a whole.
    let cpu = if is_on_the_clock { String::new() } else { format!("cpu {} µs, ", turn.cpu_us) };
    let round = turn.round;
    let mut line = format!("round {round}  {}: {action}  ({cpu}wall {wall} µs)", escaped(name));
    if !turn.reason.is_empty() {
        line.push_str(&format!("  {}", escaped(&turn.reason)));
    }
    line.push('\n');
    line
}
