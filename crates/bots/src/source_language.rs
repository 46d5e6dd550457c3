//! Languages of sources: their extensions, and the files that are no part of a source. The build of
//! a language is defined elsewhere.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use joust_config::{Rejection, did_you_mean};

/// Signs of one language in the sources of bots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct SourceLanguage {
    /// Extensions of source files, without the dot, in lower case.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Names of files and folders that are not part of the source.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Signs of web servers without a manifest.
    #[serde(default)]
    pub servers: ServerSigns,
}

/// Signs by which a folder with a web server shows its language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSigns {
    /// Programs with which commands begin that start one.
    pub commands: Vec<String>,
    /// Programs that are modules of the language's libraries: the first command starts them by
    /// `-m`.
    pub modules: Vec<String>,
    /// File names that identify a server of this language.
    pub files: Vec<String>,
}

/// Languages of sources by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLanguages(BTreeMap<String, SourceLanguage>);

impl SourceLanguages {
    /// Makes the table of these languages.
    pub fn new(languages: BTreeMap<String, SourceLanguage>) -> Self {
        Self(languages)
    }

    /// Returns the ids, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns whether there is a language called `id`.
    pub fn has(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// Returns the names that are not part of sources of the language called `id`.
    pub fn ignored(&self, id: &str) -> &[String] {
        self.0.get(id).map(|language| language.ignore.as_slice()).unwrap_or_default()
    }

    /// Returns the id of the language of a source file, by the file's extension.
    pub fn of_file(&self, file: &Path) -> Option<&str> {
        let extension = file.extension()?.to_str()?.to_lowercase();
        let found = self.0.iter().find(|(_, language)| language.extensions.contains(&extension));
        found.map(|(id, _)| id.as_str())
    }

    /// Returns the id of the language whose servers `program` starts.
    pub fn of_command(&self, program: &str) -> Option<&str> {
        let is_known = |name: &String| name == program;
        let found = self.0.iter().find(|(_, one)| one.servers.commands.iter().any(is_known));
        found.map(|(id, _)| id.as_str())
    }

    /// Returns the command that starts a module of a language's libraries.
    pub fn of_module(&self, program: &str) -> Option<&str> {
        let is_known = |name: &String| name == program;
        let mut servers = self.0.values().map(|language| &language.servers);
        let found = servers.find(|servers| servers.modules.iter().any(is_known))?;
        found.commands.first().map(String::as_str)
    }

    /// Returns the language's id and the file that identify a server's folder; `None` if files of
    /// several languages do.
    pub fn of_server(&self, has_file: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
        let mut found = self.0.iter().filter_map(|(id, language)| {
            let file = language.servers.files.iter().find(|file| has_file(file))?;
            Some((id.as_str(), file.as_str()))
        });
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Refuses an id that no language has.
    ///
    /// # Errors
    ///
    /// The rejection, with the id that may be meant.
    pub fn check(&self, id: &str) -> Result<(), Rejection> {
        if self.has(id) {
            return Ok(());
        }
        let hint = did_you_mean(id, &self.ids().collect::<Vec<_>>(), "the languages are");
        Err(Rejection::new(format!("unknown language `{id:.64}`"), hint))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the languages that ship with Joust.
    pub(crate) fn shipped() -> SourceLanguages {
        let table = include_str!("../../toolchain/src/languages.yaml");
        SourceLanguages::new(joust_config::yaml::from_str(table).expect("the table is tested"))
    }

    #[test]
    fn an_extension_names_its_language() {
        assert_eq!(shipped().of_file(Path::new("a/b.PY")), Some("python"));
        assert_eq!(shipped().of_file(Path::new("b.hpp")), None);
    }
}
