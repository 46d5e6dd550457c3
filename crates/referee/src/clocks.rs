//! Clocks of a bout: the time that each seat may still use, and the places in a text where a bot
//! reads it.
//!
//! A host that plays a bout keeps them by what it measures, one that judges a bout again by what
//! was recorded; both fill in the same numbers.

use std::borrow::Cow;
use std::time::Duration;

use crate::{Part, Parts, Seat, TimeRule};

/// Limits of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// A seat's first answer, in which its program starts.
    pub first: Duration,
    /// Every other answer.
    pub turn: Duration,
}

/// The clocks of all seats of a bout.
#[derive(Clone, Debug)]
pub struct Clocks {
    rule: TimeRule,
    allowance: Allowance,
    seats: Vec<SeatClock>,
    /// True if programs start with their first answers.
    has_starts: bool,
}

#[derive(Clone, Copy, Debug)]
struct SeatClock {
    has_answered: bool,
    bank: Duration,
    clock: Duration,
}

impl Clocks {
    /// Makes the clocks of a bout before its first answer.
    pub fn new(rule: TimeRule, allowance: Allowance, seats: usize) -> Self {
        let bank = rule.bank.unwrap_or_default();
        let clock = rule.clock.map(|clock| clock.base).unwrap_or_default();
        let seats = vec![SeatClock { has_answered: false, bank, clock }; seats];
        Self { rule, allowance, seats, has_starts: true }
    }

    /// Charges seats with the whole time of their first answers, because their programs already
    /// run.
    #[must_use]
    pub fn without_starts(mut self) -> Self {
        self.has_starts = false;
        self
    }

    /// Returns the time that `seat` has for its next answer; `own` is a shorter time that the
    /// game gives for this answer.
    pub fn allowed(&self, seat: Seat, own: Option<Duration>) -> Duration {
        let Some(state) = self.seats.get(seat.index()) else { return Duration::ZERO };
        let allowed = match (self.left_of(state), state.has_answered) {
            (left, true) => left,
            (Duration::ZERO, false) => Duration::ZERO,
            (left, false) => left.max(self.allowance.first),
        };
        own.map_or(allowed, |own| own.min(allowed))
    }

    /// Returns the time that a bot in `seat` is given for an answer, its start aside.
    pub fn left(&self, seat: Seat) -> Duration {
        self.seats.get(seat.index()).map_or(Duration::ZERO, |state| self.left_of(state))
    }

    /// Returns the time that `seat` has left for the rest of the bout; `None` without a rule for
    /// it.
    pub fn budget_left(&self, seat: Seat) -> Option<Duration> {
        let state = self.seats.get(seat.index())?;
        let TimeRule { bank, clock, .. } = self.rule;
        clock.map(|_| state.clock).or_else(|| bank.map(|_| state.bank))
    }

    fn left_of(&self, state: &SeatClock) -> Duration {
        let turn = self.allowance.turn.saturating_add(state.bank);
        if self.rule.clock.is_some() { turn.min(state.clock) } else { turn }
    }

    /// Charges `seat` with the time of an answer.
    pub fn charge(&mut self, seat: Seat, took: Duration) {
        let Some(state) = self.seats.get_mut(seat.index()) else { return };
        // The start of its program is not a bot's thinking.
        let starts = self.has_starts && !state.has_answered;
        let grace = if starts { self.allowance.first } else { Duration::ZERO };
        let beyond = took.saturating_sub(self.allowance.turn.max(grace));
        state.bank = state.bank.saturating_sub(beyond);
        if let Some(clock) = self.rule.clock {
            let left = state.clock.saturating_sub(took.saturating_sub(grace));
            state.clock = if left.is_zero() { left } else { left.saturating_add(clock.increment) };
        }
        state.has_answered = true;
    }

    /// Returns the view of `seat`, with the clocks filled in if the game wants that.
    pub fn fill(&self, seat: Seat, view: &Parts) -> Parts {
        if !self.rule.is_shown {
            return view.clone();
        }
        let fill = |part: &Part| match self.fill_text(seat, &part.bytes) {
            Cow::Borrowed(_) => part.clone(),
            Cow::Owned(bytes) => Part { name: part.name.clone(), bytes: bytes.into() },
        };
        Parts(view.0.iter().map(fill).collect())
    }

    fn fill_text<'t>(&self, seat: Seat, text: &'t [u8]) -> Cow<'t, [u8]> {
        let Some(first) = text.iter().position(|byte| *byte == b'{') else {
            return Cow::Borrowed(text);
        };
        let (mut filled, mut rest) = text.split_at(first);
        let mut out = Vec::with_capacity(text.len());
        loop {
            out.extend_from_slice(filled);
            let Some(inside) = rest.strip_prefix(b"{") else { return Cow::Owned(out) };
            let word = inside.iter().position(|byte| *byte == b'}').map(|end| &inside[..end]);
            let number = word.and_then(|word| Some((word.len() + 2, self.number(seat, word)?)));
            let used = number.map_or(1, |(used, number)| {
                out.extend_from_slice(number.to_string().as_bytes());
                used
            });
            if number.is_none() {
                out.push(b'{');
            }
            let after = &rest[used..];
            let next = after.iter().position(|byte| *byte == b'{').unwrap_or(after.len());
            (filled, rest) = after.split_at(next);
        }
    }

    /// Returns the milliseconds that a placeholder stands for.
    fn number(&self, seat: Seat, word: &[u8]) -> Option<u128> {
        let bank = |seat: Seat| self.seats.get(seat.index()).map(|state| state.bank);
        let duration = match word {
            b"left_ms" => self.left(seat),
            b"opp_left_ms" => self.left(self.opponent_of(seat)),
            b"move_ms" => self.allowance.turn,
            b"bank_ms" => bank(seat)?,
            b"inc_ms" => self.rule.clock.map(|clock| clock.increment).unwrap_or_default(),
            _ => {
                let of = std::str::from_utf8(word.strip_prefix(b"left_ms:")?).ok()?;
                let of = Seat(of.parse().ok()?);
                bank(of)?;
                self.left(of)
            }
        };
        Some(duration.as_millis())
    }

    /// Returns the next seat: in a game of two, the other one.
    fn opponent_of(&self, seat: Seat) -> Seat {
        let next = (seat.index() + 1) % self.seats.len().max(1);
        Seat(u8::try_from(next).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChessClock;

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    const ALLOWANCE: Allowance = Allowance { first: ms(5000), turn: ms(1000) };

    #[test]
    fn the_first_answer_has_the_start_and_the_others_the_turn() {
        let mut clocks = Clocks::new(TimeRule::default(), ALLOWANCE, 2);
        assert_eq!(clocks.allowed(Seat(0), None), ms(5000));
        clocks.charge(Seat(0), ms(4000));
        assert_eq!(clocks.allowed(Seat(0), None), ms(1000));
        assert_eq!(clocks.budget_left(Seat(0)), None);
        assert_eq!(clocks.allowed(Seat(0), Some(ms(50))), ms(50));
        assert_eq!(clocks.allowed(Seat(0), Some(ms(5000))), ms(1000));
        assert_eq!(clocks.allowed(Seat(1), None), ms(5000));
    }

    #[test]
    fn a_bank_pays_what_goes_beyond_the_turn() {
        let rule = TimeRule { bank: Some(ms(600)), ..TimeRule::default() };
        let mut clocks = Clocks::new(rule, ALLOWANCE, 2);
        clocks.charge(Seat(0), ms(4000));
        assert_eq!(clocks.allowed(Seat(0), None), ms(1600));
        clocks.charge(Seat(0), ms(1200));
        assert_eq!(clocks.allowed(Seat(0), None), ms(1400));
        clocks.charge(Seat(0), ms(900));
        assert_eq!(clocks.left(Seat(0)), ms(1400));
        assert_eq!(clocks.budget_left(Seat(0)), Some(ms(400)));
        clocks.charge(Seat(0), ms(9000));
        assert_eq!(clocks.left(Seat(0)), ms(1000));
        assert_eq!(clocks.budget_left(Seat(2)), None);
    }

    #[test]
    fn a_chess_clock_runs_down_and_gets_its_increment() {
        let clock = ChessClock { base: ms(800), increment: ms(100) };
        let rule = TimeRule { clock: Some(clock), ..TimeRule::default() };
        let mut clocks = Clocks::new(rule, ALLOWANCE, 2);
        clocks.charge(Seat(0), ms(3000));
        assert_eq!(clocks.left(Seat(0)), ms(900));
        clocks.charge(Seat(0), ms(500));
        assert_eq!(clocks.left(Seat(0)), ms(500));
        assert_eq!(clocks.budget_left(Seat(0)), Some(ms(500)));
        clocks.charge(Seat(0), ms(500));
        assert_eq!(clocks.left(Seat(0)), ms(0));
        assert_eq!(clocks.left(Seat(1)), ms(800));
    }

    #[test]
    fn a_program_that_runs_already_pays_for_its_first_answer_too() {
        let clock = ChessClock { base: ms(800), increment: ms(100) };
        let rule = TimeRule { clock: Some(clock), ..TimeRule::default() };
        let mut clocks = Clocks::new(rule, ALLOWANCE, 2).without_starts();
        assert_eq!(clocks.allowed(Seat(0), None), ms(5000), "it may have to be started anew");
        clocks.charge(Seat(0), ms(300));
        assert_eq!(clocks.left(Seat(0)), ms(600));
        let rule = TimeRule { bank: Some(ms(600)), ..TimeRule::default() };
        let mut clocks = Clocks::new(rule, ALLOWANCE, 2).without_starts();
        clocks.charge(Seat(0), ms(1200));
        assert_eq!(clocks.left(Seat(0)), ms(1400));
    }

    #[test]
    fn a_bot_reads_its_clock_and_its_opponents() {
        let rule = TimeRule { bank: Some(ms(500)), is_shown: true, ..TimeRule::default() };
        let mut clocks = Clocks::new(rule, ALLOWANCE, 2);
        clocks.charge(Seat(1), ms(6000));
        let filled = |text: &str| {
            let parts = clocks.fill(Seat(0), &Parts::single(text.as_bytes()));
            String::from_utf8(parts.0[0].bytes.to_vec()).expect("it is text")
        };
        assert_eq!(filled("go {left_ms} {opp_left_ms}"), "go 1500 1000");
        assert_eq!(filled("{left_ms:1}{left_ms:0}{inc_ms}{move_ms}"), "1000150001000");
        for other in ["{", "}", "{}", "{else} {{x", "{left_ms:7}", "plain", ""] {
            assert_eq!(filled(other), other);
        }
        assert_eq!(filled("{{bank_ms}}"), "{500}");
    }
}
