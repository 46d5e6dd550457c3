//! What `joust play` shows while a bout is played: every round with `--show`,
//! its actions with `-v`, and a stop at the first trouble with `--debug`.

use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use joust_orchestrator::model::{StoredBout, TurnRecord, escaped, escaped_bytes};
use joust_orchestrator::play::{Flow, Moment, Watcher};

use super::play_log::ReplayFolder;
use super::record::Recording;
use crate::args::PlayArgs;
use crate::error::Failure;
use crate::keyboard::{self, Key};
use crate::output::Screen;
use crate::scene::{Ink, draw};

/// Looks on for a person.
pub(super) struct Onlooker {
    screen: Screen,
    names: Vec<String>,
    people: usize,
    show: Option<Duration>,
    verbose: bool,
    debug: bool,
    can_wait: bool,
    folder: Option<ReplayFolder>,
    recording: Option<Recording>,
    trouble: Option<Failure>,
}

/// What there is to look on.
pub(super) struct Looking {
    /// Everybody's name, in seat order.
    pub(super) names: Vec<String>,
    /// How many of them are people: the first ones.
    pub(super) people: usize,
    /// Whether the game is played on a clock.
    pub(super) is_on_the_clock: bool,
    /// Where the replay goes.
    pub(super) folder: Option<ReplayFolder>,
    /// Where the recording goes.
    pub(super) recording: Option<Recording>,
}

impl Onlooker {
    pub(super) fn new(args: &PlayArgs, looking: Looking, screen: Screen) -> Self {
        // A person whose seat shows nothing looks at the board; a pause would stop the clock.
        let is_on_the_clock = looking.people > 0 && looking.is_on_the_clock;
        Self {
            screen,
            names: looking.names,
            people: looking.people,
            show: if is_on_the_clock {
                Some(Duration::ZERO)
            } else {
                args.show.then_some(args.delay)
            },
            verbose: args.verbose,
            debug: args.debug,
            can_wait: !args.human.is_empty() || io::stdin().is_terminal(),
            folder: looking.folder,
            recording: looking.recording,
            trouble: None,
        }
    }

    /// Completes the replay folder and reports what could not be written.
    pub(super) fn finish(mut self, stored: &StoredBout) -> Result<(), Failure> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        if let Some(folder) = self.folder.as_mut() {
            folder.finish(stored)?;
        }
        if let Some(recording) = self.recording.as_mut() {
            recording.finish(stored)?;
        }
        Ok(())
    }

    fn log(&mut self, moment: &Moment<'_>) -> Flow {
        match self.write(moment) {
            Ok(()) => Flow::Continue,
            Err(failure) => {
                self.screen.error(&failure.render());
                self.trouble = Some(failure);
                Flow::Stop
            }
        }
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
            self.screen.error(&turn_line(name, turn));
        }
        let is_bot = usize::from(turn.seat) >= self.people;
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

fn turn_line(name: &str, turn: &TurnRecord) -> String {
    let action =
        if turn.action.is_empty() { turn.verdict().to_string() } else { escaped(&turn.action) };
    let (cpu, wall) = (turn.cpu_us, turn.wall_us);
    let round = turn.round;
    let mut line =
        format!("round {round}  {}: {action}  (cpu {cpu} µs, wall {wall} µs)", escaped(name));
    if !turn.reason.is_empty() {
        line.push_str(&format!("  {}", escaped(&turn.reason)));
    }
    line.push('\n');
    line
}
