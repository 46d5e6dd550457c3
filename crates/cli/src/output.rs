//! Standard output carries only requested results; everything else goes to standard error. A reader
//! that is gone ends printing, not the work.

use std::io::{self, IsTerminal, Read, Write};
use std::sync::{LazyLock, OnceLock};

use joust_report::TextStyle;
use joust_report::progress::Terminal;

use crate::args::{Colours, GlobalArgs};

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
    colours: Colours,
}

impl Screen {
    pub(crate) fn new(global: &GlobalArgs) -> Self {
        Self { quiet: global.quiet, verbose: global.verbose, colours: global.color }
    }

    /// Returns whether results on standard output are coloured.
    pub(crate) fn colours(self) -> bool {
        match self.colours {
            Colours::Always => true,
            Colours::Never => false,
            Colours::Auto => {
                io::stdout().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        }
    }

    /// Returns whether messages on standard error are coloured.
    pub(crate) fn error_colours(self) -> bool {
        match self.colours {
            Colours::Auto => {
                io::stderr().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
            _ => self.colours_always(),
        }
    }

    /// Returns whether colours were asked for whatever the terminal.
    pub(crate) fn colours_always(self) -> bool {
        self.colours == Colours::Always
    }

    /// Returns the abilities of the terminal or file that results are printed to.
    pub(crate) fn look(self) -> TextStyle {
        let width = io::stdout().is_terminal().then(terminal_width).flatten();
        let colours =
            if self.colours() { joust_report::Colours::On } else { joust_report::Colours::Off };
        TextStyle { width, colours }
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
    pub(crate) fn result_of(self, result: &mut impl Read) -> io::Result<()> {
        let mut part = vec![0; Pager::BYTES];
        loop {
            let length = match result.read(&mut part) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                length => length?,
            };
            if length == 0 || !self.is_written(&part[..length]) {
                return Ok(());
            }
        }
    }

    /// Prints a result; returns false when the reader is gone.
    pub(crate) fn is_read(self, text: &str) -> bool {
        self.is_written(text.as_bytes())
    }

    fn is_written(self, bytes: &[u8]) -> bool {
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

/// Prints a long result a page at a time.
pub(crate) struct Pager {
    pub(crate) screen: Screen,
    page: String,
}

impl Pager {
    /// Number of bytes of a page.
    const BYTES: usize = 1 << 16;

    pub(crate) fn new(screen: Screen) -> Self {
        Self { screen, page: String::new() }
    }

    /// Adds a part of the result; returns false when the reader is gone.
    pub(crate) fn is_read(&mut self, text: &str) -> bool {
        self.page += text;
        self.page.len() < Self::BYTES || self.turn()
    }

    /// Prints the waiting text; returns false when the reader is gone.
    pub(crate) fn turn(&mut self) -> bool {
        let is_read = self.page.is_empty() || self.screen.is_read(&self.page);
        self.page.clear();
        is_read
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
