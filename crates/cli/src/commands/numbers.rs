//! Numbers of a turn, for people: those that the referee counted and those that bots reported.

use std::collections::BTreeMap;

use joust_model::{NumberRecord, NumberSource, Seat, StoredBout, TurnLog, escaped};

/// The numbers of a bout, by the position they belong to.
pub(super) struct BoutNumbers(Vec<NumberRecord>);

impl BoutNumbers {
    /// Reads those of a stored bout; none where its turns cannot be read.
    pub(super) fn of(stored: &StoredBout) -> Self {
        Self(TurnLog::read_numbers(&stored.result.turn_log).unwrap_or_default())
    }

    /// Returns the numbers after `round`: those that the referee counted then, and those that bots
    /// reported of their turns in it. With `seat`, only the numbers of that one.
    pub(super) fn after(&self, round: u32, seat: Option<Seat>) -> Vec<&NumberRecord> {
        let is_of_round = |number: &&NumberRecord| is_of_round(number, round);
        let is_of_seat = |number: &&NumberRecord| seat.is_none_or(|seat| seat.0 == number.seat);
        self.0.iter().filter(is_of_round).filter(is_of_seat).collect()
    }
}

/// Returns whether a number is known once `round` was played, and not before: the referee counts in
/// the position after it, a bot in its turn.
pub(super) fn is_of_round(number: &NumberRecord, round: u32) -> bool {
    match number.source {
        NumberSource::Referee => number.round == round.saturating_add(1),
        NumberSource::Bot => number.round == round,
    }
}

/// Returns `numbers: lily captures 2, bot.depth 5; max captures 1` as a line; empty where there are
/// none.
pub(super) fn line<'a>(
    numbers: impl IntoIterator<Item = &'a NumberRecord>,
    name: impl Fn(u8) -> String,
) -> String {
    let mut seats: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    for number in numbers {
        let said = format!("{} {}", number.label(), number.value);
        seats.entry(number.seat).or_default().push(said);
    }
    let of_seat =
        |(seat, said): (u8, Vec<String>)| format!("{} {}", escaped(&name(seat)), said.join(", "));
    let seats: Vec<_> = seats.into_iter().map(of_seat).collect();
    if seats.is_empty() { String::new() } else { format!("numbers: {}\n", seats.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joust_model::Finite;

    fn number(seat: u8, source: NumberSource, name: &str, value: f64) -> NumberRecord {
        let value = Finite::new(value).expect("it is finite");
        NumberRecord { round: 0, seat, source, name: name.to_owned(), value }
    }

    #[test]
    fn a_line_has_the_numbers_of_each_seat() {
        let numbers = [
            number(0, NumberSource::Referee, "captures", 2.0),
            number(1, NumberSource::Referee, "captures", 1.0),
            number(0, NumberSource::Bot, "depth", 5.5),
        ];
        let name = |seat: u8| ["lily", "max"][usize::from(seat)].to_owned();
        let line = line(&numbers, name);
        assert_eq!(line, "numbers: lily captures 2, bot.depth 5.5; max captures 1\n");
    }

    #[test]
    fn numbers_of_the_start_belong_to_no_round() {
        let at = |round: u32, source| NumberRecord { round, ..number(0, source, "longest", 0.0) };
        let referee = [0, 1, 2].map(|round| is_of_round(&at(round, NumberSource::Referee), 0));
        let bot = [0, 1].map(|round| is_of_round(&at(round, NumberSource::Bot), 0));
        assert_eq!((referee, bot), ([false, true, false], [true, false]));
    }

    #[test]
    fn without_numbers_there_is_no_line() {
        assert_eq!(line(&[], |_| String::new()), "");
    }
}
