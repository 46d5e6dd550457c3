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
use super::request::CheckRequest;
use super::settings::EffectiveSettings;

/// Files of a change, sorted: every one is in exactly one of the two lists.
pub(super) struct ChangedFiles {
    pub(super) of_bots: Vec<BotFiles>,
    pub(super) others: Vec<PathBuf>,
}

/// Place of a bot's files, relative to the repository.
struct BotLocation {
    bot: String,
    path: PathBuf,
    /// True if the base has the bot there: a new one brings its files, and existing files do not
    /// become its own.
    was_there: bool,
}

impl BotLocation {
    fn holds(&self, path: &Path, base: &ChangeBase) -> bool {
        path.starts_with(&self.path) && (self.was_there || !base.has_file(path))
    }
}

/// Sorts the files of a change by the bots they belong to.
pub(super) fn changed_files(
    survey: &ChangeAnalysis<'_>,
    base: &ChangeBase,
    in_force: &EffectiveSettings,
    request: &CheckRequest,
    of_games: &BTreeSet<PathBuf>,
) -> ChangedFiles {
    let places = places(survey, base, request);
    let known: BTreeSet<&str> =
        places.iter().filter(|place| place.was_there).map(|place| place.bot.as_str()).collect();
    let mut of_bots: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    let mut others = Vec::new();
    for path in &base.exported.touched {
        let mut owners: BTreeSet<&str> = BTreeSet::new();
        let is_no_bots = of_games.contains(path)
            || names_owners(path)
            // Nobody can fetch one that `.gitmodules` does not name.
            || base.exported.new_submodules.contains(path);
        if !is_no_bots {
            let holding = places.iter().filter(|place| place.holds(path, base));
            owners.extend(holding.map(|place| place.bot.as_str()));
        }
        if in_force.part_of_bots.as_ref() == Some(path) {
            let bots = places.iter().map(|place| place.bot.as_str());
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
    ChangedFiles { of_bots: of_bots.collect(), others }
}

fn places(
    survey: &ChangeAnalysis<'_>,
    base: &ChangeBase,
    request: &CheckRequest,
) -> Vec<BotLocation> {
    let settings = repository_path(&request.file, &top(base));
    let folders = BotFolders::of(base);
    let events = survey.events.iter();
    let mut places: Vec<BotLocation> =
        events.flat_map(|event| event_places(event, base, &folders)).collect();
    for problem in &survey.problems {
        let file = repository_path(&problem.file, &top(base));
        let Some(file) = file.filter(|file| Some(file) != settings.as_ref()) else { continue };
        // With a manifest that cannot be read come the files beside it, unless other bots are
        // beside it.
        let folder = file.parent().filter(|_| MANIFESTS.iter().any(|name| file.ends_with(name)));
        let folder = folder.filter(|folder| !places.iter().any(|one| one.path.starts_with(folder)));
        let folder = folder.map(Path::to_owned);
        if !folders.admit(folder.as_ref().unwrap_or(&file), base) {
            continue;
        }
        let called = folder.as_ref().unwrap_or(&file).file_name().unwrap_or_default();
        let bot = called.to_string_lossy().into_owned();
        places.extend(folder.into_iter().chain([file]).map(|path| BotLocation {
            bot: bot.clone(),
            path,
            was_there: false,
        }));
    }
    places.retain(|place| can_hold_bots(&place.path));
    places
}

fn event_places(
    event: &EventChanges<'_>,
    base: &ChangeBase,
    folders: &BotFolders,
) -> Vec<BotLocation> {
    let mut places = Vec::new();
    for bot in &event.base {
        let paths = match &bot.source {
            Some(source) => paths_of(source, &base.exported.folder),
            None => bot.path.iter().cloned().collect(),
        };
        places.extend(paths.into_iter().map(|path| BotLocation {
            bot: bot.name.clone(),
            path,
            was_there: true,
        }));
    }
    let now = event.head.iter().map(|bot| &bot.source).chain(&event.unreadable);
    for source in now {
        let paths = paths_of(source, &top(base));
        if paths.first().is_none_or(|found| !folders.admit(found, base)) {
            continue;
        }
        places.extend(paths.into_iter().map(|path| BotLocation {
            bot: source.name().to_owned(),
            path,
            was_there: false,
        }));
    }
    places
}

/// Returns the paths of a bot's files: a folder, or a file and the files that it imports from its folder.
/// Beside packages an import reaches further, up to the whole repository, which no bot owns.
fn paths_of(source: &BotSource, top: &Path) -> Vec<PathBuf> {
    let Some(found) = repository_path(&source.found, top) else { return Vec::new() };
    let home = found.parent().unwrap_or(Path::new("")).to_owned();
    let beside = source.companions().into_iter();
    let beside = beside.filter_map(|file| repository_path(&file, top));
    let beside = beside.filter(|file| file.starts_with(&home));
    [found].into_iter().chain(beside).collect()
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
