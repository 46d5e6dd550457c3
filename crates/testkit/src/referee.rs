//! Scripted referee: a game of two seats that does what a test says, for what a
//! referee must not do and may.

use std::sync::Arc;

use joust_referee::{
    AnswerForm, ClockRule, ClockTerm, DeadlineClass, ExternalSpec, Game, GameSpec, Input, Judge,
    JudgeError, Outcome, Output, Outputs, Parts, PerSeat, Referee, RefereeHash, RequestId, Scene,
    Seat, SeatOutcome, Setup, StartError, StateHash, TimeRule, Verdict, ViewerSpec,
};

/// Reaction of a scripted judge to an input.
pub type Reaction = fn(&Input, &mut Outputs) -> Result<(), JudgeError>;

/// Comment of scripted judges on an illegal answer.
pub const COMMENT: &str = "no such move";

/// The id of the scripted game.
pub const SCRIPTED: &str = "scripted";

struct Scripted {
    spec: GameSpec,
    react: Reaction,
}

struct ScriptedJudge {
    react: Reaction,
    rounds: u32,
    outcome: Option<Outcome>,
    /// Seats whose answers were illegal.
    illegal: Vec<Seat>,
}

/// Returns a game whose judges ask seat 0 request 0 and seat 1 request 1, and then
/// react as instructed. A round is over when they say so.
pub fn scripted(react: Reaction) -> Game {
    let spec = GameSpec { id: SCRIPTED.to_owned(), ..crate::game("battlebots").spec().clone() };
    Game::new(Arc::new(Scripted { spec, react }))
}

/// Returns such a game whose bots stay for their bout and answer with lines.
pub fn scripted_with_lines(react: Reaction, answer: AnswerForm, times: TimeRule) -> Game {
    let hash = RefereeHash([7; 32]);
    let viewer = ViewerSpec::default();
    let external = ExternalSpec { hash, answer, times, is_repeatable: true, stays: true, viewer };
    let spec = GameSpec {
        channel: "lines".to_owned(),
        external: Some(external),
        ..scripted(react).spec().clone()
    };
    Game::new(Arc::new(Scripted { spec, react }))
}

/// Returns such a game on a clock that strikes three times, a millisecond apart.
pub fn scripted_on_a_clock(react: Reaction) -> Game {
    let clock = ClockRule {
        first_ms: ClockTerm::Fixed(1),
        tick_ms: ClockTerm::Fixed(1),
        ticks: ClockTerm::Fixed(3),
        ticks_beyond: 0,
    };
    let spec = GameSpec { clock: Some(clock), ..scripted(react).spec().clone() };
    Game::new(Arc::new(Scripted { spec, react }))
}

impl Referee for Scripted {
    fn spec(&self) -> &GameSpec {
        &self.spec
    }

    fn start(&self, _: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        if self.spec.clock.is_none() {
            out.push(ask(0, 0));
            out.push(ask(1, 1));
        }
        Ok(Box::new(ScriptedJudge::new(self.react)))
    }
}

impl ScriptedJudge {
    fn new(react: Reaction) -> Self {
        Self { react, rounds: 0, outcome: None, illegal: Vec::new() }
    }
}

impl Judge for ScriptedJudge {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        let said = out.list.len();
        (self.react)(input, out)?;
        for output in out.list.iter().skip(said) {
            match output {
                Output::RoundOver { .. } => self.rounds += 1,
                Output::Over(outcome) => self.outcome = Some(outcome.clone()),
                Output::Judged { seat, verdict: Verdict::IllegalOutput, .. } => {
                    self.illegal.push(*seat);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn rounds(&self) -> u32 {
        self.rounds
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn state_hash(&self) -> Result<StateHash, JudgeError> {
        Ok(StateHash::of(|out| out.extend(self.rounds.to_le_bytes())))
    }

    fn scene(&self) -> Scene {
        Scene::default()
    }

    fn comment(&self, seat: Seat) -> Option<&str> {
        self.illegal.contains(&seat).then_some(COMMENT)
    }
}

/// Asks a seat.
pub fn ask(seat: u8, request: u32) -> Output {
    Output::Ask {
        seat: Seat(seat),
        request: RequestId(request),
        parts: Parts::single(&b"your turn"[..]),
        deadline: DeadlineClass::Turn,
        files: None,
    }
}

/// Judges an answer.
pub fn judged(seat: u8, request: u32, verdict: Verdict) -> Output {
    Output::Judged { seat: Seat(seat), request: RequestId(request), verdict, action: "".into() }
}

/// Ends the bout as a draw.
pub fn over() -> Output {
    let seats = PerSeat(vec![SeatOutcome { rank: 1, score: 0.into() }; 2]);
    Output::Over(Outcome { ended: "enough".into(), rounds: 1, seats })
}
