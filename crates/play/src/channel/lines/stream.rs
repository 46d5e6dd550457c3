//! Bytes between the bout and a bot: unread input and received output, in which the bytes
//! of an answer are found.

use joust_referee::{AnswerForm, Parts};

use super::super::live::Program;
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

/// Factor by which a bot's output may exceed the limit of an answer until the answer is complete,
/// where earlier lines do not count towards that limit.
pub(super) const FLOOD_FACTOR: usize = 64;

/// Reason why a bot that keeps writing gives no valid answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputExcess {
    /// The answer, or an incomplete line, is too long.
    Answer,
    /// The total output up to the answer is too long.
    Flood,
}

/// Received bytes of a bot that are not consumed yet.
pub(super) struct AnswerReader {
    form: AnswerForm,
    incoming: Vec<u8>,
    /// Start of the first line that was not checked.
    line: usize,
    /// End of the part of that line that was searched for a line end.
    searched: usize,
    /// Number of checked lines of this answer, and bytes of the dropped ones.
    lines: usize,
    dropped: usize,
}

impl AnswerReader {
    pub(super) fn new(form: AnswerForm) -> Self {
        Self { form, incoming: Vec::new(), line: 0, searched: 0, lines: 0, dropped: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.incoming.extend_from_slice(bytes);
    }

    /// Returns the received bytes that are not consumed yet.
    pub(super) fn incoming(&self) -> &[u8] {
        &self.incoming
    }

    /// Returns whether the last line is incomplete.
    fn has_half_line(&self) -> bool {
        self.incoming.last().is_some_and(|last| *last != b'\n')
    }

    /// Removes and returns a complete answer; `None` while it is incomplete.
    pub(super) fn take(&mut self) -> Option<Vec<u8>> {
        let answer = loop {
            let Some(length) = self.incoming[self.searched..].iter().position(|it| *it == b'\n')
            else {
                self.searched = self.incoming.len();
                break None;
            };
            let begin = std::mem::replace(&mut self.line, self.searched + length + 1);
            self.searched = self.line;
            self.lines += 1;
            if let Some(answer) = self.answer_ended_by(begin) {
                break Some(answer);
            }
        };
        if answer.is_some() {
            self.drop_lines();
            (self.lines, self.dropped) = (0, 0);
        } else if matches!(self.form, AnswerForm::Prefix(_)) {
            self.drop_lines();
        }
        answer
    }

    /// Returns the answer if the line that begins at `begin` is its last.
    fn answer_ended_by(&self, begin: usize) -> Option<Vec<u8>> {
        let last = without_end(&self.incoming[begin..self.line]);
        match &self.form {
            AnswerForm::Until(until) => {
                (last == until.as_bytes()).then(|| joined(&self.incoming[..begin]))
            }
            AnswerForm::Prefix(prefix) => last.strip_prefix(prefix.as_bytes()).map(<[u8]>::to_vec),
            AnswerForm::Lines(lines) => (self.lines >= usize::from(*lines).max(1))
                .then(|| joined(&self.incoming[..self.line])),
            AnswerForm::Files(_) | AnswerForm::Response => None,
        }
    }

    /// Removes and returns the answer at the end of the output, whose last line may have no line
    /// end.
    pub(super) fn take_last(&mut self) -> Option<Vec<u8>> {
        if self.has_half_line() {
            self.push(b"\n");
        }
        self.take()
    }

    /// Drops the checked lines.
    fn drop_lines(&mut self) {
        self.incoming.drain(..self.line);
        self.dropped += self.line;
        (self.line, self.searched) = (0, self.searched - self.line);
    }

    /// Drops all complete lines, and returns how many came since the last answer.
    pub(super) fn drop_whole(&mut self) -> usize {
        let whole = self.incoming.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let fresh = &self.incoming[self.line..whole];
        let lines = self.lines + fresh.iter().filter(|byte| **byte == b'\n').count();
        self.incoming.drain(..whole);
        (self.line, self.searched, self.lines, self.dropped) = (0, 0, 0, 0);
        lines
    }

    /// Returns the excess over `cap`, the size limit of an answer.
    pub(super) fn excess(&self, cap: usize) -> Option<OutputExcess> {
        let (counted, all) = match self.form {
            AnswerForm::Lines(_) | AnswerForm::Files(_) | AnswerForm::Response => {
                (self.incoming.len(), 0)
            }
            AnswerForm::Until(_) | AnswerForm::Prefix(_) => {
                (self.incoming.len() - self.line, self.incoming.len() + self.dropped)
            }
        };
        match counted > cap {
            true => Some(OutputExcess::Answer),
            false => (all > cap.saturating_mul(FLOOD_FACTOR)).then_some(OutputExcess::Flood),
        }
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Joins complete lines, without the last line end.
fn joined(lines: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = lines.split_inclusive(|it| *it == b'\n').map(without_end).collect();
    lines.join(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_taken(form: &AnswerForm, text: &str, expected: Option<&str>, rest: &str) {
        let mut reader = AnswerReader::new(form.clone());
        let mut taken = None;
        // Byte by byte, as a pipe may deliver them.
        for byte in text.bytes() {
            reader.push(&[byte]);
            taken = taken.or_else(|| reader.take());
        }
        assert_eq!(taken.as_deref(), expected.map(str::as_bytes), "{text:?}");
        assert_eq!(reader.incoming(), rest.as_bytes(), "{text:?}");
    }

    #[test]
    fn an_answer_of_lines_is_that_many_lines() {
        let one = AnswerForm::Lines(1);
        assert_taken(&one, "", None, "");
        assert_taken(&one, "3", None, "3");
        assert_taken(&one, "3\n", Some("3"), "");
        assert_taken(&one, "\r\nnext", Some(""), "next");
        assert_taken(&AnswerForm::Lines(2), "a\n\nb\n", Some("a\n"), "b\n");
        assert_taken(&AnswerForm::Lines(2), "a\nb", None, "a\nb");
    }

    #[test]
    fn an_answer_up_to_a_line_is_what_stands_before_it() {
        let go = AnswerForm::Until("go".to_owned());
        assert_taken(&go, "o 1 2\no 3 4\ngo\nlater", Some("o 1 2\no 3 4"), "later");
        assert_taken(&go, "go\n", Some(""), "");
        assert_taken(&go, "gone\n", None, "gone\n");
    }

    #[test]
    fn an_answer_with_a_prefix_is_what_follows_it_in_its_line() {
        let best = AnswerForm::Prefix("bestmove ".to_owned());
        let text = "info depth 3\nbestmove e2e4 ponder e7e5\ninfo x";
        assert_taken(&best, text, Some("e2e4 ponder e7e5"), "info x");
        assert_taken(&best, "info bestmove a\n", None, "");
    }

    #[test]
    fn lines_before_the_end_of_an_answer_have_a_bound_of_their_own() {
        let excess_of = |form: &AnswerForm, text: &[u8]| {
            let mut reader = AnswerReader::new(form.clone());
            reader.push(text);
            let answer = reader.take();
            (answer.is_some(), reader.excess(10))
        };
        let forms =
            [AnswerForm::Prefix("move ".to_owned()), AnswerForm::Until("move 7".to_owned())];
        for form in forms {
            let [few, many] = [60, 70].map(|lines| b"info 1234\n".repeat(lines));
            assert_eq!(excess_of(&form, &[&few[..], b"move 7\n"].concat()), (true, None));
            assert_eq!(excess_of(&form, &few), (false, None));
            assert_eq!(excess_of(&form, &many), (false, Some(OutputExcess::Flood)));
            assert_eq!(
                excess_of(&form, b"a line without end"),
                (false, Some(OutputExcess::Answer))
            );
        }
        assert_eq!(
            excess_of(&AnswerForm::Lines(9), b"1\n2\n3\n4\n5\n6\n"),
            (false, Some(OutputExcess::Answer))
        );
    }

    #[test]
    fn at_the_end_of_output_a_last_line_needs_no_end() {
        let last = |form: &AnswerForm, text: &[u8]| {
            let mut reader = AnswerReader::new(form.clone());
            reader.push(text);
            assert_eq!(reader.take(), None);
            reader.take_last()
        };
        assert_eq!(last(&AnswerForm::Lines(1), b"9"), Some(b"9".to_vec()));
        assert_eq!(last(&AnswerForm::Lines(2), b"9"), None);
        assert_eq!(last(&AnswerForm::Lines(1), b""), None);
        assert_eq!(last(&AnswerForm::Until("go".to_owned()), b"a\ngo"), Some(b"a".to_vec()));
    }

    #[test]
    fn what_is_dropped_is_counted_in_lines() {
        for form in [AnswerForm::Lines(1), AnswerForm::Prefix("move ".to_owned())] {
            let mut reader = AnswerReader::new(form);
            reader.push(b"info\nmove 1\nmore\nhalf");
            assert_eq!(reader.drop_whole(), 3);
            assert_eq!(reader.incoming(), b"half");
        }
    }
}
