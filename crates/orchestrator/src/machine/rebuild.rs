//! The build a recorded bout was played with, on a machine that may not have it:
//! from the cache, from an exported folder, or made again from its source.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, fs};

use super::{Machine, default_tournament};
use joust_bots::{git, pack};
use joust_build::{NotPlaced, PlacedBuild};
use joust_config::{Event, Tournament};
use joust_model::{BoutPlan, BuildHash, Bytes};
use joust_store::{BuildRow, SourceRow};

/// Origin of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildOrigin {
    /// This machine had it.
    Cache,
    /// An exported folder had it.
    Folder(PathBuf),
    /// It was made from the source that the database keeps.
    KeptSource,
    /// It was made from the source of a commit.
    Commit(String),
    /// It was made from a source that is here unchanged.
    Source(PathBuf),
}

impl fmt::Display for BuildOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cache => write!(f, "from this machine's cache"),
            Self::Folder(folder) => write!(f, "from `{}`", folder.display()),
            Self::KeptSource => write!(f, "made again from the source kept in the database"),
            Self::Commit(commit) => {
                write!(f, "made again from commit {}", commit.get(..12).unwrap_or(commit))
            }
            Self::Source(path) => write!(f, "made again from `{}`", path.display()),
        }
    }
}

/// A build to play a recorded bout again with.
#[derive(Clone, Debug)]
pub struct FoundBuild {
    /// The bot.
    pub bot: String,
    /// The build the bout was played with.
    pub played: BuildHash,
    /// The build there is.
    pub build: Arc<PlacedBuild>,
    /// Origin of the build.
    pub origin: BuildOrigin,
    /// Difference from the build that played; `None` when it is the same.
    pub difference: Option<String>,
}

/// Reason why there is no build.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the build {} of `{bot}` is gone and cannot be made again: {}", &.build.to_string()[..16], .tried.join("; "))]
pub struct MissingBuild {
    /// The bot.
    pub bot: String,
    /// The build the bout was played with.
    pub build: BuildHash,
    /// Attempts and the reasons why they failed.
    pub tried: Vec<String>,
}

/// A build that is looked for.
#[derive(Clone, Debug)]
pub struct BuildQuery {
    /// The bot.
    pub bot: String,
    /// The build the bout was played with.
    pub build: BuildHash,
    /// Row of the build, if the database has it.
    pub row: Option<BuildRow>,
    /// Row of the source, if the database has it.
    pub source: Option<SourceRow>,
}

/// Places to look for builds.
#[derive(Clone, Copy, Debug)]
pub struct BuildSources<'a> {
    /// The tournament; its folder may lie in a git repository.
    pub tournament: &'a Tournament,
    /// The bout.
    pub plan: &'a BoutPlan,
    /// An exported folder.
    pub exported: Option<&'a Path>,
}

/// Origin and place of a source.
type SourceCandidate = (BuildOrigin, PathBuf);

impl Machine {
    /// Returns the requested build, or one that was made from the same source, with its difference.
    ///
    /// # Errors
    ///
    /// [`MissingBuild`] with everything that was tried.
    pub fn find_build(
        &self,
        wanted: &BuildQuery,
        places: &BuildSources<'_>,
    ) -> Result<FoundBuild, MissingBuild> {
        let memory = places.plan.limits.memory;
        let mut tried = Vec::new();
        match self.stored_build(&wanted.build, memory) {
            Ok(Some(build)) => return Ok(rebuilt(wanted, build, BuildOrigin::Cache)),
            Ok(None) => tried.push("this machine's cache does not have it".to_owned()),
            Err(error) => tried.push(format!("this machine's cache has it, but {error}")),
        }
        if let Some(folder) = places.exported {
            match self.exported_build(wanted, folder, memory) {
                Ok(Some(build)) => {
                    return Ok(rebuilt(wanted, build, BuildOrigin::Folder(folder.to_owned())));
                }
                Ok(None) => tried.push(format!("`{}` does not have it", folder.display())),
                Err(error) => tried.push(format!("`{}`: {error}", folder.display())),
            }
        }
        self.make_again(wanted, places, &mut tried).ok_or_else(|| MissingBuild {
            bot: wanted.bot.clone(),
            build: wanted.build,
            tried,
        })
    }

    fn exported_build(
        &self,
        wanted: &BuildQuery,
        folder: &Path,
        memory: Bytes,
    ) -> Result<Option<PlacedBuild>, NotPlaced> {
        let result = wanted.row.as_ref().map(|row| row.result);
        match self.store.import(folder, &wanted.build, result)? {
            true => self.stored_build(&wanted.build, memory),
            false => Ok(None),
        }
    }

    /// Makes the build from the first source that gives the same one; from the
    /// first that can be built when none does.
    fn make_again(
        &self,
        wanted: &BuildQuery,
        places: &BuildSources<'_>,
        tried: &mut Vec<String>,
    ) -> Option<FoundBuild> {
        let event = event(places);
        let home = joust_sandbox::temporary_folder()
            .inspect_err(|error| tried.push(error.to_string()))
            .ok()?;
        let mut other = None;
        for (origin, path) in self.candidates(wanted, places, &event, home.path(), tried) {
            match self.build_source(&path, wanted, &event) {
                Ok(build) if build.hash == wanted.build => {
                    return Some(rebuilt(wanted, build, origin));
                }
                Ok(build) => {
                    other.get_or_insert(rebuilt(wanted, build, origin));
                }
                Err(reason) => tried.push(format!("{}: {reason}", origin)),
            }
        }
        other
    }

    fn build_source(
        &self,
        path: &Path,
        wanted: &BuildQuery,
        event: &Event,
    ) -> Result<PlacedBuild, String> {
        let bot = self.read_bot(path, &event.game).map_err(|problems| {
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        })?;
        let tree = bot.tree(self.languages().sources()).map_err(|problem| problem.to_string())?;
        if wanted.source.as_ref().is_some_and(|source| source.hash != tree.hash()) {
            return Err("its files are not those that were built".to_owned());
        }
        let built = self.build(&[bot], event, &joust_model::notices::NullListener).remove(0);
        built.map(|build| (*build).clone()).map_err(|reason| reason.to_string())
    }

    /// Returns the sources that may be the one, in the order they are tried.
    fn candidates(
        &self,
        wanted: &BuildQuery,
        places: &BuildSources<'_>,
        event: &Event,
        home: &Path,
        tried: &mut Vec<String>,
    ) -> Vec<SourceCandidate> {
        let mut candidates = Vec::new();
        if let Some(source) = &wanted.source {
            candidates.extend(kept(source, home, tried));
            candidates.extend(committed(source, &places.tournament.folder, home, tried));
        } else {
            tried.push("the database does not know its source".to_owned());
        }
        let here = self.discover(places.tournament, event).unwrap_or_default();
        let here = here.into_iter().find(|bot| bot.name() == wanted.bot);
        candidates.extend(here.map(|bot| (BuildOrigin::Source(bot.found.clone()), bot.found)));
        candidates
    }
}

/// Returns the settings for playing the bout's event here; limits are the bout's own.
fn event(places: &BuildSources<'_>) -> Event {
    let (tournament, plan) = (places.tournament, places.plan);
    let same = |event: &&Event| event.id == plan.event && event.game.id() == plan.game;
    let found = tournament.events.iter().find(same).cloned();
    let mut event = found.unwrap_or_else(|| {
        let game = tournament.games.find(&plan.game);
        let game = game.expect("a bout is compared by a referee that knows its game");
        default_tournament::event(tournament, game)
    });
    event.limits = (*plan.limits).clone();
    event
}

/// Unpacks the source that the database keeps. Its folder is called as it was:
/// some bots have no other name.
fn kept(source: &SourceRow, home: &Path, tried: &mut Vec<String>) -> Option<SourceCandidate> {
    let Some(files) = &source.files else {
        tried.push(
            "the database does not keep its source (too large to be kept, or `keep_sources: false`)"
                .to_owned(),
        );
        return None;
    };
    let folder = home.join("kept");
    let name = safe_name(&source.name)?;
    let unpacked = fs::create_dir(&folder).and_then(|()| {
        // A single file lies beside others in its archive.
        let file = pack::place_of_file(files, name)?;
        let to = if file.is_some() { folder.clone() } else { folder.join(name) };
        fs::create_dir_all(&to)?;
        pack::unpack(files, &to)?;
        Ok(file.map_or(to, |file| folder.join(file)))
    });
    match unpacked {
        Ok(path) => Some((BuildOrigin::KeptSource, path)),
        Err(error) => {
            tried.push(format!("the source kept in the database is damaged: {error}"));
            None
        }
    }
}

fn committed(
    source: &SourceRow,
    repository: &Path,
    home: &Path,
    tried: &mut Vec<String>,
) -> Option<SourceCandidate> {
    let (commit, place) = (source.commit.as_ref()?, source.place.as_ref()?);
    let folder = home.join("commit");
    let written = fs::create_dir(&folder).ok();
    if let Some(path) = written.and_then(|()| {
        git::write_source(repository, git::CommittedSource { commit, place }, &folder)
    }) {
        return Some((BuildOrigin::Commit(commit.clone()), path));
    }
    tried.push(format!("commit {} is not in the repository here", commit.get(..12).unwrap_or("?")));
    None
}

/// A name that is one part of a path.
fn safe_name(name: &str) -> Option<&str> {
    let is_plain = !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0']);
    is_plain.then_some(name)
}

fn rebuilt(wanted: &BuildQuery, build: PlacedBuild, origin: BuildOrigin) -> FoundBuild {
    FoundBuild {
        bot: wanted.bot.clone(),
        played: wanted.build,
        difference: difference(wanted, &build),
        build: Arc::new(build),
        origin,
    }
}

/// Returns the difference between a build and the one that played, if any.
fn difference(wanted: &BuildQuery, build: &PlacedBuild) -> Option<String> {
    let short = |hash: &BuildHash| hash.to_string()[..16].to_owned();
    let row = wanted.row.as_ref();
    if build.hash != wanted.build {
        let (now, then) = (short(&build.hash), short(&wanted.build));
        let tools = row.filter(|row| row.toolchain != build.tool_versions()).map(|row| {
            format!(
                ": tools `{}` instead of `{}`",
                build.tool_versions().trim(),
                row.toolchain.trim()
            )
        });
        let tools = tools.unwrap_or_else(|| ": another recipe".to_owned());
        return Some(format!("it is build {now}, not {then} that played{tools}"));
    }
    let result = row.map(|row| row.result).filter(|result| *result != build.result)?;
    let (now, then) = (short(&build.result), short(&result));
    Some(format!("the same source and tools gave other files: {now}, not {then} that played"))
}
