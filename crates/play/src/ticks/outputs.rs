//! Outputs of the referee in a bout with a clock.

use std::time::{Duration, Instant};

use joust_referee::{DeadlineClass, Output, Parts, RequestId, Verdict};

use super::Processors;
use super::bout::Bout;
use crate::ledger::{add_streams, micros};
use crate::notify;
use crate::reported_numbers::of_referee;
use crate::{BoutEvent, PlayError};
use joust_model::{ClockMode, Exit, LimitSet, Round, TurnRecord};

impl Bout<'_> {
    /// Handles the referee's outputs; `round` is the current one before the outputs.
    pub(super) fn take_outputs(&mut self, round: Round) -> Result<(), PlayError> {
        let mut outputs = std::mem::take(&mut self.out);
        for output in outputs.drain() {
            self.take_output(output, round)?;
        }
        outputs.list.append(&mut self.out.list);
        self.out = outputs;
        Ok(())
    }

    fn take_output(&mut self, output: Output, round: Round) -> Result<(), PlayError> {
        match output {
            Output::Ask { seat, request, deadline: DeadlineClass::Start, .. } => {
                let state = &mut self.seats[seat.index()];
                state.start_request = Some(request);
                state.first_request = Some(request);
                state.newest = Some(request);
                Ok(())
            }
            Output::Ask { seat, request, parts, .. } => self.ask(seat.index(), request, parts),
            Output::Send { to, bytes } => {
                self.links.addressees(to).into_iter().try_for_each(|link| {
                    let sent = self.setup.channels[link.seat].send(link.own, &bytes);
                    sent.map_err(|error| self.failed(link.seat, error))
                })
            }
            Output::Close { connection } => match self.links.get(connection) {
                Some(link) if link.is_open => {
                    let closed = self.setup.channels[link.seat].disconnect(link.own);
                    closed.map_err(|error| self.failed(link.seat, error))
                }
                _ => Ok(()),
            },
            Output::Judged { seat, request, verdict, action } => {
                self.judged(seat.index(), request, verdict, action.into_owned(), round)
            }
            Output::Numbers { after, numbers } => {
                let numbers = of_referee(after, numbers);
                notify(self.setup.observer, &BoutEvent::Numbers(&numbers))?;
                self.ledger.take_numbers(numbers);
                Ok(())
            }
            Output::RoundOver { round } => {
                let judge = &self.judge;
                let name = &|seat| judge.own_name(seat).map(str::to_owned);
                let over = BoutEvent::Round { round: Round(round), scene: &|| judge.scene(), name };
                notify(self.setup.observer, &over)
            }
            Output::Over(outcome) => {
                self.outcome = Some(outcome);
                Ok(())
            }
            Output::Skip { .. } => Ok(()),
        }
    }

    fn ask(&mut self, index: usize, request: RequestId, view: Parts) -> Result<(), PlayError> {
        self.seats[index].ask(request, Instant::now());
        let one_after_the_other =
            self.setup.processors == Processors::Shared && self.pace() != ClockMode::Realtime;
        if one_after_the_other && self.recording.is_none() {
            self.seats[index].unshown = Some((request, view));
            return Ok(());
        }
        let Some(recording) = &mut self.recording else {
            return self.show(index, request, &view);
        };
        recording.queue_request(index, request, view);
        self.show_next_again(index)
    }

    /// Sends a request to a seat's bot.
    pub(super) fn show(
        &mut self,
        index: usize,
        request: RequestId,
        view: &Parts,
    ) -> Result<(), PlayError> {
        let (round, seat) = (Round(self.judge.rounds()), super::seat::seat(index).0);
        notify(self.setup.observer, &BoutEvent::Asked { round, seat, view })?;
        if self.seats[index].is_gone {
            return Ok(());
        }
        self.seats[index].tick.asked_at = Instant::now();
        let asked = self.setup.channels[index].ask(request, view);
        asked.map_err(|error| self.failed(index, error))
    }

    /// Records the referee's judgement of a seat's tick.
    fn judged(
        &mut self,
        index: usize,
        request: RequestId,
        verdict: Verdict,
        action: String,
        round: Round,
    ) -> Result<(), PlayError> {
        let now = Instant::now();
        let state = &mut self.seats[index];
        // A game without requests has its own numbering of judgements.
        if !state.tick.is_asked {
            state.newest = Some(state.newest.map_or(request, |newest| newest.max(request)));
        }
        // A judgement before any seat could act is not counted as an idle tick.
        let is_start = state.first_request == Some(request);
        let could_act = !is_start && (state.tick.is_asked || self.links.has_any());
        let is_idle =
            could_act && verdict.is_ok() && action.is_empty() && state.tick.answered_at.is_none();
        let wall = if state.tick.is_asked { state.end_tick(now) } else { Duration::ZERO };
        let stall = state.meter.stall.min(wall);
        state.waited += wall - stall;
        let fault = match state.faults.unjudged.front() {
            Some(first) if first.verdict == verdict => state.faults.unjudged.pop_front(),
            _ => None,
        };
        self.ledger.seats[index].ticks_idle += u32::from(is_idle);
        let mut record = TurnRecord {
            round,
            seat: super::seat::seat(index).0,
            verdict: verdict.code(),
            limits_hit: fault.as_ref().map_or_else(LimitSet::default, |fault| fault.limits_hit),
            wall_us: micros(wall),
            cpu_us: 0,
            cpu_partial: false,
            stall_us: micros(stall),
            peak_memory_bytes: 0,
            exit: Exit::Running,
            action,
            output: Vec::new(),
            stderr: Vec::new(),
            reason: String::new(),
        };
        if let Some(fault) = fault {
            record.exit = fault.exit;
            record.reason.clone_from(&fault.reason);
            add_streams(&mut record, &fault);
        }
        self.record(record)
    }
}
