//! Referee that is somebody else's program, in a seat of its own.
//!
//! [`External`] is a [`Referee`] like any other. Its judges speak `gamekit`'s protocol
//! with a process that is started when a bout begins and, where the game can play
//! `bouts`, kept for the next one on the same processors. A process that fails is
//! started again and told the answers given so far; no bot is asked for that. One that
//! fails at the same answer again has failed for good.

mod judge;
mod picture;
mod process;
mod steps;

use std::sync::{Arc, Mutex, PoisonError};

use joust_bots::PlacedBuild;
use joust_gamekit::{Capability, Expected};
use joust_model::Limits;
use joust_referee::{GameSpec, Judge, JudgeError, Outputs, Referee, Setup, StartError};
use joust_sandbox::Host;
use joust_sandbox::affinity::processors;

use judge::ExternalJudge;
use process::Process;

/// What a referee's program is run by.
#[derive(Clone, Debug)]
pub struct RefereeProgram {
    /// The machine's sandbox.
    pub host: Host,
    /// What is run.
    pub build: Arc<PlacedBuild>,
    /// What it may use: `start` until it says its game, `turn` for each of its steps.
    pub limits: Limits,
    /// Which game it has to be.
    pub expected: Expected,
}

/// A game whose referee is somebody else's program.
pub struct External {
    spec: GameSpec,
    program: RefereeProgram,
    /// Processes that play no bout now.
    idle: Mutex<Vec<Process>>,
}

/// The game with its processes, as its judges hold it.
type Shared = Arc<External>;

/// A game whose referee is somebody else's program, for a catalogue.
pub struct ExternalReferee(Shared);

impl ExternalReferee {
    /// Makes the game that `spec` describes, played by a program.
    #[must_use]
    pub fn new(spec: GameSpec, program: RefereeProgram) -> Self {
        Self(Arc::new(External { spec, program, idle: Mutex::default() }))
    }
}

impl Referee for ExternalReferee {
    fn spec(&self) -> &GameSpec {
        &self.0.spec
    }

    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        let options = self.0.spec.complete(setup)?;
        let judge = ExternalJudge::start(&self.0, setup, &options, out);
        Ok(Box::new(judge.map_err(StartError::Judge)?))
    }
}

impl External {
    fn can(&self, capability: Capability) -> bool {
        self.program.expected.can.contains(&capability)
    }

    /// Returns a process that plays no bout, on the processors of this thread.
    fn process(&self) -> Result<Process, JudgeError> {
        let cores = processors();
        let idle = {
            let mut idle = self.idle();
            let place = idle.iter().position(|process| process.cores == cores);
            place.map(|place| idle.swap_remove(place))
        };
        idle.map_or_else(|| Process::start(&self.program, cores), Ok)
    }

    /// Takes a process back that is in order and plays no bout.
    fn give_back(&self, process: Process) {
        if self.can(Capability::Bouts) {
            self.idle().push(process);
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
