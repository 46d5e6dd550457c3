use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use joust_referee::{
    AnswerForm, Catalogue, GameSpec, PerSeat, Referee, Scene, Score, TimeRule, Verdict,
};
use joust_testkit::referee::scripted_with_lines;

use super::*;

fn trial(answering: Answering, seed: u64) -> Trial {
    Trial { answering, seed: Seed(seed), seats: 2, options: Options::new(), most: SOME_ANSWERS }
}

fn connect_four() -> Game {
    Catalogue::built_in().find("connect-four").expect("it ships with Joust").clone()
}

#[test]
fn a_game_that_repeats_is_judged_alike() {
    let games = Catalogue::built_in();
    for game in games.iter().filter(|game| game.spec().clock.is_none()) {
        for answering in Answering::ALL {
            let tried = trial(answering, 7).play(game).expect("it does not fail");
            assert!(tried.asks >= 2, "{}: {answering:?}", game.id());
            assert_eq!(tried.judge_again(game), Ok(None), "{}: {answering:?}", game.id());
        }
    }
}

#[test]
fn numbers_play_to_the_end_and_the_dead_stay_dead() {
    let tried = trial(Answering::Numbers, 3).play(&connect_four()).expect("it does not fail");
    assert!(tried.outcome.is_some());
    let tried = trial(Answering::Dying, 3).play(&connect_four()).expect("it does not fail");
    let ends = |seat: u8| {
        let of_seat = tried.inputs.iter().filter_map(move |input| match input {
            Input::Answer { seat: own, verdict, .. } if own.0 == seat => Some(*verdict),
            _ => None,
        });
        of_seat.skip_while(|verdict| verdict.is_ok()).collect::<Vec<_>>()
    };
    for seat in [0, 1] {
        let ends = ends(seat);
        assert!(ends.iter().all(|verdict| *verdict == ends[0]), "{ends:?}");
    }
    assert!(!ends(0).is_empty() || !ends(1).is_empty());
}

/// A game that differs from one instance to the next, after a number of answers.
struct Moody {
    inner: Game,
    spec: GameSpec,
    starts: AtomicU32,
    after: u32,
}

struct MoodyJudge {
    inner: Box<dyn Judge>,
    differs: bool,
    after: u32,
}

fn moody(after: u32) -> Game {
    let inner = connect_four();
    let spec = inner.spec().clone();
    Game::new(Arc::new(Moody { inner, spec, starts: AtomicU32::new(0), after }))
}

impl Referee for Moody {
    fn spec(&self) -> &GameSpec {
        &self.spec
    }

    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        let inner = self.inner.start(setup, out)?;
        let differs = self.starts.fetch_add(1, Ordering::SeqCst) > 0;
        Ok(Box::new(MoodyJudge { inner, differs, after: self.after }))
    }
}

impl Judge for MoodyJudge {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        self.inner.next(input, out)?;
        if self.after == 99 && self.differs {
            return Err(JudgeError::Gone("it ended with status 0".to_owned()));
        }
        Ok(())
    }

    fn rounds(&self) -> u32 {
        self.inner.rounds()
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.inner.outcome()
    }

    fn state_hash(&self) -> Result<StateHash, JudgeError> {
        let is_other = self.differs && self.rounds() >= self.after;
        let hash = self.inner.state_hash()?;
        Ok(if is_other { StateHash([9; 32]) } else { hash })
    }

    fn scene(&self) -> Scene {
        Scene::default()
    }
}

#[test]
fn the_first_step_that_differs_is_named() {
    let game = moody(3);
    let tried = trial(Answering::Numbers, 5).play(&game).expect("it does not fail");
    let difference = tried.judge_again(&game).expect("it does not fail").expect("it differs");
    assert_eq!(difference.answers, 3);
    let text = "after answer 3 the position, or what is told beside views, is another one";
    assert_eq!(difference.to_string(), text);
}

#[test]
fn what_differs_beside_views_is_told_for_people() {
    let over = |rank, reason: &'static str| {
        let seat = |rank| SeatOutcome { rank, score: Score::nearest(f64::from(rank) / 2.0) };
        let seats = PerSeat(vec![seat(rank), seat(3 - rank)]);
        Output::Over(Outcome { ended: reason.into(), rounds: 1, seats })
    };
    let step = |output| Step { outputs: vec![output], hash: StateHash([0; 32]) };
    let told = |one, two| differing(&step(one), &step(two)).expect("they differ");
    let expected = "the bout ends after 1 round by `heads`, ranks 1 2, scores 0.5 1; and then the \
                    bout ends after 1 round by `tails\\u{a}`, ranks 2 1, scores 1 0.5";
    assert_eq!(told(over(1, "heads"), over(2, "tails\n")), expected);
    let judged = |verdict| joust_testkit::referee::judged(0, 0, verdict);
    let told = told(judged(Verdict::Ok), judged(Verdict::IllegalOutput));
    assert!(told.starts_with("the answer of seat 0 is judged `ok` `"), "{told}");
    assert!(
        told.contains("; and then the answer of seat 0 is judged `illegal-output` `"),
        "{told}"
    );
}

#[test]
fn a_referee_that_fails_is_told_with_the_answer_that_it_was_told_last() {
    let game = moody(99);
    let tried = trial(Answering::Numbers, 5).play(&game).expect("it does not fail");
    let error = tried.judge_again(&game).expect_err("it fails").to_string();
    assert!(error.starts_with("after 1 answer, the last of them of seat 0: `ok` "), "{error}");
    assert!(error.ends_with("the referee is gone: it ended with status 0"), "{error}");
}

/// Returns the answers of two seats to one question, without late ones.
fn answered(answering: Answering, form: AnswerForm) -> Vec<Parts> {
    let react = |input: &Input, out: &mut Outputs| {
        if let Input::Answer { seat: Seat(1), .. } = input {
            out.push(joust_testkit::referee::over());
        }
        Ok(())
    };
    let game = scripted_with_lines(react, form, TimeRule::default());
    let seeds = (0..20)
        .flat_map(|seed| trial(answering, seed).play(&game).expect("it does not fail").inputs);
    let parts = |input| match input {
        Input::Answer { parts, verdict: Verdict::Ok, .. } => Some(parts),
        _ => None,
    };
    seeds.filter_map(parts).collect()
}

#[test]
fn answers_have_the_form_that_a_channel_brings() {
    let lines = |parts: &Parts| parts.get("").map_or(0, |text| text.split(|c| *c == b'\n').count());
    for answering in Answering::ALL {
        let three = answered(answering, AnswerForm::Lines(3));
        assert!(three.len() > 10 && three.iter().all(|one| lines(one) == 3), "{three:?}");
        let any = answered(answering, AnswerForm::Until("go".to_owned()));
        assert!(any.iter().any(|one| lines(one) > 2), "{any:?}");
        let names = ["move.txt", "note.txt"].map(str::to_owned).to_vec();
        let files = answered(answering, AnswerForm::Files(names));
        let some =
            |name: &str, is_left: bool| files.iter().any(|one| one.get(name).is_some() == is_left);
        assert!(some("move.txt", true) && some("move.txt", false) && some("note.txt", true));
        assert!(files.iter().all(|one| one.get("").is_none()), "{files:?}");
    }
}
