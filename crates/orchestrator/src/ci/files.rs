//! Files of a change: each is a bot's, or one of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use joust_bots::BotSource;
use joust_config::ExternalGame;

use super::analysis::{ChangeAnalysis, EventChanges, top};
use super::base::ChangeBase;
use super::bot_folders::BotFolders;
use super::change::MANIFESTS;
use super::report::BotFiles;
use super::repository_path::{can_hold_bots, names_owners, real_path, repository_path};
use super::request::{CheckRequest, CiError, insist_on_running};
use super::settings::EffectiveSettings;

/// Place of a bot's files, relative to the repository.
struct BotLocation {
    bot: String,
    path: PathBuf,
    /// True if the base has the bot there, and not only a file that it imports: a change brings
    /// files of its own, and existing files do not become its own.
    was_there: bool,
}

/// Places of bots' files by their paths: a change may bring thousands of files and bots.
#[derive(Default)]
struct BotLocations(BTreeMap<PathBuf, Vec<BotLocation>>);

impl BotLocations {
    fn add(&mut self, place: BotLocation) {
        self.0.entry(place.path.clone()).or_default().push(place);
    }

    fn all(&self) -> impl Iterator<Item = &BotLocation> {
        self.0.values().flatten().filter(|place| can_hold_bots(&place.path))
    }

    /// Returns the bots whose file `path` is.
    fn owners_of(&self, path: &Path, base: &ChangeBase) -> BTreeSet<&str> {
        let places = path.ancestors().filter_map(|above| self.0.get(above)).flatten();
        let places = places.filter(|place| can_hold_bots(&place.path));
        let own = places.filter(|place| place.was_there || !base.exported.files.contains(path));
        own.map(|place| place.bot.as_str()).collect()
    }

    /// Returns whether a bot has its files at `folder` or beneath it.
    fn has_any_in(&self, folder: &Path) -> bool {
        let next = self.0.range(folder.to_owned()..).next();
        next.is_some_and(|(path, _)| path.starts_with(folder))
    }
}

/// Sorts the files of a change: those of each bot, and those that belong to none.
pub(super) fn changed_files(
    survey: &ChangeAnalysis<'_>,
    base: &ChangeBase,
    in_force: &EffectiveSettings,
    request: &CheckRequest,
    of_games: &BTreeSet<PathBuf>,
) -> Result<(Vec<BotFiles>, Vec<PathBuf>), CiError> {
    let places = places(survey, base, request)?;
    let known = places.all().filter(|place| place.was_there);
    let known: BTreeSet<&str> = known.map(|place| place.bot.as_str()).collect();
    let mut of_bots: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    let mut others = Vec::new();
    for path in &base.exported.touched {
        insist_on_running(&base.cancel)?;
        let is_no_bots = of_games.contains(path)
            || names_owners(path)
            // Nobody can fetch one that `.gitmodules` does not name.
            || base.exported.new_submodules.contains(path);
        let mut owners = if is_no_bots { BTreeSet::new() } else { places.owners_of(path, base) };
        if in_force.part_of_bots.as_ref() == Some(path) {
            let bots = places.all().map(|place| place.bot.as_str());
            owners.extend(bots.filter(|bot| !known.contains(bot)));
        }
        if owners.is_empty() {
            others.push(path.clone());
        }
        for bot in owners {
            of_bots.entry(bot).or_default().push(path.clone());
        }
    }
    let of_bots = of_bots.into_iter().map(|(bot, files)| BotFiles { bot: bot.to_owned(), files });
    Ok((of_bots.collect(), others))
}

fn places(
    survey: &ChangeAnalysis<'_>,
    base: &ChangeBase,
    request: &CheckRequest,
) -> Result<BotLocations, CiError> {
    let settings = repository_path(&request.file, &top(base));
    let folders = BotFolders::of(base);
    let mut places = BotLocations::default();
    for event in &survey.events {
        add_places_of(event, base, &folders, &mut places)?;
    }
    for problem in &survey.problems {
        insist_on_running(&base.cancel)?;
        let file = repository_path(&problem.file, &top(base));
        let Some(file) = file.filter(|file| Some(file) != settings.as_ref()) else { continue };
        // With a manifest that cannot be read come the files beside it, unless other bots are
        // beside it.
        let folder = file.parent().filter(|_| MANIFESTS.iter().any(|name| file.ends_with(name)));
        let folder = folder.filter(|folder| !places.has_any_in(folder)).map(Path::to_owned);
        if !folders.admit(folder.as_ref().unwrap_or(&file), base) {
            continue;
        }
        let called = folder.as_ref().unwrap_or(&file).file_name().unwrap_or_default();
        let bot = called.to_string_lossy().into_owned();
        for path in folder.into_iter().chain([file]) {
            places.add(BotLocation { bot: bot.clone(), path, was_there: false });
        }
    }
    Ok(places)
}

/// Adds the places of an event's bots, before and now.
fn add_places_of(
    event: &EventChanges<'_>,
    base: &ChangeBase,
    folders: &BotFolders,
    places: &mut BotLocations,
) -> Result<(), CiError> {
    let mut known = BTreeSet::new();
    for bot in &event.base {
        let Some(path) = bot.path.clone() else { continue };
        known.insert(path.clone());
        places.add(BotLocation { bot: bot.name.clone(), path, was_there: true });
    }
    for source in event.head.iter().map(|bot| &bot.source).chain(&event.unreadable) {
        insist_on_running(&base.cancel)?;
        let Some(found) = repository_path(&source.found, &top(base)) else { continue };
        if !known.contains(&found) && !folders.admit(&found, base) {
            continue;
        }
        let imported = imported_files(source, &found, base, folders);
        for path in [found].into_iter().chain(imported) {
            places.add(BotLocation { bot: source.name().to_owned(), path, was_there: false });
        }
    }
    Ok(())
}

/// Returns the files and folders beneath its own folder that a bot which is a file imports and that
/// the base lacks. One that the base has may be the organiser's, or serve several bots: nothing
/// names its owner. Beside packages an import reaches further, up to the whole repository.
fn imported_files(
    source: &BotSource,
    found: &Path,
    base: &ChangeBase,
    folders: &BotFolders,
) -> Vec<PathBuf> {
    let home = found.parent().unwrap_or(Path::new(""));
    let imported = source.companions().into_iter();
    let imported = imported.filter_map(|file| repository_path(&file, &top(base)));
    let is_new = |file: &PathBuf| !base.has_files_at(file) && !folders.replaces(file);
    imported.filter(|file| file.starts_with(home) && is_new(file)).collect()
}

/// Returns the files that define the rules of the tournament's own games, before and now. They
/// belong to no bot, whatever a path of bots contains.
pub(super) fn game_files(
    base: &ChangeBase,
    in_force: &EffectiveSettings,
    request: &CheckRequest,
) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut add = |games: &[ExternalGame], top: &Path| {
        for game in games {
            let folders = [repository_path(&game.folder, top), real_path(&game.folder, top)];
            for folder in folders.into_iter().flatten() {
                files.extend(game.files.iter().map(|file| folder.join(file)));
            }
        }
    };
    add(&in_force.tournament.external, &base.exported.folder);
    // What cannot be read now decides nothing.
    if let Ok(now) = joust_config::load(&request.file, &request.games) {
        add(&now.external, &top(base));
    }
    files
}
