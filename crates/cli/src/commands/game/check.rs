//! `joust game check`: any answers, judged again.

use joust_model::counted;
use joust_orchestrator::machine::{Perturbation, RepeatOutcome};
use joust_play::trial::{Answering, MOST_ANSWERS, SOME_ANSWERS, Trial, TrialError, Tried};
use joust_referee::{Options, Seed};

use super::PreparedGame;
use crate::args::GameCheckArgs;
use crate::commands::bout::referee_wrote;
use crate::error::{Failure, Status};
use crate::output::Screen;

/// Returns the reason why a bout differs.
fn cause(guilty: &[Perturbation]) -> String {
    match guilty {
        [] => "several circumstances together, or now and then".to_owned(),
        [Perturbation::Process, ..] => {
            "nothing but a new process: a clock, chance that is not the seed's, or what an \
             earlier bout left"
                .to_owned()
        }
        _ => guilty.iter().map(|one| one.name()).collect::<Vec<_>>().join(", "),
    }
}

/// Check of a game, with the findings over all bouts.
struct GameCheck<'a> {
    ready: &'a PreparedGame,
    screen: Screen,
    bouts: usize,
    ended: usize,
    /// Bouts that differ when they are judged again.
    differing: usize,
    /// Groups of bouts that differ when one process plays them in turn.
    mixed_up: usize,
    failed: usize,
    /// Failure of the last bout, if that was before any answer.
    failed_to_start: Option<String>,
    /// True if no bout begins, so that no further one is tried.
    never_starts: bool,
    /// Text of a failed referee, as it was shown last.
    shown: String,
}

pub(super) fn execute(args: &GameCheckArgs, screen: Screen) -> Result<Status, Failure> {
    let ready = PreparedGame::make(&args.game, &args.isolation, screen)?;
    let game = ready.trial.game();
    let seats = game.spec().seats;
    let mut counts = vec![seats.fewest, seats.most];
    counts.dedup();
    let mut check = GameCheck::new(&ready, screen);
    'all: for answering in Answering::ALL {
        for seats in &counts {
            let mut alike = Vec::new();
            for seed in 0..args.seeds {
                // One bout of each kind is played to its end, however long it is.
                let most = if seed == 0 { MOST_ANSWERS } else { SOME_ANSWERS };
                let (seed, options) = (Seed(seed), Options::new());
                let trial = Trial { answering, seed, seats: *seats, options, most };
                let tried = trial.play(&game);
                ready.insist_on_running()?;
                alike.extend(check.take(&trial, tried));
                if check.never_starts {
                    screen.result("no bout begins: the others are not tried\n");
                    break 'all;
                }
            }
            check.take_by_turns(&alike);
            check.take_farewell(&alike);
            ready.insist_on_running()?;
        }
    }
    screen.result(&check.text());
    Ok(if check.is_ok() { Status::Done } else { Status::Failed })
}

impl<'a> GameCheck<'a> {
    fn new(ready: &'a PreparedGame, screen: Screen) -> Self {
        Self {
            ready,
            screen,
            bouts: 0,
            ended: 0,
            differing: 0,
            mixed_up: 0,
            failed: 0,
            failed_to_start: None,
            never_starts: false,
            shown: String::new(),
        }
    }

    fn take(&mut self, trial: &Trial, tried: Result<Tried, TrialError>) -> Option<Tried> {
        self.bouts += 1;
        let what =
            format!("{}, {} seats, seed {}", trial.answering.name(), trial.seats, trial.seed);
        let tried = match tried {
            Ok(tried) => tried,
            Err(error) => {
                self.report_failure(&format!("{what}: {error}"));
                let how = error.is_at_start().then(|| error.to_string());
                self.never_starts = self.ended == 0 && how.is_some() && how == self.failed_to_start;
                self.failed_to_start = how;
                return None;
            }
        };
        self.failed_to_start = None;
        self.ended += usize::from(tried.outcome.is_some());
        let how = match &tried.outcome {
            Some(outcome) => outcome.ended.to_string(),
            None => "abandoned".to_owned(),
        };
        let line = format!("{what}: {}, {how}", counted(tried.answers(), "answer"));
        match self.ready.trial.judge_again(&tried) {
            Ok(RepeatOutcome::Yes) => {
                self.screen.result(&format!("repeats  {line}\n"));
                return Some(tried);
            }
            Ok(RepeatOutcome::No(difference, guilty)) => {
                self.differing += 1;
                let why = cause(&guilty);
                self.screen
                    .result(&format!("DIFFERS  {line}\n  {difference}\n  because of {why}\n"));
            }
            Err(error) => {
                self.report_failure(&format!("{line}\n  judged again, {error}"));
            }
        }
        None
    }

    /// Judges repeatable bouts once more, in turn in one process.
    fn take_by_turns(&mut self, bouts: &[Tried]) {
        if bouts.is_empty() || !self.claims("bouts") {
            return;
        }
        // One alone is played beside itself.
        let bouts = if bouts.len() == 1 { &[bouts[0].clone(), bouts[0].clone()] } else { bouts };
        let of = |tried: &Tried| {
            format!("{}, {} seats", tried.trial.answering.name(), tried.trial.seats)
        };
        let what = format!("{}: {} bouts by turns in one process", of(&bouts[0]), bouts.len());
        match self.ready.trial.judge_by_turns(bouts) {
            Ok(None) => self.screen.result(&format!("repeats  {what}\n")),
            Ok(Some((place, difference))) => {
                self.mixed_up += 1;
                let seed = bouts[place].trial.seed;
                self.screen.result(&format!(
                    "DIFFERS  {what}, seed {seed}\n  {difference}\n  because of another bout in \
                     the same process\n"
                ));
            }
            Err(error) => {
                self.report_failure(&format!("{what}\n  {error}"));
            }
        }
    }

    /// Judges the first bout again, and closes the referee's input after it.
    fn take_farewell(&mut self, bouts: &[Tried]) {
        let Some(tried) = bouts.first().filter(|tried| tried.outcome.is_some()) else { return };
        if let Err(error) = self.ready.trial.farewell(tried) {
            let Trial { answering, seats, .. } = &tried.trial;
            let what = format!("{}, {seats} seats: the end of the program", answering.name());
            self.report_failure(&format!("{what}\n  {error}"));
        }
    }

    /// Reports a failure, with the referee's output before it unless the same was shown last. A
    /// trial that is being stopped is no failure of the referee.
    fn report_failure(&mut self, text: &str) {
        if self.ready.insist_on_running().is_err() {
            return;
        }
        self.failed += 1;
        let mut wrote = referee_wrote(&self.ready.trial.take_last_words());
        if wrote == self.shown {
            wrote.clear();
        } else if !wrote.is_empty() {
            self.shown.clone_from(&wrote);
        }
        self.screen.result(&format!("FAILED   {text}\n{wrote}"));
    }

    /// Returns whether the game is OK; one that is not repeatable may declare that.
    fn is_ok(&self) -> bool {
        self.failed == 0 && self.mixed_up == 0 && (self.differing == 0 || !self.claims("rejudge"))
    }

    /// Describes the abilities that the game may declare under `can`.
    fn may_claim(&self) -> String {
        let mut words = Vec::new();
        if self.differing == 0 {
            words.push("rejudge");
        }
        if self.claims("bouts") && self.mixed_up == 0 {
            words.push("bouts");
        }
        match &words[..] {
            [] => "neither `rejudge` nor `bouts` may be in `can`\n".to_owned(),
            words => format!("`can: [{}]` is correct\n", words.join(", ")),
        }
    }

    fn text(&self) -> String {
        let counted = format!("{}, {} to the end", counted(self.bouts, "bout"), self.ended);
        let circumstances = Perturbation::ALL.map(Perturbation::name).join(", ");
        let verdict = match (self.failed, self.differing, self.claims("rejudge")) {
            (0, ..) if self.mixed_up > 0 => {
                "FAILED: state leaks between bouts in one process. Fix it, or take `bouts` out of `can`"
            }
            (0, 0, true) => "OK: bouts can be replayed exactly",
            (0, 0, false) => {
                "OK: bouts can be replayed exactly. If it sends its position in every question, add `rejudge` to `can`"
            }
            (0, _, true) => {
                "FAILED: bouts cannot be replayed. Fix it, or take `rejudge` out of `can`"
            }
            (0, _, false) => "OK; bouts cannot be replayed, and it does not claim so",
            _ => {
                "FAILED: no answer may make a referee fail, and after its last bout it ends with its input"
            }
        };
        let claim = if self.failed == 0 { self.may_claim() } else { String::new() };
        let unseen = match self.failed + self.ended {
            0 => {
                format!("no bout was over after {MOST_ANSWERS} answers: how it ends was not seen\n")
            }
            _ => String::new(),
        };
        format!("{counted}; judged again with {circumstances}\n{unseen}{claim}{verdict}\n")
    }

    /// Returns whether the game claims an ability.
    fn claims(&self, word: &str) -> bool {
        self.ready.brought.can.iter().any(|said| said == word)
    }
}
