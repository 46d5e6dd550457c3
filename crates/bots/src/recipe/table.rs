//! Recipes of what the languages table makes by itself, of no bot: library sets, and what builds
//! have ready.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::commands::nothing;
use super::environment::{add_tools, environment_of_builds};
use super::{BOT, BuildNetwork, Decisive, OUT, PRIVATE, Passed, Recipe, Start};
use crate::detect::Toolchain;
use crate::not_built::NotBuilt;
use crate::template::Values;

/// Commands of the languages table that make something of no bot.
pub(crate) struct TableBuild<'a> {
    /// The language.
    pub(crate) language: &'a str,
    /// Name of the result.
    pub(crate) what: &'static str,
    /// Network that they reach.
    pub(crate) network: BuildNetwork,
    /// Folder they start in, beneath `/bot`: empty or with a `/` at its end.
    pub(crate) folder: &'a str,
    /// Set while they run.
    pub(crate) environment: &'a BTreeMap<String, String>,
    /// The commands.
    pub(crate) build: &'a [Vec<String>],
    /// Files in their folder.
    pub(crate) files: BTreeMap<String, String>,
}

impl TableBuild<'_> {
    /// Makes the recipe.
    ///
    /// # Errors
    ///
    /// When the languages table uses a place-holder that stands for nothing.
    pub(crate) fn recipe(self, toolchain: Arc<Toolchain>) -> Result<Recipe, NotBuilt> {
        let mut values = Values::default();
        values.texts.extend(toolchain.values.clone());
        values.set("out", OUT);
        values.set("tmp", PRIVATE);
        let unknown = |name: String| nothing(self.language, &name);
        let filled = self.build.iter().map(|command| values.command(command));
        let build = filled.collect::<Result<_, _>>().map_err(unknown)?;
        let mut build_environment = environment_of_builds();
        let tools = toolchain.programs.keys().cloned().collect();
        add_tools(&mut build_environment, &toolchain, &tools);
        for (name, template) in self.environment {
            build_environment.insert(name.clone(), values.text(template).map_err(unknown)?);
        }
        let decisive = Decisive {
            language: self.language.to_owned(),
            variant: self.what.to_owned(),
            toolchain: toolchain.version.clone(),
            network: self.network,
            libraries: None,
            own: None,
            files: self.files,
            folder: format!("{BOT}/{}", self.folder).trim_end_matches('/').to_owned(),
            build,
            optional: Vec::new(),
            otherwise: Vec::new(),
            shipped: None,
            build_environment,
            run: Vec::new(),
            trailing: Vec::new(),
            run_environment: BTreeMap::new(),
            program: Vec::new(),
            system: Vec::new(),
        };
        Ok(Recipe {
            toolchain,
            decisive,
            start: Start::default(),
            caches: Vec::new(),
            passed: Passed::default(),
            lacking: Vec::new(),
            libraries: None,
            ready: None,
        })
    }
}
