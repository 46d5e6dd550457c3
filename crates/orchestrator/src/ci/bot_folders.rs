//! Folders of the repository in which a change may put a new bot.
//!
//! Build tools and services find files by their names, so a new bot must lie beside others, or in a
//! new folder where the base has only files of the contest.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use joust_bots::discover::expand;
use joust_bots::is_document;
use joust_config::Tournament;

use super::base::ChangeBase;
use super::repository_path::{is_hidden, repository_path};

/// Folders for new bots, relative to the repository.
#[derive(Default)]
pub(super) struct BotFolders {
    /// Folders in which the base has bots, or looks for some.
    homes: BTreeSet<PathBuf>,
    /// Folders above these in which the base has nothing but the contest.
    of_contest: BTreeSet<PathBuf>,
}

impl BotFolders {
    /// Finds the folders of the base; none without a tournament there.
    pub(super) fn of(base: &ChangeBase) -> Self {
        let Some(tournament) = &base.tournament else { return Self::default() };
        let Some(folder) = repository_path(&tournament.folder, &base.exported.folder) else {
            return Self::default();
        };
        let homes = homes(tournament, &folder, base);
        let games = tournament.external.iter();
        let games = games.filter_map(|game| repository_path(&game.folder, &base.exported.folder));
        let mut contest: BTreeSet<PathBuf> = homes.iter().cloned().chain(games).collect();
        contest.extend(repository_path(&tournament.file, &base.exported.folder));
        let mut of_contest: BTreeSet<PathBuf> =
            homes.iter().flat_map(|home| home.ancestors().map(Path::to_owned)).collect();
        for file in &base.exported.files {
            let mut below = file.as_path();
            for above in file.ancestors().skip(1) {
                if of_contest.contains(above) && !is_of_contest(below, above, &contest, base) {
                    of_contest.remove(above);
                }
                below = above;
            }
        }
        Self { homes, of_contest }
    }

    /// Returns whether a new bot may lie at `place`.
    pub(super) fn admit(&self, place: &Path, base: &ChangeBase) -> bool {
        let above = || place.ancestors().skip(1);
        let nearest = above().find(|folder| base.has_files_at(folder)).unwrap_or(Path::new(""));
        let is_in_new_folder = above().next() != Some(nearest);
        self.homes.contains(nearest) || is_in_new_folder && self.of_contest.contains(nearest)
    }
}

/// Returns whether `path`, in the folder `above`, is a part of the contest, a parent folder of one,
/// or a file that no tool reads.
fn is_of_contest(
    path: &Path,
    above: &Path,
    contest: &BTreeSet<PathBuf>,
    base: &ChangeBase,
) -> bool {
    let is_hidden = path.components().next_back().is_some_and(is_hidden);
    let leads_to_contest =
        || contest.range(path.to_owned()..).next().is_some_and(|part| part.starts_with(path));
    is_hidden
        || contest.contains(above)
        || leads_to_contest()
        || is_document(&base.exported.folder.join(path))
}

fn homes(tournament: &Tournament, folder: &Path, base: &ChangeBase) -> BTreeSet<PathBuf> {
    let here = base.exported.folder.join(folder);
    let mut homes = BTreeSet::new();
    for pattern in tournament.events.iter().flat_map(|event| &event.bots) {
        let found = expand(&here, &pattern.text).unwrap_or_default();
        let places = found.iter().filter_map(|found| repository_path(found, &base.exported.folder));
        homes.extend(places.filter_map(|place| place.parent().map(Path::to_owned)));
        let Some((parent, _)) = pattern.text.trim_end_matches('/').rsplit_once('/') else {
            homes.insert(folder.to_owned());
            continue;
        };
        // `**` finds folders everywhere: only those with bots are for bots.
        if !parent.split('/').any(|part| part == "**") {
            let places = expand(&here, parent).unwrap_or_default().into_iter();
            let places = places.chain([here.join(parent)]);
            homes.extend(places.filter_map(|place| repository_path(&place, &base.exported.folder)));
        }
    }
    homes
}
