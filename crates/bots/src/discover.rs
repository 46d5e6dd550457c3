//! Finds the bots of an event: globs to sources, every problem at once.

mod bot_source;
mod names;
mod referee;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use joust_config::Pattern;
use joust_model::cancel::Cancel;
use joust_referee::GameSpec;

use super::manifest::{self, Candidate, Manifest};
use super::problem::BotProblem;
use super::side_files::{accompanies_sources, is_document};
use super::source_language::SourceLanguages;
use super::{archive, name};
pub use bot_source::BotSource;
use bot_source::{absolute, drop_other_bots};
use names::{TakenNames, add_name_suffixes, addition, name_clashes, owner_clashes};
pub use referee::referee_source;

/// Number of bots that an owner may enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerOwner {
    /// Any number.
    Any,
    /// One.
    One,
}

/// Globs of an event, and the settings to search with.
#[derive(Clone, Copy, Debug)]
pub struct BotSearch<'a> {
    /// The tournament's file, for messages.
    pub file: &'a Path,
    /// The folder globs are relative to.
    pub folder: &'a Path,
    /// The globs.
    pub globs: &'a [Pattern],
    /// The game.
    pub game: &'a GameSpec,
    /// The languages.
    pub languages: &'a SourceLanguages,
    /// Number of bots that an owner may enter.
    pub per_owner: PerOwner,
    /// Folder for unpacked archives.
    pub cache: &'a Path,
    /// Ends the search.
    pub cancel: &'a Cancel,
}

/// Finds every bot that plays, sorted by name, and what is wrong with the tournament's patterns.
///
/// Disabled bots are left out. One whose manifest cannot be used, or whose name or owner an earlier
/// bot has, is among them with the reasons, [`BotSource::unreadable`], under a name of its own.
/// Nothing is run, imported or built. A search that is cancelled has a problem that says so.
pub fn survey(search: &BotSearch<'_>) -> (Vec<BotSource>, Vec<BotProblem>) {
    let (found, mut problems) = expand_globs(search);
    let paths: BTreeSet<PathBuf> = found.keys().map(|path| absolute(path)).collect();
    let mut bots = Vec::new();
    let mut unreadable = Vec::new();
    for (path, selected) in &found {
        if search.cancel.is_cancelled() {
            problems.push(BotProblem::new(search.file, "the search for bots was stopped"));
            return (Vec::new(), problems);
        }
        let pattern = selected.pattern;
        match read_entry(search, path, selected.glob, &paths) {
            Ok(bot) if bot.manifest.enabled => bots.push(BotSource { pattern, ..bot }),
            Ok(_) => {}
            Err(wrong) => {
                let bot = unreadable_bot(path, selected.glob, wrong);
                unreadable.push(BotSource { pattern, ..bot });
            }
        }
    }
    bots.iter_mut().for_each(|bot| drop_other_bots(bot, &paths));
    add_name_suffixes(&mut bots, |bot| addition(search, &bot.found, found[&bot.found].glob));
    let mut clashes = name_clashes(&bots, search.folder);
    if search.per_owner == PerOwner::One {
        clashes.extend(owner_clashes(&bots));
    }
    let mut of_files = HashMap::<PathBuf, Vec<BotProblem>>::new();
    clashes.into_iter().for_each(|one| of_files.entry(one.file.clone()).or_default().push(one));
    for bot in &mut bots {
        bot.unreadable.extend(of_files.remove(&bot.found).unwrap_or_default());
    }
    unreadable.extend(bots.extract_if(.., |bot| !bot.unreadable.is_empty()));
    let mut taken = TakenNames::of(&bots);
    for mut bot in unreadable {
        let place = addition(search, &bot.found, found[&bot.found].glob);
        bot.manifest.name = taken.take_unique(bot.name(), place.as_deref());
        bots.push(bot);
    }
    bots.sort_by(|a, b| a.name().cmp(b.name()));
    (bots, problems)
}

/// Selection of a bot.
struct Selected<'a> {
    /// Glob with its settings: a glob that sets more than a path goes before one that does not.
    glob: &'a Pattern,
    /// The first pattern that selects it, from 0.
    pattern: usize,
}

/// Finds where bots are, each with what selects it.
fn expand_globs<'a>(search: &BotSearch<'a>) -> (BTreeMap<PathBuf, Selected<'a>>, Vec<BotProblem>) {
    let (mut found, mut problems) = (BTreeMap::<PathBuf, Selected<'_>>::new(), Vec::new());
    for (pattern, glob) in search.globs.iter().enumerate() {
        if search.cancel.is_cancelled() {
            problems.push(BotProblem::new(search.file, "the search for bots was stopped"));
            return (BTreeMap::new(), problems);
        }
        let mut complain = |message: String, hint: &str| {
            let problem = BotProblem::new(search.file, message).at(place_of(glob));
            problems.push(if hint.is_empty() { problem } else { problem.hint(hint) });
        };
        if let Some(Err(wrong)) = glob.language.as_ref().map(|id| search.languages.check(id)) {
            complain(wrong.message, &wrong.hint.unwrap_or_default());
        }
        if let Some(Err(error)) = glob.name.as_ref().map(|name| name::normalise(name)) {
            complain(error.to_string(), "");
        }
        let paths = match expand(search.folder, &glob.text) {
            Ok(paths) if paths.is_empty() => {
                problems.push(no_match(search, glob));
                continue;
            }
            Ok(paths) => paths,
            Err(reason) => {
                complain(reason, "");
                continue;
            }
        };
        if glob.name.is_some() && paths.len() > 1 {
            complain(
                format!("`{}` selects more than one bot, and `name` is for one", glob.text),
                "",
            );
        }
        for path in paths {
            let kept = found.entry(path).or_insert(Selected { glob, pattern });
            if is_entry(glob) && !is_entry(kept.glob) {
                kept.glob = glob;
            }
        }
    }
    (found, problems)
}

/// Returns a bot in the place of one that cannot be read, called like its folder or
/// file.
fn unreadable_bot(path: &Path, glob: &Pattern, problems: Vec<BotProblem>) -> BotSource {
    let stem = if path.is_dir() { path.file_name() } else { path.file_stem() };
    let stem = stem.unwrap_or_default().to_string_lossy();
    let stem = archive::stem(path).filter(|_| path.is_file()).unwrap_or(&stem);
    let called = glob.name.clone().or_else(|| name::nickname(stem).ok());
    let manifest = Manifest {
        name: called.unwrap_or_else(|| "unnamed".to_owned()),
        language: glob.language.clone().unwrap_or_default(),
        enabled: true,
        ..Manifest::default()
    };
    BotSource { unreadable: problems, ..BotSource::new(manifest, path, path) }
}

fn read_entry(
    search: &BotSearch<'_>,
    path: &Path,
    glob: &Pattern,
    bots: &BTreeSet<PathBuf>,
) -> Result<BotSource, Vec<BotProblem>> {
    let candidate = Candidate::new(path, search.game, search.languages);
    let candidate = Candidate { language: glob.language.as_deref(), bots, ..candidate };
    let mut bot = read_bot(&candidate, search.cache)?;
    if let Some(name) = &glob.name {
        name.clone_into(&mut bot.manifest.name);
    }
    Ok(bot)
}

/// Reads a bot: a folder, a source file or an archive, which is unpacked in the folder `cache`.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn read_bot(bot: &Candidate<'_>, cache: &Path) -> Result<BotSource, Vec<BotProblem>> {
    let path = &manifest::agent_of_path(bot.game, bot.path);
    if path.symlink_metadata().is_err() {
        let problem = BotProblem::new(path, "there is no such file or folder");
        return Err(vec![problem.hint("a bot is a path, or a name of the tournament's field")]);
    }
    let candidate = Candidate { path, ..*bot };
    if path.is_file() && archive::is_archive(path) {
        return read_archive(&candidate, cache);
    }
    Ok(BotSource::new(manifest::read(&candidate)?, path, path))
}

/// Reads the bot in an archive: the source file that is alone in it, or the folder.
fn read_archive(packed: &Candidate<'_>, cache: &Path) -> Result<BotSource, Vec<BotProblem>> {
    let folder = archive::unpack(packed.path, cache).map_err(|problem| vec![problem])?;
    // Joust chose the folder that an archive is unpacked into, so its name is not the bot's.
    let is_ours = folder.parent() == Some(cache);
    let stem = archive::stem(packed.path);
    let whole = Candidate { path: &folder, called: if is_ours { stem } else { None }, ..*packed };
    let lone = archive::only_entry(&folder).filter(|entry| entry.is_file());
    let lone = lone.as_deref().map(|path| Candidate { path, called: stem, ..*packed });
    let candidate = lone.filter(manifest::has_form).unwrap_or(whole);
    let manifest = manifest::read(&candidate).map_err(|problems| {
        let has_form = manifest::has_form(&candidate);
        let top = if has_form { None } else { Some(archive::top_entries(&folder)) };
        let in_archive = |problem: BotProblem| {
            let inside = problem.file.strip_prefix(&folder).map(Path::to_owned);
            let inside = inside.unwrap_or_default();
            let file = packed.path.components().chain(inside.components()).collect();
            let hint = problem.hint.clone().into_iter().chain(top.clone());
            let hint = Some(hint.collect::<Vec<_>>().join("; ")).filter(|hint| !hint.is_empty());
            BotProblem { file, hint, ..problem }
        };
        problems.into_iter().map(in_archive).collect::<Vec<_>>()
    })?;
    Ok(BotSource::new(manifest, packed.path, candidate.path))
}

/// Returns whether a pattern sets more than the path of bots.
fn is_entry(pattern: &Pattern) -> bool {
    pattern.name.is_some() || pattern.language.is_some()
}

fn place_of(pattern: &Pattern) -> Option<(usize, usize)> {
    Some((pattern.place.line, pattern.place.column))
}

fn no_match(search: &BotSearch<'_>, glob: &Pattern) -> BotProblem {
    let message = format!("no bot matches `{}`", glob.text);
    let hint = format!("looked beneath `{}`", search.folder.display());
    BotProblem::new(search.file, message).at(place_of(glob)).hint(hint)
}

/// Largest number of paths that one glob looks at. Links and `..` can make any number of ways to
/// one folder.
const MOST_PATHS: usize = 1_000_000;

/// Returns the paths beneath `folder` that match `glob`. Hidden files match only where the glob
/// names them; documents such as `README.md` and other files that only accompany bots never match.
pub fn expand(folder: &Path, glob: &str) -> Result<Vec<PathBuf>, String> {
    expand_within(folder, glob, MOST_PATHS)
}

fn expand_within(folder: &Path, glob: &str, most: usize) -> Result<Vec<PathBuf>, String> {
    let start = if glob.starts_with('/') { PathBuf::from("/") } else { folder.to_owned() };
    let (mut paths, mut seen) = (vec![start], 0);
    let mut count = || {
        seen += 1;
        seen <= most
    };
    let mut parts: Vec<_> =
        glob.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    parts.dedup_by(|part, before| *part == "**" && *before == "**");
    for part in parts {
        let found: BTreeSet<PathBuf> = if !part.contains(['*', '?', '[', '{']) {
            let named = paths.iter().map(|path| path.join(part)).take_while(|_| count());
            named.filter(|path| path.symlink_metadata().is_ok()).collect()
        } else if part == "**" {
            let beneath = paths.iter().flat_map(|path| entries_beneath(path));
            let folders = beneath.take_while(|_| count()).filter(|it| it.file_type().is_dir());
            folders.map(walkdir::DirEntry::into_path).collect()
        } else {
            let matcher = globset::Glob::new(part)
                .map_err(|error| format!("`{glob}` is not a glob: {}", error.kind()))?
                .compile_matcher();
            let fits = |path: &PathBuf| {
                let name = path.file_name().unwrap_or_default();
                let hidden = name.as_encoded_bytes().starts_with(b".") && !part.starts_with('.');
                let is_other = is_document(path) || accompanies_sources(path);
                !hidden && matcher.is_match(name) && !is_other
            };
            let children = paths.iter().flat_map(fs::read_dir).flatten().filter_map(Result::ok);
            children.take_while(|_| count()).map(|entry| entry.path()).filter(fits).collect()
        };
        if !count() {
            return Err(format!("`{glob}` looks at more than {most} paths"));
        }
        // A folder to which `**` led in several ways is one path.
        paths = found.into_iter().collect();
    }
    Ok(paths)
}

fn entries_beneath(folder: &Path) -> impl Iterator<Item = walkdir::DirEntry> {
    let walk = walkdir::WalkDir::new(folder).max_depth(8).into_iter();
    let visible = walk.filter_entry(|entry| {
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        entry.depth() == 0 || !is_hidden && !accompanies_sources(entry.path())
    });
    visible.filter_map(Result::ok)
}
