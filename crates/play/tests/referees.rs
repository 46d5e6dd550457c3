//! Referees that fail, lie, hang and panic: their bouts are void, no bot has a fault, and the
//! process that plays or judges them continues.

#[expect(dead_code, reason = "tests of the clock in another crate use the rest")]
mod scripted;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use joust_model::cancel::Cancel;
use joust_model::{
    BoutId, BoutPlan, BuildHash, ClockMode, Fold, FoldError, GameOptions, Limits, Occupant,
    SeatPlan, Seed, TurnLog,
};
use joust_play::channel::live::{LiveChannel, PollTarget};
use joust_play::channel::{Answered, Channel, ChannelError, LimitMode, Request};
use joust_play::{
    ClockBout, NullObserver, PlayError, Played, Processors, TurnBout, play, play_live,
};
use joust_referee::{
    AnswerForm, Catalogue, Game, Input, JudgeError, Output, Outputs, Parts, RequestId, Seat,
    TimeRule, Verdict,
};
use joust_testkit::referee::{
    Reaction, SCRIPTED, ask, judged, over, scripted, scripted_on_a_clock, scripted_with_lines,
};
use scripted::ScriptedLive;

/// Answers with the given texts, in order, then with nothing.
struct Scripted(VecDeque<Vec<u8>>);

impl Scripted {
    /// Makes a seat that gives `answers`.
    fn new(answers: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Self {
        Self(answers.into_iter().map(Into::into).collect())
    }
}

impl Channel for Scripted {
    fn ask(&mut self, _: &Request<'_>) -> Result<Answered, ChannelError> {
        let output = self.0.pop_front().unwrap_or_default();
        let parts = Parts::single(output.as_slice());
        Ok(Answered { output, ..Answered::with(parts) })
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        Ok(())
    }
}

fn plan(game: &Game, clock: Option<ClockMode>) -> BoutPlan {
    let seat = |name: &str| SeatPlan {
        bot: name.to_owned(),
        occupant: Occupant::Build(BuildHash([7; 32])),
    };
    BoutPlan {
        bout: BoutId([1; 8]),
        event: "event".to_owned(),
        game: SCRIPTED.to_owned(),
        revision: game.spec().revision,
        referee: None,
        rules: game.spec().default_rules().to_owned(),
        options: GameOptions::default().into(),
        seed: Seed(1),
        match_number: 0,
        number: 0,
        seats: vec![seat("anna"), seat("bert")],
        limits: Limits::default().into(),
        clock,
    }
}

/// Plays a bout of two bots that answer whatever they are asked.
fn played(react: Reaction) -> Result<Played, PlayError> {
    played_within(Limits::default().bout, react)
}

/// The same, where a whole bout may take so long.
fn played_within(bout: Duration, react: Reaction) -> Result<Played, PlayError> {
    played_by(&scripted(react), bout)
}

fn played_by(game: &Game, bout: Duration) -> Result<Played, PlayError> {
    let limits = Limits { bout, ..Limits::default() }.into();
    let silent = || Box::new(Scripted::new(["yes"; 4])) as Box<dyn Channel>;
    let mut channels = [silent(), silent()];
    play(TurnBout {
        game,
        plan: &BoutPlan { limits, ..plan(game, None) },
        channels: &mut channels,
        observer: &mut NullObserver,
        cancel: &Cancel::default(),
        processors: Processors::ForEverySeat,
        programs: joust_model::ProgramLifetime::Bout,
    })
}

/// Plays a bout on a clock.
fn played_live(react: Reaction) -> Result<Played, PlayError> {
    let game = scripted_on_a_clock(react);
    let bot = || {
        let ready = Some(Duration::ZERO);
        Box::new(ScriptedLive::new(ready, Box::new(|_, _| Vec::new()))) as Box<dyn LiveChannel>
    };
    let mut channels = [bot(), bot()];
    play_live(ClockBout {
        game: &game,
        plan: &plan(&game, Some(ClockMode::Eager)),
        channels: &mut channels,
        observer: &mut NullObserver,
        cancel: &Cancel::default(),
        limit_mode: LimitMode::Configured,
        processors: Processors::ForEverySeat,
        recorded: None,
    })
}

#[track_caller]
fn assert_void(played: Result<Played, PlayError>, expected: &JudgeError) {
    match played {
        Err(PlayError::Judge(error)) => assert_eq!(error, *expected),
        Err(error) => panic!("{error:?}"),
        Ok(played) => panic!("{:?}", played.outcome),
    }
}

fn broke(what: &str) -> JudgeError {
    JudgeError::Broke(what.to_owned())
}

fn judges_and_ends(input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
    if let Input::Answer { seat: Seat(1), .. } = input {
        out.push(judged(0, 0, Verdict::Ok));
        out.push(judged(1, 1, Verdict::IllegalOutput));
        out.push(Output::RoundOver { round: 0 });
        out.push(over());
    }
    Ok(())
}

#[test]
fn a_sound_referee_s_bout_counts() {
    let played = played(judges_and_ends).expect("it is played to its end");
    assert_eq!(played.outcome.ended, "enough");
    assert_eq!(played.ledger.seats[0].verdicts.of(Verdict::Ok), 1);
    assert_eq!(played.ledger.seats[1].verdicts.of(Verdict::IllegalOutput), 1);
}

#[test]
fn what_a_referee_says_of_an_answer_is_the_reason_of_its_turn() {
    let played = played(judges_and_ends).expect("it is played to its end");
    let turns = TurnLog::read(&played.ledger.turn_log()).expect("it was just written");
    let reasons: Vec<_> = turns.iter().map(|turn| (turn.seat, turn.reason.as_str())).collect();
    let expected = "expected one action such as `B SE`; got `yes`; the referee says: no such move";
    assert_eq!(reasons, [(0, ""), (1, expected)]);
}

/// A bot that can be waited for together with others, and tells what is done to it.
struct Noted {
    seat: usize,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Noted {
    fn note(&self, what: &str) {
        self.notes.lock().expect("nobody panics").push(format!("{what} {}", self.seat));
    }
}

impl Channel for Noted {
    fn ask(&mut self, _: &Request<'_>) -> Result<Answered, ChannelError> {
        self.note("ask");
        Ok(Answered::with(Parts::single(&b"yes"[..])))
    }

    fn put(&mut self, _: &Request<'_>) -> Result<bool, ChannelError> {
        self.note("put");
        Ok(true)
    }

    fn fetch(&mut self, _: Instant) -> Result<Option<Answered>, ChannelError> {
        self.note("fetch");
        let tries = self.notes.lock().expect("nobody panics").len();
        // Seat 0 is the last to answer.
        let is_there = self.seat == 1 || tries > 4;
        Ok(is_there.then(|| Answered::with(Parts::single(&b"yes"[..]))))
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        Ok(())
    }
}

/// Plays a bout in which both seats are asked in one question; returns what was done.
fn asked(processors: Processors) -> Vec<String> {
    let game = scripted_with_lines(judges_and_ends, AnswerForm::Lines(1), TimeRule::default());
    let notes = Arc::new(Mutex::new(Vec::new()));
    let bot = |seat| Box::new(Noted { seat, notes: Arc::clone(&notes) }) as Box<dyn Channel>;
    let played = play(TurnBout {
        game: &game,
        plan: &plan(&game, None),
        channels: &mut [bot(0), bot(1)],
        observer: &mut NullObserver,
        cancel: &Cancel::default(),
        processors,
        programs: joust_model::ProgramLifetime::Bout,
    });
    assert_eq!(played.expect("it is played to its end").outcome.ended, "enough");
    let notes = notes.lock().expect("nobody panics");
    notes.clone()
}

#[test]
fn seats_of_one_question_are_asked_before_anybody_is_waited_for() {
    let expected = ["put 0", "put 1", "fetch 0", "fetch 1", "fetch 0"];
    assert_eq!(asked(Processors::ForEverySeat), expected);
    assert_eq!(asked(Processors::Shared), ["ask 0", "ask 1"]);
}

/// A bot that answers at once after it has kept the thread busy, or one whose deadline passes
/// meanwhile.
struct Busy {
    seat: usize,
    deadline: Arc<OnceLock<Instant>>,
    is_read: bool,
}

impl Channel for Busy {
    fn ask(&mut self, _: &Request<'_>) -> Result<Answered, ChannelError> {
        unreachable!("it is asked together with the other")
    }

    fn put(&mut self, _: &Request<'_>) -> Result<bool, ChannelError> {
        Ok(true)
    }

    fn fetch(&mut self, seen: Instant) -> Result<Option<Answered>, ChannelError> {
        if self.seat == 1 {
            let begun = *self.deadline.get_or_init(Instant::now);
            while begun.elapsed() < Duration::from_millis(1) {}
        } else if !std::mem::replace(&mut self.is_read, true) {
            return Ok(None);
        } else {
            assert!(self.deadline.get().is_some_and(|deadline| seen <= *deadline));
        }
        Ok(Some(Answered::with(Parts::single(&b"yes"[..]))))
    }

    fn awaits<'a>(&'a self, _: &mut Vec<PollTarget<'a>>) -> Instant {
        self.deadline.get().copied().unwrap_or_else(Instant::now)
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        Ok(())
    }
}

#[test]
fn the_time_that_one_seat_takes_of_the_thread_makes_no_other_late() {
    let game = scripted_with_lines(judges_and_ends, AnswerForm::Lines(1), TimeRule::default());
    let deadline = Arc::default();
    let bot = |seat| {
        Box::new(Busy { seat, deadline: Arc::clone(&deadline), is_read: false }) as Box<dyn Channel>
    };
    let played = play(TurnBout {
        game: &game,
        plan: &plan(&game, None),
        channels: &mut [bot(0), bot(1)],
        observer: &mut NullObserver,
        cancel: &Cancel::default(),
        processors: Processors::ForEverySeat,
        programs: joust_model::ProgramLifetime::Bout,
    });
    assert_eq!(played.expect("it is played to its end").outcome.ended, "enough");
}

#[test]
fn a_referee_that_fails_voids_its_bout() {
    let gone = || JudgeError::Gone("killed by signal 9".to_owned());
    assert_void(played(|_, _| Err(JudgeError::Gone("killed by signal 9".to_owned()))), &gone());
    let live = played_live(|_, _| Err(JudgeError::Gone("killed by signal 9".to_owned())));
    assert_void(live, &gone());
}

#[test]
fn a_referee_that_lies_voids_its_bout() {
    let elsewhere = played(|_, out| {
        out.push(ask(7, 9));
        Ok(())
    });
    assert_void(elsewhere, &broke("it speaks of seat 7, and there are 2"));
    let blames = played(|_, out| {
        out.push(judged(0, 0, Verdict::Crash));
        Ok(())
    });
    assert_void(blames, &broke("it blames seat 0 for `crash`, which nobody saw"));
    let live = played_live(|_, out| {
        out.push(judged(9, 0, Verdict::Ok));
        Ok(())
    });
    assert_void(live, &broke("it speaks of seat 9, and there are 2"));
}

#[test]
fn a_referee_that_does_not_answer_in_its_time_voids_its_bout() {
    let silent = || JudgeError::Silent("10 s after `answers`".to_owned());
    let late = played(|_, _| Err(JudgeError::Silent("10 s after `answers`".to_owned())));
    assert_void(late, &silent());
}

#[test]
fn what_a_referee_wrote_before_it_was_ended_is_kept_with_the_answer_and_not_told_everybody() {
    let late: Reaction = |_, _| {
        let silent = JudgeError::Silent("10 s after `answers`".to_owned());
        Err(silent.after_writing("lost at 7".to_owned()))
    };
    let game = scripted_with_lines(late, AnswerForm::Lines(1), TimeRule::default());
    let played = played_by(&game, Limits::default().bout).expect("it is told");
    assert!(played.outcome.ended.contains("10 s after `answers`"), "{}", played.outcome.ended);
    assert!(!played.outcome.ended.contains("lost at 7"), "{}", played.outcome.ended);
    let turns = TurnLog::read(&played.ledger.turn_log()).expect("it was just written");
    assert_eq!(turns[0].stderr, b"the referee wrote: lost at 7");
    let error = JudgeError::Broke("no".to_owned()).after_writing(String::new());
    assert_eq!(error, JudgeError::Broke("no".to_owned()));
}

#[test]
fn a_referee_whose_steps_take_as_long_as_a_whole_bout_may_voids_it() {
    let slow: Reaction = |input, out| {
        std::thread::sleep(Duration::from_millis(20));
        judges_and_ends(input, out)
    };
    let expected = JudgeError::Silent(
        "its steps take more than 0.03 s together, which is all that a bout may take (`bout`)"
            .into(),
    );
    assert_void(played_within(Duration::from_millis(30), slow), &expected);
    assert!(played_within(Duration::from_secs(60), slow).is_ok());
}

#[test]
fn a_referee_that_asks_nobody_and_ends_nothing_voids_its_bout() {
    assert_void(played(|_, _| Ok(())), &broke("it asks nobody and ends nothing"));
    assert_void(played_live(|_, _| Ok(())), &broke("its clock ticks and nothing happens"));
}

#[test]
fn a_referee_that_never_ends_voids_its_bout() {
    let goes_on = played(|input, out| {
        if matches!(input, Input::Tick) {
            out.push(Output::RoundOver { round: 0 });
        }
        Ok(())
    });
    assert_void(goes_on, &broke("the bout is not over after 1048576 answers"));
}

#[test]
fn a_referee_that_panics_voids_its_bout() {
    let panicked = JudgeError::Panicked("no such square".to_owned());
    assert_void(played(|_, _| panic!("no such square")), &panicked);
    assert_void(played_live(|_, _| panic!("no such square")), &panicked);
}

#[test]
fn a_recorded_bout_says_that_its_referee_fails() {
    let game = scripted(|_, _| Err(JudgeError::Gone("exit status 1".to_owned())));
    let games = Catalogue::built_in().with(game.clone()).expect("its id is free");
    let started = Fold::start(&games, &plan(&game, None), Outputs::new());
    let mut fold = started.expect("it starts");
    let (seat, request) = (Seat(0), RequestId(0));
    let answer = Input::Answer { seat, request, parts: Parts::none(), verdict: Verdict::Ok };
    let error = fold.apply_input(&answer).expect_err("the referee fails");
    assert!(matches!(error, FoldError::Judge(JudgeError::Gone(_))), "{error:?}");
    assert!(fold.state_hash().is_err());
}
