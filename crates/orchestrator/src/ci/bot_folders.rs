//! Folders of the repository in which a change may put a new bot.
//!
//! Build tools and services find files by their names, so a new bot must lie beside others, or in a
//! new folder where the base has only files of the contest. A folder with files of the base becomes
//! no new bot.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use joust_bots::discover::expand;
use joust_bots::is_document;
use joust_bots::name::fold;
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
    /// Files and folders of the base by the names that other file systems may give them.
    folded: BTreeMap<PathBuf, PathBuf>,
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
        Self { homes, of_contest, folded: folded_paths(&base.exported.files) }
    }

    /// Returns whether a file at `place` would replace one of the base where capitals do not count.
    pub(super) fn replaces(&self, place: &Path) -> bool {
        let is_other =
            |path: &Path| self.folded.get(&folded(path)).is_some_and(|known| known != path);
        place.ancestors().any(is_other)
    }

    /// Returns whether a new bot may lie at `place`.
    pub(super) fn admit(&self, place: &Path, base: &ChangeBase) -> bool {
        // Whoever made a folder without a manifest is its owner, although nothing names them.
        if base.has_files_at(place) {
            return false;
        }
        let above = || place.ancestors().skip(1);
        let nearest = above().find(|folder| base.has_files_at(folder)).unwrap_or(Path::new(""));
        let is_in_new_folder = above().next() != Some(nearest);
        if self.replaces(place) {
            return false;
        }
        self.homes.contains(nearest) || is_in_new_folder && self.of_contest.contains(nearest)
    }
}

/// Returns files and the folders above them by their folded paths.
fn folded_paths(files: &BTreeSet<PathBuf>) -> BTreeMap<PathBuf, PathBuf> {
    let mut all = BTreeSet::new();
    for file in files {
        // What lies above a known folder is known, too.
        all.extend(file.ancestors().take_while(|path| !all.contains(path)).collect::<Vec<_>>());
    }
    all.into_iter().map(|path| (folded(path), path.to_owned())).collect()
}

/// Returns a path as the file systems of other machines compare it: without regard to case and
/// composed characters, and without dots and blanks at the ends of names.
fn folded(path: &Path) -> PathBuf {
    let parts = path.iter().map(|part| fold(&part.to_string_lossy()));
    parts.map(|part| part.trim_end_matches(['.', ' ']).to_owned()).collect()
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

#[cfg(test)]
mod tests {
    use super::super::git::ExportedTree;
    use super::*;

    #[test]
    fn a_bot_replaces_no_file_where_capitals_do_not_count() {
        let files = ["bots/ada/main.py", "bots/\u{e9}va/main.py", "README.md"];
        let files: BTreeSet<PathBuf> = files.map(PathBuf::from).into();
        let folders = BotFolders {
            homes: [PathBuf::from("bots")].into(),
            of_contest: [PathBuf::new()].into(),
            folded: folded_paths(&files),
        };
        let mut base = ChangeBase::default();
        base.exported = ExportedTree { files, ..ExportedTree::default() };
        let admits = |place: &str| folders.admit(Path::new(place), &base);
        for place in ["bots/eve", "bots/adam", "bots/ada.py", "more/eve"] {
            assert!(admits(place), "{place}");
        }
        assert!(!admits("bots/ada"), "it has files of the base");
        for place in
            ["bots/Ada", "bots/ada.", "bots/ADA .", "bots/e\u{301}va", "BOTS/x", "readme.MD/eve"]
        {
            assert!(!admits(place), "{place}");
        }
    }
}
