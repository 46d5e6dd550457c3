//! Participants of an event: found, built, and admitted by the event's rules.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::plans::Player;
use super::workshop::{Built, Workshop};
use joust_bots::{BotSource, NotBuilt, PlacedBuild};
use joust_config::Event;
use joust_model::notices::{Listener, Notice};
use joust_model::{BotRow, BoutPlan, BuildHash, Reason};

/// Number of other people's bots from which on the examples step down.
const OTHERS_THAT_RETIRE_EXAMPLES: usize = 2;

/// A bot of the field.
pub struct Entrant {
    /// Source of the bot.
    pub source: BotSource,
    /// Build to run, or the reason why there is none.
    pub made: Made,
    /// Why it does not play although it was built.
    pub set_aside: Option<SetAside>,
}

/// Build state of a bot.
pub enum Made {
    /// Its build.
    Build(Arc<PlacedBuild>),
    /// The store knows it under this hash; it is built only for a bout.
    Known(BuildHash),
    /// Nothing, and why.
    Nothing(NotBuilt),
    /// Nothing yet: the machine is at fault. It keeps its place and its results; bouts
    /// that it sits in wait for a run on a machine that is in order.
    Waits {
        /// Build to run once it can be built, if that is known.
        build: Option<BuildHash>,
        /// Description of what the machine lacks.
        trouble: String,
    },
}

impl Made {
    /// Returns the hash of what is run.
    #[must_use]
    pub fn hash(&self) -> Option<BuildHash> {
        match self {
            Self::Build(build) => Some(build.hash),
            Self::Known(hash) => Some(*hash),
            Self::Waits { build, .. } => *build,
            Self::Nothing(_) => None,
        }
    }

    /// Makes it of what came of a build; `known` is the hash that it would have.
    fn of(built: Built, known: Option<BuildHash>) -> Self {
        match built {
            Ok(build) => Self::Build(build),
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

/// Why a bot that was built does not play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetAside {
    /// It is an example, and enough others have entered.
    #[error("an example, retired because two others have entered")]
    Retired,
    /// It entered after the deadline.
    #[error("entered after the deadline")]
    Late,
    /// It was changed after the deadline, and what was entered is gone.
    #[error("changed after the deadline; the earlier build is gone")]
    Changed,
    /// Its owner or the organiser took it out.
    #[error("taken out")]
    TakenOut,
    /// It cannot be run on this machine.
    #[error("{0}")]
    NotRun(Reason),
}

impl SetAside {
    /// Returns what its row says; a decision has a row of its own.
    fn reason(&self) -> Option<Reason> {
        match self {
            Self::TakenOut => None,
            Self::NotRun(reason) => Some(reason.clone()),
            other => Some(Reason::ours(other.to_string())),
        }
    }
}

/// An event's field of bots.
pub struct Field {
    /// In order of their names.
    pub entrants: Vec<Entrant>,
}

impl Field {
    /// Builds what is new or changed of `sources`; a bot that `known` has under
    /// the same hash is left to [`Field::build_for_bouts`]. Who of them plays is
    /// for [`Field::close_entries`] and [`Field::retire_examples`] to say, in
    /// this order.
    pub fn build(
        workshop: &Workshop,
        event: &Event,
        sources: Vec<BotSource>,
        known: &[BotRow],
        listener: &dyn Listener,
    ) -> Self {
        let mut field = Self::found(workshop, event, sources, known, listener);
        let is_new = |entrant: &Entrant| {
            let hash = entrant.made.hash();
            let same = |row: &&BotRow| {
                row.name == entrant.source.name() && row.build == hash && row.sits_out.is_none()
            };
            let waits = matches!(entrant.made, Made::Waits { .. });
            waits || hash.is_none() || !known.iter().any(|row| same(&row))
        };
        build_those(workshop, event, &mut field.entrants, is_new, listener);
        field
    }

    /// Adds bots whose files are being changed: each plays with the build it had. One that had
    /// none has not come yet.
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
                || Made::Waits {
                    build: Some(hash),
                    trouble: "its files are being changed, and its earlier build is gone"
                        .to_owned(),
                },
                Made::Build,
            );
            self.entrants.push(Entrant { source, made, set_aside: None });
        }
        self.sort();
    }

    /// Adds bots that could not be built before.
    pub fn leave_out(&mut self, failed: Vec<(BotSource, NotBuilt)>) {
        let entrant =
            |(source, reason)| Entrant { source, made: Made::Nothing(reason), set_aside: None };
        self.entrants.extend(failed.into_iter().map(entrant));
        self.sort();
    }

    fn sort(&mut self) {
        self.entrants.sort_by(|one, other| one.source.name().cmp(other.source.name()));
    }

    /// Takes `sources` for what they would be built to; nothing is built.
    pub fn found(
        workshop: &Workshop,
        event: &Event,
        sources: Vec<BotSource>,
        known: &[BotRow],
        listener: &dyn Listener,
    ) -> Self {
        workshop.provide(&sources, event, listener);
        let keys = workshop.keys(&sources, event);
        let entrant = |(source, key): (BotSource, _)| {
            let before = known.iter().find(|row| row.name == source.name());
            let made = match key {
                Ok(hash) => Made::Known(hash),
                Err(NotBuilt::Infrastructure(trouble)) => {
                    Made::Waits { build: before.and_then(|row| row.build), trouble }
                }
                Err(reason) => Made::Nothing(reason),
            };
            Entrant { source, made, set_aside: None }
        };
        Self { entrants: sources.into_iter().zip(keys).map(entrant).collect() }
    }

    /// Builds the bots that sit in bouts to be played and were left out so far.
    pub fn build_for_bouts(
        &mut self,
        workshop: &Workshop,
        event: &Event,
        bouts: impl Iterator<Item = BoutPlan>,
        listener: &dyn Listener,
    ) {
        let mut waiting: HashSet<String> = self
            .entrants
            .iter()
            .filter(|entrant| matches!(entrant.made, Made::Known(_)))
            .map(|entrant| entrant.source.name().to_owned())
            .collect();
        let mut wanted = HashSet::new();
        for plan in bouts {
            if waiting.is_empty() {
                break;
            }
            wanted.extend(plan.seats.iter().filter_map(|seat| waiting.take(&seat.bot)));
        }
        let is_wanted = |entrant: &Entrant| wanted.contains(entrant.source.name());
        build_those(workshop, event, &mut self.entrants, is_wanted, listener);
    }

    /// Returns the bots that play, in order of their names.
    #[must_use]
    pub fn players(&self) -> Vec<Player> {
        let all = self.entrants.iter().zip(self.listing());
        all.filter(|(entrant, _)| entrant.set_aside.is_none())
            .filter_map(|(entrant, listed)| {
                let build = entrant.made.hash()?;
                Some(Player { name: entrant.source.name().to_owned(), build, listed })
            })
            .collect()
    }

    /// Returns each entrant's place in the order of `bots:`; those of one pattern are
    /// in the order of their names.
    fn listing(&self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.entrants.len()).collect();
        order.sort_by_key(|index| self.entrants[*index].source.pattern);
        let mut places = vec![0; order.len()];
        for (index, place) in order.into_iter().zip(0..) {
            places[index] = place;
        }
        places
    }

    /// Returns every build that was made or found.
    pub fn builds(&self) -> impl Iterator<Item = &Arc<PlacedBuild>> {
        self.entrants.iter().filter_map(|entrant| match &entrant.made {
            Made::Build(build) => Some(build),
            _ => None,
        })
    }

    /// Returns the bots that could not be built, with the reason.
    pub fn not_built(&self) -> impl Iterator<Item = (&str, &NotBuilt)> {
        self.entrants.iter().filter_map(|entrant| {
            let reason = entrant.made.reason()?;
            Some((entrant.source.name(), reason))
        })
    }

    /// Returns the bots that wait for a machine that is in order, with what it lacks.
    pub fn waiting(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entrants.iter().filter_map(|entrant| match &entrant.made {
            Made::Waits { trouble, .. } => Some((entrant.source.name(), trouble.as_str())),
            _ => None,
        })
    }

    /// Returns the language of each bot.
    #[must_use]
    pub fn languages(&self) -> HashMap<&str, &str> {
        let sources = self.entrants.iter().map(|entrant| &entrant.source);
        sources.map(|source| (source.name(), source.manifest.language.as_str())).collect()
    }

    /// Returns whether every bot of a bout can play it now.
    #[must_use]
    pub fn can_play(&self, plan: &BoutPlan) -> bool {
        let waits = |bot: &str| self.waiting().any(|(name, _)| name == bot);
        !plan.seats.iter().any(|seat| waits(&seat.bot))
    }

    /// Lets the bots of a language wait.
    pub fn let_wait(&mut self, language: &str, trouble: &str) {
        for entrant in &mut self.entrants {
            if let Made::Build(build) = &entrant.made
                && build.language == language
            {
                let build = Some(build.hash);
                entrant.made = Made::Waits { build, trouble: trouble.to_owned() };
            }
        }
    }

    /// Returns the field as the store keeps it. `known` are the bots the store
    /// has already.
    #[must_use]
    pub fn rows(&self, known: &[BotRow]) -> Vec<BotRow> {
        let row = |(entrant, registration): (&Entrant, u32)| {
            let before = known.iter().find(|row| row.name == entrant.source.name());
            match entrant.made {
                // Nothing is known of it but what was.
                Made::Waits { build: None, .. } => {
                    before.map(|row| BotRow { registration, ..row.clone() })
                }
                _ => Some(entrant.row(registration, before)),
            }
        };
        self.entrants.iter().zip(self.listing()).filter_map(row).collect()
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
            listener.notice(&Notice::Warning(text.to_owned()));
            return;
        }
        for entrant in &mut self.entrants {
            let Some(text) = entrant.apply_deadline(known, &stored) else { continue };
            listener.notice(&Notice::Warning(text));
        }
    }

    /// Sets aside, among those who would play, whoever `why` knows not to run on this
    /// machine.
    ///
    /// # Errors
    ///
    /// What `why` fails with.
    pub fn set_aside_those_who_cannot_run<E>(
        &mut self,
        why: impl Fn(&PlacedBuild) -> Result<Option<Reason>, E>,
        listener: &dyn Listener,
    ) -> Result<(), E> {
        for entrant in self.entrants.iter_mut().filter(|entrant| entrant.set_aside.is_none()) {
            let Made::Build(build) = &entrant.made else { continue };
            let Some(reason) = why(build)? else { continue };
            let text = format!("not run: `{}`: {reason}", entrant.source.name());
            listener.notice(&Notice::Warning(text));
            entrant.set_aside = Some(SetAside::NotRun(reason));
        }
        Ok(())
    }

    /// Leaves bots that were withdrawn or disqualified out of the schedule.
    pub fn take_out(&mut self, is_out: impl Fn(&str) -> bool) {
        for entrant in self.entrants.iter_mut().filter(|one| is_out(one.source.name())) {
            entrant.set_aside.get_or_insert(SetAside::TakenOut);
        }
    }

    /// Applies `examples: retire`: they play only until two others have entered.
    pub fn retire_examples(&mut self, listener: &dyn Listener) {
        let others = self.entrants.iter().filter(|entrant| {
            !entrant.source.manifest.example
                && entrant.made.hash().is_some()
                && entrant.set_aside.is_none()
        });
        if others.count() < OTHERS_THAT_RETIRE_EXAMPLES {
            return;
        }
        for entrant in self.entrants.iter_mut().filter(|entrant| entrant.source.manifest.example) {
            entrant.set_aside = Some(SetAside::Retired);
            let text = format!("`{}` is an example and retires", entrant.source.name());
            listener.notice(&Notice::Warning(text));
        }
    }
}

impl Entrant {
    fn row(&self, registration: u32, before: Option<&BotRow>) -> BotRow {
        // What came after the deadline must not count as entered in the next run.
        let build = match self.set_aside {
            Some(SetAside::Late | SetAside::Changed) => before.and_then(|row| row.build),
            Some(SetAside::Retired | SetAside::TakenOut | SetAside::NotRun(_)) | None => {
                self.made.hash()
            }
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
        not_built.or_else(|| self.set_aside.as_ref().and_then(SetAside::reason))
    }

    fn apply_deadline(
        &mut self,
        known: &[BotRow],
        stored: &impl Fn(BuildHash) -> Option<Arc<PlacedBuild>>,
    ) -> Option<String> {
        let name = self.source.name();
        let row = known.iter().find(|row| row.name == *name);
        let Some(entered) = row.and_then(|row| row.build) else {
            self.set_aside = Some(SetAside::Late);
            return Some(format!("`{name}` entered after the deadline and does not play"));
        };
        if self.made.hash() == Some(entered) {
            return None;
        }
        match stored(entered) {
            Some(build) => {
                self.made = Made::Build(build);
                Some(format!("`{name}` was changed after the deadline; it plays as it was before"))
            }
            None => {
                self.set_aside = Some(SetAside::Changed);
                Some(format!(
                    "`{name}` was changed after the deadline and its earlier build is gone; it \
                     does not play"
                ))
            }
        }
    }
}

/// Builds those of `entrants` that `is_meant` picks, as many at once as there
/// are cores.
fn build_those(
    workshop: &Workshop,
    event: &Event,
    entrants: &mut [Entrant],
    is_meant: impl Fn(&Entrant) -> bool,
    listener: &dyn Listener,
) {
    let meant: Vec<usize> =
        (0..entrants.len()).filter(|index| is_meant(&entrants[*index])).collect();
    let sources: Vec<_> = meant.iter().map(|index| entrants[*index].source.clone()).collect();
    let built = workshop.build(&sources, event, listener);
    for (index, built) in meant.into_iter().zip(built) {
        let known = entrants[index].made.hash();
        entrants[index].made = Made::of(built, known);
    }
}
