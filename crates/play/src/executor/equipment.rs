//! Equipment of a machine for bouts.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use joust_build::PlacedBuild;
use joust_model::cancel::Cancel;
use joust_model::{BoutPlan, BuildHash, Calibration, Occupant};
use joust_referee::{Catalogue, GameSpec};

use super::{Assignment, CoreNeeds, MachineOffer, Needs, Neighbours, Toolchain};
use crate::channel::{self, Host, Port};

/// Equipment of every bout on this machine.
pub struct Equipment {
    /// The available games.
    pub games: Catalogue,
    /// The machine's sandbox.
    pub host: Host,
    /// Builds by their hash.
    pub builds: HashMap<BuildHash, Arc<PlacedBuild>>,
    /// Calibrations by language, or the other name from [`PlacedBuild::measured_as`], and game.
    pub calibrations: HashMap<(String, String), Calibration>,
    /// This machine's name in results.
    pub machine: String,
    /// Signal to stop.
    pub cancel: Cancel,
}

impl Equipment {
    /// Returns the build of an occupant; `None` for a person, and for a missing build.
    pub fn build_of(&self, occupant: Occupant) -> Option<&PlacedBuild> {
        self.builds.get(&occupant.build()?).map(|build| &**build)
    }

    /// Returns the calibration measured as `name` in `game`; zero when there is none.
    pub fn calibration(&self, name: &str, game: &str) -> Calibration {
        let key = (name.to_owned(), game.to_owned());
        self.calibrations.get(&key).cloned().unwrap_or_default()
    }

    /// Returns the assignment of `plan`, a bout of `game`, with the needs that it has on this
    /// machine.
    pub fn assign(&self, game: &GameSpec, plan: BoutPlan) -> Assignment {
        let builds = plan.seats.iter().filter_map(|seat| self.build_of(seat.occupant));
        let needs = Needs {
            neighbours: Neighbours::Allowed,
            cores: CoreNeeds::of(&plan, game.thinking),
            tier: Some(self.host.tier()),
            toolchains: toolchains(builds),
            port: channel::find(&game.channel).map_or(Port::None, |channel| channel.port),
        };
        Assignment::new(plan, needs)
    }

    /// Returns the assignment of the bouts of a match that is played as a whole, with the needs
    /// that they have on this machine; `None` without bouts.
    pub fn assign_whole(&self, game: &GameSpec, plans: Vec<BoutPlan>) -> Option<Assignment> {
        let mut plans = plans.into_iter();
        let first = self.assign(game, plans.next()?);
        Some(Assignment { rest: plans.collect(), ..first })
    }

    /// Returns this machine's offer with `cores` processors.
    pub fn offer(&self, cores: usize) -> MachineOffer {
        let (tier, toolchains) =
            (self.host.tier(), toolchains(self.builds.values().map(|build| &**build)));
        MachineOffer { cores, tier, toolchains }
    }
}

/// Returns the tools with which `builds` were made or are run.
fn toolchains<'a>(builds: impl Iterator<Item = &'a PlacedBuild>) -> BTreeSet<Toolchain> {
    let tools = |build: &PlacedBuild| Toolchain {
        language: build.language.clone(),
        version: build.toolchain.clone(),
    };
    builds.map(tools).collect()
}
