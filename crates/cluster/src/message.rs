//! Messages between coordinator and workers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::time::Duration;

use joust_model::{
    BoutId, BoutPlan, BuildHash, GameOptions, Limits, Round, Seed, Tier, digest_text,
};
use joust_play::executor::{Assignment, CoreNeeds, Delivery, MachineOffer, Needs};
use joust_referee::Scene;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A part of a tournament that is being played: what a worker needs to know to join.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// Id of the tournament in the names of its subjects and streams.
    pub tournament: String,
    /// The tournament's name.
    pub title: String,
    /// Start of the coordinator, milliseconds since 1970 by its clock: a later coordinator has a
    /// higher epoch.
    pub epoch: u64,
    /// The version of Joust that its bouts are played with.
    pub version: String,
    /// Time that a worker may hold a batch without renewing its lease.
    pub lease: Duration,
    /// Event to play.
    pub work: Work,
    /// The classes of machines that its bouts need, of those bouts that are known so far.
    pub classes: Vec<Class>,
    /// True if there are spectators of running bouts.
    #[serde(default)]
    pub is_watched: bool,
    /// Excluded workers: the coordinator has refused too many of their results.
    #[serde(default)]
    pub excluded: BTreeSet<String>,
}

/// Returns the interval at which workers of a stage with this `lease` announce themselves.
pub fn beat_of(lease: Duration) -> Duration {
    (lease / 3).clamp(Duration::from_millis(500), Duration::from_secs(5))
}

/// The data about an event that a worker needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The event's id.
    pub event: String,
    /// The game's id.
    pub game: String,
    /// The game's rules revision.
    pub revision: u32,
    /// The rule set.
    pub rules: String,
    /// The game's options, complete.
    pub options: GameOptions,
    /// Limits of each bot.
    pub limits: Limits,
    /// Bots in a match.
    pub seats: u8,
    /// The sandbox's tier that all of it is played with.
    pub tier: Tier,
    /// Number of runs that measure a language.
    pub calibration_runs: u32,
    /// Hash of each language that the tournament defines itself, by id. A worker uses its own table
    /// of languages and compares the hashes.
    #[serde(default)]
    pub own_languages: BTreeMap<String, BuildHash>,
    /// Builds to run.
    pub builds: Vec<RequiredBuild>,
    /// Library sets that the builds need beside them.
    pub library_sets: Vec<RequiredBuild>,
    /// The game's referee, if it is an external program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referee: Option<RequiredReferee>,
}

impl Work {
    /// Returns everything that a worker must have: builds, library sets and a referee.
    pub fn needed(&self) -> impl Iterator<Item = &RequiredBuild> {
        let referee = self.referee.iter().map(|referee| &referee.build);
        self.builds.iter().chain(&self.library_sets).chain(referee)
    }
}

/// An external referee that a worker needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredReferee {
    /// Build to run.
    pub build: RequiredBuild,
    /// Hash of its program's source.
    pub hash: BuildHash,
    /// The id that it reports.
    pub own_id: String,
    /// The text of its `game.yaml`.
    pub file: String,
    /// Its page of rules.
    pub rules: String,
}

/// A build that a worker needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredBuild {
    /// The build's hash.
    pub build: BuildHash,
    /// The hash of its files.
    pub result: BuildHash,
    /// Its language.
    pub language: String,
    /// Version text of the tools.
    pub toolchain: String,
}

/// A class of machines that can play the same bouts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Class {
    /// Id of the class in the names of its subjects and streams.
    pub id: ClassId,
    /// Requirements that its machines meet.
    pub needs: Needs,
}

/// Name of a class: a hash of its requirements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClassId(pub String);

impl fmt::Display for ClassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ClassId {
    /// Returns the class of the machines that can play bouts with these `needs`. Neighbours of a
    /// bout are ignored, because they do not depend on the machine.
    pub fn of(needs: &Needs) -> Self {
        let CoreNeeds { wanted, otherwise } = needs.cores;
        let tools = needs.toolchains.iter().map(|it| format!("{} {:?}", it.language, it.version));
        let mut fields =
            vec![format!("{wanted} {otherwise:?}"), format!("{:?} {:?}", needs.tier, needs.port)];
        fields.extend(tools);
        let fields: Vec<&[u8]> = fields.iter().map(|field| field.as_bytes()).collect();
        Self(digest_text("joust-class-1", &fields, 10))
    }
}

/// Bouts of a match that share a seed and have rotated seats. One machine plays them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MirrorGroup {
    match_number: u64,
    seed: Seed,
}

impl MirrorGroup {
    pub(crate) fn of(plan: &BoutPlan) -> Self {
        Self { match_number: plan.match_number, seed: plan.seed }
    }
}

/// Bouts that one machine plays. A batch contains whole mirror groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// The coordinator that made it.
    pub epoch: u64,
    /// Its number, assigned by that coordinator.
    pub number: u64,
    /// Number of earlier attempts.
    pub attempt: u32,
    /// The machines that can play it.
    pub class: ClassId,
    /// The bouts.
    pub bouts: Vec<Assignment>,
}

/// The longest time limit that a worker accepts.
const LONGEST_LIMIT: Duration = Duration::from_secs(31 * 24 * 3600);

/// Returns whether these limits are short enough for a worker's clocks.
pub fn has_plausible_times(limits: &Limits) -> bool {
    let Limits { cpu, turn, kill, start, bout, cpu_bout, .. } = limits;
    let times = [cpu, turn, kill, start, bout].into_iter().chain(cpu_bout);
    times.into_iter().all(|time| *time <= LONGEST_LIMIT)
}

impl Batch {
    /// Returns whether its bouts have these limits, which are the ones that a worker has checked.
    pub(crate) fn has_limits(&self, limits: &Limits) -> bool {
        let mut plans = self.bouts.iter().flat_map(Assignment::plans);
        plans.all(|plan| *plan.limits == *limits)
    }

    /// Returns whether no mirror group has more bouts than `seats` have rotations: a worker that is
    /// to end finishes the groups that it has begun.
    pub(crate) fn has_short_groups(&self, seats: u8) -> bool {
        let mut groups = HashMap::new();
        self.bouts.iter().all(|it| {
            let bouts = groups.entry(MirrorGroup::of(&it.plan)).or_insert(0_usize);
            *bouts += 1;
            *bouts <= usize::from(seats.max(1))
        })
    }
}

/// Results of a batch, or of part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The worker that played it.
    pub worker: String,
    /// The coordinator that made the batch.
    pub epoch: u64,
    /// The batch.
    pub batch: u64,
    /// Number of earlier attempts of the batch.
    pub attempt: u32,
    /// Results of its bouts.
    #[serde(deserialize_with = "bounded")]
    pub deliveries: Vec<Delivery>,
    /// Bouts that the worker gives back unplayed.
    pub returned: Vec<BoutId>,
}

/// Announcement of a worker: its offer, its state and the batches it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announcement {
    /// Its name.
    pub worker: String,
    /// Number drawn at every start; it distinguishes two workers with the same name.
    pub instance: u64,
    /// Its version of Joust.
    pub version: String,
    /// The machine's name in results.
    pub machine: String,
    /// Current activity.
    pub state: WorkerState,
    /// Offer of the machine.
    pub offer: MachineOffer,
    /// The tournament it plays for, if any.
    pub tournament: Option<String>,
    /// The batches it holds, by their numbers with the coordinator of `epoch`.
    pub held: BTreeSet<u64>,
    /// The coordinator that made those batches.
    pub epoch: u64,
    /// Number of bouts that are waiting or running on it.
    pub in_hand: u32,
    /// Bouts that are running on it.
    #[serde(default)]
    pub playing: BTreeSet<BoutId>,
    /// Positions of some of those bouts, if there are spectators.
    #[serde(default)]
    pub positions: Vec<Position>,
    /// Number of bouts it has played.
    pub played: u64,
    /// Number of bouts that failed on it.
    pub failed: u64,
    /// Number of batches it lost because it renewed them too late.
    pub lapsed: u64,
    /// Its time of day, milliseconds since 1970.
    pub clock: i64,
    /// Time since its start.
    pub up: Duration,
}

impl Announcement {
    /// Returns the announcement of a worker that has just started.
    pub fn new(worker: &str, offer: MachineOffer) -> Self {
        Self {
            worker: worker.to_owned(),
            instance: 0,
            version: String::new(),
            machine: String::new(),
            state: WorkerState::Idle,
            offer,
            tournament: None,
            held: BTreeSet::new(),
            epoch: 0,
            in_hand: 0,
            playing: BTreeSet::new(),
            positions: Vec::new(),
            played: 0,
            failed: 0,
            lapsed: 0,
            clock: 0,
            up: Duration::ZERO,
        }
    }
}

/// Position of a bout that is being played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The bout.
    pub bout: BoutId,
    /// The round.
    pub round: Round,
    /// The position after it.
    #[serde(with = "joust_model::scene_bytes")]
    pub scene: Scene,
}

/// Activity of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum WorkerState {
    /// It waits for a tournament.
    Idle,
    /// It fetches builds and measures languages.
    Preparing,
    /// It plays.
    Playing,
    /// It finishes its running bouts and ends.
    Draining,
    /// It cannot play the current stage, for this reason.
    #[strum(to_string = "refused: {0}")]
    Refused(String),
}

/// The most deliveries of a report, many times those of a batch. The shortest ones take about ten
/// times their encoded size in memory, so their number has to be limited.
const MOST_DELIVERIES: usize = 4096;

/// Decodes deliveries, and fails if there are more than a report may have.
fn bounded<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Delivery>, D::Error> {
    struct AtMost;

    impl<'de> Visitor<'de> for AtMost {
        type Value = Vec<Delivery>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {MOST_DELIVERIES} deliveries")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Vec<Delivery>, A::Error> {
            let mut read = Vec::new();
            while let Some(one) = from.next_element()? {
                if read.len() == MOST_DELIVERIES {
                    return Err(A::Error::invalid_length(MOST_DELIVERIES + 1, &self));
                }
                read.push(one);
            }
            Ok(read)
        }
    }

    from.deserialize_seq(AtMost)
}

#[cfg(test)]
mod tests {
    use joust_model::Bytes;
    use joust_testkit::fixtures;

    use super::*;

    #[test]
    fn bouts_of_a_batch_have_no_limits_that_their_stage_does_not_name() {
        let (plan, _) = fixtures::bout("event", ["anna", "bert"], 1);
        let limits = Limits::default();
        let is_of_stage = |plan: BoutPlan| {
            let class = ClassId(String::new());
            let bouts = vec![Assignment::new(plan, Needs::default())];
            Batch { epoch: 1, number: 0, attempt: 0, class, bouts }.has_limits(&limits)
        };
        let memory = Limits { memory: Bytes(u64::MAX), ..limits.clone() };
        assert!(is_of_stage(plan.clone()));
        assert!(!is_of_stage(BoutPlan { limits: memory.into(), ..plan }));
    }

    #[test]
    fn a_mirror_group_of_a_batch_has_no_more_bouts_than_rotations() {
        let (plan, _) = fixtures::bout("event", ["anna", "bert"], 1);
        let of = |bouts: usize| {
            let bouts = vec![Assignment::new(plan.clone(), Needs::default()); bouts];
            Batch { epoch: 1, number: 0, attempt: 0, class: ClassId(String::new()), bouts }
        };
        assert!(of(2).has_short_groups(2) && !of(3).has_short_groups(2));
        assert!(!of(700).has_short_groups(2) && of(1).has_short_groups(0));
    }
}
