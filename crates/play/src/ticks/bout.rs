//! Bout with a clock: its parts, and how their events reach the referee.

use std::time::Instant;

use joust_referee::{
    ClockSpec, Input, Judge, JudgeError, Outcome, Outputs, Parts, RequestId, Verdict,
};

use super::ClockBout;
use super::again::RecordedPlay;
use super::seat::{Links, SeatState, seat};
use crate::channel::live::News;
use crate::channel::{Answered, ChannelError};
use crate::notify;
use crate::reported_numbers::ReportedNumbers;
use crate::{BoutEvent, Ledger, PlayError, Played};
use joust_model::{ClockMode, Round, TurnRecord};

/// A bout with a clock.
pub(super) struct Bout<'a> {
    pub(super) setup: ClockBout<'a>,
    pub(super) judge: Box<dyn Judge>,
    pub(super) clock: ClockSpec,
    pub(super) ledger: Ledger,
    pub(super) seats: Vec<SeatState>,
    pub(super) links: Links,
    pub(super) out: Outputs,
    pub(super) outcome: Option<Outcome>,
    pub(super) deferred: Deferred,
    pub(super) recording: Option<RecordedPlay>,
    pub(super) began: Instant,
    records: Vec<TurnRecord>,
}

/// Events and answers that are handled later, in the order of the seats.
#[derive(Default)]
pub(super) struct Deferred {
    /// Events, while they are held back.
    pub(super) news: Option<Vec<(usize, News)>>,
    /// Answers of the current tick.
    pub(super) inputs: Vec<(usize, Input)>,
}

impl<'a> Bout<'a> {
    pub(super) fn start(mut setup: ClockBout<'a>) -> Result<Self, PlayError> {
        let plan = setup.plan;
        let Some(clock) = setup.game.spec().clock(&plan.options.to_referee()) else {
            return Err(PlayError::NoClock(plan.game.clone()));
        };
        let seats = plan.seats.len();
        let mut out = Outputs::new();
        let judge = plan.start(setup.game, &mut out).map_err(PlayError::Start)?;
        let recording = setup.recorded.take().map(|inputs| RecordedPlay::new(inputs, seats));
        Ok(Self {
            judge,
            clock,
            ledger: Ledger::new(seats),
            seats: (0..seats).map(|_| SeatState::new()).collect(),
            links: Links::default(),
            out,
            outcome: None,
            deferred: Deferred::default(),
            recording,
            began: Instant::now(),
            records: Vec::new(),
            setup,
        })
    }

    /// Returns the clock mode.
    pub(super) fn pace(&self) -> ClockMode {
        self.setup.plan.clock.unwrap_or_default()
    }

    pub(super) fn play(mut self) -> Result<Played, PlayError> {
        let judge = &self.judge;
        let begin = BoutEvent::Begin { scene: &|| judge.scene() };
        notify(self.setup.observer, &begin)?;
        self.take_outputs(Round(0))?;
        for index in 0..self.seats.len() {
            let started = self.setup.channels[index].start();
            started.map_err(|error| self.failed(index, error))?;
        }
        if self.recording.is_some() {
            self.play_again()?;
        } else {
            self.wait_until_ready()?;
        }
        self.run_clock()?;
        self.finish()
    }

    /// Sends the referee an input, and then the faults that it can accept.
    pub(super) fn feed(&mut self, input: Input) -> Result<(), PlayError> {
        self.feed_one(input)?;
        while let Some(input) = self.next_fault() {
            self.feed_one(input)?;
        }
        Ok(())
    }

    fn feed_one(&mut self, input: Input) -> Result<(), PlayError> {
        if self.outcome.is_some() {
            return Ok(());
        }
        let round = Round(self.judge.rounds());
        self.ledger.record_input(&input);
        notify(self.setup.observer, &BoutEvent::Input(&input))?;
        self.judge.next(&input, &mut self.out)?;
        self.take_outputs(round)
    }

    /// Returns an answer that reports a fault of a seat. The seat was asked before, or takes part
    /// in the game's own protocol.
    fn next_fault(&mut self) -> Option<Input> {
        let told = |state: &SeatState| !state.faults.untold.is_empty() && state.newest.is_some();
        let index = self.seats.iter().position(told)?;
        let state = &mut self.seats[index];
        let answered = state.faults.untold.pop_front()?;
        state.tick.is_settled = true;
        let request = state.start_request.take().or(state.newest).unwrap_or(RequestId(0));
        let verdict = answered.verdict;
        state.faults.unjudged.push_back(answered);
        Some(Input::Answer { seat: seat(index), request, parts: Parts::none(), verdict })
    }

    /// Records a fault of a seat, and sends it to the referee as soon as that can accept it.
    pub(super) fn record_fault(
        &mut self,
        index: usize,
        answered: Answered,
    ) -> Result<(), PlayError> {
        self.ledger.seats[index].limits_hit.extend(answered.limits_hit);
        self.seats[index].faults.untold.push_back(answered);
        match self.next_fault() {
            Some(input) => self.feed(input),
            None => Ok(()),
        }
    }

    /// Records a seat's tick.
    pub(super) fn record(&mut self, record: TurnRecord) -> Result<(), PlayError> {
        self.ledger.record_tick(&record);
        notify(self.setup.observer, &BoutEvent::Turn(&record))?;
        self.records.push(record);
        Ok(())
    }

    pub(super) fn failed(&self, index: usize, source: ChannelError) -> PlayError {
        PlayError::Channel { seat: seat(index).0, round: Round(self.judge.rounds()), source }
    }

    fn finish(mut self) -> Result<Played, PlayError> {
        for index in 0..self.seats.len() {
            let ended = self.setup.channels[index].end();
            let ended = ended.map_err(|error| self.failed(index, error))?;
            self.account(index, &ended);
        }
        self.records.iter().for_each(|record| self.ledger.keep(record));
        let Some(outcome) = self.outcome else {
            return Err(JudgeError::Broke("it stops without an outcome".to_owned()).into());
        };
        Ok(Played {
            outcome,
            state_hash: self.judge.state_hash()?,
            ledger: self.ledger,
            took: self.began.elapsed(),
        })
    }

    /// Adds the total usage and the output of a seat's bot to its last record.
    fn account(&mut self, index: usize, ended: &Answered) {
        let number = seat(index).0;
        self.ledger.account_bout(number, ended.usage);
        self.ledger.count_limits(number, ended.limits_hit);
        let acted =
            |record: &&TurnRecord| usize::from(record.seat) == index && !record.action.is_empty();
        let rounds: Vec<Round> = self.records.iter().filter(acted).map(|turn| turn.round).collect();
        let numbers = ReportedNumbers::of(&ended.stderr).of_answers(0, &rounds, number);
        self.ledger.take_numbers(numbers);
        let own = |record: &&mut TurnRecord| usize::from(record.seat) == index;
        if let Some(last) = self.records.iter_mut().rev().find(own)
            && last.stderr.is_empty()
        {
            crate::ledger::add_streams(last, ended);
        }
    }

    /// Reports to the referee that a seat's bot is ready, with the verdict `ok`.
    pub(super) fn report_ready(&mut self, index: usize) -> Result<(), PlayError> {
        self.seats[index].is_ready = true;
        let Some(request) = self.seats[index].start_request.take() else { return Ok(()) };
        let verdict = Verdict::Ok;
        self.feed(Input::Answer { seat: seat(index), request, parts: Parts::none(), verdict })
    }
}
