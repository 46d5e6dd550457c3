//! Rights to change bots, which every pull request is held to.

use std::collections::BTreeMap;

use serde_json::json;

use super::node::Entry;
use super::section::Item;
use super::table::{Key, Kind, OwnKind, Table, word};

/// Treatment of a change to a bot without an owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unowned {
    /// Anybody may change it.
    #[default]
    Anyone,
    /// Only maintainers may.
    Maintainers,
}

impl Unowned {
    const WORDS: [(&str, Self); 2] = [("anyone", Self::Anyone), ("maintainers", Self::Maintainers)];
}

/// Treatment of a change to files that belong to no bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherFiles {
    /// It is told.
    Report,
    /// Only maintainers may make it.
    #[default]
    Refuse,
}

impl OtherFiles {
    const WORDS: [(&str, Self); 2] = [("report", Self::Report), ("refuse", Self::Refuse)];
}

/// Rights to change bots.
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
const OWNERS: Kind<Entries> = Kind::Own(OwnKind {
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
const MAINTAINERS: Kind<Entries> = Kind::Own(OwnKind {
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

/// `entries:`
pub(super) static ENTRIES: Table<Entries> = Table {
    name: "entries",
    keys: &[
        Key::new("owners", OWNERS, "Login by bot, for bots whose manifest names no owner.")
            .in_help("{}"),
        Key::new("maintainers", MAINTAINERS, "Logins that may change everything.").in_help("[]"),
        Key::new(
            "unowned",
            word!(Entries, "choice", Unowned::WORDS, unowned),
            "Who may change a bot that nobody owns.",
        )
        .text("anyone"),
        Key::new(
            "other_files",
            word!(Entries, "choice", OtherFiles::WORDS, other_files),
            "What becomes of a change to files that belong to no bot.",
        )
        .text("refuse"),
    ],
};
