//! Trial of a game whose referee is a program of its own: what `joust game check` and
//! `joust game bench` do.
//!
//! Every bout is judged again in a new process under other circumstances. If that differs,
//! each circumstance is tried alone, so that it can be named.

use std::sync::Arc;

use joust_config::ExternalGame;
use joust_play::external::{ExternalReferee, RefereeProgram};
use joust_play::trial::{Difference, TrialError, Tried};
use joust_referee::{Game, GameSpec};
use joust_sandbox::affinity::{pin_this_thread, processors};

use super::{Machine, MachineError};

/// Changed circumstance of a bout's second judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Perturbation {
    /// A new process, and nothing else.
    Process,
    /// Another seed of the language's hashes.
    HashSeed,
    /// Another place and language of the world.
    Locale,
    /// Another time zone.
    TimeZone,
    /// Other variables of the environment.
    Environment,
    /// One processor.
    OneProcessor,
}

impl Perturbation {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Process,
        Self::HashSeed,
        Self::Locale,
        Self::TimeZone,
        Self::Environment,
        Self::OneProcessor,
    ];

    /// Returns a description for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Process => "a new process",
            Self::HashSeed => "another hash seed",
            Self::Locale => "another locale",
            Self::TimeZone => "another time zone",
            Self::Environment => "another environment",
            Self::OneProcessor => "one processor",
        }
    }

    fn variables(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Process | Self::OneProcessor => &[],
            Self::HashSeed => &[("PYTHONHASHSEED", "4242")],
            Self::Locale => &[("LC_ALL", "C"), ("LANG", "C")],
            Self::TimeZone => &[("TZ", "Pacific/Kiritimati")],
            Self::Environment => {
                &[("HOME", "/scratch"), ("USER", "somebody"), ("JOUST_TRIAL", "1")]
            }
        }
    }
}

/// Outcome of judging a bout again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepeatOutcome {
    /// It is the same bout.
    Yes,
    /// It differs, and each of these circumstances alone causes that.
    No(Difference, Vec<Perturbation>),
}

/// A game on trial.
#[derive(Debug)]
pub struct GameTrial {
    spec: GameSpec,
    program: RefereeProgram,
}

impl Machine {
    /// Builds the referee of a game for a trial.
    ///
    /// # Errors
    ///
    /// As when a tournament's own referee is built.
    pub fn try_game(&self, brought: &ExternalGame) -> Result<GameTrial, MachineError> {
        Ok(GameTrial { spec: brought.game.spec().clone(), program: self.referee(brought)? })
    }
}

impl GameTrial {
    /// Takes the last words of the referee that failed last, as escaped lines; see
    /// [`LastWords`](joust_play::external::LastWords).
    pub fn take_last_words(&self) -> Vec<String> {
        self.program.last_words.take()
    }

    /// Returns the game, without a process yet, under the usual circumstances.
    pub fn game(&self) -> Game {
        self.game_under(&[])
    }

    fn game_under(&self, circumstances: &[Perturbation]) -> Game {
        let mut build = (*self.program.build).clone();
        for (name, value) in circumstances.iter().flat_map(|one| one.variables()) {
            build.environment.retain(|(known, _)| known.to_str() != Some(name));
            build.environment.push((name.into(), value.into()));
        }
        let program = RefereeProgram { build: Arc::new(build), ..self.program.clone() };
        Game::new(Arc::new(ExternalReferee::new(self.spec.clone(), program)))
    }

    /// Judges a bout again, in new processes.
    ///
    /// # Errors
    ///
    /// [`TrialError`] when the referee fails.
    pub fn judge_again(&self, tried: &Tried) -> Result<RepeatOutcome, TrialError> {
        let Some(difference) = self.under(&Perturbation::ALL, tried)? else {
            return Ok(RepeatOutcome::Yes);
        };
        let mut guilty = Vec::new();
        for circumstance in Perturbation::ALL {
            if self.under(&[circumstance], tried)?.is_some() {
                guilty.push(circumstance);
            }
        }
        // What another process alone changes, everything changes.
        if guilty.contains(&Perturbation::Process) {
            guilty.truncate(1);
        }
        Ok(RepeatOutcome::No(difference, guilty))
    }

    /// Judges bouts again in one process, taking a step of each in turn, and returns the first
    /// difference with the index of its bout. The referee must declare the ability `bouts`.
    ///
    /// # Errors
    ///
    /// [`TrialError`] when the referee fails.
    pub fn judge_by_turns(
        &self,
        bouts: &[Tried],
    ) -> Result<Option<(usize, Difference)>, TrialError> {
        let referee = ExternalReferee::by_turns(self.spec.clone(), self.program.clone());
        Tried::judge_by_turns(bouts, &Game::new(Arc::new(referee)))
    }

    /// Judges a bout again in a process whose input is then closed: it has to end at
    /// that, in order.
    ///
    /// # Errors
    ///
    /// [`TrialError`] when the referee fails, also after the bout's end.
    pub fn farewell(&self, tried: &Tried) -> Result<(), TrialError> {
        let referee = ExternalReferee::by_turns(self.spec.clone(), self.program.clone());
        tried.judge_again(&Game::new(Arc::new(referee.clone())))?;
        referee.farewell().map_err(|error| TrialError::Referee {
            answers: tried.answers(),
            last: None,
            error,
        })
    }

    fn under(
        &self,
        circumstances: &[Perturbation],
        tried: &Tried,
    ) -> Result<Option<Difference>, TrialError> {
        let judge = || tried.judge_again(&self.game_under(circumstances));
        if !circumstances.contains(&Perturbation::OneProcessor) {
            return judge();
        }
        let pinned = || {
            if let Some(last) = processors().last() {
                // Where it cannot be had, the rest is tried.
                let _ = pin_this_thread(&[*last]);
            }
            judge()
        };
        std::thread::scope(|scope| scope.spawn(pinned).join())
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
