//! Who may change which bots: what a pull request is held to.

use std::collections::BTreeMap;

use serde_json::json;

use super::node::Entry;
use super::section::Item;
use super::table::{Kind, OwnKind};

/// What becomes of a change to a bot that nobody owns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unowned {
    /// Anybody may change it.
    #[default]
    Anyone,
    /// Only maintainers may.
    Maintainers,
}

impl Unowned {
    pub(super) const WORDS: [(&str, Self); 2] =
        [("anyone", Self::Anyone), ("maintainers", Self::Maintainers)];
}

/// What becomes of a change to files that belong to no bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherFiles {
    /// It is told.
    Report,
    /// Only maintainers may make it.
    #[default]
    Refuse,
}

impl OtherFiles {
    pub(super) const WORDS: [(&str, Self); 2] =
        [("report", Self::Report), ("refuse", Self::Refuse)];
}

/// Who may change which bots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// Logins by the bots' names; for bots whose manifest names no `owner`, and
    /// stronger than one that does.
    pub owners: BTreeMap<String, String>,
    /// Logins that may change everything.
    pub maintainers: Vec<String>,
    /// Default [`Unowned::Anyone`].
    pub unowned: Unowned,
    /// Default [`OtherFiles::Refuse`].
    pub other_files: OtherFiles,
}

/// Logins by the bots' names.
pub(super) const OWNERS: Kind<Entries> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(section) = item.section() else { return false };
        let entries = section.all().into_iter();
        let login =
            |(entry, item): (&Entry, Item<'_>)| Some((entry.key.clone(), read_login(&item)?));
        to.owners = entries.filter_map(login).collect();
        true
    },
    show: |of| Some(json!(of.owners).into()),
    schema: || {
        json!({
            "type": ["object", "null"],
            "additionalProperties": { "type": "string", "pattern": r"\S" },
        })
    },
});

/// Logins that may change everything.
pub(super) const MAINTAINERS: Kind<Entries> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(items) = item.list() else { return false };
        to.maintainers = items.iter().filter_map(read_login).collect();
        true
    },
    show: |of| Some(json!(of.maintainers).into()),
    schema: || {
        json!({
            "type": ["array", "null"],
            "items": { "type": "string", "pattern": r"\S" },
        })
    },
});

fn read_login(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    if text.trim().is_empty() {
        let hint = "write the account's name as its forge has it, without `@`";
        item.refuse("an empty text is no login", Some(hint.to_owned()));
        return None;
    }
    Some(text)
}
