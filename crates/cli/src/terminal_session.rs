//! Session of a person at this terminal: pictures that replace one another, messages in between,
//! and questions. It borrows the terminal as soon as it shows something, and nothing is drawn while
//! the person types.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use joust_referee::Scene;
use joust_report::progress::{TerminalGuard, TerminalOwner};
use joust_report::{Colours, cut};
use parking_lot::Mutex;

use crate::output::{Screen, TERMINAL, lose, terminal_height, terminal_width};
use crate::scene::{broken, lines};
use crate::terminal_mode::{LineMode, SingleKeys};

/// Width of a terminal that does not report its own.
pub(crate) const USUAL_WIDTH: usize = 80;
const USUAL_HEIGHT: usize = 24;
/// Clears the rest of the row, and what is below the cursor.
const TO_THE_RIGHT: &str = "\u{1b}[K";
const BELOW: &str = "\u{1b}[J";

/// Session of a person at this terminal; clones are the same session.
#[derive(Clone)]
pub(crate) struct TerminalSession {
    surface: Arc<Surface>,
    hold: Arc<Mutex<SavedTerminal>>,
}

/// Resources that are returned when the session ends.
#[derive(Default)]
struct SavedTerminal {
    loan: Option<TerminalGuard>,
    keys: Option<SingleKeys>,
}

/// Contents of the terminal, and their place.
struct Surface {
    screen: Screen,
    /// True if pictures replace one another.
    in_place: bool,
    /// True if messages stand on the same terminal.
    is_shared: bool,
    state: Mutex<SurfaceState>,
}

#[derive(Default)]
struct SurfaceState {
    picture: Vec<String>,
    foot: String,
    status: String,
    /// Rows of the terminal that the drawing fills.
    rows: usize,
    is_asking: bool,
    /// Text that is being typed key by key.
    input: Option<String>,
    /// Messages that arrived while a line was typed.
    kept: String,
}

impl TerminalSession {
    pub(crate) fn new(screen: Screen) -> Self {
        let in_place = io::stdout().is_terminal();
        let is_shared = in_place && io::stderr().is_terminal();
        let surface = Surface { screen, in_place, is_shared, state: Mutex::default() };
        Self { surface: Arc::new(surface), hold: Arc::default() }
    }

    /// Shows a position in place of the one before.
    pub(crate) fn show(&self, scene: &Scene) {
        let colors = self.surface.screen.colours();
        if !self.surface.in_place {
            let drawing = lines(scene, colors, usize::MAX).join("\n");
            return self.surface.screen.result(&format!("{drawing}\n\n"));
        }
        self.show_lines(lines(scene, colors, width()));
    }

    /// Shows lines in place of the picture before.
    pub(crate) fn show_lines(&self, picture: Vec<String>) {
        self.take_terminal();
        self.keep_echo_off();
        self.surface.change(|state| state.picture = picture);
    }

    /// Describes the keys, under the picture.
    pub(crate) fn set_footer(&self, text: &str) {
        self.surface.state.lock().foot = text.to_owned();
    }

    /// Shows a status under the picture; an empty text removes it.
    pub(crate) fn status(&self, text: &str) {
        if self.surface.in_place {
            self.surface.change(|state| state.status = text.to_owned());
        } else if !text.is_empty() {
            self.print(&format!("{text}\n"));
        }
    }

    /// Returns whether there is a picture that is redrawn.
    pub(crate) fn has_picture(&self) -> bool {
        self.surface.state.lock().rows > 0
    }

    /// Shows the line being typed under all messages; `None` when it is finished.
    pub(crate) fn input(&self, typed: Option<&str>) {
        let mut state = self.surface.state.lock();
        let before = state.input.take();
        state.input = typed.map(str::to_owned);
        match (&before, typed) {
            (_, Some(typed)) => self.surface.write_error(&format!("\r\u{1b}[K> {typed}")),
            (Some(_), None) => self.surface.write_error("\n"),
            (None, None) => {}
        }
    }

    /// Prints whole lines that stay on the screen.
    pub(crate) fn print(&self, text: &str) {
        if !self.surface.is_shared {
            return self.surface.show_text(text);
        }
        let width = width();
        let fits = |line: &str| line.contains('\u{1b}') || line.len() <= width;
        let mut fitted = String::new();
        for line in text.split_inclusive('\n') {
            if fits(line.trim_end()) {
                fitted.push_str(line);
            } else {
                let parts = broken(line.trim_end(), width);
                fitted.extend(parts.iter().map(|part| format!("{part}\n")));
            }
        }
        self.surface.show_text(&fitted);
    }

    /// Shows a message that `--quiet` suppresses.
    pub(crate) fn message(&self, text: &str) {
        if !self.surface.screen.quiet {
            self.print(&format!("{text}\n"));
        }
    }

    /// Returns the colours of messages.
    pub(crate) fn error_colours(&self) -> Colours {
        self.surface.screen.error_colours()
    }

    /// Leaves the drawing on the screen; later output is drawn below it.
    pub(crate) fn settle(&self) {
        {
            let mut state = self.surface.state.lock();
            state.rows = 0;
            state.picture.clear();
            state.status.clear();
        }
        self.hold.lock().keys = None;
    }

    /// Asks a question; messages are kept back until the result is dropped.
    pub(crate) fn ask(&self, question: &str) -> Prompt<'_> {
        self.take_terminal();
        self.settle();
        self.surface.write_error(question);
        self.surface.state.lock().is_asking = true;
        Prompt { terminal: self, _lines: LineMode::allow() }
    }

    /// Returns the terminal.
    pub(crate) fn release(&self) {
        self.settle();
        self.hold.lock().loan = None;
    }

    pub(crate) fn take_terminal(&self) {
        let mut hold = self.hold.lock();
        if hold.loan.is_none() {
            hold.loan = Some(TERMINAL.hand_over(self.surface.clone()));
        }
    }

    /// Disables echo, because an echoed Enter would move the drawing.
    fn keep_echo_off(&self) {
        let mut hold = self.hold.lock();
        if self.surface.in_place && hold.keys.is_none() {
            hold.keys = SingleKeys::hold().ok();
        }
    }
}

/// A question that waits for its answer.
pub(crate) struct Prompt<'a> {
    terminal: &'a TerminalSession,
    _lines: LineMode,
}

impl Prompt<'_> {
    /// Repeats the question.
    pub(crate) fn repeat(&self, question: &str) {
        self.terminal.surface.write_error(question);
    }

    /// Ends the line if Enter did not.
    pub(crate) fn end_line(self) {
        self.terminal.surface.write_error("\n");
    }
}

impl Drop for Prompt<'_> {
    fn drop(&mut self) {
        let kept = {
            let mut state = self.terminal.surface.state.lock();
            state.is_asking = false;
            std::mem::take(&mut state.kept)
        };
        self.terminal.surface.write_error(&kept);
    }
}

impl TerminalOwner for Surface {
    fn show_text(&self, text: &str) {
        let mut state = self.state.lock();
        if state.is_asking {
            state.kept.push_str(text);
        } else if self.is_shared && state.rows > 0 {
            let lifted = lift(state.rows);
            let (drawn, rows) = state.drawn();
            state.rows = rows;
            self.write(&format!("{lifted}{BELOW}{text}{drawn}"));
        } else if let Some(typed) = &state.input {
            self.write_error(&format!("\r\u{1b}[K{text}> {typed}"));
        } else {
            self.write_error(text);
        }
    }
}

impl Surface {
    /// Changes the contents, and draws them.
    fn change(&self, change: impl FnOnce(&mut SurfaceState)) {
        let mut state = self.state.lock();
        change(&mut state);
        if !self.in_place || state.is_asking || state.picture.is_empty() {
            return;
        }
        let lifted = lift(state.rows);
        let (drawn, rows) = state.drawn();
        state.rows = rows;
        self.write(&format!("{lifted}{drawn}"));
    }

    fn write(&self, text: &str) {
        let mut stdout = io::stdout().lock();
        lose(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
    }

    fn write_error(&self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

impl SurfaceState {
    /// Returns picture, status and footer, and the number of rows that they fill: at most the rows
    /// of the terminal, since rows that have scrolled off cannot be redrawn.
    fn drawn(&self) -> (String, usize) {
        let (width, room) = (width(), height().saturating_sub(1).max(1));
        let under = [self.status.as_str()].into_iter().chain(self.foot.lines());
        let under: Vec<String> = under.filter(|l| !l.is_empty()).map(|l| cut(l, width)).collect();
        let above = room.saturating_sub(under.len());
        let all: Vec<&String> = self.picture.iter().take(above).chain(&under).take(room).collect();
        let rows: Vec<String> = all.iter().map(|line| format!("{line}{TO_THE_RIGHT}")).collect();
        // The rows below are cleared before the last line's end, because a terminal is written line
        // by line.
        (format!("{}{BELOW}\n", rows.join("\n")), rows.len())
    }
}

fn lift(rows: usize) -> String {
    if rows == 0 { String::new() } else { format!("\r\u{1b}[{rows}A") }
}

pub(crate) fn width() -> usize {
    terminal_width().map_or(USUAL_WIDTH, usize::from)
}

fn height() -> usize {
    terminal_height().map_or(USUAL_HEIGHT, usize::from)
}
