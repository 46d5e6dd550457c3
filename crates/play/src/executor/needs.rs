//! Needs of a bout: requirements on the machine that plays it, and the equipment of that machine.
//!
//! Needs are computed with the plan, so that executors look nothing up. They do not affect the
//! result and are not part of a plan's key.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use joust_build::PlacedBuild;
use joust_model::cancel::Cancel;
use joust_model::{BoutPlan, BuildHash, Calibration, ClockMode, Occupant};
use joust_referee::{Catalogue, GameSpec, Thinking};
use joust_sandbox::Tier;
use serde::{Deserialize, Serialize};

use super::NotEnoughCores;
use crate::channel::{self, Host, Port};

/// A bout to play, or a match to play as a whole, with its needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The bout; for a match, the first one.
    pub plan: BoutPlan,
    /// The further bouts of the match, in which the bots keep their programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<BoutPlan>,
    /// Needs of its bouts.
    pub needs: Needs,
}

impl Assignment {
    /// Makes the assignment of one bout.
    pub fn new(plan: BoutPlan, needs: Needs) -> Self {
        Self { plan, rest: Vec::new(), needs }
    }

    /// Returns all its bouts, in the order in which they are played.
    pub fn plans(&self) -> impl Iterator<Item = &BoutPlan> {
        std::iter::once(&self.plan).chain(&self.rest)
    }
}

/// Requirements of a bout on its machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// Permission to play other bouts at the same time.
    pub neighbours: Neighbours,
    /// Processors.
    pub cores: CoreNeeds,
    /// The sandbox's tier; `None` for any.
    pub tier: Option<Tier>,
    /// The tools with which its builds were made or are run.
    pub toolchains: BTreeSet<Toolchain>,
    /// Connection of its bots to a port of their game.
    pub port: Port,
}

/// The tools of a language.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Toolchain {
    /// The language's id.
    pub language: String,
    /// The text of their version.
    pub version: String,
}

/// Permission to play other bouts on the same machine at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Neighbours {
    /// Other bouts may run at the same time.
    #[default]
    Allowed,
    /// No other bout runs at the same time, and its bots have their cores to themselves.
    None,
}

/// Number of processors that a bout needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreNeeds {
    /// The sum over all bots that think at the same time.
    pub wanted: usize,
    /// Alternative on a machine with fewer processors in total.
    pub otherwise: FewerCores,
}

/// Treatment of a bout on a machine with fewer processors than it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FewerCores {
    /// It is not played there.
    Refused,
    /// It is played on the processors of one bot, which the seats use one after the other.
    OfOneBot(usize),
    /// It is played on all processors that exist.
    All,
}

impl Default for CoreNeeds {
    fn default() -> Self {
        Self { wanted: 1, otherwise: FewerCores::Refused }
    }
}

impl CoreNeeds {
    /// Returns the needs of a bout of `plan`: the processors of one bot if the seats are asked one
    /// after the other, or of all bots if they think at the same time. People need none. On a
    /// machine with fewer processors, a game with a clock uses all of them, and seats that would be
    /// asked at once are asked one after the other.
    pub fn of(plan: &BoutPlan, thinking: Thinking) -> Self {
        let per_bot = plan.limits.cores_per_bot.max(1) as usize;
        let bots = plan.seats.iter().filter(|seat| !seat.is_person()).count();
        let wanted = match thinking {
            Thinking::OneAfterAnother => per_bot,
            Thinking::Together => per_bot * bots,
        };
        let otherwise = match plan.clock {
            None if thinking == Thinking::Together => FewerCores::OfOneBot(per_bot),
            None => FewerCores::Refused,
            Some(ClockMode::Realtime) => FewerCores::All,
            Some(_) => FewerCores::OfOneBot(per_bot),
        };
        Self { wanted, otherwise }
    }

    /// Returns how many processors the bout takes on a machine with `there` processors. The number
    /// may exceed `there`.
    pub fn on(&self, there: usize) -> usize {
        match self.otherwise {
            _ if self.wanted <= there => self.wanted,
            FewerCores::Refused => self.wanted,
            FewerCores::OfOneBot(cores) => cores,
            FewerCores::All => there.max(1),
        }
    }
}

/// Resources that a machine offers for bouts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineOffer {
    /// Processors.
    pub cores: usize,
    /// The sandbox's tier.
    pub tier: Tier,
    /// The available tools, possibly several of a language.
    pub toolchains: BTreeSet<Toolchain>,
}

impl Needs {
    /// Returns the first need that `machine` does not meet, with both sides named.
    pub fn unmet_by(&self, machine: &MachineOffer) -> Option<String> {
        let mut lacks = Vec::new();
        let cores = self.cores.on(machine.cores);
        if cores > machine.cores {
            lacks.push(NotEnoughCores { needed: cores, there: machine.cores }.to_string());
        }
        if let Some(tier) = self.tier.filter(|tier| *tier != machine.tier) {
            lacks.push(format!("tier {tier} is needed, tier {} is here", machine.tier));
        }
        for Toolchain { language, version } in self.toolchains.difference(&machine.toolchains) {
            let here = machine.toolchains.iter().filter(|tools| tools.language == *language);
            let here: Vec<_> = here.map(|tools| tools.version.as_str()).collect();
            let here = if here.is_empty() { "none".to_owned() } else { here.join(" and ") };
            lacks.push(format!("{language}: {version} is needed, {here} is here"));
        }
        (!lacks.is_empty()).then(|| lacks.join("; "))
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(wanted: usize, otherwise: FewerCores) -> CoreNeeds {
        CoreNeeds { wanted, otherwise }
    }

    #[test]
    fn a_bout_makes_do_with_fewer_cores_as_its_needs_say() {
        assert_eq!(cores(2, FewerCores::All).on(4), 2);
        assert_eq!(cores(4, FewerCores::All).on(2), 2);
        assert_eq!(cores(4, FewerCores::All).on(0), 1);
        assert_eq!(cores(4, FewerCores::OfOneBot(1)).on(2), 1);
        assert_eq!(cores(4, FewerCores::Refused).on(2), 4);
    }

    #[test]
    fn every_need_that_is_not_met_is_named() {
        let of = |version: &str| {
            let (language, version) = ("python".to_owned(), version.to_owned());
            BTreeSet::from([Toolchain { language, version }])
        };
        let mut needs = Needs {
            cores: cores(4, FewerCores::Refused),
            tier: Some(Tier::A),
            toolchains: of("3.11.2"),
            ..Needs::default()
        };
        let mut machine = MachineOffer { cores: 2, tier: Tier::C, toolchains: of("3.11.7") };
        let lacks = needs.unmet_by(&machine).expect("it lacks everything");
        assert_eq!(
            lacks,
            "a bout needs 4 cores and this machine has 2; tier A is needed, tier C is here; \
             python: 3.11.2 is needed, 3.11.7 is here"
        );
        machine.toolchains.clear();
        let lacks = needs.unmet_by(&machine).expect("it lacks everything");
        assert!(lacks.ends_with("python: 3.11.2 is needed, none is here"), "{lacks}");
        needs = Needs::default();
        assert_eq!(needs.unmet_by(&machine), None);
    }
}
