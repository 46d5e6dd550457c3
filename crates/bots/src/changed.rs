//! Changed bots: which are not what they were.

use std::collections::BTreeMap;

use super::{BotSource, Languages, Problem, SourceHash};

/// Change of a bot since its hash was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// There was none of this name.
    New,
    /// Its source is another.
    Changed,
    /// Its source is the same.
    Same,
}

/// Compares every bot's source with the hash stored under its name, and
/// returns what changed and the hash now, in the order of `bots`.
///
/// # Errors
///
/// Every source that cannot be read.
pub fn changed<'a>(
    bots: &'a [BotSource],
    languages: &Languages,
    stored: &BTreeMap<String, SourceHash>,
) -> Result<Vec<(&'a BotSource, Change, SourceHash)>, Vec<Problem>> {
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    for bot in bots {
        match bot.tree(languages) {
            Ok(tree) => {
                let hash = tree.hash();
                all.push((bot, change(stored.get(bot.name()), hash), hash));
            }
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(all) } else { Err(problems) }
}

fn change(stored: Option<&SourceHash>, now: SourceHash) -> Change {
    match stored {
        None => Change::New,
        Some(before) if *before == now => Change::Same,
        Some(_) => Change::Changed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Manifest;

    #[test]
    fn new_changed_and_same_bots_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let bot = |name: &str| {
            let path = folder.path().join(format!("{name}.py"));
            std::fs::write(&path, name).unwrap();
            let manifest = Manifest { name: name.to_owned(), ..Manifest::default() };
            BotSource {
                manifest,
                found: path.clone(),
                source: path,
                pattern: 0,
                unreadable: Vec::new(),
            }
        };
        let (bots, languages) = ([bot("a"), bot("b"), bot("c")], Languages::shipped());
        let same = bots[1].tree(&languages).unwrap().hash();
        let other = SourceHash::of("x", &[]);
        let stored = BTreeMap::from([("b".to_owned(), same), ("c".to_owned(), other)]);
        let changes = changed(&bots, &languages, &stored).unwrap();
        let changes: Vec<&Change> = changes.iter().map(|(_, change, _)| change).collect();
        assert_eq!(changes, [&Change::New, &Change::Same, &Change::Changed]);
    }
}
