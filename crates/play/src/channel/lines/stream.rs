//! Bytes between the bout and a bot: unread input and received output.

use std::io;

use joust_referee::{AnswerForm, Parts};

use super::super::live::Program;
use super::form::AnswerReader;

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
        let mut written = 0;
        while let Some(rest) = self.unread.get(written..).filter(|rest| !rest.is_empty()) {
            match program.write(rest) {
                Ok(0) => break,
                Ok(more) => written += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // The reading end is closed; the end of the bot will be reported.
                Err(_) => written = self.unread.len(),
            }
        }
        self.unread.drain(..written);
    }

    /// Reads once; returns whether there was any output.
    pub(super) fn read(&mut self, program: &mut Program) -> bool {
        let read = program.read(&mut self.buffer);
        let count = *read.as_ref().unwrap_or(&0);
        self.incoming.push(&self.buffer[..count]);
        self.has_written |= count > 0;
        match read {
            Ok(0) => self.is_open = false,
            Err(error) if !is_passing(&error) => self.is_open = false,
            _ => {}
        }
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

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
