//! Names and owners of the bots of an event: unique names, and clashes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use joust_config::Pattern;

use super::{BotSearch, BotSource};
use crate::name;
use crate::problem::BotProblem;

/// Names that are taken. A pull request may bring thousands of bots with one name, so a name is
/// looked up and never compared with all others.
pub(super) struct TakenNames {
    /// The forms in which names look alike.
    forms: HashSet<String>,
    /// The last number that was added to names that look alike with a number.
    numbers: HashMap<[String; 2], u32>,
}

impl TakenNames {
    pub(super) fn of(bots: &[BotSource]) -> Self {
        let forms = bots.iter().flat_map(|bot| name::lookalike_forms(bot.name()));
        Self { forms: forms.collect(), numbers: HashMap::new() }
    }

    /// Takes a name that looks like no other one for a bot that is not built: its own, with its
    /// `place`, or with a number.
    pub(super) fn take_unique(&mut self, name: &str, place: Option<&str>) -> String {
        let placed = place.map(|place| name::with_addition(name, place));
        let mut names = [name.to_owned()].into_iter().chain(placed);
        let free = names.find(|name| self.is_free(name));
        let free = free.unwrap_or_else(|| self.with_number(name));
        self.forms.extend(name::lookalike_forms(&free));
        free
    }

    fn is_free(&self, name: &str) -> bool {
        !name::lookalike_forms(name).iter().any(|form| self.forms.contains(form))
    }

    fn with_number(&mut self, name: &str) -> String {
        let family = name::lookalike_forms(&name::with_addition(name, "0"));
        let mut number = self.numbers.get(&family).copied().unwrap_or(1);
        loop {
            number += 1;
            let free = name::with_addition(name, &number.to_string());
            if self.is_free(&free) {
                self.numbers.insert(family, number);
                return free;
            }
        }
    }
}

/// Adds a distinct part of each bot's folder to equal nicknames of `bot.json`. The addition does
/// not depend on the other bots, so that a newcomer changes no addition.
pub(super) fn add_name_suffixes(
    bots: &mut [BotSource],
    addition: impl Fn(&BotSource) -> Option<String>,
) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for bot in &*bots {
        *counts.entry(name::fold(bot.name())).or_default() += 1;
    }
    for bot in bots.iter_mut().filter(|bot| bot.manifest.project.is_some()) {
        if counts[&name::fold(bot.name())] > 1
            && let Some(addition) = addition(bot)
        {
            bot.manifest.name = name::with_addition(bot.name(), &addition);
        }
    }
}

/// Number of parts of a path that distinguish bots whose patterns have no wildcard: the folder, and
/// its parent.
const FIXED_PARTS: usize = 2;

/// Returns the part of a bot's path that the wildcards of its pattern match, or the path's end for
/// a pattern without one. `None` for a bot that the tournament names.
pub(super) fn addition(search: &BotSearch<'_>, path: &Path, glob: &Pattern) -> Option<String> {
    if glob.name.is_some() {
        return None;
    }
    let relative = path.strip_prefix(search.folder).unwrap_or(path);
    let parts = relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = parts.filter(|part| part != "/" && part != ".").collect();
    let mut fixed = glob.text.split('/').filter(|part| !part.is_empty() && *part != ".");
    let open = fixed.position(|part| part.contains(['*', '?', '[', '{']));
    let open = open.unwrap_or_else(|| parts.len().saturating_sub(FIXED_PARTS));
    let text = parts.get(open..).unwrap_or(&parts).join(" ");
    name::nickname(&text).ok()
}

/// Returns the bots whose names are taken; by which, a message says with its path in `folder`.
pub(super) fn name_clashes(bots: &[BotSource], folder: &Path) -> Vec<BotProblem> {
    // The bot whose folder has that name keeps it.
    let is_called_so = |bot: &BotSource| {
        let stem = if bot.found.is_dir() { bot.found.file_name() } else { bot.found.file_stem() };
        let stem = stem.map(|stem| name::fold(&stem.to_string_lossy()));
        stem == Some(name::fold(bot.name()))
    };
    let (mut bots, others): (Vec<_>, Vec<_>) = bots.iter().partition(|bot| is_called_so(bot));
    bots.extend(others);
    let keys = |bot: &BotSource| name::lookalike_forms(bot.name()).to_vec();
    find_clashes(bots, keys)
        .map(|(first, second)| {
            let taken_by = first.found.strip_prefix(folder).unwrap_or(&first.found).display();
            let message = format!("the name `{}` is taken by `{taken_by}`", second.name());
            let problem = BotProblem::new(&second.found, message);
            problem.hint(match (first.name(), second.name()) {
                (taken, name) if taken == name => "give it another name".to_owned(),
                (taken, name) if name::fold(taken) == name::fold(name) => {
                    format!("that one is called `{taken}`: case does not count")
                }
                (taken, _) => format!("that one is called `{taken}`: the two look alike"),
            })
        })
        .collect()
}

pub(super) fn owner_clashes(bots: &[BotSource]) -> Vec<BotProblem> {
    let keys = |bot: &BotSource| bot.manifest.owner.iter().map(|owner| name::fold(owner)).collect();
    find_clashes(bots, keys)
        .map(|(first, second)| {
            let owner = second.manifest.owner.as_deref().unwrap_or_default();
            let message = format!("`{owner}` has entered `{}` already", first.name());
            BotProblem::new(&second.found, message).hint("the event allows one bot per owner")
        })
        .collect()
}

/// Returns each bot that shares a key with an earlier one, with that one.
fn find_clashes<'a>(
    bots: impl IntoIterator<Item = &'a BotSource>,
    keys: impl Fn(&BotSource) -> Vec<String>,
) -> impl Iterator<Item = (&'a BotSource, &'a BotSource)> {
    let mut seen: BTreeMap<String, &BotSource> = BTreeMap::new();
    bots.into_iter().filter_map(move |bot| {
        let keys = keys(bot);
        let first = keys.iter().find_map(|key| seen.get(key).copied());
        for key in keys {
            seen.entry(key).or_insert(bot);
        }
        Some((first?, bot))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_bots_with_one_name_get_names_of_their_own() {
        let mut taken = TakenNames::of(&[]);
        let names: Vec<String> = (0..5000)
            .map(|number| if number % 2 == 0 { "same" } else { "SAME" })
            .map(|name| taken.take_unique(name, Some("place")))
            .collect();
        assert_eq!(names[..4], ["same", "SAME (place)", "same (2)", "SAME (3)"]);
        assert_eq!(names.iter().map(|name| name::fold(name)).collect::<HashSet<_>>().len(), 5000);
    }
}
