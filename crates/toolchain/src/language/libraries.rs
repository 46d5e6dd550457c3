//! `libraries:` of a language: its package manager's way to fetch, and the files it is given; and
//! `prepared:`, what its builds have ready.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// Way in which a library set of a language is fetched and found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Libraries {
    /// The variant whose tools fetch.
    pub of: String,
    /// The name of the list by which a bot of the language names its own.
    pub list: String,
    /// Patterns `GLOB | REGEX` that show that a bot depends on a package. The regular expression's
    /// group `name` captures the package.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The command with which an author writes the list; `None` where people write it themselves.
    #[serde(default)]
    pub locks: Option<String>,
    /// The folder in which a bot ships what its list names.
    #[serde(default)]
    pub shipped: Option<String>,
    /// Globs of the files of the source that the package manager sees.
    #[serde(default)]
    pub given: Vec<String>,
    /// Globs of the files that it sees with empty contents.
    #[serde(default)]
    pub named: Vec<String>,
    /// True if case does not matter in names of packages.
    #[serde(default)]
    pub any_case: bool,
    /// Characters that count as equal in names of packages.
    #[serde(default)]
    pub alike: String,
    /// Variables of the organiser's that say where to fetch from.
    #[serde(default)]
    pub pass: Vec<String>,
    /// Variables of the organiser's that name a file of certificates.
    #[serde(default)]
    pub certificates: Vec<String>,
    /// Files of the organiser's that say where to fetch from, by the path in `{tmp}` at which the
    /// package manager finds one.
    #[serde(default)]
    pub settings: BTreeMap<String, Settings>,
    /// Set while a set is fetched.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Files beside the list, by path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Files that the commands of `probe` find, by path.
    #[serde(default)]
    pub probe_files: BTreeMap<String, String>,
    /// Commands that fetch something small; empty where sets need no network.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    pub probe: Vec<Vec<String>>,
    /// The commands, started beside the list; `{out}` is where the set is made.
    #[schemars(inner(length(min = 1)))]
    pub build: Vec<Vec<String>>,
    /// Place at which bots find a set that an event provides; `None` where none can.
    #[serde(default)]
    pub provided: Option<ProvidedAt>,
    /// Package caches that a bot's own set stands for in its build, and their folders beneath
    /// `{out}`.
    #[serde(default)]
    pub caches: BTreeMap<String, String>,
}

/// Place at which bots of a language find the set that an event provides.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProvidedAt {
    /// The variable that leads a bot's runtime to the set.
    pub path: String,
    /// Folder that is added to that variable, beneath the set's folder.
    pub folder: String,
}

/// A file of the organiser's that a package manager reads.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Globs of where it may be; `~` is the home.
    pub places: Vec<String>,
    /// Regular expression of the parts that are passed.
    pub keep: String,
    /// Text that is passed: `{kept}` stands for those parts, `{proxy}` for the address of a proxy.
    pub text: String,
    /// Text for `{proxy}`, with `{host}` and `{port}`.
    #[serde(default)]
    pub proxy: String,
}

impl Libraries {
    /// Returns whether `names` contains a name. An entry that ends with `*` stands for all names
    /// with that prefix.
    pub fn is_among(&self, name: &str, names: &[String]) -> bool {
        let name = self.comparable(name);
        names.iter().any(|one| match one.strip_suffix('*') {
            Some(start) => name.starts_with(&self.comparable(start)),
            None => name == self.comparable(one),
        })
    }

    fn comparable(&self, name: &str) -> String {
        let first = self.alike.chars().next();
        let same = |one: char| first.filter(|_| self.alike.contains(one)).unwrap_or(one);
        let name: String = name.chars().map(same).collect();
        if self.any_case { name.to_lowercase() } else { name }
    }
}

/// Part of a language's builds that its tools would make alike for every bot: the compiled library
/// of the language. The result of a build does not depend on it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prepared {
    /// The variant whose tools make it.
    pub of: String,
    /// Set while it is made.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The commands, started in an empty folder without a network; `{out}` is where it is made.
    #[schemars(inner(length(min = 1)))]
    pub build: Vec<Vec<String>>,
    /// The command with which a build begins that has it, at `{prepared}` and read-only.
    #[schemars(length(min = 1))]
    pub begin: Vec<String>,
}

#[cfg(test)]
mod tests {
    use crate::language::Languages;

    #[test]
    fn names_are_compared_as_their_registry_does() {
        let languages = Languages::shipped();
        let among = |language: &str, name: &str, names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            languages.get(language).unwrap().libraries.as_ref().unwrap().is_among(name, &names)
        };
        assert!(among("python", "Ruamel_Yaml", &["ruamel.yaml"]));
        assert!(among("javascript", "@types/node", &["@types/*"]));
        assert!(!among("javascript", "lodash-get", &["lodash.get"]));
        assert!(!among("python", "numpy-evil", &["numpy"]));
        assert!(
            among("rust", "serde_json", &["serde-json"]) && !among("rust", "Serde", &["serde"])
        );
        assert!(among("csharp", "newtonsoft.json", &["Newtonsoft.Json"]));
        assert!(among("java", "org.apache.commons:commons-lang3", &["org.apache.commons:*"]));
    }
}
