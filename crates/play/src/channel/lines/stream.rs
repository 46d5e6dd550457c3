//! Bytes between the bout and a bot: unread input and received output.

use joust_referee::{AnswerForm, Parts};

use super::super::live::Program;
use super::form::AnswerReader;
use crate::transfer::{at_once, write_at_once};

/// Size of one read in bytes.
pub(super) const READ_BYTES: usize = 16 * 1024;

/// Standard input and output of a bot.
pub(super) struct BotStream {
    /// Bytes that the bot has not read yet.
    pub(super) unread: Vec<u8>,
    pub(super) incoming: AnswerReader,
    /// Buffer for reads.
    buffer: Box<[u8]>,
    /// True if more output can come.
    pub(super) is_open: bool,
    /// True if there was any output yet.
    has_written: bool,
}

impl BotStream {
    pub(super) fn new(form: AnswerForm) -> Self {
        Self {
            unread: Vec::new(),
            incoming: AnswerReader::new(form),
            buffer: vec![0; READ_BYTES].into(),
            is_open: true,
            has_written: false,
        }
    }

    /// Queues a view for the bot, and writes the part that fits into its pipe.
    pub(super) fn show(&mut self, view: &Parts, program: &mut Program) {
        let text = view.get("").unwrap_or_default();
        self.unread.extend_from_slice(text);
        if text.last().is_some_and(|last| *last != b'\n') {
            self.unread.push(b'\n');
        }
        self.flush(program);
    }

    /// Writes queued bytes that fit into the pipe.
    pub(super) fn flush(&mut self, program: &mut Program) {
        let written = write_at_once(&self.unread, |bytes| program.write(bytes));
        // If the reading end is closed, the end of the bot will be reported.
        self.unread.drain(..written.unwrap_or(self.unread.len()));
    }

    /// Reads once; returns whether there was any output.
    pub(super) fn read(&mut self, program: &mut Program) -> bool {
        let Ok(read) = at_once(|| program.read(&mut self.buffer)) else {
            self.is_open = false;
            return false;
        };
        let count = read.unwrap_or_default();
        self.incoming.push(&self.buffer[..count]);
        self.has_written |= count > 0;
        self.is_open &= read != Some(0);
        count > 0
    }

    /// Returns a hint on why no valid answer came, for the bot's author.
    pub(super) fn why_late(&self) -> &'static str {
        match self.has_written {
            false => {
                "nothing came from it: flush standard output after each answer (Python: \
                 `print(answer, flush=True)`) and end it with a line end"
            }
            true if self.incoming.has_half_line() => {
                "what it wrote has no line end: end each answer with one, and flush standard output"
            }
            true => "",
        }
    }
}
