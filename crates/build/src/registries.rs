//! Registries of a package manager: the hosts that it contacts when it has only the organiser's
//! configuration.

use std::sync::Arc;
use std::time::Instant;

use crate::build_log::BuildLog;
use crate::build_seat::BuildSeat;
use crate::context::{BuildContext, BuildJob};
use crate::fetch::{Admission, NetworkAccess, OrganiserConfig, Proxy, Registries, network};
use crate::staging::stage;
use joust_bots::SourceTree;
use joust_toolchain::{BuildNetwork, NotBuilt, TableBuild, language::Libraries};

/// Returns the registries of a language's package manager. They are found out once, in a seat
/// without any untrusted files.
pub(crate) fn find(
    context: BuildContext<'_>,
    id: &str,
    libraries: &Libraries,
) -> Result<Arc<Registries>, NotBuilt> {
    let BuildContext { toolchains, store, limits, .. } = context;
    if let Some(known) = store.session.registries.lock().get(id).cloned() {
        return Ok(known);
    }
    let config = OrganiserConfig::read(Some(libraries), &toolchains.machine, NetworkAccess::Proxy)?;
    let proxy = Proxy::new(Admission::Learning, config.routes);
    let files = libraries.files.clone().into_iter().chain(libraries.probe_files.clone());
    let table = TableBuild {
        language: id,
        of: &libraries.of,
        what: "registries",
        network: BuildNetwork::Registries,
        folder: "",
        environment: &libraries.environment,
        build: &libraries.probe,
        files: files.collect(),
    };
    let recipe = table.recipe(toolchains)?;
    let mut job = BuildJob { overlays: config.overlays, ..BuildJob::new(recipe) };
    job.overlays.proxy = Some(Arc::clone(&proxy));
    let work = store.work().map_err(NotBuilt::infrastructure("make a folder to fetch in"))?;
    let staged = stage(&SourceTree::empty(), &job.recipe, work.path())?;
    let mut log = BuildLog::new(limits.output.0.0);
    let mut seat = BuildSeat::open(context, &job, &staged, Instant::now() + limits.time.0)?;
    for command in &job.recipe.inputs.build {
        match seat.run(command, &mut log) {
            // Even a failed run contacted hosts.
            Ok(()) | Err(NotBuilt::Failed { .. } | NotBuilt::Timeout { .. }) => {}
            Err(other) => return Err(other),
        }
    }
    drop(seat);
    let seen = proxy.activity();
    let told = || network::unreachable(&log.text).map(str::to_owned);
    let trouble = seen.unreachable.or_else(told);
    let found = Arc::new(Registries { hosts: seen.asked, trouble });
    store.session.registries.lock().insert(id.to_owned(), Arc::clone(&found));
    Ok(found)
}
