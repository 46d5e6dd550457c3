//! The texts that seats were shown and that people read.
//!
//! Files for programs (`*.json`) are left out: `joust replay` prints them.

use joust_model::Round;
use joust_referee::{Parts, Seat};

use super::words::StringTable;

/// A text that is longer is left out, bytes.
const LONGEST_TEXT: usize = 8 * 1024;

/// Most bytes of lines in the texts of a bout; later texts are left out.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// Views of the seats, as differences from their earlier views.
#[derive(Debug)]
pub(super) struct Views {
    /// Last view of each seat, in seat order.
    seats: Vec<ShownView>,
    /// Per view: round, seat, how many numbers follow, how many lines it has, then per changed line
    /// its number and word. A view that equals the view of the seat asked just before has no number
    /// of lines.
    flat: Vec<u32>,
    /// The text that was taken last, with its seat and round.
    last: Option<(u32, Seat, Vec<u8>)>,
    bytes: usize,
}

#[derive(Clone, Debug, Default)]
struct ShownView {
    lines: Vec<u32>,
    /// Bytes that have come over the seat's connection in this round.
    add_bytes: Vec<u8>,
    round: u32,
}

impl Views {
    /// Makes an empty list for this many seats.
    pub(super) fn new(seats: usize) -> Self {
        Self { seats: vec![ShownView::default(); seats], flat: Vec::new(), last: None, bytes: 0 }
    }

    /// Returns the list.
    pub(super) fn flat(&self) -> &[u32] {
        &self.flat
    }

    /// Adds the view of `seat` before `round`.
    pub(super) fn add_view(
        &mut self,
        round: u32,
        seat: Seat,
        parts: &Parts,
        words: &mut StringTable,
    ) {
        let texts = parts.0.iter().filter(|part| !part.name.ends_with(".json"));
        let mut text = Vec::new();
        for part in texts.filter(|part| part.bytes.len() <= LONGEST_TEXT) {
            text.extend_from_slice(&part.bytes);
        }
        if !text.is_empty() {
            self.take(round, seat, text, words);
        }
    }

    /// Adds text that is sent to `seat`; [`Views::end_messages`] ends it.
    pub(super) fn add_bytes(&mut self, round: u32, seat: Seat, bytes: &[u8]) {
        let Some(shown) = self.seats.get_mut(seat.index()) else { return };
        shown.round = round;
        if shown.add_bytes.len() + bytes.len() <= LONGEST_TEXT {
            shown.add_bytes.extend_from_slice(bytes);
        }
    }

    /// Adds text that is sent to every seat.
    pub(super) fn add_bytes_to_all(&mut self, round: u32, bytes: &[u8]) {
        for seat in (0..).map(Seat).take(self.seats.len()) {
            self.add_bytes(round, seat, bytes);
        }
    }

    /// Ends the messages of the rounds before `now`.
    pub(super) fn end_messages(&mut self, now: u32, words: &mut StringTable) {
        for index in 0..self.seats.len() {
            let shown = &mut self.seats[index];
            if !shown.add_bytes.is_empty() && shown.round < now {
                let (round, text) = (shown.round, std::mem::take(&mut shown.add_bytes));
                self.take(round, Seat(u8::try_from(index).unwrap_or(u8::MAX)), text, words);
            }
        }
    }

    fn take(&mut self, round: u32, seat: Seat, text: Vec<u8>, words: &mut StringTable) {
        if self.bytes > MOST_BYTES || seat.index() >= self.seats.len() {
            return;
        }
        let is_same = self
            .last
            .as_ref()
            .is_some_and(|(add_view, _, last)| *add_view == round && *last == text);
        if is_same {
            self.repeat(round, seat);
            return;
        }
        self.bytes += text.len();
        let lines = lines(&text, words);
        let before = std::mem::take(&mut self.seats[seat.index()].lines);
        let changed = (0..).zip(&lines).filter(|(number, line)| before.get(*number) != Some(line));
        let start = self.flat.len();
        self.flat.extend([Round(round).number(), u32::from(seat.0), 0, length(&lines)]);
        self.flat.extend(
            changed.flat_map(|(number, line)| [u32::try_from(number).unwrap_or(u32::MAX), *line]),
        );
        self.flat[start + 2] = length(&self.flat[start + 3..]);
        self.seats[seat.index()].lines = lines;
        self.last = Some((round, seat, text));
    }

    /// Everybody is shown the same.
    fn repeat(&mut self, round: u32, seat: Seat) {
        let Some((_, first, _)) = self.last else { return };
        self.flat.extend([Round(round).number(), u32::from(seat.0), 0]);
        self.seats[seat.index()].lines = self.seats[first.index()].lines.clone();
    }
}

fn length(list: &[u32]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

fn lines(text: &[u8], words: &mut StringTable) -> Vec<u32> {
    let text = String::from_utf8_lossy(text);
    text.lines().map(|line| words.number(line)).collect()
}
