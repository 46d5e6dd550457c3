//! Libraries that a bot's own list names: looked for where the bot is built, fetched on demand.

use std::path::Path;
use std::sync::Arc;

use super::SetRequest;
use super::needs::{self, BotDependencies, ListedDependencies};
use crate::context::BuildContext;
use joust_bots::{BotProblem, BotSource, SourceTree, manifest::Project};
use joust_config::Dependencies;
use joust_config::Requirements;
use joust_toolchain::{Library, LibrarySet, NotBuilt, language::Libraries};

/// Largest number of forbidden packages that a message names.
const MOST_TOLD: usize = 20;

/// Reason for which the libraries of a bot were not fetched.
#[derive(Debug)]
pub enum NotFetched {
    /// The bot has no usable list; all problems of the list.
    List(Vec<BotProblem>),
    /// The fetch failed.
    Set(NotBuilt),
}

impl From<NotBuilt> for NotFetched {
    fn from(reason: NotBuilt) -> Self {
        Self::Set(reason)
    }
}

/// Own libraries of a bot, as its build has them.
#[derive(Debug, Default)]
pub(crate) struct OwnLibraries {
    /// Its set.
    pub(crate) set: Option<Arc<LibrarySet>>,
    /// Reason why it has no set, shown where the build failed.
    pub(crate) lacking: Option<String>,
}

/// Fetches what a bot's own list names, unless it is here; `fetching` is called first. `None` when
/// it has no list, or one that names nothing.
///
/// # Errors
///
/// [`NotFetched`]: the list is wrong, or what it names did not come.
pub(crate) fn fetch(
    context: BuildContext<'_>,
    requirements: &Requirements,
    bot: &BotSource,
    fetching: impl FnOnce(),
) -> Result<Option<Arc<LibrarySet>>, NotFetched> {
    let tree = bot.tree(context.toolchains.languages().sources()).map_err(NotBuilt::from)?;
    let Some(libraries) = libraries_of(context, requirements, bot) else { return Ok(None) };
    let whole = |problem: BotProblem| {
        NotFetched::List(vec![BotProblem { file: tree.root.join(&problem.file), ..problem }])
    };
    let list = match needs::find(libraries, &tree, &prefix_of(bot)).map_err(whole)? {
        BotDependencies::Nothing => return Ok(None),
        BotDependencies::Unlisted(problem) => return Err(whole(problem)),
        BotDependencies::Listed(list) => list,
    };
    let file = list.file.clone();
    let set = request(context, bot, libraries, list).plan()?.find_or(fetching)?;
    match not_allowed(requirements, bot, libraries, &set) {
        Some(refused) => Err(whole(refused.of(&file))),
        None => Ok(Some(set)),
    }
}

/// Returns the libraries that were fetched from a bot's own list.
///
/// # Errors
///
/// [`NotBuilt::Refused`] when a fetched library is not allowed in the event.
pub(crate) fn find(
    context: BuildContext<'_>,
    requirements: &Requirements,
    bot: &BotSource,
    tree: &SourceTree,
) -> Result<OwnLibraries, NotBuilt> {
    let Some(libraries) = libraries_of(context, requirements, bot) else {
        return Ok(OwnLibraries::default());
    };
    let lacking = |text: String| Ok(OwnLibraries { lacking: Some(text), set: None });
    let list = match needs::find(libraries, tree, &prefix_of(bot)) {
        Ok(BotDependencies::Nothing) => return Ok(OwnLibraries::default()),
        Ok(BotDependencies::Unlisted(problem)) | Err(problem) => {
            return lacking(problem.to_string());
        }
        Ok(BotDependencies::Listed(list)) => list,
    };
    let file = list.file.clone();
    let set = match request(context, bot, libraries, list).plan() {
        Ok(wanted) => wanted.find()?,
        Err(reason) => return lacking(format!("`{file}`: {reason}")),
    };
    let Some(set) = set else {
        return lacking(format!(
            "what `{file}` names was not fetched: `joust bot fetch {}` does that",
            bot.found.display()
        ));
    };
    match not_allowed(requirements, bot, libraries, &set) {
        Some(refused) => Err(NotBuilt::Refused(refused.of(&file).to_string())),
        None => Ok(OwnLibraries { set: Some(set), lacking: None }),
    }
}

/// Returns the commands for library sets of a bot's language, if it has any and the bot may use
/// them.
fn libraries_of<'a>(
    context: BuildContext<'a>,
    requirements: &Requirements,
    bot: &BotSource,
) -> Option<&'a Libraries> {
    let entry = context.toolchains.languages().get(&bot.manifest.language)?;
    let is_allowed = requirements.dependencies == Dependencies::Allowed;
    entry.libraries.as_ref().filter(|_| is_allowed)
}

fn request<'a>(
    context: BuildContext<'a>,
    bot: &'a BotSource,
    libraries: &'a Libraries,
    list: ListedDependencies,
) -> SetRequest<'a> {
    let ListedDependencies { folder, files, .. } = list;
    SetRequest { context, id: &bot.manifest.language, libraries, folder, files }
}

/// Returns the fetched libraries that the event does not allow.
fn not_allowed(
    requirements: &Requirements,
    bot: &BotSource,
    libraries: &Libraries,
    set: &LibrarySet,
) -> Option<NotAllowed> {
    let allowed = requirements.allowed_libraries.get(&bot.manifest.language)?;
    let others = set.libraries.iter().filter(|one| !libraries.is_among(&one.name, allowed));
    let others: Vec<Library> = others.cloned().collect();
    (!others.is_empty()).then(|| NotAllowed { others, allowed: allowed.join(", ") })
}

/// Fetched libraries that are not allowed.
struct NotAllowed {
    others: Vec<Library>,
    allowed: String,
}

impl NotAllowed {
    /// Makes a problem of the list that brought them.
    fn of(&self, file: &str) -> BotProblem {
        let told = self.others.iter().take(MOST_TOLD);
        let told: Vec<String> = told.map(|one| format!("`{} {}`", one.name, one.version)).collect();
        let more = match self.others.len().saturating_sub(MOST_TOLD) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message =
            format!("it brings {}{more}, which the event does not allow", told.join(", "));
        let hint = format!("`allow_libraries` names what may be fetched: {}", self.allowed);
        BotProblem::new(Path::new(file), message).hint(hint)
    }
}

/// Returns the folder of a bot's project, empty or with a `/` at its end.
fn prefix_of(bot: &BotSource) -> String {
    bot.manifest.project.as_ref().map(Project::prefix).unwrap_or_default()
}
