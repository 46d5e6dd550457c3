//! Prepared parts of a language's builds: made by its tools alone, once for each release of them,
//! in a sandbox without a network that has nothing of a bot.
//!
//! It only saves time: when it cannot be made, a build continues without it.

use joust_sandbox::Folder;

use crate::attempt::make_build;
use crate::context::{BuildContext, BuildJob, Prebuilt};
use crate::store::StoredBuild;
use joust_bots::SourceTree;
use joust_config::BuildLimits;
use joust_toolchain::{
    BuildNetwork, MADE, NotBuilt, PRIVATE, PlaceholderValues, TableBuild, language::Prepared,
};

/// Folder where builds find it.
const INSIDE: &str = "/prepared";

/// Returns the prepared part of builds of a language and makes it if it is missing. Other callers
/// wait until it is made.
///
/// # Errors
///
/// [`NotBuilt::Stopped`].
pub(crate) fn find(
    context: BuildContext<'_>,
    language: &str,
) -> Result<Option<Prebuilt>, NotBuilt> {
    let entry = context.toolchains.languages().get(language);
    let Some(prepared) = entry.and_then(|entry| entry.prepared.as_ref()) else {
        return Ok(None);
    };
    match find_or_make(context, language, prepared) {
        Err(NotBuilt::Stopped) => Err(NotBuilt::Stopped),
        Err(reason) => {
            let reason = reason.to_string();
            tracing::warn!(language, reason, "builds have nothing ready");
            Ok(None)
        }
        found => found,
    }
}

fn find_or_make(
    context: BuildContext<'_>,
    language: &str,
    prepared: &Prepared,
) -> Result<Option<Prebuilt>, NotBuilt> {
    let BuildContext { toolchains, store, .. } = context;
    let table = TableBuild {
        language,
        of: &prepared.of,
        what: "prepared",
        network: BuildNetwork::None,
        folder: "",
        environment: &prepared.environment,
        build: &prepared.build,
        files: [].into(),
    };
    let job = BuildJob::new(table.recipe(toolchains)?);
    let source = SourceTree::empty();
    let hash = job.recipe.key(&source.hash());
    let _lock =
        store.lock(&hash).map_err(NotBuilt::infrastructure("lock what builds have ready"))?;
    if store.session.unprepared.lock().contains(&hash) {
        return Ok(None);
    }
    let found = store.find(&hash).map_err(NotBuilt::infrastructure("read the store"))?;
    let stored = match found {
        Some(stored) => stored,
        None => {
            // Those of an event are for a bot.
            let limits = BuildLimits::default();
            let made =
                make_build(BuildContext { limits: &limits, ..context }, &job, &source, &hash);
            if matches!(&made, Err(reason) if *reason != NotBuilt::Stopped) {
                store.session.unprepared.lock().insert(hash);
            }
            made?
        }
    };
    placed(prepared, &stored)
        .map(Some)
        .map_err(|name| NotBuilt::Refused(format!("`{{{name}}}` stands for nothing here")))
}

/// Returns the prepared part as a build sees it; the error names a place-holder without a value.
fn placed(prepared: &Prepared, stored: &StoredBuild) -> Result<Prebuilt, String> {
    let mut values = PlaceholderValues::default();
    values.set("prepared", INSIDE);
    values.set("tmp", PRIVATE);
    let begin = values.command(&prepared.begin)?;
    let folder = Folder { host: stored.tree.join(MADE), inside: INSIDE.into() };
    Ok(Prebuilt { folder, begin })
}
