//! Fitness of a machine for a stage: all differences from the coordinator's machine.

use std::collections::{BTreeMap, BTreeSet};

use joust_cluster::{RequiredBuild, RequiredReferee, Stage, Work, has_plausible_times};
use joust_config::{Event, Tournament};
use joust_model::{BuildHash, escaped};
use joust_referee::Catalogue;
use joust_sandbox::memory_room;

use crate::machine::{Machine, default_tournament, recorded_tier};
use crate::workers::VERSION;

/// The most runs that a coordinator has a language measured by.
const MOST_RUNS: u32 = 1000;

/// Obstacles that keep a machine from playing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MachineDifferences {
    /// From playing anything.
    pub(crate) of_machine: Vec<String>,
    /// From playing bots of a language.
    pub(crate) of_languages: BTreeMap<String, String>,
}

impl MachineDifferences {
    /// Returns whether nothing can be played.
    pub(crate) fn keep_from_all(&self, work: &Work) -> bool {
        let can_play = |language: &str| !self.of_languages.contains_key(language);
        let is_any_left = work.builds.iter().any(|one| can_play(&one.language));
        !self.of_machine.is_empty() || !is_any_left && !work.builds.is_empty()
    }

    /// Returns all of them.
    pub(crate) fn all(&self) -> Vec<String> {
        self.of_machine.iter().chain(self.of_languages.values()).cloned().collect()
    }
}

/// Returns the differences in version and game, which are seen without looking at the machine.
pub(crate) fn of_version(stage: &Stage, games: &Catalogue) -> Vec<String> {
    let mut found = Vec::new();
    let work = &stage.work;
    if stage.version != VERSION {
        found.push(format!("Joust {} is needed, {VERSION} is here", escaped(&stage.version)));
    }
    match games.find(&work.game).map(|game| game.spec().revision) {
        None => found.push(format!("game `{}` is not in this version", escaped(&work.game))),
        Some(here) if here != work.revision => found.push(format!(
            "{}: rules revision {} is needed, {here} is here",
            work.game, work.revision
        )),
        Some(_) => {}
    }
    if !has_plausible_times(&work.limits) {
        found.push("its limits last for more than a month".to_owned());
    }
    found
}

/// Returns the differences of the sandbox and of the languages.
pub(crate) fn of_machine(
    work: &Work,
    machine: &Machine,
    table: &BTreeMap<String, BuildHash>,
    languages: Option<&BTreeSet<String>>,
) -> MachineDifferences {
    let mut found = MachineDifferences::default();
    let defined_otherwise = |language: &str| {
        let is_alike = work.own_languages.get(language) == table.get(language);
        (!is_alike).then(|| {
            escaped(&format!(
                "{language}: the tournament defines it in another way than this worker, which uses \
                 its own languages table alone; `--languages-file` gives it one"
            ))
        })
    };
    let other_version = |language: &str, toolchain: &str| {
        let others = machine.toolchains.check_version(language, toolchain).err()?;
        let here = if others.is_empty() { "none".to_owned() } else { others.join(" and ") };
        Some(format!("{language}: {toolchain} is needed, {here} is here"))
    };
    let here = recorded_tier(&machine.host);
    if here != work.tier {
        found.of_machine.push(format!("tier {} is needed, tier {here} is here", work.tier));
    }
    if let Some(RequiredReferee { build: RequiredBuild { language, toolchain, .. }, .. }) =
        &work.referee
    {
        found.of_machine.extend(defined_otherwise(language));
        let other = other_version(language, toolchain).filter(|_| !toolchain.is_empty());
        let other = other.map(|text| escaped(&format!("its referee is run by {text}")));
        found.of_machine.extend(other);
    }
    for needed in &work.builds {
        if let Some(why) = defined_otherwise(&needed.language) {
            found.of_languages.insert(needed.language.clone(), why);
        }
    }
    for (language, version) in versions(work) {
        let text = match () {
            () if languages.is_some_and(|own| !own.contains(language)) => {
                Some(format!("{language}: `--language` leaves it out"))
            }
            () if found.of_languages.contains_key(language) => None,
            () => other_version(language, version),
        };
        let text = text.map(|text| (language.to_owned(), escaped(&text)));
        found.of_languages.extend(text);
    }
    found
}

/// Returns each language with its tools' versions; programs without tools report none.
fn versions(work: &Work) -> BTreeSet<(&str, &str)> {
    let with_tools = work.builds.iter().filter(|one| !one.toolchain.is_empty());
    with_tools.map(|one| (one.language.as_str(), one.toolchain.as_str())).collect()
}

/// Returns how many of `jobs` bouts at once fit into this machine's memory.
///
/// # Errors
///
/// The memory is not enough for one.
pub(crate) fn bouts_in_memory(work: &Work, jobs: usize) -> Result<usize, String> {
    let Some(room) = memory_room() else { return Ok(jobs) };
    in_room(u64::from(work.seats).saturating_mul(work.limits.memory.0), room.bytes.0, jobs)
}

fn in_room(bout: u64, there: u64, jobs: usize) -> Result<usize, String> {
    let most = usize::try_from(there / bout.max(1)).unwrap_or(usize::MAX);
    if most > 0 {
        return Ok(jobs.min(most));
    }
    let (bout, there) = (bout >> 20, there >> 20);
    Err(format!("a bout may use {bout} MiB of memory, {there} MiB are here"))
}

/// Returns the tournament that has this event alone, with its bots elsewhere and the languages of
/// `own`, this worker's; and the event.
///
/// # Errors
///
/// The part of the message that cannot be read.
pub(crate) fn tournament(
    work: &Work,
    own: &Tournament,
    games: &Catalogue,
) -> Result<(Tournament, Event), String> {
    let game = games.find(&work.game).ok_or("its game is not here")?;
    let mut tournament = default_tournament::tournament(&own.folder, games);
    tournament.languages.clone_from(&own.languages);
    let mut event: Event = default_tournament::event(&tournament, game);
    event.id.clone_from(&work.event);
    event.rules.clone_from(&work.rules);
    event.options = work.options.clone();
    event.limits = work.limits.clone();
    event.players_per_match = work.seats;
    event.calibration_runs = work.calibration_runs.min(MOST_RUNS);
    tournament.events = vec![event.clone()];
    Ok((tournament, event))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use joust_model::Limits;

    use super::*;

    #[test]
    fn limits_that_no_clock_measures_are_implausible_and_overflow_nothing() {
        let limits = Limits { turn: Duration::MAX, ..Limits::default() };
        assert!(has_plausible_times(&Limits::default()) && !has_plausible_times(&limits));
        assert!(in_room(u64::from(u8::MAX).saturating_mul(u64::MAX), 1 << 40, 4).is_err());
    }

    #[test]
    fn a_machine_plays_as_many_bouts_as_its_memory_holds_and_is_refused_for_none() {
        assert_eq!(in_room(1 << 30, 8 << 30, 4), Ok(4));
        assert_eq!(in_room(1 << 30, 3 << 30, 4), Ok(3));
        let text = "a bout may use 1024 MiB of memory, 512 MiB are here".to_owned();
        assert_eq!(in_room(1 << 30, 512 << 20, 4), Err(text));
    }
}
