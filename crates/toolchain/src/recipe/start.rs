//! Start of a build: command and environment of a turn, with names where machines differ.
//!
//! A recipe holds words as one machine needs them, because they decide what a build is. The
//! start holds the same words with the places of tools by name, so that another machine fills
//! in its own. It also holds the values of the names on the machine that made the build: with
//! both, a reader can check that the command was not replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::RecipeInputs;
use super::builder::RecipeBuilder;
use super::environment::{add_tools, fixed_environment};
use crate::build_error::NotBuilt;
use crate::detect::Toolchain;
use crate::library_set::PathVariable;
use joust_model::BuildHash;

/// Mark around the name of a tool's place while words are filled in; it occurs in no command,
/// variable or path.
const MARK: char = '\0';

/// Start of a build, on any machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartCommand {
    /// The command; `{program}` and `{heap}` are still in it.
    command: Vec<WordTemplate>,
    /// Variables, without those that lead to tools and libraries.
    environment: BTreeMap<String, WordTemplate>,
    /// Tools that a turn needs.
    pub tools: BTreeSet<String>,
    /// Libraries that the event provides.
    pub libraries: Option<StartLibraries>,
    /// Values of the tools' places where the build was made.
    made_with: ToolPlaces,
}

/// A library set, as a build uses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartLibraries {
    /// The set's hash in a store.
    pub set: BuildHash,
    /// The variable that leads to it.
    pub variable: PathVariable,
}

/// Places of tools inside the sandbox of one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ToolPlaces {
    values: BTreeMap<String, String>,
    libraries: Vec<String>,
}

/// A text with places of tools by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct WordTemplate(Vec<TemplatePart>);

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TemplatePart {
    /// The same on every machine.
    Text(String),
    /// The place of a tool, such as `python` or `python.home`.
    Place(String),
}

/// A start with the places of one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedStart {
    /// The command; `{program}` and `{heap}` are still in it.
    pub command: Vec<String>,
    /// The environment, complete.
    pub environment: BTreeMap<String, String>,
}

impl WordTemplate {
    /// Reads a text in which marks stand around names.
    fn of_marked(text: &str) -> Self {
        let pieces = text.split(MARK).enumerate().filter(|(_, piece)| !piece.is_empty());
        Self(
            pieces
                .map(|(number, piece)| match number % 2 {
                    0 => TemplatePart::Text(piece.to_owned()),
                    _ => TemplatePart::Place(piece.to_owned()),
                })
                .collect(),
        )
    }

    /// Fills in the places; the name of the first that is not there is the error.
    fn fill(&self, places: &BTreeMap<String, String>) -> Result<String, String> {
        let text = |piece: &TemplatePart| match piece {
            TemplatePart::Text(text) => Ok(text.clone()),
            TemplatePart::Place(name) => places.get(name).cloned().ok_or_else(|| name.clone()),
        };
        self.0.iter().map(text).collect()
    }
}

impl StartCommand {
    /// Fills in the places of a toolchain.
    ///
    /// # Errors
    ///
    /// The name of the first place that it does not have.
    pub fn fill(&self, toolchain: &Toolchain) -> Result<ResolvedStart, String> {
        if self.command.is_empty() {
            return Ok(ResolvedStart::default());
        }
        let places = &toolchain.values;
        if let Some(tool) = self.tools.iter().find(|tool| !places.contains_key(*tool)) {
            return Err(tool.clone());
        }
        let command = self.command.iter().map(|word| word.fill(places));
        let mut environment = BTreeMap::new();
        add_tools(&mut environment, toolchain, &self.tools);
        for (name, value) in &self.environment {
            environment.insert(name.clone(), value.fill(places)?);
        }
        if let Some(libraries) = &self.libraries {
            libraries.variable.add_to(&mut environment);
        }
        Ok(ResolvedStart { command: command.collect::<Result<_, _>>()?, environment })
    }

    /// Returns whether this is the start of a recipe: filled with the places where the build was
    /// made, it equals the recipe's.
    pub fn is_of(&self, recipe: &RecipeInputs) -> bool {
        let ToolPlaces { values, libraries } = self.made_with.clone();
        let filled = self.fill(&Toolchain { values, libraries, ..Toolchain::default() });
        filled.is_ok_and(|filled| {
            filled.command == recipe.run && filled.environment == recipe.run_environment
        })
    }
}

impl RecipeBuilder<'_> {
    /// Returns how the bot is started, with the places of tools by name.
    pub(super) fn start(&self, needed: &BTreeSet<String>) -> Result<StartCommand, NotBuilt> {
        let by_name = self.with_named_places();
        let mut command = by_name.run()?;
        command.extend(self.bot.manifest.args.iter().cloned());
        let mut environment = fixed_environment("/scratch", "/scratch");
        environment.extend(by_name.run_variables(needed));
        let variable = |(name, value): (String, String)| (name, WordTemplate::of_marked(&value));
        let Toolchain { values, libraries, .. } = (*self.toolchain).clone();
        Ok(StartCommand {
            command: command.iter().map(|word| WordTemplate::of_marked(word)).collect(),
            environment: environment.into_iter().map(variable).collect(),
            tools: needed.clone(),
            libraries: None,
            made_with: ToolPlaces { values, libraries },
        })
    }

    /// Returns the same builder with tools whose places are their names, marked.
    fn with_named_places(&self) -> RecipeBuilder<'_> {
        let mark = |name: &String| format!("{MARK}{name}{MARK}");
        let places = &self.toolchain.values;
        let marked = places.keys().map(|name| (name.clone(), mark(name))).collect();
        let mut values = self.values.clone();
        for (name, text) in &mut values.texts {
            if places.get(name) == Some(text) {
                *text = mark(name);
            }
        }
        RecipeBuilder {
            bot: self.bot,
            tree: self.tree,
            language: self.language,
            variant: self.variant,
            toolchain: Arc::new(Toolchain { values: marked, ..Toolchain::default() }),
            values,
            caches: Vec::new(),
            lacking: Vec::new(),
            files: BTreeMap::new(),
        }
    }
}
