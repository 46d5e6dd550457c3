//! Participants of an event: found, built, and admitted by the event's rules.

use std::collections::HashSet;
use std::sync::Arc;

use super::plans::Player;
use crate::machine::Machine;
use joust_bots::BotSource;
use joust_build::PlacedBuild;
use joust_config::Event;
use joust_model::notices::Listener;
use joust_model::{BotRow, BoutPlan, BuildHash, Reason};
use joust_toolchain::NotBuilt;

/// Number of bots by other authors from which on examples are retired.
const OTHERS_THAT_RETIRE_EXAMPLES: usize = 2;

/// A bot of the field.
pub struct Participant {
    /// Source of the bot.
    pub source: BotSource,
    /// Build to run, or the reason why there is none.
    pub made: BuildState,
    /// Reason why it does not play although it was built.
    pub exclusion: Option<ExclusionReason>,
}

/// Build state of a bot.
pub enum BuildState {
    /// Its build.
    Build(Arc<PlacedBuild>),
    /// The store knows it under this hash; it is built only for a bout.
    Known(BuildHash),
    /// No build, with the reason.
    Nothing(NotBuilt),
    /// No build yet: the machine is at fault. The bot keeps its place and its results; its bouts
    /// wait for a run on a machine without the fault.
    Waits {
        /// Build to run once it can be built, if that is known.
        build: Option<BuildHash>,
        /// Description of the machine's fault.
        trouble: String,
    },
}

impl BuildState {
    /// Returns the hash of the build that is run.
    pub fn hash(&self) -> Option<BuildHash> {
        match self {
            Self::Build(build) => Some(build.hash),
            Self::Known(hash) => Some(*hash),
            Self::Waits { build, .. } => *build,
            Self::Nothing(_) => None,
        }
    }

    /// Returns the state that was found; `known` is the hash of the build if the machine failed.
    fn of(found: Result<Self, NotBuilt>, known: Option<BuildHash>) -> Self {
        match found {
            Ok(found) => found,
            Err(NotBuilt::Infrastructure(trouble)) => Self::Waits { build: known, trouble },
            Err(reason) => Self::Nothing(reason),
        }
    }

    fn reason(&self) -> Option<&NotBuilt> {
        match self {
            Self::Nothing(reason) => Some(reason),
            _ => None,
        }
    }
}

/// Reason why a bot that was built does not play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExclusionReason {
    /// It is an example, and enough others have entered.
    #[error("an example, retired because two others have entered")]
    Retired,
    /// It entered after the deadline.
    #[error("entered after the deadline")]
    Late,
    /// It was changed after the deadline, and the entered build is gone.
    #[error("changed after the deadline; the earlier build is gone")]
    Changed,
    /// Its owner or the organiser took it out.
    #[error("taken out")]
    TakenOut,
    /// It cannot be run on this machine.
    #[error("{0}")]
    NotRun(Reason),
}

impl ExclusionReason {
    /// Returns the reason in its row; a decision has a row of its own.
    fn reason(&self) -> Option<Reason> {
        match self {
            Self::TakenOut => None,
            Self::NotRun(reason) => Some(reason.clone()),
            other => Some(Reason::ours(other.to_string())),
        }
    }
}

/// An event's field of bots.
pub struct EventRoster {
    /// In order of their names.
    pub participants: Vec<Participant>,
}

impl EventRoster {
    /// Builds the new and changed bots of `sources`; a bot that `known` has under the same hash is
    /// left to [`EventRoster::build_for_bouts`]. [`EventRoster::close_entries`] and then
    /// [`EventRoster::retire_examples`] decide which of them play.
    pub fn build(
        machine: &Machine,
        event: &Event,
        sources: Vec<BotSource>,
        known: &[BotRow],
        listener: &dyn Listener,
    ) -> Self {
        let mut field = Self::found(machine, event, sources, known, listener);
        let is_new = |participant: &Participant| {
            let hash = participant.made.hash();
            let same = |row: &&BotRow| {
                row.name == participant.source.name() && row.build == hash && row.sits_out.is_none()
            };
            let waits = matches!(participant.made, BuildState::Waits { .. });
            waits || hash.is_none() || !known.iter().any(|row| same(&row))
        };
        build_those(machine, event, &mut field.participants, is_new, listener);
        field
    }

    /// Adds bots whose files are being changed: each plays with its earlier build. One without an
    /// earlier build does not take part yet.
    pub fn keep(
        &mut self,
        changing: Vec<BotSource>,
        known: &[BotRow],
        stored: impl Fn(BuildHash) -> Option<Arc<PlacedBuild>>,
    ) {
        for source in changing {
            let row = known.iter().find(|row| row.name == source.name() && row.sits_out.is_none());
            let Some(hash) = row.and_then(|row| row.build) else { continue };
            let made = stored(hash).map_or_else(
                || BuildState::Waits {
                    build: Some(hash),
                    trouble: "its files are being changed, and its earlier build is gone"
                        .to_owned(),
                },
                BuildState::Build,
            );
            self.participants.push(Participant { source, made, exclusion: None });
        }
        self.sort();
    }

    /// Adds bots that could not be built before.
    pub fn leave_out(&mut self, failed: Vec<(BotSource, NotBuilt)>) {
        let participant = |(source, reason)| Participant {
            source,
            made: BuildState::Nothing(reason),
            exclusion: None,
        };
        self.participants.extend(failed.into_iter().map(participant));
        self.sort();
    }

    fn sort(&mut self) {
        self.participants.sort_by(|one, other| one.source.name().cmp(other.source.name()));
    }

    /// Makes a roster of `sources` with the hashes that their builds would have; nothing is built.
    pub fn found(
        machine: &Machine,
        event: &Event,
        sources: Vec<BotSource>,
        known: &[BotRow],
        listener: &dyn Listener,
    ) -> Self {
        machine.fetch_provided_libraries(&sources, event, listener);
        let keys = machine.keys(&sources, event);
        let participant = |(source, key): (BotSource, Result<BuildHash, NotBuilt>)| {
            let before = known.iter().find(|row| row.name == source.name());
            let known = before.and_then(|row| row.build);
            let made = BuildState::of(key.map(BuildState::Known), known);
            Participant { source, made, exclusion: None }
        };
        Self { participants: sources.into_iter().zip(keys).map(participant).collect() }
    }

    /// Builds the bots that sit in bouts to be played and were left out so far.
    pub fn build_for_bouts(
        &mut self,
        machine: &Machine,
        event: &Event,
        bouts: impl Iterator<Item = BoutPlan>,
        listener: &dyn Listener,
    ) {
        let mut waiting: HashSet<String> = self
            .participants
            .iter()
            .filter(|participant| matches!(participant.made, BuildState::Known(_)))
            .map(|participant| participant.source.name().to_owned())
            .collect();
        let mut wanted = HashSet::new();
        for plan in bouts {
            if waiting.is_empty() {
                break;
            }
            wanted.extend(plan.seats.iter().filter_map(|seat| waiting.take(&seat.bot)));
        }
        let is_wanted = |participant: &Participant| wanted.contains(participant.source.name());
        build_those(machine, event, &mut self.participants, is_wanted, listener);
    }

    /// Returns the bots that play, in order of their names.
    pub fn players(&self) -> Vec<Player> {
        let all = self.participants.iter().zip(self.listing());
        all.filter(|(participant, _)| participant.exclusion.is_none())
            .filter_map(|(participant, listed)| {
                let build = participant.made.hash()?;
                Some(Player { name: participant.source.name().to_owned(), build, listed })
            })
            .collect()
    }

    /// Returns each participant's place in the order of `bots:`; those of one pattern are
    /// in the order of their names.
    fn listing(&self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.participants.len()).collect();
        order.sort_by_key(|index| self.participants[*index].source.pattern);
        let mut places = vec![0; order.len()];
        for (index, place) in order.into_iter().zip(0..) {
            places[index] = place;
        }
        places
    }

    /// Returns every build that was made or found.
    pub fn builds(&self) -> impl Iterator<Item = &Arc<PlacedBuild>> {
        self.participants.iter().filter_map(|participant| match &participant.made {
            BuildState::Build(build) => Some(build),
            _ => None,
        })
    }

    /// Returns the bots that could not be built, with the reason.
    pub fn not_built(&self) -> impl Iterator<Item = (&str, &NotBuilt)> {
        self.participants.iter().filter_map(|participant| {
            let reason = participant.made.reason()?;
            Some((participant.source.name(), reason))
        })
    }

    /// Returns the bots that wait until the machine's fault is repaired, each with the fault.
    pub fn waiting(&self) -> impl Iterator<Item = (&str, &str)> {
        self.participants.iter().filter_map(|participant| match &participant.made {
            BuildState::Waits { trouble, .. } => {
                Some((participant.source.name(), trouble.as_str()))
            }
            _ => None,
        })
    }

    /// Returns the plans of bouts that all their bots can play now.
    pub fn playable<'a>(
        &'a self,
        plans: impl Iterator<Item = BoutPlan> + Send + 'a,
    ) -> impl Iterator<Item = BoutPlan> + Send + 'a {
        let waiting: HashSet<&str> = self.waiting().map(|(name, _)| name).collect();
        plans.filter(move |plan| !plan.seats.iter().any(|seat| waiting.contains(&*seat.bot)))
    }

    /// Marks the bots of a language as waiting.
    pub fn let_wait(&mut self, language: &str, trouble: &str) {
        for participant in &mut self.participants {
            if let BuildState::Build(build) = &participant.made
                && build.language == language
            {
                let build = Some(build.hash);
                participant.made = BuildState::Waits { build, trouble: trouble.to_owned() };
            }
        }
    }

    /// Returns the field in the form that the store keeps. `known` are the bots that the store has
    /// already.
    pub fn rows(&self, known: &[BotRow]) -> Vec<BotRow> {
        let row = |(participant, registration): (&Participant, u32)| {
            let before = known.iter().find(|row| row.name == participant.source.name());
            match participant.made {
                // Only its earlier state is known.
                BuildState::Waits { build: None, .. } => {
                    before.map(|row| BotRow { registration, ..row.clone() })
                }
                _ => Some(participant.row(registration, before)),
            }
        };
        self.participants.iter().zip(self.listing()).filter_map(row).collect()
    }

    /// Applies the event's deadline, which has passed: a bot that the store
    /// knows plays with the build it had, a new one does not play. When the
    /// store knows none, the bots are entered as they are.
    pub fn close_entries(
        &mut self,
        known: &[BotRow],
        stored: impl Fn(BuildHash) -> Option<Arc<PlacedBuild>>,
        listener: &dyn Listener,
    ) {
        if known.is_empty() {
            let text = "the deadline has passed before the first run: the bots count as entered \
                        as they are now";
            listener.warn(text.to_owned());
            return;
        }
        for participant in &mut self.participants {
            let Some(text) = participant.apply_deadline(known, &stored) else { continue };
            listener.warn(text);
        }
    }

    /// Sets aside the players that `why` reports as not runnable on this machine.
    ///
    /// # Errors
    ///
    /// The errors of `why`.
    pub fn exclude_unrunnable<E>(
        &mut self,
        why: impl Fn(&PlacedBuild) -> Result<Option<Reason>, E>,
        listener: &dyn Listener,
    ) -> Result<(), E> {
        for participant in
            self.participants.iter_mut().filter(|participant| participant.exclusion.is_none())
        {
            let BuildState::Build(build) = &participant.made else { continue };
            let Some(reason) = why(build)? else { continue };
            listener.warn(format!("not run: `{}`: {reason}", participant.source.name()));
            participant.exclusion = Some(ExclusionReason::NotRun(reason));
        }
        Ok(())
    }

    /// Leaves bots that were withdrawn or disqualified out of the schedule.
    pub fn take_out(&mut self, is_out: impl Fn(&str) -> bool) {
        for participant in self.participants.iter_mut().filter(|one| is_out(one.source.name())) {
            participant.exclusion.get_or_insert(ExclusionReason::TakenOut);
        }
    }

    /// Applies `examples: retire`: they play only until two others have entered.
    pub fn retire_examples(&mut self, listener: &dyn Listener) {
        let others = self.participants.iter().filter(|participant| {
            !participant.source.manifest.example
                && participant.made.hash().is_some()
                && participant.exclusion.is_none()
        });
        if others.count() < OTHERS_THAT_RETIRE_EXAMPLES {
            return;
        }
        for participant in
            self.participants.iter_mut().filter(|participant| participant.source.manifest.example)
        {
            participant.exclusion = Some(ExclusionReason::Retired);
            listener.warn(format!("`{}` is an example and retires", participant.source.name()));
        }
    }
}

impl Participant {
    fn row(&self, registration: u32, before: Option<&BotRow>) -> BotRow {
        // A bot that came after the deadline must not count as entered in the next run.
        let build = match self.exclusion {
            Some(ExclusionReason::Late | ExclusionReason::Changed) => {
                before.and_then(|row| row.build)
            }
            _ => self.made.hash(),
        };
        BotRow {
            name: self.source.name().to_owned(),
            author: self.source.manifest.author.clone().unwrap_or_default(),
            owner: self.source.manifest.owner.clone().unwrap_or_default(),
            language: self.source.manifest.language.clone(),
            build,
            sits_out: self.sits_out(),
            registration,
            example: self.source.manifest.example,
        }
    }

    fn sits_out(&self) -> Option<Reason> {
        let not_built = self.made.reason().map(NotBuilt::reason);
        not_built.or_else(|| self.exclusion.as_ref().and_then(ExclusionReason::reason))
    }

    fn apply_deadline(
        &mut self,
        known: &[BotRow],
        stored: &impl Fn(BuildHash) -> Option<Arc<PlacedBuild>>,
    ) -> Option<String> {
        let name = self.source.name();
        let row = known.iter().find(|row| row.name == *name);
        let Some(entered) = row.and_then(|row| row.build) else {
            self.exclusion = Some(ExclusionReason::Late);
            return Some(format!("`{name}` entered after the deadline and does not play"));
        };
        if self.made.hash() == Some(entered) {
            return None;
        }
        match stored(entered) {
            Some(build) => {
                self.made = BuildState::Build(build);
                Some(format!("`{name}` was changed after the deadline; it plays as it was before"))
            }
            None => {
                self.exclusion = Some(ExclusionReason::Changed);
                Some(format!(
                    "`{name}` was changed after the deadline and its earlier build is gone; it \
                     does not play"
                ))
            }
        }
    }
}

/// Builds those of `participants` that `is_meant` picks, as many at once as there
/// are cores.
fn build_those(
    machine: &Machine,
    event: &Event,
    participants: &mut [Participant],
    is_meant: impl Fn(&Participant) -> bool,
    listener: &dyn Listener,
) {
    let meant: Vec<usize> =
        (0..participants.len()).filter(|index| is_meant(&participants[*index])).collect();
    let sources: Vec<_> = meant.iter().map(|index| participants[*index].source.clone()).collect();
    let built = machine.build(&sources, event, listener);
    for (index, built) in meant.into_iter().zip(built) {
        let known = participants[index].made.hash();
        participants[index].made = BuildState::of(built.map(BuildState::Build), known);
    }
}
