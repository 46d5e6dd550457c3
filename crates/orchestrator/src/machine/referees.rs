//! Referees of a tournament's own games: built as bots are, and put in the place of
//! what only describes them.

use std::collections::BTreeSet;
use std::sync::Arc;

use joust_bots::discover::referee_source;
use joust_build::{Builder, PlacedBuild};
use joust_config::{BuildLimits, ExternalGame, Requirements, Tournament};
use joust_gamekit::{Capability, ExpectedGame};
use joust_model::cancel::Cancel;
use joust_play::external::{ExternalReferee, IdleReferees, RefereeProgram};
use joust_referee::Game;
use joust_toolchain::NotBuilt;

use super::{Machine, MachineError};

impl Machine {
    /// Builds the referees of the games that a tournament brings.
    pub(super) fn bring_games(&mut self, tournament: &Tournament) -> Result<(), MachineError> {
        let idle = IdleReferees::default();
        for brought in &tournament.external {
            let program = RefereeProgram { idle: idle.clone(), ..self.referee(brought)? };
            self.referees.insert(brought.game.id().to_owned(), Arc::clone(&program.build));
            let referee = ExternalReferee::new(brought.game.spec().clone(), program);
            self.games = self.games.replacing(&Game::new(Arc::new(referee)));
        }
        Ok(())
    }

    /// Returns the game that `brought` describes, judged by a build that is here. A worker that is
    /// to end finishes its bouts, so nothing stops this referee.
    pub(crate) fn judged_by(&self, brought: &ExternalGame, build: PlacedBuild) -> Game {
        let program = self.program(brought, Arc::new(build), Cancel::default());
        Game::new(Arc::new(ExternalReferee::new(brought.game.spec().clone(), program)))
    }

    /// Builds the referee of a game that is a program of its own.
    pub(super) fn referee(&self, brought: &ExternalGame) -> Result<RefereeProgram, MachineError> {
        let refused = |reason: String| MachineError::Referee {
            game: brought.game.id().to_owned(),
            folder: brought.folder.clone(),
            reason,
        };
        let stage =
            joust_sandbox::temporary_folder().map_err(|error| refused(error.to_string()))?;
        let source = referee_source(brought, stage.path(), self.languages().sources())
            .map_err(|problem| refused(problem.to_string()))?;
        let limits = BuildLimits::default();
        let requirements =
            Requirements { provides: brought.program.provides.clone(), ..Requirements::default() };
        let builder = Builder {
            host: &self.host,
            toolchains: &self.toolchains,
            store: &self.store,
            limits: &limits,
            memory: brought.limits.memory,
            requirements: &requirements,
            cancel: &self.cancel,
        };
        let build = builder.build(&source).map_err(|why| match why {
            NotBuilt::Stopped => MachineError::Interrupted,
            why => refused(why.to_string()),
        })?;
        Ok(self.program(brought, Arc::new(build), self.cancel.clone()))
    }

    fn program(
        &self,
        brought: &ExternalGame,
        build: Arc<PlacedBuild>,
        cancel: Cancel,
    ) -> RefereeProgram {
        let can: BTreeSet<Capability> =
            brought.can.iter().filter_map(|word| word.parse().ok()).collect();
        RefereeProgram {
            host: self.host.clone(),
            build,
            limits: brought.limits.clone(),
            idle: IdleReferees::default(),
            last_words: self.last_words.clone(),
            cancel,
            expected: ExpectedGame {
                id: brought.own_id.clone(),
                version: brought.version.clone(),
                can: can.into_iter().collect(),
            },
        }
    }
}
