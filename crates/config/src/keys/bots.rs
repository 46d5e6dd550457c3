//! `bots:` of an event: patterns that select its bots.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::rejection::Rejection;
use super::super::values::{Paragraphs, VISIBLE};

/// Bytes of a pattern; groups within one another are read by recursion.
const LONGEST_PATTERN: usize = 1000;

/// Glob of folders, files and archives.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = VISIBLE))]
pub(crate) struct Glob(pub(crate) String);

impl TryFrom<String> for Glob {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let example = "for instance `bots/*`";
        Rejection::unless(!text.trim().is_empty(), "an empty pattern selects no bot", example)?;
        let message = format!("a pattern has at most {LONGEST_PATTERN} bytes");
        Rejection::unless(text.len() <= LONGEST_PATTERN, message, example)?;
        if let Err(error) = globset::Glob::new(&text) {
            let hint = "a pattern has `*`, `?`, `[ab]` and `{a,b}`; `[*]` stands for a star itself";
            let message = format!("`{text}` is not a pattern: {}", error.kind());
            return Err(Rejection::new(message, hint));
        }
        Ok(Self(text))
    }
}

/// Entry of `bots:`, a pattern alone or with more.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(untagged)]
pub(crate) enum BotEntry {
    Text(Glob),
    Mapping(BotKeys),
}

/// Keys of an entry of `bots:`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BotKeys {
    /// Folder, single source file or archive.
    #[schemars(example = &"bots/old")]
    pub(crate) path: Glob,
    /// Name of the bot in this event.
    pub(crate) name: Option<Paragraphs>,
    /// Id of its language.
    pub(crate) language: Option<Paragraphs>,
}

impl From<BotEntry> for BotKeys {
    fn from(entry: BotEntry) -> Self {
        match entry {
            BotEntry::Text(path) => Self { path, name: None, language: None },
            BotEntry::Mapping(keys) => keys,
        }
    }
}

serialize_as_value!(BotEntry: Text, Mapping);
