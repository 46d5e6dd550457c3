//! Prepared parts of a language's builds: made by its tools alone, once for each release of them,
//! in a sandbox without a network that has nothing of a bot.
//!
//! It saves time and decides nothing, so a build goes on without it where it cannot be made.

use joust_sandbox::Folder;

use super::Builder;
use crate::language::Prepared;
use crate::not_built::NotBuilt;
use crate::recipe::{BuildNetwork, MADE, PRIVATE, Ready, Recipe, TableBuild};
use crate::source::SourceTree;
use crate::store::StoredBuild;
use crate::template::Values;
use joust_config::BuildLimits;

/// Folder where builds find it.
const INSIDE: &str = "/prepared";

impl Builder<'_> {
    /// Returns what builds of a language have ready; it is made where it is not there yet, and
    /// whoever needs it meanwhile waits.
    ///
    /// # Errors
    ///
    /// [`NotBuilt::Stopped`].
    pub(super) fn prepared(&self, language: &str) -> Result<Option<Ready>, NotBuilt> {
        let entry = self.toolchains.languages().get(language);
        let Some(prepared) = entry.and_then(|entry| entry.prepared.as_ref()) else {
            return Ok(None);
        };
        match self.find_or_prepare(language, prepared) {
            Err(NotBuilt::Stopped) => Err(NotBuilt::Stopped),
            Err(reason) => {
                let reason = reason.to_string();
                tracing::warn!(language, reason, "builds have nothing ready");
                Ok(None)
            }
            found => found,
        }
    }

    fn find_or_prepare(
        &self,
        language: &str,
        prepared: &Prepared,
    ) -> Result<Option<Ready>, NotBuilt> {
        let recipe = self.recipe_of_prepared(language, prepared)?;
        let source = SourceTree::empty();
        let hash = recipe.key(&source.hash());
        let _lock =
            self.store.lock(&hash).map_err(NotBuilt::ours("lock what builds have ready"))?;
        if self.toolchains.is_unprepared(&hash) {
            return Ok(None);
        }
        let found = self.store.find(&hash).map_err(NotBuilt::ours("read the store"))?;
        let stored = match found {
            Some(stored) => stored,
            None => {
                // Those of an event are for a bot.
                let limits = BuildLimits::default();
                let made = Builder { limits: &limits, ..*self }.make(&recipe, &source, &hash);
                if matches!(&made, Err(reason) if *reason != NotBuilt::Stopped) {
                    self.toolchains.keep_unprepared(hash);
                }
                made?
            }
        };
        ready(prepared, &stored)
            .map(Some)
            .map_err(|name| NotBuilt::Refused(format!("`{{{name}}}` stands for nothing here")))
    }

    fn recipe_of_prepared(&self, language: &str, prepared: &Prepared) -> Result<Recipe, NotBuilt> {
        let entry = self.toolchains.languages().get(language);
        let variants = entry.into_iter().flat_map(|entry| &entry.variants);
        let variant = variants.into_iter().find(|variant| variant.name == prepared.of);
        let variant = variant.ok_or_else(|| {
            NotBuilt::Refused(format!("`{language}` has no variant `{}`", prepared.of))
        })?;
        let table = TableBuild {
            language,
            what: "prepared",
            network: BuildNetwork::None,
            folder: "",
            environment: &prepared.environment,
            build: &prepared.build,
            files: [].into(),
        };
        table.recipe(self.toolchains.find(language, variant)?)
    }
}

/// Returns where a build has it, or a place-holder that stands for nothing.
fn ready(prepared: &Prepared, stored: &StoredBuild) -> Result<Ready, String> {
    let mut values = Values::default();
    values.set("prepared", INSIDE);
    values.set("tmp", PRIVATE);
    let begin = values.command(&prepared.begin)?;
    let folder = Folder { host: stored.tree.join(MADE), inside: INSIDE.into() };
    Ok(Ready { folder, begin })
}
