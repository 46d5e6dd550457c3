//! Who may change which bots: what a pull request is held to.

use std::collections::BTreeMap;

use super::section::{Item, Section};

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

pub(super) fn read_entries(section: Section<'_>) -> Entries {
    let owners = section.item("owners").and_then(|item| item.section());
    let owners = owners.map(|section| read_owners(&section)).unwrap_or_default();
    let maintainers = section.item("maintainers").and_then(|item| item.list());
    let maintainers = maintainers.unwrap_or_default().iter().filter_map(read_login).collect();
    let unowned = section.item("unowned");
    let unowned = unowned.and_then(|item| item.word("choice", &Unowned::WORDS));
    let other_files = section.item("other_files");
    let other_files = other_files.and_then(|item| item.word("choice", &OtherFiles::WORDS));
    section.finish();
    Entries {
        owners,
        maintainers,
        unowned: unowned.unwrap_or_default(),
        other_files: other_files.unwrap_or_default(),
    }
}

fn read_owners(section: &Section<'_>) -> BTreeMap<String, String> {
    let entries = section.all().into_iter();
    entries.filter_map(|(entry, item)| Some((entry.key.clone(), read_login(&item)?))).collect()
}

fn read_login(item: &Item<'_>) -> Option<String> {
    let text = item.text()?.value;
    if text.trim().is_empty() {
        let hint = "write the account's name as its forge has it, without `@`";
        item.refuse("an empty text is no login", Some(hint.to_owned()));
        return None;
    }
    Some(text)
}
