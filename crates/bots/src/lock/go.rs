//! `go.mod` and `go.sum` of Go: modules with their versions, and what their files hash to.
//!
//! `toolchain`, `tool`, `retract` and `exclude` do not matter to what is fetched. A `replace` names a place
//! or another module in the stead of one, and is refused.

use std::collections::BTreeMap;

use super::{List, Package, Texts, Wrong, is_version, short};

const NO_REPLACE: &str = "`go mod vendor` ships the modules with the bot";
const NEEDS_HASH: &str = "`go mod tidy` writes `go.sum`";
const NO_FORM: &str = "`go mod tidy` writes `go.mod`";
/// Whose module the clean folder is.
const OWN: &str = "joust.invalid/libraries";

pub(super) fn read(texts: Texts<'_>) -> Result<List, Vec<Wrong>> {
    let mut reading = Reading { sums: sums(texts.beside), ..Reading::default() };
    let mut block = String::new();
    for (number, line) in texts.list.lines().enumerate() {
        let words: Vec<&str> =
            line.split("//").next().unwrap_or_default().split_whitespace().collect();
        match words.as_slice() {
            [")"] => block.clear(),
            [verb, "("] => block = (*verb).to_owned(),
            [] => {}
            words if block.is_empty() => reading.line(number + 1, words),
            words => {
                let whole: Vec<&str> =
                    [block.as_str()].into_iter().chain(words.iter().copied()).collect();
                reading.line(number + 1, &whole);
            }
        }
    }
    reading.finish()
}

#[derive(Default)]
struct Reading {
    list: List,
    wrong: Vec<Wrong>,
    /// The release of the language that the module is written for.
    go: String,
    /// Hashes by module and version, `/go.mod` after it for that file alone.
    sums: BTreeMap<String, String>,
}

/// Reads `go.sum`; a line of another form says nothing.
fn sums(text: &str) -> BTreeMap<String, String> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [module, version, hash] = words.as_slice() else { return None };
        let file = version.strip_suffix("/go.mod").unwrap_or(version);
        let is_plain = is_module(module) && is_version(file) && is_hash(hash);
        is_plain.then(|| (format!("{module} {version}"), (*hash).to_owned()))
    };
    text.lines().filter_map(line).collect()
}

impl Reading {
    fn refuse(&mut self, line: usize, message: String, hint: &'static str) {
        self.wrong.push(Wrong::new((line, 1), message, hint));
    }

    fn line(&mut self, line: usize, words: &[&str]) {
        match words {
            [
                "module" | "toolchain" | "tool" | "retract" | "exclude" | "godebug" | "ignore",
                ..,
            ] => {}
            ["go", version] if is_version(version) => self.go = (*version).to_owned(),
            ["require", module, version] if is_module(module) && is_version(version) => {
                self.require(line, module, version);
            }
            ["replace", ..] => {
                let message = format!("`{}` names another place", short(&words.join(" ")));
                self.refuse(line, message, NO_REPLACE);
            }
            _ => {
                let message = format!("`{}` cannot be read", short(&words.join(" ")));
                self.refuse(line, message, NO_FORM);
            }
        }
    }

    fn require(&mut self, line: usize, module: &str, version: &str) {
        let key = format!("{module} {version}");
        let hash = self.sums.get(&key).cloned();
        if hash.is_none() && !self.sums.contains_key(&format!("{key}/go.mod")) {
            return self.refuse(
                line,
                format!("`{module}` {version} has no hash in `go.sum`"),
                NEEDS_HASH,
            );
        }
        let (name, version) = (module.to_owned(), Some(version.to_owned()));
        self.list.packages.push(Package { name, version, hash, place: (line, 1) });
    }

    fn finish(self) -> Result<List, Vec<Wrong>> {
        if !self.wrong.is_empty() {
            return Err(self.wrong);
        }
        let mut text = format!("module {OWN}\n");
        if !self.go.is_empty() {
            text.push_str(&format!("\ngo {}\n", self.go));
        }
        for one in &self.list.packages {
            let version = one.version.as_deref().unwrap_or_default();
            text.push_str(&format!("\nrequire {} {version}\n", one.name));
        }
        let sums = self.sums.iter().map(|(key, hash)| format!("{key} {hash}\n")).collect();
        let folder = [("go.mod".to_owned(), text), ("go.sum".to_owned(), sums)];
        Ok(List { folder: folder.into(), ..self.list })
    }
}

/// Says whether a text is the path of a module, and no place on a disk.
fn is_module(text: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "._~-".contains(one);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && part.chars().all(is_plain);
    text.len() <= 300 && text.split('/').all(is_part)
}

fn is_hash(text: &str) -> bool {
    let Some(hash) = text.strip_prefix("h1:") else { return false };
    hash.len() == 44 && hash.chars().all(|one| one.is_ascii_alphanumeric() || "+/=".contains(one))
}
