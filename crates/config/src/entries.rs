//! Rights to change bots, which every pull request is held to.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rejection::Rejection;
use super::values::VISIBLE;

/// Treatment of a change to a bot without an owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum Unowned {
    /// Anybody may change it.
    #[default]
    Anyone,
    /// Only maintainers may.
    Maintainers,
}

/// Treatment of a change to files that belong to no bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum OtherFiles {
    /// It is reported.
    Report,
    /// Only maintainers may make it.
    #[default]
    Refuse,
}

/// Rights to change bots: keys of `entries:`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Entries {
    /// Login by bot, for bots whose manifest names no owner. It is stronger than one that does.
    pub owners: BTreeMap<String, Login>,
    /// Logins that may change everything.
    pub maintainers: Vec<Login>,
    /// Right to change a bot that nobody owns.
    pub unowned: Unowned,
    /// Treatment of a change to files that belong to no bot.
    pub other_files: OtherFiles,
}

/// Name of an account as its forge has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = VISIBLE))]
pub struct Login(pub String);

impl TryFrom<String> for Login {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let hint = "write the account's name as its forge has it, without `@`";
        Rejection::unless(!text.trim().is_empty(), "an empty text is no login", hint)?;
        Ok(Self(text))
    }
}
