//! Recipes of the languages table that involve no bot: library sets, and the prepared parts of
//! builds.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::commands::unknown_placeholder;
use super::environment::{add_tools, environment_of_builds};
use super::{BuildNetwork, Recipe, RecipeInputs};
use crate::build_error::NotBuilt;
use crate::detect::{Toolchain, Toolchains};
use crate::template::PlaceholderValues;
use crate::{BOT, OUT, PRIVATE};

/// Commands of the languages table that make a result without a bot.
pub struct TableBuild<'a> {
    /// The language.
    pub language: &'a str,
    /// Name of the variant whose tools make it.
    pub of: &'a str,
    /// Name of the result.
    pub what: &'static str,
    /// Network that they reach.
    pub network: BuildNetwork,
    /// Folder they start in, beneath `/bot`: empty or with a `/` at its end.
    pub folder: &'a str,
    /// Set while they run.
    pub environment: &'a BTreeMap<String, String>,
    /// The commands.
    pub build: &'a [Vec<String>],
    /// Files in their folder.
    pub files: BTreeMap<String, String>,
}

impl TableBuild<'_> {
    /// Makes the recipe.
    ///
    /// # Errors
    ///
    /// [`NotBuilt`] when the languages table has no such variant or uses an unknown place-holder,
    /// or the tools are missing.
    pub fn recipe(self, toolchains: &Toolchains) -> Result<Recipe, NotBuilt> {
        let toolchain = self.toolchain(toolchains)?;
        let mut values = PlaceholderValues::default();
        values.texts.extend(toolchain.values.clone());
        values.set("out", OUT);
        values.set("tmp", PRIVATE);
        let unknown = |name: String| unknown_placeholder(self.language, &name);
        let filled = self.build.iter().map(|command| values.command(command));
        let build = filled.collect::<Result<_, _>>().map_err(unknown)?;
        let mut build_environment = environment_of_builds();
        let tools = toolchain.programs.keys().cloned().collect();
        add_tools(&mut build_environment, &toolchain, &tools);
        for (name, template) in self.environment {
            build_environment.insert(name.clone(), values.text(template).map_err(unknown)?);
        }
        let inputs = RecipeInputs {
            language: self.language.to_owned(),
            variant: self.what.to_owned(),
            toolchain: toolchain.version.clone(),
            network: self.network,
            files: self.files,
            folder: format!("{BOT}/{}", self.folder).trim_end_matches('/').to_owned(),
            build,
            build_environment,
            ..RecipeInputs::default()
        };
        Ok(Recipe { toolchain, inputs, ..Recipe::default() })
    }

    fn toolchain(&self, toolchains: &Toolchains) -> Result<Arc<Toolchain>, NotBuilt> {
        let (id, of) = (self.language, self.of);
        let variants = toolchains.languages().get(id).into_iter().flat_map(|one| &one.variants);
        let found = variants.into_iter().find(|variant| variant.name == of);
        let found = found.ok_or_else(|| NotBuilt::Refused(format!("`{id}` has no variant `{of}`")));
        Ok(toolchains.find(id, found?)?)
    }
}
