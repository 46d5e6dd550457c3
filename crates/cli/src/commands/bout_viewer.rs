//! Display of `joust play` during a bout: every round with `--show`, its actions with `-v`, and a
//! stop at the first problem with `--debug`.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::ops::{ControlFlow, Range};
use std::thread;
use std::time::{Duration, Instant};

use joust_model::cancel::Cancel;
use joust_model::{
    BoutPlan, ClockMode, MeasuredTurns, NumberRecord, Round, StoredBout, TurnRecord, escaped,
    is_referee_error,
};
use joust_orchestrator::pipeline::{SeriesBoutEnd, SeriesObserver};
use joust_play::channel::{Paint, Participants};
use joust_play::{BoutEvent, BoutObserver};
use joust_referee::{Scene, Seat};

use super::bout::{fate, is_of_round, milliseconds, numbers_line, output_lines};
use super::play;
use super::play_log::ReplayFolder;
use super::record::Recording;
use crate::args::{BoutFormatArgs, PlayArgs};
use crate::error::Failure;
use crate::keyboard::{self, CHECK_INTERVAL, TypedInput};
use crate::output::Screen;
use crate::scene::text;
use crate::terminal_session::{TerminalSession, width};

/// Viewer of a bout, for a person.
pub(super) struct BoutViewer {
    terminal: TerminalSession,
    setup: ViewerSetup,
    /// The seats at this keyboard that had a turn in the round under way.
    had_turn: BTreeSet<usize>,
    last: Option<Scene>,
    /// Numbers counted in the round under way.
    numbers: Vec<NumberRecord>,
    /// Measured turns of the bout under way.
    measured: MeasuredTurns,
    style: ViewStyle,
    trouble: Option<Failure>,
    counts: BoutCounts,
}

/// Amount of detail.
struct ViewStyle {
    show: Option<Duration>,
    screen: Screen,
    result: BoutFormatArgs,
    /// True until the first problem of a bot is reported.
    reports_trouble: bool,
    waits_after_trouble: bool,
    /// Time for which the last picture is shown.
    wait_end: Duration,
}

/// Numbers of bouts.
#[derive(Default)]
struct BoutCounts {
    begun: u32,
    ended: u64,
    unjudged: u64,
}

/// Setup of a viewer.
pub(super) struct ViewerSetup {
    /// All names, in seat order.
    pub(super) names: Vec<String>,
    /// The seats of people.
    pub(super) people: Range<usize>,
    /// Number of people at this keyboard; they come first.
    pub(super) here: usize,
    /// The players that join over the network.
    pub(super) participants: Option<Participants>,
    /// Style of the pictures for them.
    pub(super) paint: Paint,
    /// Description of the keys, if there are any.
    pub(super) keys: String,
    /// Clock of the game, if it has one.
    pub(super) clock: Option<ClockMode>,
    /// Folder of the replay.
    pub(super) folder: Option<ReplayFolder>,
    /// Recordings to write.
    pub(super) recordings: Vec<Recording>,
    /// Signal to stop.
    pub(super) cancel: Cancel,
}

impl BoutViewer {
    pub(super) fn new(
        args: &PlayArgs,
        setup: ViewerSetup,
        terminal: &TerminalSession,
        screen: Screen,
    ) -> Self {
        // A person whose seat shows nothing watches the board; a pause would stop a clock that runs
        // in real time.
        let plays_on_the_clock = !setup.people.is_empty() && setup.clock.is_some();
        // A host without a seat watches the table.
        let is_host = args.people.listen.is_some() && setup.here == 0 && io::stdout().is_terminal();
        let delay =
            if setup.clock == Some(ClockMode::Realtime) { Duration::ZERO } else { args.view.delay };
        let can_wait = !args.people.human.is_empty() || keyboard::is_terminal();
        let style = ViewStyle {
            show: if plays_on_the_clock || is_host && !args.view.show {
                Some(Duration::ZERO)
            } else {
                args.view.show.then_some(delay)
            },
            screen,
            result: args.result.clone(),
            reports_trouble: args.view.debug || args.reload,
            waits_after_trouble: args.view.debug && can_wait,
            wait_end: args.clock.wait_end,
        };
        Self {
            terminal: terminal.clone(),
            had_turn: BTreeSet::new(),
            last: None,
            numbers: Vec::new(),
            measured: MeasuredTurns::new(setup.clock),
            style,
            trouble: None,
            counts: BoutCounts::default(),
            setup,
        }
    }

    /// Returns the error of a file that could not be written.
    pub(super) fn trouble(&mut self) -> Option<Failure> {
        self.trouble.take()
    }

    /// Begins the recordings of a bout.
    fn start(&mut self, plan: &BoutPlan) -> Result<(), Failure> {
        self.setup.recordings.iter_mut().try_for_each(|recording| recording.begin(plan))
    }

    /// Returns whether a referee could not finish a bout.
    pub(super) fn has_unjudged(&self) -> bool {
        self.counts.unjudged > 0
    }

    /// Returns the number of bouts that were played to their end.
    pub(super) fn maps(&self) -> u64 {
        self.counts.ended
    }

    /// Completes the files of a bout, shows the last picture for a while and prints the result.
    pub(super) fn finish(&mut self, stored: &StoredBout) -> Result<(), Failure> {
        let stored = &self.named(stored);
        self.counts.unjudged += u64::from(is_referee_error(&stored.result.ended));
        if let Some(folder) = self.setup.folder.as_mut() {
            folder.finish(stored)?;
        }
        self.setup.recordings.iter_mut().try_for_each(|recording| recording.finish(stored))?;
        self.counts.ended += 1;
        self.show_the_end(stored);
        self.hold_last_picture();
        self.terminal.release();
        play::print(stored, &self.style.result, self.style.screen)
    }

    /// Replaces the names of seats that the plan does not name by their names in the game.
    fn named(&self, stored: &StoredBout) -> StoredBout {
        let mut named = stored.clone();
        for (seat, name) in self.setup.names.iter().enumerate() {
            let (plan, result) = (&mut named.plan.seats, &mut named.result.seats);
            for bot in
                [plan.get_mut(seat).map(|s| &mut s.bot), result.get_mut(seat).map(|s| &mut s.bot)]
            {
                bot.into_iter().filter(|bot| bot.is_empty()).for_each(|bot| bot.clone_from(name));
            }
        }
        named
    }

    /// Shows people at this keyboard the last position and the winner.
    fn show_the_end(&self, stored: &StoredBout) {
        if let (Some(scene), None, 1..) = (&self.last, self.style.show, self.setup.here) {
            self.terminal.print(&format!("{}\n", self.drawn(scene)));
        }
        let fates = self.setup.people.clone().take(self.setup.here).map(|seat| {
            let who = match self.setup.here {
                1 => "you".to_owned(),
                _ => self.setup.names.get(seat).map(|name| escaped(name)).unwrap_or_default(),
            };
            format!("{who} {}", fate(stored, seat))
        });
        let fates: Vec<String> = fates.collect();
        if self.style.show.is_some() && self.terminal.has_picture() {
            self.terminal.status(&fates.join(", "));
        } else if !fates.is_empty() {
            self.terminal.print(&format!("{}\n", fates.join(", ")));
        }
    }

    fn drawn(&self, scene: &Scene) -> String {
        text(scene, self.terminal.error_colours(), width())
    }

    /// Keeps the last picture on the screen; Ctrl-C ends that.
    fn hold_last_picture(&self) {
        let until = Instant::now() + self.style.wait_end;
        while self.style.show.is_some()
            && Instant::now() < until
            && !self.setup.cancel.is_cancelled()
        {
            thread::sleep(CHECK_INTERVAL.min(until.saturating_duration_since(Instant::now())));
        }
    }

    /// Continues unless there was an error, which is kept.
    fn flow_after(&mut self, done: Result<(), Failure>) -> ControlFlow<()> {
        match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.trouble = Some(failure);
                ControlFlow::Break(())
            }
        }
    }

    fn log(&mut self, event: &BoutEvent<'_>) -> ControlFlow<()> {
        let written = self.write(event);
        self.flow_after(written)
    }

    fn write(&mut self, event: &BoutEvent<'_>) -> Result<(), Failure> {
        if let Some(folder) = self.setup.folder.as_mut() {
            folder.write(event)?;
        }
        self.setup.recordings.iter_mut().try_for_each(|recording| recording.write(event))
    }

    fn turn(&mut self, turn: &TurnRecord) -> ControlFlow<()> {
        let is_measured = self.measured.is_measured(turn);
        let name = self.setup.names.get(usize::from(turn.seat)).map_or("", String::as_str);
        if self.style.screen.verbose {
            self.terminal.print(&turn_line(name, turn, is_measured));
        }
        let is_bot = !self.setup.people.contains(&usize::from(turn.seat));
        let troubled = is_bot && (!turn.verdict().is_ok() || !turn.stderr.is_empty());
        if self.style.reports_trouble && troubled {
            self.style.reports_trouble = false;
            return self.report_trouble(name, turn);
        }
        ControlFlow::Continue(())
    }

    fn report_trouble(&self, name: &str, turn: &TurnRecord) -> ControlFlow<()> {
        let mut text = format!(
            "`{}` (seat {}) in round {}: {}\n",
            escaped(name),
            turn.seat,
            turn.round,
            turn.verdict()
        );
        if !turn.reason.is_empty() {
            text.push_str(&format!("why| {}\n", escaped(&turn.reason)));
        }
        for (what, bytes) in [("output", &turn.output), ("stderr", &turn.stderr)] {
            text.push_str(&output_lines(what, bytes));
        }
        self.terminal.print(&text);
        if !self.style.waits_after_trouble {
            return ControlFlow::Continue(());
        }
        let asking = self.terminal.ask("press Enter to continue, or type q and Enter to stop: ");
        loop {
            match keyboard::line(CHECK_INTERVAL) {
                TypedInput::Line(answer) if answer.trim() == "q" => return ControlFlow::Break(()),
                TypedInput::Nothing if self.setup.cancel.is_cancelled() => {
                    asking.end_line();
                    return ControlFlow::Break(());
                }
                TypedInput::Nothing => {}
                TypedInput::Line(_) | TypedInput::End => return ControlFlow::Continue(()),
            }
        }
    }

    fn asked(&mut self, seat: u8) {
        self.had_turn.insert(usize::from(seat));
        if let Some(participants) = &self.setup.participants {
            participants.turn(seat);
        }
    }

    /// Shows a round: to guests that have no more turns, on the terminal with `--show`, and to
    /// people at this keyboard if none of them had a turn.
    fn round(&mut self, scene: &dyn Fn() -> Scene) {
        if let Some(participants) = &self.setup.participants {
            participants.show_round(scene, &self.setup.paint);
        }
        let had_turn = std::mem::take(&mut self.had_turn);
        let idle = |seat: usize| !had_turn.contains(&seat);
        if let Some(delay) = self.style.show {
            return self.draw(&scene(), delay);
        }
        if self.setup.here == 0 || self.setup.clock.is_some() {
            return;
        }
        let scene = scene();
        if let Some(first) = self.setup.people.clone().next()
            && self.setup.people.clone().take(self.setup.here).all(idle)
        {
            let seat = Seat(u8::try_from(first).unwrap_or(u8::MAX));
            self.terminal.show(&scene.seen_by(seat));
        }
        self.last = Some(scene);
    }

    /// Prints the numbers that were counted in `round`, if every round is shown.
    fn print_numbers(&mut self, round: Round) {
        let counted = std::mem::take(&mut self.numbers);
        let of_round = counted.iter().filter(|number| is_of_round(number, round));
        let name = |seat: u8| self.setup.names.get(usize::from(seat)).cloned().unwrap_or_default();
        let line = numbers_line(of_round, name);
        if (self.style.show.is_some() || self.style.screen.verbose) && !line.is_empty() {
            self.terminal.print(&line);
        }
    }

    fn learn_names(&mut self, name: &dyn Fn(Seat) -> Option<String>) {
        for seat in self.setup.people.clone() {
            let own = u8::try_from(seat).ok().and_then(|seat| name(Seat(seat)));
            if let (Some(own), Some(known)) = (own, self.setup.names.get_mut(seat)) {
                *known = own;
            }
        }
    }

    fn draw(&self, scene: &Scene, delay: Duration) {
        self.terminal.show(scene);
        if io::stdout().is_terminal() {
            thread::sleep(delay);
        }
    }
}

impl BoutObserver for BoutViewer {
    fn observe(&mut self, event: &BoutEvent<'_>) -> ControlFlow<()> {
        if self.log(event) == ControlFlow::Break(()) {
            return ControlFlow::Break(());
        }
        match event {
            BoutEvent::Input(_) => {}
            BoutEvent::Asked { seat, .. } => self.asked(*seat),
            BoutEvent::Turn(turn) => return self.turn(turn),
            BoutEvent::Numbers(said) => self.numbers.extend_from_slice(said),
            BoutEvent::Begin { scene } => {
                if let Some(delay) = self.style.show {
                    self.draw(&scene(), delay);
                }
            }
            BoutEvent::Round { round, scene, name } => {
                self.learn_names(name);
                self.round(scene);
                self.print_numbers(*round);
            }
        }
        ControlFlow::Continue(())
    }
}

impl SeriesObserver for BoutViewer {
    fn begin(&mut self, plan: &BoutPlan) -> ControlFlow<()> {
        if self.counts.begun > 0 {
            self.terminal.message(&format!("a new map: --seed {}", plan.seed));
        }
        self.counts.begun += 1;
        self.measured = MeasuredTurns::new(self.setup.clock);
        self.terminal.set_footer(&self.setup.keys);
        let started = self.start(plan);
        self.flow_after(started)
    }

    fn end(&mut self, ended: &SeriesBoutEnd) -> ControlFlow<()> {
        match ended {
            SeriesBoutEnd::Played(stored) => {
                let finished = self.finish(stored);
                self.flow_after(finished)
            }
            SeriesBoutEnd::Abandoned => ControlFlow::Continue(()),
        }
    }
}

fn turn_line(name: &str, turn: &TurnRecord, is_measured: bool) -> String {
    let action =
        if turn.action.is_empty() { turn.verdict().to_string() } else { escaped(&turn.action) };
    let wall = milliseconds(turn.wall_us);
    let cpu =
        if is_measured { format!("cpu {}, ", milliseconds(turn.cpu_us)) } else { String::new() };
    let round = turn.round;
    let mut line = format!("round {round}  {}: {action}  ({cpu}wall {wall})", escaped(name));
    if !turn.reason.is_empty() {
        line.push_str(&format!("  {}", escaped(&turn.reason)));
    }
    line.push('\n');
    line
}
