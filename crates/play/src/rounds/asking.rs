//! Requests of a turn-based bout, sent to the bots one at a time or at once, and the
//! clocks of the bout: the remaining time of each seat, where an external referee limits it, and the
//! times that are recorded.

use std::cell::RefCell;
use std::time::Duration;

use joust_model::{BoutPlan, Pondering, Round};
use joust_referee::{
    Clocks, DeadlineClass, GameSpec, JudgeError, Limit, Outputs, Part, Parts, Seat, Verdict,
};

use super::{Bout, Request};
use crate::channel::stall::WakeClock;
use crate::channel::{self, Answered, ChannelSpec, IdleSeats, Port};
use crate::{BoutEvent, PlayError, Processors, refuse_cancelled};

/// Next step of a request.
enum Prepared {
    /// It has to be sent, with this time limit.
    Ask(Parts, Duration),
    /// It has an answer already.
    Answered(Box<Answered>),
}

impl Bout<'_> {
    pub(super) fn answer(&mut self, request: Request, out: &mut Outputs) -> Result<(), PlayError> {
        refuse_cancelled(self.setup.cancel)?;
        let answered = self.ask(&request)?;
        self.take_answer(&request, answered, out)
    }

    pub(super) fn is_asked_together(&self) -> bool {
        // The other seats can only be checked for pondering during one request at a time.
        let spec = self.setup.game.spec();
        let can_wait = channel::find(&spec.channel).is_ok_and(ChannelSpec::has_bots_that_wait);
        (can_wait || spec.external.is_some())
            && self.setup.processors == Processors::ForEverySeat
            && self.setup.plan.limits.pondering == Pondering::Allow
    }

    /// Sends all requests at once, and passes the answers to the referee in the order of the
    /// requests. Seats that can only be asked alone are asked afterwards.
    pub(super) fn answer_together(
        &mut self,
        requests: Vec<Request>,
        out: &mut Outputs,
    ) -> Result<(), PlayError> {
        refuse_cancelled(self.setup.cancel)?;
        let mut answers = vec![None; requests.len()];
        let mut ready = Vec::new();
        let clock = WakeClock::start();
        for (place, request) in requests.iter().enumerate() {
            match self.prepared(request)? {
                Prepared::Ask(view, within) => ready.push((place, view, within)),
                Prepared::Answered(answered) => answers[place] = Some(*answered),
            }
        }
        let (mut open, mut alone) = (Vec::new(), Vec::new());
        for (place, view, within) in &ready {
            let request = &requests[*place];
            let asked = channel::Request {
                view,
                within: *within,
                files: request.files.as_ref(),
                idle_seats: None,
            };
            let put = self.setup.channels[request.seat.index()].put(&asked);
            match put.map_err(|source| self.failed(request.seat, source))? {
                true => open.push(*place),
                false => alone.push((*place, asked)),
            }
        }
        self.fetch_all(&requests, &mut answers, open, clock)?;
        for (place, asked) in alone {
            let seat = requests[place].seat;
            let channel = &mut self.setup.channels[seat.index()];
            let judge = &self.judge;
            let answered = channel.ask_until_legal(&asked, &|answer| judge.refusal(seat, answer));
            answers[place] = Some(answered.map_err(|source| self.failed(seat, source))?);
        }
        for (request, answered) in requests.iter().zip(answers) {
            let answered = answered.expect("everybody was asked and waited for");
            self.take_answer(request, answered, out)?;
        }
        Ok(())
    }

    /// Waits for the answers to those of `requests` that are `open`.
    fn fetch_all(
        &mut self,
        requests: &[Request],
        answers: &mut [Option<Answered>],
        mut open: Vec<usize>,
        mut clock: WakeClock,
    ) -> Result<(), PlayError> {
        let seat_of = |place: usize| requests[place].seat;
        while let Some(first) = open.first().copied() {
            let mut wanted = Vec::new();
            let channels = &self.setup.channels;
            let until = open.iter().map(|one| channels[seat_of(*one).index()].awaits(&mut wanted));
            let until = until.min().expect("somebody is waited for");
            let seen = clock.wait(&wanted, until);
            let seen = seen.map_err(|source| self.failed(seat_of(first), source))?;
            drop(wanted);
            for place in std::mem::take(&mut open) {
                let fetched = self.setup.channels[seat_of(place).index()].fetch(seen);
                answers[place] = fetched.map_err(|source| self.failed(seat_of(place), source))?;
                if answers[place].is_none() {
                    open.push(place);
                }
            }
        }
        Ok(())
    }

    fn ask(&mut self, request: &Request) -> Result<Answered, PlayError> {
        let seat = request.seat;
        let (view, within) = match self.prepared(request)? {
            Prepared::Ask(view, within) => (view, within),
            Prepared::Answered(answered) => return Ok(*answered),
        };
        let (before, rest) = self.setup.channels.split_at_mut(seat.index());
        let Some((channel, after)) = rest.split_first_mut() else {
            return Err(JudgeError::Broke(format!("there is no seat {}", seat.0)).into());
        };
        let idle_seats = RefCell::new((before, after));
        let look = || {
            let (before, after) = &mut *idle_seats.borrow_mut();
            before.iter_mut().chain(after.iter_mut()).try_for_each(|channel| channel.look())
        };
        let idle_seats = match self.setup.plan.limits.pondering {
            Pondering::Allow => None,
            Pondering::Stop => Some(IdleSeats(&look)),
        };
        let files = request.files.as_ref();
        let asked = channel::Request { view: &view, within, files, idle_seats };
        let judge = &self.judge;
        let asked = channel.ask_until_legal(&asked, &|answer| judge.refusal(seat, answer));
        asked.map_err(|source| self.failed(seat, source))
    }

    /// Returns a seat's view and time limit, or its answer if the seat is not asked at all.
    fn prepared(&mut self, request: &Request) -> Result<Prepared, PlayError> {
        let (seat, round) = (request.seat, Round(self.judge.rounds()));
        let view = self.clocks.fill(seat, &request.view);
        self.watch(&BoutEvent::Asked { round, seat: seat.0, view: &view })?;
        if self.ledger.wall_used(seat.index()) >= self.share {
            return Ok(Prepared::Answered(Box::new(out_of_budget())));
        }
        let within = self.clocks.allowed(seat, request.deadline);
        if within.is_zero() {
            let late = Answered::passing_fault(Verdict::Timeout, "its clock has run out");
            return Ok(Prepared::Answered(Box::new(late)));
        }
        Ok(Prepared::Ask(view, within))
    }
}

/// Returns the answer of a seat that has used its share of the bout's wall budget. It is not asked
/// any more, so that it can delay its own bout but not the tournament.
fn out_of_budget() -> Answered {
    let reason = "the seat's share of the bout's wall budget is used up";
    Answered::fault(Verdict::Timeout, reason).hitting(Limit::Wall)
}

/// The clocks of a bout. Games with a built-in referee have only the limits.
pub(super) struct BoutClocks {
    clocks: Clocks,
    /// True if the game receives the time that an answer took.
    is_told: bool,
}

impl BoutClocks {
    pub(super) fn of(game: &GameSpec, plan: &BoutPlan) -> Self {
        let is_server =
            channel::find(&game.channel).is_ok_and(|channel| channel.port == Port::OfTheBot);
        Self { clocks: plan.clocks(game), is_told: is_server || game.external.is_some() }
    }

    /// Returns the time limit of a seat's request.
    pub(super) fn allowed(&self, seat: Seat, deadline: DeadlineClass) -> Duration {
        self.clocks.allowed(seat, deadline.own())
    }

    /// Returns a seat's view with its clock filled in.
    pub(super) fn fill(&self, seat: Seat, view: &Parts) -> Parts {
        self.clocks.fill(seat, view)
    }

    /// Charges a seat's clock and returns its answer for the record.
    pub(super) fn charge(&mut self, seat: Seat, answered: &Answered) -> Parts {
        if !self.is_told {
            return answered.parts.clone();
        }
        let took = Part::took(answered.usage.wall.saturating_sub(answered.usage.stall));
        let parts = Parts(answered.parts.0.iter().cloned().chain([took]).collect());
        self.clocks.charge(seat, parts.took());
        parts
    }
}
