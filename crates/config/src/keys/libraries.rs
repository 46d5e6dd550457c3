//! `provides:`: libraries that the bots of an event, or the referee of a game, find.
//!
//! They are listed by name, or in a file in pip's format: a library on a line, with the hashes of
//! its files.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::plain_file::read_plain;
use super::super::read::Cursor;
use super::super::rejection::Rejection;
use crate::node::SourceLocation;

/// Language of a bare list.
const LANGUAGE_OF_A_LIST: &str = "python";

/// Most libraries of one language.
const MOST_LIBRARIES: usize = 100;

/// Most languages with libraries.
const MOST_LANGUAGES: usize = 100;

/// Ending of a file that lists libraries.
const LIST_FILE: &str = ".txt";

/// Largest such file, in bytes.
const LARGEST_LIST: u64 = 1 << 20;

/// Option before each hash of a library.
const HASH: &str = " --hash=sha256:";

/// Libraries of a language that an event provides to its bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provided {
    /// Requirements, in the words of the language's package manager: `numpy`, `scipy==1.16.0`.
    pub names: Vec<String>,
    /// Place in the file.
    pub place: SourceLocation,
}

/// Library by its name. It becomes an argument of a package manager, so it can be no option, path
/// or address.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub(crate) struct Library(pub(crate) String);

impl TryFrom<String> for Library {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let hint = "a name, with a version where it matters: `numpy`, `scipy==1.16.0`";
        let message = format!("`{text}` is not the name of a library");
        Rejection::unless(is_library(&text), message, hint)?;
        Ok(Self(text))
    }
}

/// Name of a file that lists libraries.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = r"\.txt$"))]
pub(crate) struct ListFile(String);

impl TryFrom<String> for ListFile {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let message = format!("expected a list, found the text `{text}`");
        Rejection::unless(text.ends_with(LIST_FILE), message, "write it in brackets: `[...]`")?;
        Ok(Self(text))
    }
}

/// Libraries of one language.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(untagged)]
pub(crate) enum LibraryList {
    #[schemars(extend("maxItems" = MOST_LIBRARIES))]
    List(Vec<Library>),
    Text(ListFile),
}

/// Value of `provides:`: libraries of Python, or of each language.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(untagged)]
pub(crate) enum Provides {
    #[schemars(extend("maxItems" = MOST_LIBRARIES))]
    List(Vec<Library>),
    Text(ListFile),
    Mapping(BTreeMap<String, LibraryList>),
}

impl Default for Provides {
    fn default() -> Self {
        Self::Mapping(BTreeMap::new())
    }
}

impl Provides {
    /// Returns the libraries by language, those of files in `folder` included. `value` is the
    /// value's place, for what is refused.
    pub(crate) fn read(
        self,
        folder: &Path,
        value: Option<&Cursor<'_>>,
    ) -> BTreeMap<String, Provided> {
        let Some(value) = value else { return BTreeMap::new() };
        let python = |list| BTreeMap::from([(LANGUAGE_OF_A_LIST.to_owned(), list)]);
        let (lists, is_bare) = match self {
            Self::Text(file) => (python(LibraryList::Text(file)), true),
            Self::List(names) => (python(LibraryList::List(names)), true),
            Self::Mapping(lists) => (lists, false),
        };
        if lists.len() > MOST_LANGUAGES {
            value.refuse(Rejection::bare(format!("more than {MOST_LANGUAGES} languages")));
            return BTreeMap::new();
        }
        let read = |(language, list): (String, LibraryList)| {
            let at = if is_bare { value.clone() } else { value.get(&language)? };
            let names = list.names(folder, &at)?;
            Some((language, Provided { names, place: at.node.place }))
        };
        lists.into_iter().filter_map(read).collect()
    }
}

impl LibraryList {
    fn names(self, folder: &Path, at: &Cursor<'_>) -> Option<Vec<String>> {
        let names = match self {
            Self::Text(file) => file.libraries(folder, at).map_err(|why| at.refuse(why)).ok()?,
            Self::List(names) => names.into_iter().map(|library| library.0).collect(),
        };
        if names.len() > MOST_LIBRARIES {
            at.refuse(Rejection::bare(format!("more than {MOST_LIBRARIES} libraries")));
        }
        (!names.is_empty()).then_some(names)
    }
}

impl ListFile {
    /// Reads the file, which has a library on each line.
    fn libraries(&self, folder: &Path, at: &Cursor<'_>) -> Result<Vec<String>, Rejection> {
        let refuse = |why: String| Rejection::bare(format!("`{}`: {why}", self.0));
        let bytes = read_plain(&folder.join(&self.0), LARGEST_LIST);
        let bytes = bytes.map_err(|why| refuse(why.to_string()))?;
        if !at.admits(bytes.len()) {
            return Err(refuse("all lists together have more than 16 MiB".to_owned()));
        }
        let text = String::from_utf8(bytes);
        let text = text.map_err(|_| refuse("the file is not UTF-8".to_owned()))?;
        libraries_of(&text).map_err(refuse)
    }
}

serialize_as_value!(LibraryList: Text, List);

serialize_as_value!(Provides: Text, List, Mapping);

fn is_library(text: &str) -> bool {
    let mut parts = text.split(HASH);
    let name = parts.next().unwrap_or_default();
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "._-+[],=<>!~*".contains(one);
    let is_name = name.starts_with(|first: char| first.is_ascii_alphanumeric());
    let is_hash = |hash: &str| hash.len() == 64 && hash.chars().all(|one| one.is_ascii_hexdigit());
    is_name && name.len() <= 100 && name.chars().all(is_plain) && parts.all(is_hash)
}

/// Returns the libraries of a list, one a line. A `\` at the end of a line continues it, and a `#`
/// begins a comment.
fn libraries_of(text: &str) -> Result<Vec<String>, String> {
    let text = text.replace("\\\n", " ");
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let library = |line: String| match is_library(&line) {
        true => Ok(line),
        false => Err(format!("`{line:.80}` is not a library with its hashes")),
    };
    words.filter(|line| !line.is_empty()).map(library).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_a_library_on_a_line_with_hashes_and_comments() {
        let hash = "0123456789abcdef".repeat(4);
        let text = format!("# of a kind\nnumpy==2.4.6 \\\n    --hash=sha256:{hash}\n\nattrs\n");
        let expected = vec![format!("numpy==2.4.6 --hash=sha256:{hash}"), "attrs".to_owned()];
        assert_eq!(libraries_of(&text), Ok(expected));
    }

    #[test]
    fn a_line_of_a_list_is_no_option_path_or_address() {
        for wrong in ["-r other.txt", "--index-url x", "/etc", "x --hash=md5:00", "x @ https://x"] {
            let refused = libraries_of(wrong).expect_err(wrong);
            assert!(refused.contains("is not a library with its hashes"), "{refused}");
        }
    }
}
