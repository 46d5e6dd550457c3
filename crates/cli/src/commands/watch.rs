//! What `joust play` shows while a bout is played: every round with `--show`,
//! its actions with `-v`, and a stop at the first trouble with `--debug`.

use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use joust_orchestrator::model::{StoredBout, TurnRecord, escaped, escaped_bytes};
use joust_orchestrator::play::{Flow, Moment, Watcher};

use super::play_log::ReplayFolder;
use crate::args::PlayArgs;
use crate::error::Failure;
use crate::output::Screen;
use crate::scene::{Ink, draw};

/// Looks on for a person.
pub(super) struct Onlooker {
    screen: Screen,
    names: Vec<String>,
    show: Option<Duration>,
    verbose: bool,
    debug: bool,
    folder: Option<ReplayFolder>,
    trouble: Option<Failure>,
}

impl Onlooker {
    pub(super) fn new(
        args: &PlayArgs,
        names: Vec<String>,
        folder: Option<ReplayFolder>,
        screen: Screen,
    ) -> Self {
        Self {
            screen,
            names,
            show: args.show.then_some(args.delay),
            verbose: args.verbose,
            debug: args.debug,
            folder,
            trouble: None,
        }
    }

    /// Completes the replay folder and reports what could not be written.
    pub(super) fn finish(mut self, stored: &StoredBout) -> Result<(), Failure> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        match self.folder.as_mut() {
            Some(folder) => folder.finish(stored),
            None => Ok(()),
        }
    }

    fn log(&mut self, moment: &Moment<'_>) -> Flow {
        let Some(folder) = self.folder.as_mut() else { return Flow::Continue };
        match folder.write(moment) {
            Ok(()) => Flow::Continue,
            Err(failure) => {
                self.screen.error(&failure.render());
                self.trouble = Some(failure);
                Flow::Stop
            }
        }
    }

    fn turn(&mut self, turn: &TurnRecord) -> Flow {
        let name = self.names.get(usize::from(turn.seat)).map_or("", String::as_str);
        if self.verbose {
            self.screen.error(&turn_line(name, turn));
        }
        let troubled = !turn.verdict().is_ok() || !turn.stderr.is_empty();
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
        if !io::stdin().is_terminal() {
            return Flow::Continue;
        }
        self.screen.error("press Enter to go on, or type q and Enter to stop: ");
        let mut answer = String::new();
        let read = io::stdin().read_line(&mut answer);
        if read.is_ok() && answer.trim() == "q" { Flow::Stop } else { Flow::Continue }
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
            Moment::Asked { .. } => Flow::Continue,
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
