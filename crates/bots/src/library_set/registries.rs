//! Registries of a package manager: the hosts that it asks when the organiser's configuration is all it has.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use crate::build_log::BuildLog;
use crate::build_seat::BuildSeat;
use crate::builder::{Builder, stage};
use crate::fetch::{Admission, Authority, OrganiserConfig, Proxy, WayOut, network};
use crate::language::Libraries;
use crate::not_built::NotBuilt;
use crate::recipe::{BuildNetwork, TableBuild};
use crate::source::SourceTree;

/// Registries that a package manager reached with the organiser's configuration alone.
#[derive(Debug)]
pub(crate) struct Registries {
    /// The hosts that it asked.
    pub(crate) hosts: BTreeSet<Authority>,
    /// Reason for which it could not reach one.
    pub(crate) trouble: Option<String>,
}

impl Builder<'_> {
    /// Returns the registries of a language's package manager. They are asked for once, in a seat in
    /// which nothing of a stranger is.
    pub(crate) fn registries(
        &self,
        id: &str,
        libraries: &Libraries,
    ) -> Result<Arc<Registries>, NotBuilt> {
        if let Some(known) = self.toolchains.registries(id) {
            return Ok(known);
        }
        let config =
            OrganiserConfig::read(Some(libraries), self.toolchains.machine(), WayOut::Proxy)?;
        let proxy = Proxy::new(Admission::Learning, config.routes);
        let table = TableBuild {
            language: id,
            what: "registries",
            network: BuildNetwork::Registries,
            folder: "",
            environment: &libraries.environment,
            build: &libraries.probe,
            files: libraries
                .files
                .clone()
                .into_iter()
                .chain(libraries.probe_files.clone())
                .collect(),
        };
        let mut recipe = table.recipe(self.tools_of(id, &libraries.of)?)?;
        recipe.passed = config.passed;
        recipe.passed.proxy = Some(Arc::clone(&proxy));
        let work = self.store.work().map_err(NotBuilt::ours("make a folder to fetch in"))?;
        let staged = stage(&SourceTree::empty(), &recipe, work.path())?;
        let mut log = BuildLog::new(self.limits.output.0);
        let mut seat = BuildSeat::open(self, &recipe, &staged, Instant::now() + self.limits.time)?;
        for command in &recipe.decisive.build {
            match seat.run(command, &mut log) {
                // Whatever came of it, hosts were asked.
                Ok(()) | Err(NotBuilt::Failed { .. } | NotBuilt::Timeout { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        drop(seat);
        let seen = proxy.seen();
        let told = || network::unreachable(log.text()).map(str::to_owned);
        let trouble = seen.unreachable.or_else(told);
        let found = Arc::new(Registries { hosts: seen.asked, trouble });
        self.toolchains.keep_registries(id, Arc::clone(&found));
        Ok(found)
    }
}
