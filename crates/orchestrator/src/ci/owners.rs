//! Owners of the bots, and permission to make the change.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::analysis::EventChanges;
use super::base::BaseBot;
use super::change::{ChangeKind, ChangedBot, HeadBot};
use super::report::Refusal;
use super::repository_path::first_beneath;
use super::settings::EntryChange;
use joust_bots::name::fold;
use joust_config::{Entries, OtherFiles, Unowned};
use joust_model::counted;

/// Rules about owners.
pub(super) struct OwnerRules<'a> {
    /// Login that proposes the change; `None` when owners are not asked.
    pub(super) author: Option<&'a str>,
    /// The rules as they were before the change: a change cannot loosen them.
    pub(super) entries: &'a Entries,
    /// Listed owners by the folded names of their bots: a change may bring thousands of bots.
    owners: HashMap<String, &'a str>,
}

impl EventChanges<'_> {
    fn refusal(&self, bot: &str, file: Option<PathBuf>, reason: String) -> Refusal {
        Refusal { event: Some(self.event.id.clone()), bot: Some(bot.to_owned()), file, reason }
    }

    /// Returns the changes of bots that are there now, by name.
    fn entries_now(&self) -> HashMap<&str, &ChangedBot> {
        let now = self.entries.iter().filter(|entry| entry.head.is_some());
        now.map(|entry| (entry.name(), entry)).collect()
    }
}

impl<'a> OwnerRules<'a> {
    pub(super) fn new(author: Option<&'a str>, entries: &'a Entries) -> Self {
        let owners = entries.owners.iter().rev();
        let owners = owners.map(|(bot, owner)| (fold(bot), owner.0.as_str())).collect();
        Self { author, entries, owners }
    }

    /// Returns the owner of a bot that the tournament's file names.
    fn listed(&self, bot: &str) -> Option<String> {
        self.owners.get(&fold(bot)).map(|owner| (*owner).to_owned())
    }

    /// Returns why the change to these bots may not be made.
    pub(super) fn refusals(&self, bots: &EventChanges<'_>, touched: &[PathBuf]) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        if let Some(author) = self.restricted_author() {
            refusals.extend(self.others_bots(author, bots, touched));
            refusals.extend(self.foreign_names(author, bots));
            if bots.one_per_owner {
                refusals.extend(self.nameless_bots(author, bots));
            }
        }
        if bots.one_per_owner {
            refusals.extend(self.second_bots(bots));
        }
        refusals
    }

    /// Returns why files that belong to no bot may not be touched.
    pub(super) fn other_files(&self, others: &[PathBuf]) -> Vec<Refusal> {
        let Some(author) = self.restricted_author() else { return Vec::new() };
        if self.entries.other_files == OtherFiles::Report {
            return Vec::new();
        }
        let reason = format!("`{author}` may change bots only, and this file belongs to none");
        others.iter().map(|path| Refusal::of_file(path, &reason)).collect()
    }

    /// Returns why entries of the tournament's `file` may not be made so.
    pub(super) fn entry_changes(&self, changes: &[EntryChange], file: &Path) -> Vec<Refusal> {
        if self.restricted_author().is_none() {
            return Vec::new();
        }
        let refusal = |change: &EntryChange| {
            let reason = format!(
                "the entry `{}` of `bots:` {}: a change adds entries of its own bots only",
                change.path, change.reason
            );
            let event = Some(change.event.clone());
            Refusal { event, ..Refusal::of_file(file, &reason) }
        };
        changes.iter().map(refusal).collect()
    }

    /// Refuses files that have changed in the base since the change began: the owner of a bot may
    /// be named only in the newer version.
    pub(super) fn outdated(&self, files: &[PathBuf]) -> Vec<Refusal> {
        if self.restricted_author().is_none() {
            return Vec::new();
        }
        let reason = "it is another in the base since the change began: merge the base into the \
                      change first";
        files.iter().map(|path| Refusal::of_file(path, reason)).collect()
    }

    /// Returns the author, unless owners are not asked or it is a maintainer.
    fn restricted_author(&self) -> Option<&'a str> {
        self.author.filter(|author| !self.is_maintainer(author))
    }

    /// Returns true for a maintainer, who may change everything.
    pub(super) fn is_maintainer(&self, login: &str) -> bool {
        self.entries.maintainers.iter().any(|one| fold(&one.0) == fold(login))
    }

    /// Returns true when the bot or the tournament names its owner.
    pub(super) fn has_owner(&self, bot: &HeadBot) -> bool {
        let HeadBot { source, .. } = bot;
        source.manifest.owner.is_some() || self.listed(source.name()).is_some()
    }

    /// Returns the note that these bots have no owner, where owners are checked.
    pub(super) fn unowned_note(&self, bots: &[&str]) -> Option<String> {
        self.author?;
        let (first, others) = bots.split_first()?;
        let others = match others.len() {
            0 => String::new(),
            count => format!(" and {}", counted(count, "other bot")),
        };
        let who = match self.entries.unowned {
            Unowned::Anyone => "anybody",
            Unowned::Maintainers => "only a maintainer",
        };
        Some(format!(
            "nobody owns `{first}`{others}: {who} may change such a bot in a pull request; \
             `owner: NAME` in its `bot.yaml`, or `entries.owners` in the tournament's file, names \
             the login it belongs to"
        ))
    }

    fn owner_before(&self, bot: &BaseBot) -> Option<String> {
        self.listed(&bot.name).or_else(|| bot.owner.clone())
    }

    /// Returns the current owner of a bot; a new one that names none belongs to the change's
    /// author.
    fn owner_now(&self, bot: &HeadBot, entry: Option<&ChangedBot>) -> Option<String> {
        let name = bot.source.name();
        let said = || bot.source.manifest.owner.clone();
        let listed = self.listed(name);
        listed.or_else(said).or_else(|| match entry {
            Some(ChangedBot { change: ChangeKind::New, .. }) => self.author.map(str::to_owned),
            Some(ChangedBot { base: Some(base), .. }) => self.owner_before(base),
            _ => None,
        })
    }

    /// Bots of others that were changed, removed, renamed or whose files were touched.
    fn others_bots(
        &self,
        author: &str,
        bots: &EventChanges<'_>,
        touched: &[PathBuf],
    ) -> Vec<Refusal> {
        let changed = bots.entries.iter().filter_map(|entry| entry.base.as_ref());
        let changed: HashSet<&str> = changed.map(|base| base.name.as_str()).collect();
        let is_changed = |bot: &BaseBot| {
            let file = bot.path.as_ref().and_then(|place| first_beneath(touched, place));
            let is_changed = changed.contains(bot.name.as_str()) || file.is_some();
            is_changed.then(|| file.cloned().or_else(|| bot.path.clone()))
        };
        let mut refusals = Vec::new();
        for bot in &bots.base {
            let Some(file) = is_changed(bot) else { continue };
            let reason = match self.owner_before(bot) {
                Some(owner) if fold(&owner) == fold(author) => continue,
                Some(owner) => format!("it belongs to `{owner}`, and the change is by `{author}`"),
                None if self.entries.unowned == Unowned::Anyone => continue,
                None => format!("nobody owns it: only a maintainer may change it, not `{author}`"),
            };
            refusals.push(bots.refusal(&bot.name, file, reason));
        }
        refusals
    }

    /// Refuses bots that name another user as their owner who did not own them before.
    fn foreign_names(&self, author: &str, bots: &EventChanges<'_>) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        for entry in &bots.entries {
            let Some(head) = &entry.head else { continue };
            let is_listed = self.listed(entry.name());
            if let Some(owner) = is_listed.filter(|owner| fold(owner) != fold(author)) {
                // Of one that was there before, its owner then was asked.
                if matches!(entry.change, ChangeKind::New | ChangeKind::Renamed { .. }) {
                    let reason =
                        format!("the name belongs to `{owner}`, and the change is by `{author}`");
                    refusals.push(bots.refusal(entry.name(), Some(head.path.clone()), reason));
                    continue;
                }
            }
            let Some(owner) = &head.source.manifest.owner else { continue };
            let before = entry.base.as_ref().and_then(|base| self.owner_before(base));
            let is_known = before.is_some_and(|before| fold(&before) == fold(owner));
            if fold(owner) == fold(author) || is_known {
                continue;
            }
            let reason =
                format!("it names `{owner}` as its owner, and the change is by `{author}`");
            refusals.push(bots.refusal(entry.name(), Some(head.path.join("bot.yaml")), reason));
        }
        refusals
    }

    /// Refuses bots that would have no owner after the change: the next change could add a second
    /// bot of the same author.
    fn nameless_bots(&self, author: &str, bots: &EventChanges<'_>) -> Vec<Refusal> {
        let entries = bots.entries_now();
        let base: HashMap<&str, &BaseBot> =
            bots.base.iter().map(|bot| (bot.name.as_str(), bot)).collect();
        let is_nobodys_now = |head: &&HeadBot| {
            let name = head.source.name();
            let before = match entries.get(name) {
                Some(entry) => entry.base.as_ref(),
                None => base.get(name).copied(),
            };
            let was_nobodys = before.is_some_and(|before| self.owner_before(before).is_none());
            !self.has_owner(head) && !was_nobodys
        };
        let refusal = |head: &HeadBot| {
            let reason = format!(
                "it names no owner, and the event allows one bot per owner: add `owner: {author}` to \
                 its `bot.yaml`"
            );
            bots.refusal(head.source.name(), Some(head.path.clone()), reason)
        };
        bots.head.iter().filter(is_nobodys_now).map(refusal).collect()
    }

    /// New bots of owners that have one already, where one is allowed.
    fn second_bots(&self, bots: &EventChanges<'_>) -> Vec<Refusal> {
        let entries = bots.entries_now();
        let entry_of = |name: &str| entries.get(name).copied();
        let mut first: BTreeMap<String, &str> = BTreeMap::new();
        let mut refusals = Vec::new();
        // Existing bots come first, so that the new bot is the second one.
        let is_new = |bot: &&HeadBot| {
            entry_of(bot.source.name()).is_some_and(|entry| entry.change == ChangeKind::New)
        };
        let (new, old): (Vec<_>, Vec<_>) = bots.head.iter().partition(is_new);
        for bot in old.into_iter().chain(new) {
            let name = bot.source.name();
            let entry = entry_of(name);
            let Some(owner) = self.owner_now(bot, entry) else { continue };
            let taken = first.get(&fold(&owner)).copied();
            match taken {
                None => _ = first.insert(fold(&owner), name),
                Some(other) if entry.is_some() => {
                    let reason = format!(
                        "`{owner}` has entered `{other}` already, and the event allows one bot \
                         per owner"
                    );
                    refusals.push(bots.refusal(name, Some(bot.path.clone()), reason));
                }
                Some(_) => {}
            }
        }
        refusals
    }
}
