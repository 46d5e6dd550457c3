//! Numbers that a bot reports: lines `#joust name=value` on its standard error.
//!
//! A line begins with `#joust`, followed by any number of `name=value`, separated by spaces. A name
//! consists of 1 to 32 characters of a to z, 0 to 9, `-` and `_`; a value is a finite number.
//! Anything else is ignored, because a bot must not lose a turn over a comment. A bot may use 32
//! names. These lines are removed from the standard error that is kept.
//!
//! A program that is started for each answer reports the numbers of that answer; if it repeats a
//! name, the last value counts. The standard error of a program that stays is only read when it
//! ends: its first value of a name belongs to its first answer, the second value to the second
//! answer, and so on; `name=-` skips an answer. Values beyond the last answer are dropped.

use std::borrow::Cow;
use std::collections::BTreeMap;

use joust_gamekit::{MOST_NUMBER_NAMES, is_number_name};
use joust_model::{Finite, NumberRecord, NumberSource, Round};
use joust_referee::SeatNumber;

/// Prefix of such a line.
const MARK: &[u8] = b"#joust";

/// The numbers of a bot's standard error, and the rest of it.
pub(super) struct ReportedNumbers<'a> {
    /// By name, in the order in which they were reported; `None` for skipped answers.
    values: BTreeMap<&'a str, Vec<Option<Finite>>>,
    /// Standard error without these lines.
    pub(super) rest: Cow<'a, [u8]>,
}

impl<'a> ReportedNumbers<'a> {
    /// Parses a bot's standard error.
    pub(super) fn of(stderr: &'a [u8]) -> Self {
        let mut said = Self { values: BTreeMap::new(), rest: Cow::Borrowed(stderr) };
        if !stderr.windows(MARK.len()).any(|bytes| bytes == MARK) {
            return said;
        }
        let mut rest = Vec::new();
        for line in stderr.split_inclusive(|byte| *byte == b'\n') {
            match numbers_of(line) {
                Some(text) => said.take(text),
                None => rest.extend_from_slice(line),
            }
        }
        said.rest = rest.into();
        said
    }

    fn take(&mut self, text: &'a str) {
        for (name, value) in text.split_ascii_whitespace().filter_map(|one| one.split_once('=')) {
            let value = match value {
                "-" => None,
                _ => match value.parse::<Finite>() {
                    Ok(value) => Some(value),
                    Err(_) => continue,
                },
            };
            let is_new = !self.values.contains_key(name);
            if is_number_name(name) && !(is_new && self.values.len() >= MOST_NUMBER_NAMES) {
                self.values.entry(name).or_default().push(value);
            }
        }
    }

    /// Returns the numbers of a program that was started for one answer.
    pub(super) fn of_answer(&self, round: Round, seat: u8) -> Vec<NumberRecord> {
        let last = |(name, values): (&&str, &Vec<Option<Finite>>)| {
            Some(record(round, seat, name, (*values.last()?)?))
        };
        self.values.iter().filter_map(last).collect()
    }

    /// Returns the numbers of a program that stayed. They belong to its answers after the first
    /// `before`, which it gave in these rounds.
    pub(super) fn of_answers(
        &self,
        before: usize,
        rounds: &[Round],
        seat: u8,
    ) -> Vec<NumberRecord> {
        let mut records = Vec::new();
        for (place, round) in (before..).zip(rounds) {
            for (name, values) in &self.values {
                let value = values.get(place).copied().flatten();
                records.extend(value.map(|value| record(*round, seat, name, value)));
            }
        }
        records
    }
}

/// Returns the referee's numbers after `round` rounds.
pub(super) fn of_referee(round: u32, counted: Vec<SeatNumber>) -> Vec<NumberRecord> {
    let record = |SeatNumber { seat, name, value }| NumberRecord {
        round,
        seat: seat.0,
        source: NumberSource::Referee,
        name: name.into_owned(),
        value,
    };
    counted.into_iter().map(record).collect()
}

/// Returns the text after the mark, if the line begins with it.
fn numbers_of(line: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(line.strip_prefix(MARK)?).ok()?;
    text.starts_with(|next: char| next.is_ascii_whitespace()).then_some(text)
}

fn record(round: Round, seat: u8, name: &str, value: Finite) -> NumberRecord {
    NumberRecord { round: round.0, seat, source: NumberSource::Bot, name: name.to_owned(), value }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers as `round name value`.
    fn shown(records: &[NumberRecord]) -> Vec<String> {
        let shown = |it: &NumberRecord| format!("{} {} {}", it.round, it.name, it.value);
        records.iter().map(shown).collect()
    }

    fn of_answer(stderr: &str) -> Vec<String> {
        shown(&ReportedNumbers::of(stderr.as_bytes()).of_answer(Round(7), 1))
    }

    #[test]
    fn a_line_has_any_number_of_numbers() {
        assert_eq!(of_answer("#joust depth=3 score=-1.5\n"), ["7 depth 3", "7 score -1.5"]);
    }

    #[test]
    fn of_a_name_that_is_said_twice_for_an_answer_the_last_counts() {
        assert_eq!(of_answer("#joust depth=3\n#joust depth=4"), ["7 depth 4"]);
    }

    #[test]
    fn what_is_no_number_or_no_name_is_passed_over() {
        let stderr =
            "#joust\n#jousting a=1\n #joust b=1\n#joust c=inf d=NaN e=1e999 F=1 =1 g= h=x i=2 j\n";
        assert_eq!(of_answer(stderr), ["7 i 2"]);
        assert_eq!(of_answer(&format!("#joust {}=1\n", "a".repeat(33))), [""; 0]);
    }

    #[test]
    fn a_bot_has_thirty_two_names() {
        let line: String = (0..40).map(|name| format!(" n{name}=1")).collect();
        assert_eq!(of_answer(&format!("#joust{line}\n")).len(), 32);
    }

    #[test]
    fn the_rest_of_standard_error_stays_as_it_is() {
        let stderr = b"one\n#joust a=1\n\xff two #joust\n#joust \xff\nthree";
        assert_eq!(*ReportedNumbers::of(stderr).rest, *b"one\n\xff two #joust\n#joust \xff\nthree");
    }

    #[test]
    fn a_program_that_stays_says_each_number_once_for_an_answer() {
        let stderr = b"#joust a=1 b=10\n#joust a=2 b=-\n#joust a=3 b=30\n#joust a=4\n";
        let records = ReportedNumbers::of(stderr).of_answers(0, &[0, 2, 4].map(Round), 0);
        assert_eq!(shown(&records), ["0 a 1", "0 b 10", "2 a 2", "4 a 3", "4 b 30"]);
    }

    #[test]
    fn a_program_that_stays_for_a_match_says_the_numbers_of_one_bout_after_the_other() {
        let said = ReportedNumbers::of(b"#joust a=1\n#joust a=2\n#joust a=3\n");
        assert_eq!(shown(&said.of_answers(0, &[0, 2].map(Round), 0)), ["0 a 1", "2 a 2"]);
        assert_eq!(shown(&said.of_answers(2, &[Round(1)], 1)), ["1 a 3"]);
    }
}
