//! Ledger of a bout: the actions and resources of every seat, and the two logs.

use std::collections::BTreeMap;
use std::time::Duration;

use joust_referee::log::LogWriter;
use joust_referee::{Input, LimitSet, Parts, Verdict};

use crate::channel::{Answered, Usage};
use crate::reported_numbers::ReportedNumbers;
use joust_build::trace;
use joust_model::{
    NumberRecord, REFEREE_SAYS, Round, TurnLog, TurnRecord, VerdictCounts, compress,
};

/// The most bytes of a bot's output that are kept in a turn's record.
const OUTPUT_HEAD: usize = 256;
/// The most bytes of a bot's standard error that are kept in a turn's record: its end, and the
/// lines that a trace names.
const STDERR_TAIL: usize = 1024;

/// The most bytes of all answers of a bout, a part for each seat: a log of 256 MiB can be read
/// again.
const MOST_ANSWERED: usize = 192 << 20;

/// Record of one seat: its actions and resources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatLedger {
    /// Verdicts earned.
    pub verdicts: VerdictCounts,
    /// Limits touched.
    pub limits_hit: LimitSet,
    /// Resources of all turns together; the memory is the maximum.
    pub used: Usage,
    /// The rounds of its turns.
    pub(super) rounds: Vec<Round>,
    /// Bytes of its answers.
    answered: usize,
    /// Games with a clock: ticks without an answer.
    pub ticks_idle: u32,
    /// Games with a clock: answers that came after their tick. Turn-based games with bots that
    /// stay: lines that came without a request.
    pub answers_late: u32,
    /// Bots that are kept warm: turns that started a new process nevertheless.
    pub cold_starts: u32,
}

/// Record of every seat's actions and resources, with the logs.
#[derive(Debug, Default)]
pub struct Ledger {
    /// In seat order.
    pub seats: Vec<SeatLedger>,
    /// True if the machine was short of processors when it mattered: at a timeout, or in a game
    /// with a clock.
    pub contended: bool,
    /// Games with a clock: ticks that the machine was late for.
    pub ticks_late: u32,
    /// Reported numbers, in the order in which they became known.
    pub numbers: Vec<NumberRecord>,
    actions: LogWriter,
    turns: TurnLog,
    /// Standard error of a referee that failed at the last answer of a seat.
    last_words: BTreeMap<u8, Vec<u8>>,
}

impl Ledger {
    pub(super) fn new(seats: usize) -> Self {
        Self { seats: vec![SeatLedger::default(); seats], ..Self::default() }
    }

    /// Returns the action log, zstd-compressed.
    pub fn action_log(&self) -> Vec<u8> {
        compress(&self.actions.to_bytes())
    }

    /// Returns the turn log, zstd-compressed.
    pub fn turn_log(&self) -> Vec<u8> {
        self.turns.compress()
    }

    /// Counts the bytes of an answer that is going to be recorded.
    ///
    /// # Errors
    ///
    /// The reason of an `output-limit`, when the seat's answers have more than its part.
    pub(super) fn admit_answer(&mut self, seat: usize, parts: &Parts) -> Result<(), String> {
        let most = MOST_ANSWERED / self.seats.len().max(1);
        let answered = &mut self.seats[seat].answered;
        let bytes: usize = parts.0.iter().map(|part| part.name.len() + part.bytes.len()).sum();
        *answered = answered.saturating_add(bytes);
        match *answered <= most {
            true => Ok(()),
            false => Err(format!("its answers of this bout have more than {most} bytes together")),
        }
    }

    pub(super) fn record_input(&mut self, input: &Input) {
        self.actions.push(input);
    }

    /// Returns how long the seat's bot has kept the bout waiting so far, without delays that the
    /// machine caused.
    pub(super) fn wall_used(&self, seat: usize) -> Duration {
        let used = self.seats[seat].used;
        used.wall.saturating_sub(used.stall)
    }

    /// Counts a seat's tick; its resources are only known at the end.
    pub(super) fn record_tick(&mut self, record: &TurnRecord) {
        let seat = &mut self.seats[usize::from(record.seat)];
        seat.verdicts.add(record.verdict());
        seat.limits_hit.extend(record.limits_hit);
        seat.used.wall += Duration::from_micros(record.wall_us);
    }

    /// Appends a record that was counted earlier.
    pub(super) fn keep(&mut self, record: &TurnRecord) {
        self.turns.push(record);
    }

    /// Appends reported numbers.
    pub(super) fn take_numbers(&mut self, numbers: Vec<NumberRecord>) {
        numbers.iter().for_each(|number| self.turns.push_number(number));
        self.numbers.extend(numbers);
    }

    /// Counts the total resources of a bot that stayed for the bout, and adds its standard error to
    /// its last turn.
    pub(super) fn account(&mut self, seat: u8, ended: &Answered) {
        self.count_limits(seat, ended.limits_hit);
        self.account_bout(seat, ended.usage);
        let said = ReportedNumbers::of(&ended.stderr);
        self.take_said(seat, &said, 0);
        self.take_stderr(seat, &said);
    }

    /// Returns the number of answers of a seat.
    pub(super) fn answers(&self, seat: u8) -> usize {
        self.seats[usize::from(seat)].rounds.len()
    }

    /// Appends the numbers that a program which stayed reported in this bout, after `before`
    /// answers in earlier bouts.
    pub(super) fn take_said(&mut self, seat: u8, said: &ReportedNumbers<'_>, before: usize) {
        let numbers = said.of_answers(before, &self.seats[usize::from(seat)].rounds, seat);
        self.take_numbers(numbers);
    }

    /// Adds the rest of the standard error of a program that stayed to its last turn.
    pub(super) fn take_stderr(&mut self, seat: u8, said: &ReportedNumbers<'_>) {
        if said.rest.is_empty() {
            return;
        }
        let own = trace::shortened(&said.rest, STDERR_TAIL);
        match self.last_words.get(&seat) {
            Some(words) => {
                self.turns.say_last(seat, &[words, &b"\nthe bot wrote: "[..], &own].concat())
            }
            None => self.turns.say_last(seat, &own),
        }
    }

    /// Records a turn whose answer made the referee fail.
    pub(super) fn record_unjudged(&mut self, record: &TurnRecord) {
        self.record_turn(record);
        if !record.stderr.is_empty() {
            self.last_words.insert(record.seat, record.stderr.clone());
        }
    }

    /// Counts this bout's usage of a program that stays, whose wall clock was counted by answer.
    pub(super) fn account_bout(&mut self, seat: u8, used: Usage) {
        let of_seat = &mut self.seats[usize::from(seat)];
        of_seat.used = Usage { wall: of_seat.used.wall, ..used };
    }

    /// Counts limits that a seat touched.
    pub(super) fn count_limits(&mut self, seat: u8, hit: LimitSet) {
        self.seats[usize::from(seat)].limits_hit.extend(hit);
    }

    pub(super) fn record_turn(&mut self, record: &TurnRecord) {
        let seat = &mut self.seats[usize::from(record.seat)];
        let verdict = record.verdict();
        seat.verdicts.add(verdict);
        seat.limits_hit.extend(record.limits_hit);
        let used = &mut seat.used;
        seat.rounds.push(record.round);
        used.wall += Duration::from_micros(record.wall_us);
        used.cpu += Duration::from_micros(record.cpu_us);
        used.stall += Duration::from_micros(record.stall_us);
        used.cpu_partial |= record.cpu_partial;
        used.peak_memory_bytes = used.peak_memory_bytes.max(record.peak_memory_bytes);
        self.turns.push(record);
    }
}

/// Returns the record of a turn with its verdict and action, and the numbers that the bot reported
/// in it.
pub(super) fn turn_record(
    (round, seat): (Round, u8),
    answered: &Answered,
    verdict: Verdict,
    action: String,
) -> (TurnRecord, Vec<NumberRecord>) {
    let said = ReportedNumbers::of(&answered.stderr);
    let output_is_action = answered.output.trim_ascii() == action.as_bytes();
    let output = if output_is_action { &[][..] } else { &answered.output };
    let record = TurnRecord {
        round,
        seat,
        verdict: verdict.code(),
        limits_hit: answered.limits_hit,
        wall_us: micros(answered.usage.wall),
        cpu_us: micros(answered.usage.cpu),
        cpu_partial: answered.usage.cpu_partial,
        stall_us: micros(answered.usage.stall),
        peak_memory_bytes: answered.usage.peak_memory_bytes,
        exit: answered.exit,
        action,
        output: head(output, OUTPUT_HEAD),
        stderr: trace::shortened(&said.rest, STDERR_TAIL),
        reason: answered.reason.clone(),
    };
    (record, said.of_answer(round, seat))
}

/// Adds the referee's comment on an answer.
pub(super) fn add_comment(record: &mut TurnRecord, comment: Option<&str>) {
    if let Some(comment) = comment {
        add_reason(record, &format!("{REFEREE_SAYS}{comment}"));
    }
}

/// Appends a reason to the existing ones.
pub(super) fn add_reason(record: &mut TurnRecord, reason: &str) {
    if !record.reason.is_empty() {
        record.reason.push_str("; ");
    }
    record.reason.push_str(reason);
}

pub(super) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Adds the kept parts of a long-lived bot's output and standard error.
pub(super) fn add_streams(record: &mut TurnRecord, answered: &Answered) {
    record.output = head(&answered.output, OUTPUT_HEAD);
    record.stderr = trace::shortened(&ReportedNumbers::of(&answered.stderr).rest, STDERR_TAIL);
}

fn head(bytes: &[u8], most: usize) -> Vec<u8> {
    bytes[..bytes.len().min(most)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use joust_model::Exit;

    fn turn(verdict: Verdict) -> TurnRecord {
        TurnRecord {
            round: Round(0),
            seat: 0,
            verdict: verdict.code(),
            limits_hit: LimitSet::default(),
            wall_us: 100_000,
            cpu_us: 50_000,
            cpu_partial: false,
            stall_us: 0,
            peak_memory_bytes: 1,
            exit: Exit::Killed,
            action: String::new(),
            output: Vec::new(),
            stderr: Vec::new(),
            reason: String::new(),
        }
    }

    #[test]
    fn answers_of_a_seat_have_a_part_of_what_a_log_may_have() {
        let mut ledger = Ledger::new(2);
        let answer = Parts::single(vec![0; 1 << 20]);
        assert!((0..96).all(|_| ledger.admit_answer(1, &answer).is_ok()));
        let reason = ledger.admit_answer(1, &answer).expect_err("that is one too many");
        assert_eq!(reason, "its answers of this bout have more than 100663296 bytes together");
        assert!(ledger.admit_answer(0, &answer).is_ok(), "the other seat has its own");
    }

    #[test]
    fn last_words_of_a_bot_do_not_take_the_place_of_those_of_a_referee() {
        let mut ledger = Ledger::new(1);
        let stderr = b"the referee wrote: boom".to_vec();
        ledger.record_unjudged(&TurnRecord { stderr, ..turn(Verdict::Ok) });
        ledger.take_stderr(0, &ReportedNumbers::of(b"broken pipe"));
        let turns = TurnLog::read(&ledger.turn_log()).expect("it was just written");
        assert_eq!(turns[0].stderr, b"the referee wrote: boom\nthe bot wrote: broken pipe");
    }

    #[test]
    fn words_of_a_referee_follow_what_is_known_and_are_marked() {
        let reason = |known: &str, comment| {
            let reason = known.to_owned();
            let mut record = TurnRecord { reason, ..turn(Verdict::IllegalOutput) };
            add_comment(&mut record, comment);
            record.reason
        };
        assert_eq!(reason("it was ended", None), "it was ended");
        assert_eq!(reason("", Some("no such stone")), "the referee says: no such stone");
        let both = "it was ended; the referee says: plays column 0";
        assert_eq!(reason("it was ended", Some("plays column 0")), both);
    }
}
