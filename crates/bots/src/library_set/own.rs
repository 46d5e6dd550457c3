//! Libraries that a bot's own list names: looked for where the bot is built, fetched on demand.

use std::path::Path;
use std::sync::Arc;

use super::{LIST, Library, LibrarySet, Making, with_libraries};
use crate::BotSource;
use crate::builder::Builder;
use crate::language::{Language, Libraries};
use crate::lock::{Form, List, Lock, Package};
use crate::manifest::Project;
use crate::not_built::NotBuilt;
use crate::problem::Problem;
use crate::source::SourceTree;
use joust_config::Dependencies;

/// How many packages that are not allowed are told.
const MOST_TOLD: usize = 20;

/// What was made of the list of a bot.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The list, as it is called in the source.
    pub file: String,
    /// The set.
    pub set: Arc<LibrarySet>,
    /// Whether the list leaves open what comes.
    pub is_open: bool,
}

/// Why the libraries of a bot were not fetched.
#[derive(Debug)]
pub enum NotFetched {
    /// Its list cannot be used: everything that is wrong with it.
    List(Vec<Problem>),
    /// They did not come.
    Set(NotBuilt),
}

impl From<NotBuilt> for NotFetched {
    fn from(reason: NotBuilt) -> Self {
        Self::Set(reason)
    }
}

/// What a bot's build has of its own libraries.
#[derive(Debug, Default)]
pub(crate) struct Own {
    /// Its set.
    pub(crate) set: Option<Arc<LibrarySet>>,
    /// Why it has none, for whoever reads that the build failed.
    pub(crate) lacking: Option<String>,
}

impl Builder<'_> {
    /// Fetches what a bot's own list names, unless it is here; `fetching` is called first. `None` when
    /// it has no list, or one that names nothing.
    ///
    /// # Errors
    ///
    /// [`NotFetched`]: the list is wrong, or what it names did not come.
    pub fn fetch(
        &self,
        bot: &BotSource,
        fetching: impl FnOnce(),
    ) -> Result<Option<Fetched>, NotFetched> {
        let tree = bot.tree(self.toolchains.languages()).map_err(NotBuilt::from)?;
        let Some((entry, libraries)) = self.own_libraries(bot) else { return Ok(None) };
        let lock = libraries.reads.find(&tree, &folder_of(bot, libraries));
        let whole = |problem: Problem| Problem { file: tree.root.join(&problem.file), ..problem };
        let lock = lock.map_err(|all| NotFetched::List(all.into_iter().map(whole).collect()))?;
        let Some(lock) = lock else { return Ok(None) };
        let refused = self.not_allowed(bot, libraries, &lock);
        if !refused.is_empty() {
            return Err(NotFetched::List(refused.into_iter().map(whole).collect()));
        }
        let is_open = lock.list.packages.iter().any(|one| one.hash.is_none());
        let making = self.making(bot, entry, libraries, &lock.list);
        let set = making.wanted()?.find_or(fetching)?;
        Ok(Some(Fetched { file: lock.file, set, is_open }))
    }

    /// Returns what was fetched of a bot's own list.
    ///
    /// # Errors
    ///
    /// [`NotBuilt::Refused`] when the list names what the event does not allow.
    pub(crate) fn own(&self, bot: &BotSource, tree: &SourceTree) -> Result<Own, NotBuilt> {
        let Some((entry, libraries)) = self.own_libraries(bot) else { return Ok(Own::default()) };
        let found = libraries.reads.find(tree, &folder_of(bot, libraries));
        let lock = match found {
            Ok(Some(lock)) => lock,
            Ok(None) => return Ok(Own::default()),
            Err(problems) => {
                let lacking = Problem::joined(&problems).map(|problem| problem.to_string());
                if self.allowed(&bot.manifest.language).is_some() {
                    return Err(NotBuilt::Refused(lacking.unwrap_or_default()));
                }
                return Ok(Own { lacking, set: None });
            }
        };
        if self.is_provided(bot, libraries, &lock)? {
            return Ok(Own::default());
        }
        if let Some(refused) = Problem::joined(&self.not_allowed(bot, libraries, &lock)) {
            return Err(NotBuilt::Refused(refused.to_string()));
        }
        let making = self.making(bot, entry, libraries, &lock.list);
        let set = match making.wanted() {
            Ok(wanted) => wanted.find()?,
            Err(reason) => {
                return Ok(Own { lacking: Some(format!("`{}`: {reason}", lock.file)), set: None });
            }
        };
        let lacking = set.is_none().then(|| {
            format!(
                "what `{}` names was not fetched: `joust bot fetch {}` does that",
                lock.file,
                bot.found.display()
            )
        });
        Ok(Own { set, lacking })
    }

    /// Returns how sets of a bot's language are made, if there are any and it may have one.
    fn own_libraries(&self, bot: &BotSource) -> Option<(&Language, &Libraries)> {
        let entry = self.toolchains.languages().get(&bot.manifest.language)?;
        let is_allowed = self.requirements.dependencies == Dependencies::Allowed;
        with_libraries(entry).filter(|_| is_allowed)
    }

    fn making<'a>(
        &'a self,
        bot: &'a BotSource,
        entry: &'a Language,
        libraries: &'a Libraries,
        list: &List,
    ) -> Making<'a> {
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        let library = |one: &Package| Library {
            name: one.name.clone(),
            version: text(&one.version),
            hash: text(&one.hash),
        };
        let all: Vec<Library> = list.packages.iter().map(library).collect();
        let mut folder = list.folder.clone();
        folder.insert(LIST.to_owned(), serde_json::to_string(&all).expect("plain data is JSON"));
        Making { builder: self, id: &bot.manifest.language, entry, libraries, folder }
    }

    fn allowed(&self, language: &str) -> Option<&Vec<String>> {
        self.requirements.allows.and_then(|allows| allows.get(language))
    }

    /// Returns a problem for each package of a list that the event does not allow.
    fn not_allowed(&self, bot: &BotSource, libraries: &Libraries, lock: &Lock) -> Vec<Problem> {
        let Some(allowed) = self.allowed(&bot.manifest.language) else { return Vec::new() };
        let packages = lock.list.packages.iter();
        let refused: Vec<&Package> =
            packages.filter(|one| !libraries.reads.is_among(&one.name, allowed)).collect();
        let problem = |one: &Package| {
            let message = format!("the event does not allow `{}`", one.name);
            let hint =
                format!("`allow_libraries` names what may be fetched: {}", allowed.join(", "));
            Problem::new(Path::new(&lock.file), message).at(Some(one.place)).hint(hint)
        };
        let told = refused.iter().take(MOST_TOLD).map(|one| problem(one));
        let more = refused.get(MOST_TOLD).map(|next| {
            let more = refused.len() - MOST_TOLD;
            let message = format!("the event does not allow {more} more");
            Problem { message, ..problem(next) }
        });
        told.chain(more).collect()
    }

    /// Says whether the event provides all that a list names.
    fn is_provided(
        &self,
        bot: &BotSource,
        libraries: &Libraries,
        lock: &Lock,
    ) -> Result<bool, NotBuilt> {
        let Some(set) = self.libraries(&bot.manifest.language, || {})? else { return Ok(false) };
        let names: Vec<String> = set.libraries.iter().map(|one| one.name.clone()).collect();
        Ok(lock.list.packages.iter().all(|one| libraries.reads.is_among(&one.name, &names)))
    }
}

/// Returns the folder of a bot's source in which its list is.
fn folder_of(bot: &BotSource, libraries: &Libraries) -> String {
    let project = bot.manifest.project.as_ref();
    let is_at_root = libraries.reads == Form::Pip;
    project.filter(|_| !is_at_root).map(Project::prefix).unwrap_or_default()
}
