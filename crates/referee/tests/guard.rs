//! Referees that fail, lie and panic: a caller that starts a bout by the catalogue gets
//! an error, and nothing else.

use std::sync::{Arc, LazyLock};

use joust_referee::{
    Catalogue, Connection, DeadlineClass, Game, GameSpec, IdTaken, Input, Judge, JudgeError,
    Options, Outcome, Output, Outputs, Parts, PerSeat, Referee, RequestId, Scene, Seat,
    SeatOutcome, Seed, SendTo, Setup, StartError, StateHash, Verdict,
};

/// Reaction of a scripted judge to an input.
type Reaction = fn(&Input, &mut Outputs) -> Result<(), JudgeError>;

static SPEC: LazyLock<GameSpec> = LazyLock::new(|| {
    let games = Catalogue::built_in();
    let spec = games.find("battlebots").expect("it ships with Joust").spec();
    GameSpec { id: "scripted".to_owned(), ..spec.clone() }
});

/// A referee whose judges react as a script says.
struct Scripted(Reaction);

struct ScriptedJudge {
    react: Reaction,
    outcome: Option<Outcome>,
}

impl Referee for Scripted {
    fn spec(&self) -> &GameSpec {
        &SPEC
    }

    fn start(&self, _: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        out.push(ask(0, 0));
        out.push(ask(1, 1));
        Ok(Box::new(ScriptedJudge { react: self.0, outcome: None }))
    }
}

impl Judge for ScriptedJudge {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        (self.react)(input, out)?;
        self.outcome = out.list.iter().find_map(|output| match output {
            Output::Over(outcome) => Some(outcome.clone()),
            _ => None,
        });
        Ok(())
    }

    fn rounds(&self) -> u32 {
        0
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn state_hash(&self) -> Result<StateHash, JudgeError> {
        Ok(StateHash([0; 32]))
    }

    fn scene(&self) -> Scene {
        panic!("there is nothing to see")
    }

    fn comment(&self, seat: Seat) -> Option<&str> {
        match seat {
            Seat(0) => Some("no such move"),
            _ => panic!("nobody sits there"),
        }
    }
}

fn ask(seat: u8, request: u32) -> Output {
    Output::Ask {
        seat: Seat(seat),
        request: RequestId(request),
        parts: Parts::none(),
        deadline: DeadlineClass::Turn,
        files: None,
    }
}

fn judged(seat: u8, request: u32, verdict: Verdict) -> Output {
    Output::Judged { seat: Seat(seat), request: RequestId(request), verdict, action: "".into() }
}

fn over(ranks: &[u8]) -> Output {
    let seats = ranks.iter().map(|rank| SeatOutcome { rank: *rank, score: 0.into() }).collect();
    Output::Over(Outcome { ended: "enough".into(), rounds: 0, seats: PerSeat(seats) })
}

fn answer(seat: u8, request: u32, verdict: Verdict) -> Input {
    let (seat, request) = (Seat(seat), RequestId(request));
    Input::Answer { seat, request, parts: Parts::none(), verdict }
}

fn start(referee: impl Referee + 'static) -> Result<Box<dyn Judge>, StartError> {
    let (options, names) = (Options::new(), ["a".to_owned(), "b".to_owned()]);
    let setup =
        Setup { rules: "original", options: &options, seed: Seed(1), seats: 2, names: &names };
    Game::new(Arc::new(referee)).start(&setup, &mut Outputs::new())
}

/// Returns the result of a guarded judge when seat 0 has answered with this verdict.
fn told(react: Reaction, verdict: Verdict) -> Result<(), JudgeError> {
    let mut judge = start(Scripted(react)).expect("it starts");
    judge.next(&answer(0, 0, verdict), &mut Outputs::new())
}

fn broke(what: &str) -> Result<(), JudgeError> {
    Err(JudgeError::Broke(what.to_owned()))
}

/// Makes a reaction that says one thing.
macro_rules! says {
    ($output:expr) => {
        |_: &Input, out: &mut Outputs| {
            out.push($output);
            Ok(())
        }
    };
}

#[test]
fn a_seat_that_is_not_there_is_a_lie() {
    let expected = broke("it speaks of seat 2, and there are 2");
    assert_eq!(told(says!(ask(2, 9)), Verdict::Ok), expected);
    assert_eq!(told(says!(judged(2, 0, Verdict::Ok)), Verdict::Ok), expected);
    assert_eq!(told(says!(Output::Skip { seat: Seat(2) }), Verdict::Ok), expected);
}

#[test]
fn a_request_is_made_once() {
    assert_eq!(told(says!(ask(0, 0)), Verdict::Ok), broke("seat 0 is asked request 0 again"));
    assert_eq!(told(says!(ask(0, 2)), Verdict::Ok), Ok(()));
}

#[test]
fn no_bot_is_blamed_for_what_the_machine_did_not_see() {
    let blames = says!(judged(0, 0, Verdict::Timeout));
    let expected = broke("it blames seat 0 for `timeout`, which nobody saw");
    assert_eq!(told(blames, Verdict::Ok), expected);
    assert_eq!(told(blames, Verdict::Timeout), Ok(()));
    let ours = says!(judged(0, 0, Verdict::InfrastructureError));
    assert!(told(ours, Verdict::Ok).is_err());
}

#[test]
fn no_bot_is_forgiven_what_the_machine_saw() {
    let expected = broke("it takes `crash` of seat 0 for `ok`");
    assert_eq!(told(says!(judged(0, 0, Verdict::Ok)), Verdict::Crash), expected);
    assert_eq!(told(says!(judged(0, 0, Verdict::IllegalOutput)), Verdict::Ok), Ok(()));
}

#[test]
fn an_outcome_is_of_every_seat_and_has_ranks() {
    let of = |react| told(react, Verdict::Ok);
    assert_eq!(of(says!(over(&[1]))), broke("its outcome is of 1 seats, and there are 2"));
    assert_eq!(of(says!(over(&[0, 1]))), broke("seat 0 is rank 0 of 2"));
    assert_eq!(of(says!(over(&[1, 3]))), broke("seat 1 is rank 3 of 2"));
    assert_eq!(of(says!(over(&[1, 1]))), Ok(()));
}

#[test]
fn what_is_said_of_an_answer_is_passed_on_and_a_panic_over_it_is_a_failure() {
    let judge = start(Scripted(|_, _| Ok(()))).expect("it starts");
    assert_eq!(judge.comment(Seat(0)), Some("no such move"));
    assert_eq!(judge.comment(Seat(1)), None);
    let panicked = JudgeError::Panicked("nobody sits there".to_owned());
    assert_eq!(judge.state_hash(), Err(panicked));
}

#[test]
fn nothing_follows_the_end() {
    let goes_on: Reaction = |_, out| {
        out.push(over(&[1, 2]));
        out.push(Output::Send { to: SendTo::All, bytes: [][..].into() });
        Ok(())
    };
    assert_eq!(told(goes_on, Verdict::Ok), broke("it continues after the end"));
}

#[test]
fn a_judge_is_asked_nothing_after_the_end() {
    let mut judge = start(Scripted(says!(over(&[1, 2])))).expect("it starts");
    let mut out = Outputs::new();
    judge.next(&Input::Tick, &mut out).expect("it ends");
    judge.next(&Input::Tick, &mut out).expect("nothing happens");
    assert_eq!(out.list.len(), 1);
    assert!(judge.outcome().is_some());
}

#[test]
fn a_failure_is_final() {
    let fails: Reaction = |input, _| match input {
        Input::Tick => Err(JudgeError::Gone("it exited with status 3".to_owned())),
        _ => Ok(()),
    };
    let mut judge = start(Scripted(fails)).expect("it starts");
    let mut out = Outputs::new();
    let gone = judge.next(&Input::Tick, &mut out).expect_err("it failed");
    assert_eq!(gone.to_string(), "the referee is gone: it exited with status 3");
    let connection = Connection(0);
    assert_eq!(judge.next(&Input::Closed { connection }, &mut out), Err(gone.clone()));
    assert_eq!(judge.state_hash(), Err(gone));
}

#[test]
fn a_panic_is_a_failure() {
    let panicked = told(|_, _| panic!("no such square"), Verdict::Ok);
    assert_eq!(panicked, Err(JudgeError::Panicked("no such square".to_owned())));
}

#[test]
fn a_panic_where_nothing_can_fail_is_a_failure_of_what_comes_next() {
    let mut judge = start(Scripted(|_, _| Ok(()))).expect("it starts");
    assert_eq!(judge.scene(), Scene::default());
    let panicked = Err(JudgeError::Panicked("there is nothing to see".to_owned()));
    assert_eq!(judge.next(&Input::Tick, &mut Outputs::new()), panicked);
    assert_eq!(judge.state_hash().map(drop), panicked);
}

/// A referee that cannot even start.
struct Unable;

impl Referee for Unable {
    fn spec(&self) -> &GameSpec {
        &SPEC
    }

    fn start(&self, _: &Setup<'_>, _: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        panic!("no board")
    }
}

#[test]
fn a_panic_at_the_start_is_a_start_that_failed() {
    let error = start(Unable).err().expect("it does not start");
    assert_eq!(error.to_string(), "the referee panicked: no board");
}

#[test]
fn a_game_joins_the_catalogue_once() {
    let games = Catalogue::built_in();
    let scripted = || Game::new(Arc::new(Scripted(|_, _| Ok(()))));
    let more = games.with(scripted()).expect("its id is free");
    assert_eq!(more.ids().last(), Some(&"scripted"));
    assert_eq!(more.find("scripted").map(Game::id), Some("scripted"));
    assert_eq!(games.find("scripted"), None);
    assert_eq!(more.with(scripted()), Err(IdTaken("scripted".to_owned())));
}
