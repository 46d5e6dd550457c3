//! Finds the bots of an event: globs to sources, every problem at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::manifest::{self, Candidate, Manifest};
use super::problem::Problem;
use super::source::SourceTree;
use super::{Languages, archive, name};
use joust_config::{Event, Pattern, Tournament};

/// A glob of an event's `bots:` and its line and column in the tournament's
/// file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotGlob {
    /// The glob, relative to the tournament's folder.
    pub text: String,
    /// What the one bot it selects is called.
    pub name: Option<String>,
    /// The id of the language of what it selects.
    pub language: Option<String>,
    /// Where it stands.
    pub place: Option<(usize, usize)>,
}

impl BotGlob {
    /// Says whether it tells more than where bots are.
    fn is_entry(&self) -> bool {
        self.name.is_some() || self.language.is_some()
    }
}

/// How many bots an owner may enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerOwner {
    /// Any number.
    Any,
    /// One.
    One,
}

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// The tournament's file, for messages.
    pub file: &'a Path,
    /// The folder globs are relative to.
    pub folder: &'a Path,
    /// The globs.
    pub globs: &'a [BotGlob],
    /// The game's id.
    pub game: &'a str,
    /// The languages.
    pub languages: &'a Languages,
    /// How many bots an owner may enter.
    pub per_owner: PerOwner,
    /// Where archives are unpacked.
    pub cache: &'a Path,
}

/// Returns an event's globs.
#[must_use]
pub fn globs(event: &Event) -> Vec<BotGlob> {
    let glob = |pattern: &Pattern| BotGlob {
        text: pattern.text.clone(),
        name: pattern.name.clone(),
        language: pattern.language.clone(),
        place: Some((pattern.place.line, pattern.place.column)),
    };
    event.bots.iter().map(glob).collect()
}

/// Finds every bot of an event that plays, sorted by name.
///
/// # Errors
///
/// Every problem of every bot; nothing was run, imported or built.
pub fn discover_event(
    tournament: &Tournament,
    event: &Event,
    languages: &Languages,
    cache: &Path,
) -> Result<Vec<BotSource>, Vec<Problem>> {
    discover(&Search {
        file: &tournament.file,
        folder: &tournament.folder,
        globs: &globs(event),
        game: event.game.id(),
        languages,
        per_owner: if event.one_per_owner { PerOwner::One } else { PerOwner::Any },
        cache,
    })
}

/// A bot as found: its manifest and where its source lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotSource {
    /// What its author says.
    pub manifest: Manifest,
    /// What the glob found: a folder, a source file or an archive.
    pub found: PathBuf,
    /// The source: a folder, or a single file.
    pub source: PathBuf,
    /// Which of the patterns selects it first, from 0.
    pub pattern: usize,
    /// Why its manifest cannot be used; it is called by its place then, and is
    /// not built.
    pub unreadable: Vec<Problem>,
}

impl BotSource {
    /// Returns the bot's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// Returns the folder that the entry of a bot which is a single file is relative to.
    fn root(&self) -> Option<PathBuf> {
        let entry = Path::new(self.manifest.entry.as_deref()?);
        let path = std::path::absolute(&self.source).ok()?;
        path.ancestors().nth(entry.components().count()).map(Path::to_owned)
    }

    /// Returns the files and folders that belong to a bot which is a single file.
    #[must_use]
    pub fn companions(&self) -> Vec<PathBuf> {
        let root = self.root().unwrap_or_default();
        self.manifest.beside.iter().map(|one| root.join(one)).collect()
    }

    /// Reads the source tree.
    ///
    /// # Errors
    ///
    /// The first file that cannot be part of a source.
    pub fn tree(&self, languages: &Languages) -> Result<SourceTree, Problem> {
        if let Some(problem) = Problem::joined(&self.unreadable) {
            return Err(problem);
        }
        let language = languages.get(&self.manifest.language);
        let ignore = language.map(|language| language.ignore.as_slice()).unwrap_or_default();
        if self.source.is_file() {
            let beside = &self.manifest.beside;
            let is_alone = |entry: &&str| beside.is_empty() && !entry.contains('/');
            let entry = self.manifest.entry.as_deref().filter(|entry| !is_alone(entry));
            return match entry {
                Some(entry) => SourceTree::of_files(&self.source, entry, beside, ignore),
                None => SourceTree::of_file(&self.source),
            };
        }
        match &self.manifest.project {
            Some(project) => SourceTree::read_with(&self.source, ignore, &project.run_file),
            None => SourceTree::read(&self.source, ignore),
        }
    }
}

/// Finds every bot that plays, sorted by name. Disabled ones are left out; one whose
/// manifest cannot be used is among them, [`BotSource::unreadable`].
///
/// # Errors
///
/// What is wrong with the tournament: patterns, and names that two bots have.
/// Nothing was run, imported or built.
pub fn discover(search: &Search<'_>) -> Result<Vec<BotSource>, Vec<Problem>> {
    let (bots, problems) = survey(search);
    if problems.is_empty() { Ok(bots) } else { Err(problems) }
}

/// Finds every bot that plays, as [`discover`], and what is wrong beside them.
#[must_use]
pub fn survey(search: &Search<'_>) -> (Vec<BotSource>, Vec<Problem>) {
    let (found, mut problems) = places(search);
    let mut bots = Vec::new();
    let mut unreadable = Vec::new();
    for (path, selected) in &found {
        let pattern = selected.pattern;
        match read_entry(search, path, selected.glob) {
            Ok(bot) if bot.manifest.enabled => bots.push(BotSource { pattern, ..bot }),
            Ok(_) => {}
            Err(wrong) => {
                let bot = stand_in(path, selected.glob, wrong);
                unreadable.push(BotSource { pattern, ..bot });
            }
        }
    }
    let paths: Vec<PathBuf> = found.keys().cloned().collect();
    bots.iter_mut().for_each(|bot| keep_apart(bot, &paths));
    tell_apart(&mut bots, |bot| addition(search, &bot.found, found[&bot.found].glob));
    unreadable.iter_mut().for_each(|bot| name_apart(bot, &bots));
    problems.extend(same_names(&bots));
    if search.per_owner == PerOwner::One {
        problems.extend(same_owners(&bots));
    }
    bots.extend(unreadable);
    bots.sort_by(|a, b| a.name().cmp(b.name()));
    (bots, problems)
}

/// What selects a bot.
struct Selected<'a> {
    /// What is said of it: a pattern that says more than a path goes before one that
    /// does not.
    glob: &'a BotGlob,
    /// The first pattern that selects it, from 0.
    pattern: usize,
}

/// Finds where bots are, each with what selects it.
fn places<'a>(search: &Search<'a>) -> (BTreeMap<PathBuf, Selected<'a>>, Vec<Problem>) {
    let (mut found, mut problems) = (BTreeMap::<PathBuf, Selected<'_>>::new(), Vec::new());
    for (pattern, glob) in search.globs.iter().enumerate() {
        let mut complain = |message: String, hint: &str| {
            let problem = Problem::new(search.file, message).at(glob.place);
            problems.push(if hint.is_empty() { problem } else { problem.hint(hint) });
        };
        if let Some(unknown) =
            glob.language.as_ref().filter(|id| search.languages.get(id).is_none())
        {
            let known = search.languages.suggest(unknown);
            let hint = known.map_or("`joust doctor` lists the languages".to_owned(), |known| {
                format!("did you mean `{known}`?")
            });
            complain(format!("unknown language `{unknown:.64}`"), &hint);
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
            if glob.is_entry() && !kept.glob.is_entry() {
                kept.glob = glob;
            }
        }
    }
    (found, problems)
}

/// Returns a bot in the place of one that cannot be read, called like its folder or
/// file.
fn stand_in(path: &Path, glob: &BotGlob, problems: Vec<Problem>) -> BotSource {
    let stem = if path.is_dir() { path.file_name() } else { path.file_stem() };
    let stem = stem.unwrap_or_default().to_string_lossy();
    let called = glob.name.clone().or_else(|| name::nickname(&stem).ok());
    let manifest = Manifest {
        name: called.unwrap_or_else(|| "unnamed".to_owned()),
        language: glob.language.clone().unwrap_or_default(),
        enabled: true,
        ..Manifest::default()
    };
    BotSource {
        manifest,
        found: path.to_owned(),
        source: path.to_owned(),
        pattern: 0,
        unreadable: problems,
    }
}

/// Leaves to another bot the name it has.
fn name_apart(unreadable: &mut BotSource, bots: &[BotSource]) {
    let own = name::fold(unreadable.name());
    if bots.iter().any(|bot| name::fold(bot.name()) == own) {
        unreadable.manifest.name = name::with_addition(unreadable.name(), "cannot be read");
    }
}

/// Adds to equal nicknames of `bot.json` what tells the bots' folders apart. Nothing
/// of the other bots goes into it, so that a newcomer changes no addition.
fn tell_apart(bots: &mut [BotSource], addition: impl Fn(&BotSource) -> Option<String>) {
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

/// Returns the part of a bot's path that its pattern leaves open; of a pattern that
/// leaves nothing open all of it. `None` for a bot that the tournament names.
fn addition(search: &Search<'_>, path: &Path, glob: &BotGlob) -> Option<String> {
    if glob.name.is_some() {
        return None;
    }
    let relative = path.strip_prefix(search.folder).unwrap_or(path);
    let parts = relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = parts.filter(|part| part != "/" && part != ".").collect();
    let mut fixed = glob.text.split('/').filter(|part| !part.is_empty() && *part != ".");
    let open = fixed.position(|part| part.contains(['*', '?', '[', '{'])).unwrap_or_default();
    let text = parts.get(open..).unwrap_or(&parts).join(" ");
    name::nickname(&text).ok()
}

fn read_entry(search: &Search<'_>, path: &Path, glob: &BotGlob) -> Result<BotSource, Vec<Problem>> {
    let mut bot = read_as(search, path, glob.language.as_deref())?;
    if let Some(name) = &glob.name {
        name.clone_into(&mut bot.manifest.name);
    }
    Ok(bot)
}

/// Leaves out of a bot that is a single file what is another bot, or holds one: nobody
/// takes another's source along.
fn keep_apart(bot: &mut BotSource, found: &[PathBuf]) {
    let Some(root) = bot.root().filter(|_| !bot.manifest.beside.is_empty()) else { return };
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let found: Vec<PathBuf> = found.iter().map(|path| absolute(path)).collect();
    let is_another = |one: &String| {
        let path = absolute(&root.join(one));
        found.iter().any(|other| other.starts_with(&path) || path.starts_with(other))
    };
    bot.manifest.beside.retain(|one| !is_another(one));
}

/// Reads the bot at `path`: a folder, a source file or an archive.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn read_bot(search: &Search<'_>, path: &Path) -> Result<BotSource, Vec<Problem>> {
    read_as(search, path, None)
}

/// Reads the bot at `path`, whose language may be known.
fn read_as(
    search: &Search<'_>,
    path: &Path,
    language: Option<&str>,
) -> Result<BotSource, Vec<Problem>> {
    let path = &manifest::given(search.game, path);
    if path.symlink_metadata().is_err() {
        let problem = Problem::new(path, "there is no such file or folder");
        return Err(vec![problem.hint("a bot is named by its path")]);
    }
    let is_archive = path.is_file() && archive::is_archive(path);
    let source = if is_archive {
        archive::unpack(path, search.cache).map_err(|problem| vec![problem])?
    } else {
        path.to_owned()
    };
    // The folder that an archive is unpacked into is ours and has no name of its own.
    let is_ours = is_archive && source.parent() == Some(search.cache);
    let candidate = Candidate {
        path: &source,
        game: search.game,
        languages: search.languages,
        called: if is_ours { archive::stem(path) } else { None },
        language,
    };
    let manifest = manifest::read(&candidate)?;
    Ok(BotSource { manifest, found: path.to_owned(), source, pattern: 0, unreadable: Vec::new() })
}

fn no_match(search: &Search<'_>, glob: &BotGlob) -> Problem {
    let message = format!("no bot matches `{}`", glob.text);
    let hint = format!("looked beneath `{}`", search.folder.display());
    Problem::new(search.file, message).at(glob.place).hint(hint)
}

fn same_names(bots: &[BotSource]) -> Vec<Problem> {
    // Whose folder is called like the bot is taken for its rightful owner.
    let is_called_so = |bot: &BotSource| {
        let stem = if bot.found.is_dir() { bot.found.file_name() } else { bot.found.file_stem() };
        let stem = stem.map(|stem| name::fold(&stem.to_string_lossy()));
        stem == Some(name::fold(bot.name()))
    };
    let (mut bots, others): (Vec<_>, Vec<_>) = bots.iter().partition(|bot| is_called_so(bot));
    bots.extend(others);
    let keys = |bot: &BotSource| name::looks(bot.name()).to_vec();
    clashes(bots, keys)
        .map(|(first, second)| {
            let taken_by = shown(&first.found);
            let message = format!("the name `{}` is taken by `{taken_by}`", second.name());
            let problem = Problem::new(&second.found, message);
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

/// A path without the `./` of a tournament in this folder.
fn shown(path: &Path) -> std::path::Display<'_> {
    path.strip_prefix(".").unwrap_or(path).display()
}

fn same_owners(bots: &[BotSource]) -> Vec<Problem> {
    let keys = |bot: &BotSource| bot.manifest.owner.iter().map(|owner| name::fold(owner)).collect();
    clashes(bots, keys)
        .map(|(first, second)| {
            let owner = second.manifest.owner.as_deref().unwrap_or_default();
            let message = format!("`{owner}` has entered `{}` already", first.name());
            Problem::new(&second.found, message).hint("the event allows one bot per owner")
        })
        .collect()
}

/// Returns each bot that shares a key with an earlier one, with that one.
fn clashes<'a>(
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

/// Returns what matches `glob` beneath `folder`; hidden files only where the
/// glob says so, documents such as `README.md` never, nor what only accompanies bots.
pub fn expand(folder: &Path, glob: &str) -> Result<Vec<PathBuf>, String> {
    let start = if glob.starts_with('/') { PathBuf::from("/") } else { folder.to_owned() };
    let mut paths = vec![start];
    for part in glob.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if !part.contains(['*', '?', '[', '{']) {
            paths.iter_mut().for_each(|path| path.push(part));
            paths.retain(|path| path.symlink_metadata().is_ok());
            continue;
        }
        let matcher = globset::Glob::new(part)
            .map_err(|error| format!("`{glob}` is not a glob: {}", error.kind()))?
            .compile_matcher();
        let fits = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            let hidden = name.as_encoded_bytes().starts_with(b".") && !part.starts_with('.');
            !hidden && !is_document(path) && matcher.is_match(name)
        };
        paths = match part {
            "**" => paths.iter().flat_map(|path| folders_beneath(path)).collect(),
            _ => paths.iter().flat_map(|path| children(path)).filter(fits).collect(),
        };
    }
    Ok(paths)
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn folders_beneath(folder: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(folder).max_depth(8).into_iter();
    let visible = walk.filter_entry(|entry| {
        entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
    });
    let folders = visible.filter_map(Result::ok).filter(|entry| entry.file_type().is_dir());
    folders.map(walkdir::DirEntry::into_path).collect()
}

fn is_document(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let known = name.ends_with(".md")
        || name.starts_with("readme")
        || name.starts_with("license")
        || ["requirements.txt", "__init__.py"].contains(&name.as_str());
    known && path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tournament(tempfile::TempDir, Languages);

    impl Tournament {
        fn with(files: &[(&str, &str)]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            for (path, text) in files {
                let path = folder.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Self(folder, Languages::shipped())
        }

        fn find(&self, game: &str, per_owner: PerOwner) -> Result<Vec<String>, Vec<String>> {
            let names =
                |bots: Vec<BotSource>| bots.iter().map(|bot| bot.name().to_owned()).collect();
            self.survey(game, per_owner, "bots/*").map(names)
        }

        fn survey(
            &self,
            game: &str,
            per_owner: PerOwner,
            glob: &str,
        ) -> Result<Vec<BotSource>, Vec<String>> {
            let search = Search {
                file: Path::new("tournament.yaml"),
                folder: self.0.path(),
                globs: &[BotGlob {
                    text: glob.to_owned(),
                    name: None,
                    language: None,
                    place: Some((4, 9)),
                }],
                game,
                languages: &self.1,
                per_owner,
                cache: &self.0.path().join("cache"),
            };
            let root = format!("{}/", self.0.path().display());
            let told = |problems: &[Problem]| -> Vec<String> {
                problems.iter().map(|problem| problem.to_string().replace(&root, "")).collect()
            };
            let bots = discover(&search).map_err(|problems| told(&problems))?;
            let unreadable: Vec<Problem> =
                bots.iter().flat_map(|bot| bot.unreadable.clone()).collect();
            if unreadable.is_empty() { Ok(bots) } else { Err(told(&unreadable)) }
        }

        fn battlebots(&self) -> Result<Vec<String>, Vec<String>> {
            self.find("battlebots", PerOwner::Any)
        }
    }

    #[test]
    fn folders_and_single_files_are_found_and_sorted_by_name() {
        let tournament = Tournament::with(&[
            ("bots/z/bot.yaml", "name: alpha\nlanguage: c\n"),
            ("bots/zeta.py", ""),
            ("bots/off/bot.yaml", "name: off\nlanguage: c\nenabled: false\n"),
            ("bots/README.md", "read me"),
            ("bots/.hidden.py", ""),
        ]);
        assert_eq!(tournament.battlebots().unwrap(), ["alpha", "zeta"]);
    }

    #[test]
    fn a_name_that_looks_like_anothers_is_refused() {
        let tournament = Tournament::with(&[
            ("bots/sniper/bot.yaml", "name: sniper\nlanguage: c\n"),
            ("bots/other/bot.yaml", "name: \"\\u0455niper\"\nlanguage: c\n"),
        ]);
        let problems = tournament.battlebots().unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        let hint = "that one is called `sniper`: the two look alike";
        assert!(problems[0].starts_with("bots/other: the name `\u{455}niper` is taken by"));
        assert!(problems[0].contains(hint), "{problems:?}");
    }

    #[test]
    fn a_glob_without_a_match_is_refused_with_its_place() {
        let problems = Tournament::with(&[]).battlebots().unwrap_err();
        assert!(problems[0].starts_with("tournament.yaml:4:9: no bot matches `bots/*`"));
    }

    #[test]
    fn a_folder_without_a_manifest_names_the_accepted_forms() {
        let tournament = Tournament::with(&[("bots/x/main.py", "")]);
        let problems = tournament.battlebots().unwrap_err();
        assert!(
            problems[0].starts_with(
                "bots/x: not a bot (a bot of `battlebots` is a folder with a `bot.yaml`"
            )
        );
        assert!(problems[0].contains("or a single source file"));
        let elsewhere = tournament.find("battleships-2017", PerOwner::Any).unwrap_err();
        assert!(!elsewhere[0].contains("single source file"));
    }

    #[test]
    fn names_equal_but_for_case_are_refused() {
        let tournament = Tournament::with(&[("bots/Ann.py", ""), ("bots/ann.rb", "")]);
        let problems = tournament.battlebots().unwrap_err();
        assert!(
            problems[0].contains("bots/ann.rb: the name `ann` is taken by `")
                && problems[0]
                    .ends_with("bots/Ann.py` (that one is called `Ann`: case does not count)"),
            "{problems:?}"
        );
    }

    #[test]
    fn of_two_equal_names_the_one_whose_folder_is_called_so_was_first() {
        let tournament = Tournament::with(&[
            ("bots/a/bot.yaml", "name: b\nlanguage: c\n"),
            ("bots/b/bot.yaml", "name: b\nlanguage: c\n"),
        ]);
        let problems = tournament.battlebots().unwrap_err();
        assert!(
            problems[0].starts_with("bots/a: the name `b` is taken by `bots/b`"),
            "{problems:?}"
        );
    }

    #[test]
    fn an_agent_takes_its_modules_along_and_no_other_agent() {
        let tournament = Tournament::with(&[
            ("team/bots/__init__.py", ""),
            ("team/bots/requirements.txt", ""),
            ("team/bots/one.py", "import two, shared\nfrom . import two\nfrom .lib import near\n"),
            ("team/bots/two.py", ""),
            ("team/bots/lib/near.py", ""),
            ("team/bots/lib/near.txt", ""),
            ("team/shared.py", ""),
            ("team/requirements.txt", ""),
        ]);
        let found = tournament.survey("coderone-dungeon", PerOwner::Any, "team/bots/*.*").unwrap();
        let paths = |bot: &BotSource| -> Vec<String> {
            let tree = bot.tree(&tournament.1).unwrap();
            tree.files.into_iter().map(|file| file.path).collect()
        };
        let [one, two] = &found[..] else { panic!("{found:?}") };
        let package = "bots/__init__.py";
        let lib = ["bots/lib/near.py", "bots/lib/near.txt"];
        let expected = [package, lib[0], lib[1], "bots/one.py", "requirements.txt", "shared.py"];
        assert_eq!(paths(one), expected);
        assert_eq!(paths(two), [package, "bots/two.py", "requirements.txt"]);
    }

    #[test]
    fn two_bots_of_one_owner_are_refused_where_that_is_forbidden() {
        let tournament = Tournament::with(&[
            ("bots/a/bot.yaml", "name: a\nlanguage: c\nowner: Bo\n"),
            ("bots/b/bot.yaml", "name: b\nlanguage: c\nowner: bo\n"),
            ("bots/c/bot.yaml", "name: c\nlanguage: c\n"),
        ]);
        assert_eq!(tournament.battlebots().unwrap().len(), 3);
        let problems = tournament.find("battlebots", PerOwner::One).unwrap_err();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("bots/b: `bo` has entered `a` already"));
    }

    #[test]
    fn all_problems_are_told_at_once() {
        let tournament = Tournament::with(&[
            ("bots/a/bot.yaml", "name: CON\nlanguage: c\n"),
            ("bots/b/main.c", ""),
            ("bots/c.zip", "no archive"),
        ]);
        assert_eq!(tournament.battlebots().unwrap_err().len(), 3);
    }

    #[test]
    fn a_package_in_an_archive_is_called_like_its_folder_or_else_like_the_archive() {
        let pack = |archive: &str, folder: &str| {
            let tournament = Tournament::with(&[("bots/.keep", "")]);
            let file = fs::File::create(tournament.0.path().join("bots").join(archive)).unwrap();
            let mut zip = zip::ZipWriter::new(file);
            for name in ["__init__.py", "brain.py"] {
                let options = zip::write::SimpleFileOptions::default();
                zip.start_file(format!("{folder}{name}"), options).unwrap();
            }
            zip.finish().unwrap();
            tournament.find("coderone-dungeon", PerOwner::Any)
        };
        assert_eq!(pack("champ.v2.zip", "").unwrap(), ["champ.v2"]);
        assert_eq!(pack("champ.zip", "inner/").unwrap(), ["inner"]);
    }

    /// Returns the names of what some patterns select, and what is wrong.
    fn named(files: &[(&str, &str)], globs: &[BotGlob]) -> (Vec<String>, Vec<String>) {
        let tournament = Tournament::with(files);
        let search = Search {
            file: Path::new("tournament.yaml"),
            folder: tournament.0.path(),
            globs,
            game: "bomberman-2016",
            languages: &tournament.1,
            per_owner: PerOwner::Any,
            cache: &tournament.0.path().join("cache"),
        };
        let (bots, problems) = survey(&search);
        let languages = |bot: &BotSource| match bot.unreadable.is_empty() {
            true => format!("{} {}", bot.name(), bot.manifest.language),
            false => format!("{} cannot be read", bot.name()),
        };
        let problems = problems.iter().map(|problem| problem.message.clone());
        (bots.iter().map(languages).collect(), problems.collect())
    }

    fn glob(text: &str) -> BotGlob {
        BotGlob { text: text.to_owned(), name: None, language: None, place: None }
    }

    const JOHN: &str = "{NickName: 'John', BotType: 0, ProjectLocation: '', RunFile: 'a.exe'}";
    const JAVA: &str = "{NickName: 'JOHN', BotType: 1, ProjectLocation: '', RunFile: 'a.jar'}";

    #[test]
    fn equal_nicknames_are_told_apart_by_their_folders_and_a_newcomer_renames_nobody() {
        let mut files = vec![
            ("bots/C#/bot.json", JOHN),
            ("bots/Java/bot.json", JAVA),
            ("more/x/Bot/bot.json", JOHN),
        ];
        let globs = [glob("bots/*"), glob("more/*/Bot")];
        let expected = ["JOHN (Java) java", "John (C#) csharp", "John (x Bot) csharp"];
        assert_eq!(named(&files, &globs), (expected.map(str::to_owned).to_vec(), vec![]));
        files.insert(0, ("bots/A/bot.json", JOHN));
        let (names, problems) = named(&files, &globs);
        assert!(problems.is_empty() && expected.iter().all(|old| names.contains(&(*old).into())));
        assert_eq!(names.len(), 4);
    }

    #[test]
    fn a_name_that_results_from_an_addition_may_not_be_taken_either() {
        let taken = "{NickName: 'John (Java)', BotType: 1, ProjectLocation: '', RunFile: 'a.jar'}";
        let files = [("b/C#/bot.json", JOHN), ("b/Java/bot.json", JAVA), ("b/x/bot.json", taken)];
        let (_, problems) = named(&files, &[glob("b/*")]);
        assert!(problems[0].contains("is taken by"), "{problems:?}");
    }

    #[test]
    fn a_manifest_that_cannot_be_used_keeps_nobody_else_from_playing() {
        let files = [
            ("bots/bad/bot.json", "{"),
            ("bots/good/bot.json", JOHN),
            ("bots/john/bot.yaml", "nam: x\nlanguage: c\n"),
            ("bots/none/x.txt", ""),
        ];
        let (names, problems) = named(&files, &[glob("bots/*")]);
        let expected = [
            "John csharp",
            "bad cannot be read",
            "john (cannot be read) cannot be read",
            "none cannot be read",
        ];
        assert_eq!((names, problems), (expected.map(str::to_owned).to_vec(), vec![]));
    }

    #[test]
    fn an_entry_names_a_bot_and_its_language() {
        let python = "{NickName: 'P', BotType: 'Python3', ProjectLocation: '', RunFile: 'b.py'}";
        let files = [("b/old/bot.json", python), ("b/old/b.py", ""), ("b/new/bot.json", JOHN)];
        let entry = BotGlob {
            name: Some("Oldie".to_owned()),
            language: Some("python2".to_owned()),
            ..glob("b/old")
        };
        let (names, problems) = named(&files, &[glob("b/*"), entry.clone()]);
        assert_eq!((names, problems), (vec!["John csharp".into(), "Oldie python2".into()], vec![]));
        let many = BotGlob { text: "b/*".to_owned(), ..entry.clone() };
        assert!(named(&files, &[many]).1[0].contains("more than one bot"));
        let unknown = BotGlob { language: Some("pyton".to_owned()), ..entry };
        assert_eq!(named(&files, &[unknown]).1, ["unknown language `pyton`"]);
    }

    #[test]
    fn two_stars_search_every_folder() {
        let tournament = Tournament::with(&[("a/b/x.py", ""), ("a/y.py", "")]);
        let paths = expand(tournament.0.path(), "**/*.py").unwrap();
        assert_eq!(paths.len(), 2);
    }
}
