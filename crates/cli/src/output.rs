//! Standard output carries only requested results; everything else goes to standard error, also the
//! progress of long work: a line that changes in a terminal, a line every few seconds elsewhere. A
//! reader that is gone ends printing, not the work.

use std::io::{self, IsTerminal, Read, Write};
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};

use joust_report::progress::{Bar, Terminal};
use joust_report::{Colours, TextStyle};
use parking_lot::Mutex;

use crate::args::{ColourChoice, GlobalArgs};

/// The first error of printing a requested result.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// The terminal of this process: everything that is shown to people goes through it, so that two
/// writers never draw at once.
pub(crate) static TERMINAL: LazyLock<Terminal> = LazyLock::new(Terminal::default);

/// Streams of results and messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    choice: ColourChoice,
}

impl Screen {
    pub(crate) fn new(global: &GlobalArgs) -> Self {
        Self { quiet: global.quiet, verbose: global.verbose, choice: global.color }
    }

    /// Returns the colours of results on standard output.
    pub(crate) fn colours(self) -> Colours {
        self.colours_on(&io::stdout())
    }

    /// Returns the colours of messages on standard error.
    pub(crate) fn error_colours(self) -> Colours {
        self.colours_on(&io::stderr())
    }

    fn colours_on(self, stream: &impl IsTerminal) -> Colours {
        let is_free = || std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        match self.choice {
            ColourChoice::Auto if stream.is_terminal() && is_free() => Colours::On,
            ColourChoice::Auto | ColourChoice::Never => Colours::Off,
            ColourChoice::Always => Colours::On,
        }
    }

    /// Returns the colours for guests, whose terminals are unknown: none unless they are asked for.
    pub(crate) fn guest_colours(self) -> Colours {
        if self.choice == ColourChoice::Always { Colours::On } else { Colours::Off }
    }

    /// Returns the abilities of the terminal or file that results are printed to.
    pub(crate) fn look(self) -> TextStyle {
        let width = io::stdout().is_terminal().then(terminal_width).flatten();
        TextStyle { width, colours: self.colours() }
    }

    /// Prints a result. A closed standard output is no error: its reader wants no more.
    pub(crate) fn result(self, text: &str) {
        self.result_bytes(text.as_bytes());
    }

    /// Prints a result of raw bytes.
    pub(crate) fn result_bytes(self, bytes: &[u8]) {
        self.is_written(bytes);
    }

    /// Prints a result that waits elsewhere.
    ///
    /// # Errors
    ///
    /// Those of reading it.
    pub(crate) fn result_of(mut self, result: &mut impl Read) -> io::Result<()> {
        match io::copy(result, &mut self) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    /// Prints a result; returns false when the reader is gone.
    pub(crate) fn is_written(self, bytes: &[u8]) -> bool {
        let written = TERMINAL.suspend_bars(|| {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush())
        });
        lose(written)
    }

    /// Prints a message for people.
    pub(crate) fn message(self, text: &str) {
        if !self.quiet {
            let width = io::stderr().is_terminal().then(terminal_width).flatten();
            self.error(&format!("{}\n", joust_report::wrapped(text, width)));
        }
    }

    /// Prints an error or a warning, also when quiet.
    pub(crate) fn error(self, text: &str) {
        TERMINAL.show_text(text);
    }
}

/// Prints a result that is written; the error is [`BrokenPipe`](io::ErrorKind::BrokenPipe) when the
/// reader is gone.
impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = || io::ErrorKind::BrokenPipe.into();
        self.is_written(bytes).then_some(bytes.len()).ok_or_else(gone)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Remembers the error of a result that could not be printed; returns whether it was printed.
pub(crate) fn lose(written: io::Result<()>) -> bool {
    match written {
        Ok(()) => true,
        Err(error) => {
            if error.kind() != io::ErrorKind::BrokenPipe {
                let _ = LOST.set(error);
            }
            false
        }
    }
}

/// Returns why a result could not be printed, for instance on a full disk.
pub(crate) fn lost() -> Option<&'static io::Error> {
    LOST.get()
}

/// Returns the terminal's height, which `LINES` may overrule.
pub(crate) fn terminal_height() -> Option<u16> {
    let said = std::env::var("LINES").ok().and_then(|text| text.parse().ok());
    said.or_else(|| terminal_size::terminal_size().map(|(_, height)| height.0))
}

/// Returns the terminal's width, which `COLUMNS` may overrule.
pub(crate) fn terminal_width() -> Option<u16> {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    said.or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0))
}

/// Time before the first line.
const SILENCE: Duration = Duration::from_millis(250);

/// A line of progress, removed from the terminal when this is dropped.
pub(crate) struct ProgressLine {
    screen: Screen,
    bar: Option<Bar>,
    next: Mutex<Instant>,
}

impl ProgressLine {
    pub(crate) fn new(screen: Screen) -> Self {
        Self { screen, bar: bar(screen), next: Mutex::new(Instant::now() + SILENCE) }
    }

    /// Shows the text that `text` returns, unless the last one is too recent.
    pub(crate) fn show(&self, text: impl FnOnce() -> String) {
        let (mut next, now) = (self.next.lock(), Instant::now());
        if self.screen.quiet || now < *next {
            return;
        }
        match &self.bar {
            Some(bar) => {
                *next = now + Duration::from_millis(100);
                bar.show_message(text());
            }
            None => {
                *next = now + Duration::from_secs(5);
                self.screen.error(&format!("{}\n", text()));
            }
        }
    }
}

/// Shows a text in a terminal until the returned line is dropped.
pub(crate) fn show_waiting(screen: Screen, text: &str) -> Option<Bar> {
    bar(screen).inspect(|bar| bar.show_message(text.to_owned()))
}

fn bar(screen: Screen) -> Option<Bar> {
    let is_seen = !screen.quiet && std::io::stderr().is_terminal();
    is_seen.then(|| Bar::new(TERMINAL.clone()))
}
