//! Environment of builds and turns: the fixed variables, the tools' places, the table's
//! variables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::builder::RecipeBuilder;
use crate::detect::Toolchain;
use crate::template::names;
use crate::{PATH_VARIABLE, PORT_VARIABLE, PRIVATE, SYSTEM};

impl RecipeBuilder<'_> {
    pub(super) fn build_environment(&self) -> BTreeMap<String, String> {
        let mut all = environment_of_builds();
        let tools = self.variant.programs.keys().cloned().collect();
        add_tools(&mut all, &self.toolchain, &tools);
        all.extend(self.variables(|template| !template.contains("{port}")));
        all
    }

    pub(super) fn run_environment(&self, needed: &BTreeSet<String>) -> BTreeMap<String, String> {
        let mut all = fixed_environment("/scratch", "/scratch");
        add_tools(&mut all, &self.toolchain, needed);
        all.extend(self.run_variables(needed));
        all
    }

    /// Returns the table's variables for a turn that has only the tools `needed`, and those for the
    /// channel of a web server.
    pub(super) fn run_variables(&self, needed: &BTreeSet<String>) -> BTreeMap<String, String> {
        let mut all = self.variables(|template| {
            let texts = [template.to_owned()];
            names(texts.iter()).into_iter().all(|name| {
                let tool = name.split('.').next().unwrap_or(name);
                matches!(name, "out" | "port") || needed.contains(tool)
            })
        });
        let server = self.bot.manifest.server.clone().unwrap_or_default();
        all.extend(server.port.map(|port| (PORT_VARIABLE.to_owned(), port.to_string())));
        let path = Some(server.path).filter(|path| !path.is_empty());
        all.extend(path.map(|path| (PATH_VARIABLE.to_owned(), path)));
        all
    }

    /// Returns the table's variables; one with a place-holder that stands for nothing is
    /// left out.
    fn variables(&self, wanted: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
        let variables = self.language.environment.iter().chain(&self.variant.environment);
        let variables = variables.filter(|(_, template)| wanted(template));
        let filled = |(name, template): (&String, &String)| {
            Some((name.clone(), self.values.text(template).ok()?))
        };
        variables.filter_map(filled).collect()
    }
}

/// Adds PATH and the places of the tools' shared libraries.
pub(super) fn add_tools(
    all: &mut BTreeMap<String, String>,
    toolchain: &Toolchain,
    tools: &BTreeSet<String>,
) {
    let programs = tools.iter().filter_map(|tool| toolchain.values.get(tool));
    let mut path: Vec<&str> = programs.filter_map(|program| folder_of(program)).collect();
    path.extend(SYSTEM);
    let mut seen = BTreeSet::new();
    path.retain(|folder| seen.insert(*folder));
    all.insert("PATH".into(), path.join(":"));
    if !tools.is_empty() && !toolchain.libraries.is_empty() {
        all.insert("LD_LIBRARY_PATH".into(), toolchain.libraries.join(":"));
    }
}

pub(super) fn environment_of_builds() -> BTreeMap<String, String> {
    let mut all = fixed_environment(&format!("{PRIVATE}/home"), &format!("{PRIVATE}/tmp"));
    // A fixed time for tools that put one into what they make; zip knows none before 1980.
    all.insert("SOURCE_DATE_EPOCH".into(), "315532800".into());
    all
}

fn folder_of(program: &str) -> Option<&str> {
    Path::new(program).parent().and_then(Path::to_str)
}

pub(super) fn fixed_environment(home: &str, temporary: &str) -> BTreeMap<String, String> {
    [
        ("LC_ALL", "C.UTF-8"),
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
        ("PYTHONHASHSEED", "0"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONNOUSERSITE", "1"),
        ("HOME", home),
        ("TMPDIR", temporary),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect()
}
