//! A bout in words, for people.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use joust_model::{
    NumberRecord, Round, Seat, SeatPlan, SeatResult, StoredBout, TurnLog, counted, escaped,
    escaped_bytes, is_referee_error,
};
use joust_referee::Seed;
use joust_report::json::{self, Turns};

use crate::error::{Failure, Status};

/// Returns a bout as programs read it, with its turns if `turns`.
pub(super) fn json(stored: &StoredBout, turns: bool) -> Result<String, Failure> {
    let turns = if turns { Turns::Shown } else { Turns::Hidden };
    Ok(json::pretty(&object(stored, turns)?))
}

/// Returns a bout as a part of what programs read.
pub(super) fn object(stored: &StoredBout, turns: Turns) -> Result<json::Bout, Failure> {
    json::bout(stored, turns).map_err(|error| Failure::from_error(Status::Database, &error))
}

/// Returns the line that names a bout.
pub(super) fn headline(stored: &StoredBout) -> String {
    let plan = &stored.plan;
    let bots: Vec<_> = plan.seats.iter().map(|seat| escaped(&seat.bot)).collect();
    format!(
        "bout {} of {} ({}, rules {}, seed {}): {}\n",
        plan.bout,
        plan.event,
        plan.game,
        plan.rules,
        seed(plan.seed),
        bots.join(" vs ")
    )
}

/// Returns a seed as `--seed` takes it: the last 32 bits' worth are negative ones.
fn seed(Seed(bits): Seed) -> String {
    let signed = bits.cast_signed();
    match i32::try_from(signed) {
        Ok(negative @ ..0) => negative.to_string(),
        _ => bits.to_string(),
    }
}

/// Returns how a bout ended, a line a seat.
pub(super) fn summary(stored: &StoredBout) -> String {
    let result = &stored.result;
    if is_referee_error(&result.ended) {
        let rounds = counted(result.rounds, "round");
        return format!("{}\nnobody won or lost; judged: {rounds}\n", result.ended);
    }
    let mut text = format!(
        "{} after {}, state {}, tier {}{}{}\n",
        result.ended,
        counted(result.rounds, "round"),
        &result.state_hash[..result.state_hash.len().min(16)],
        result.tier,
        if result.contended { ", contended" } else { "" },
        if result.oversubscribed { ", oversubscribed" } else { "" },
    );
    for (number, seat) in result.seats.iter().enumerate() {
        let is_person = stored.plan.seats.get(number).is_some_and(SeatPlan::is_person);
        let measured = match (is_person, stored.plan.clock.is_some()) {
            (true, _) => MeasuredUse::Nothing,
            (false, true) => MeasuredUse::OnAClock,
            (false, false) => MeasuredUse::EveryTurn,
        };
        text.push_str(&seat_line(number, seat, measured));
    }
    text
}

/// Describes a seat's use of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MeasuredUse {
    /// A person uses none of it.
    Nothing,
    /// Nobody waits for a client.
    OnAClock,
    EveryTurn,
}

/// Returns the output of a referee on standard error before it failed, for its author: `lines` are
/// escaped. Empty where there was none; no line begins with the referee's text.
pub(super) fn referee_wrote(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("    | {line}\n")).collect();
    format!("  the referee wrote to standard error:\n{lines}")
}

/// Returns the end of the bout for `seat`: `won`, `lost`, `drew` or
/// `came 2nd of 4`.
pub(super) fn fate(stored: &StoredBout, seat: usize) -> String {
    let seats = &stored.result.seats;
    let Some(own) = seats.get(seat) else { return String::new() };
    let alike = seats.iter().filter(|other| other.rank == own.rank).count();
    match (own.rank, alike, seats.len()) {
        (1, 1, _) => "won".to_owned(),
        (1, _, _) => "drew".to_owned(),
        (_, _, 2) => "lost".to_owned(),
        (rank, _, seats) => format!("came {}{} of {seats}", rank, ordinal(rank)),
    }
}

/// Names the winners: `anna won`, `anna and bert drew`.
pub(super) fn end_in_words(stored: &StoredBout) -> String {
    if is_referee_error(&stored.result.ended) {
        return "nobody won or lost".to_owned();
    }
    let first = stored.result.seats.iter().filter(|seat| seat.rank == 1);
    let names: Vec<_> = first.map(|seat| escaped(&seat.bot)).collect();
    match &names[..] {
        [one] => format!("{one} won"),
        [rest @ .., last] => format!("{} and {last} drew", rest.join(", ")),
        [] => "nobody won".to_owned(),
    }
}

/// Returns the lines of some output, each after `start`, without the empty ones.
pub(super) fn output_lines(start: &str, bytes: &[u8]) -> String {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| format!("{start}| {}\n", escaped_bytes(line))).collect()
}

/// Returns a time as people read it.
pub(super) fn milliseconds(microseconds: u64) -> String {
    format!("{:.1} ms", Duration::from_micros(microseconds).as_secs_f64() * 1e3)
}

fn ordinal(number: u8) -> &'static str {
    match number {
        2 => "nd",
        3 => "rd",
        _ => "th",
    }
}

fn seat_line(number: usize, seat: &SeatResult, measured: MeasuredUse) -> String {
    let (bot, rank, score) = (escaped(&seat.bot), seat.rank, seat.score);
    let mut line = format!("  seat {number}  {bot}  rank {rank}  score {score} ");
    if measured != MeasuredUse::Nothing {
        let _ = write!(line, " cpu {} ms", seat.cpu.as_millis());
        if measured == MeasuredUse::EveryTurn || !seat.wall.is_zero() {
            let _ = write!(line, "  wall {} ms", seat.wall.as_millis());
        }
        let _ = write!(line, "  peak {} KiB ", seat.peak_memory_bytes / 1024);
    }
    for (verdict, count) in seat.verdicts.iter() {
        let _ = write!(line, " {verdict} {count}");
    }
    let limits: Vec<_> = seat.limits_hit.iter().map(|limit| limit.name()).collect();
    if !limits.is_empty() {
        let _ = write!(line, "  limits hit: {}", limits.join(" "));
    }
    if seat.cold_starts > 0 {
        let _ = write!(line, "  {} started cold", counted(seat.cold_starts, "turn"));
    }
    line.push('\n');
    line
}

/// The numbers of a bout, by the position they belong to.
pub(super) struct BoutNumbers(Vec<NumberRecord>);

impl BoutNumbers {
    /// Reads those of a stored bout; none where its turns cannot be read.
    pub(super) fn of(stored: &StoredBout) -> Self {
        Self(TurnLog::read_numbers(&stored.result.turn_log).unwrap_or_default())
    }

    /// Returns the numbers after `round`: those that the referee counted then, and those that bots
    /// reported of their turns in it. With `seat`, only the numbers of that one.
    pub(super) fn after(&self, round: Round, seat: Option<Seat>) -> Vec<&NumberRecord> {
        let is_of_round = |number: &&NumberRecord| is_of_round(number, round);
        let is_of_seat = |number: &&NumberRecord| seat.is_none_or(|seat| seat.0 == number.seat);
        self.0.iter().filter(is_of_round).filter(is_of_seat).collect()
    }
}

/// Returns whether a number is known once `round` was played, and not before: the referee counts in
/// the position after it, a bot in its turn.
pub(super) fn is_of_round(number: &NumberRecord, round: Round) -> bool {
    number.after() == round.number()
}

/// Returns `numbers: lily captures 2, bot.depth 5; max captures 1` as a line; empty where there are
/// none.
pub(super) fn numbers_line<'a>(
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
    use joust_model::{Finite, NumberSource};

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
        let line = numbers_line(&numbers, name);
        assert_eq!(line, "numbers: lily captures 2, bot.depth 5.5; max captures 1\n");
    }

    #[test]
    fn numbers_of_the_start_belong_to_no_round() {
        let at = |round: u32, source| NumberRecord { round, ..number(0, source, "longest", 0.0) };
        let referee =
            [0, 1, 2].map(|round| is_of_round(&at(round, NumberSource::Referee), Round(0)));
        let bot = [0, 1].map(|round| is_of_round(&at(round, NumberSource::Bot), Round(0)));
        assert_eq!((referee, bot), ([false, true, false], [true, false]));
    }

    #[test]
    fn without_numbers_there_is_no_line() {
        assert_eq!(numbers_line(&[], |_| String::new()), "");
    }
}
