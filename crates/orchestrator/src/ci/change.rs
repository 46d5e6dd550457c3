//! Change of each bot, by the hash of its content.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use serde::Serialize;

use super::base::{BaseBot, BaseContent};
use joust_bots::{
    BotProblem, BotSource, SourceHash, SourceLanguages, SourceTree, pack, source::FileKind,
};
use joust_model::BuildHash;
use joust_store::SourceRow;

/// Manifests, which name a bot and are ignored when two programs are compared.
pub(super) const MANIFESTS: [&str; 2] = ["bot.yaml", "bot.json"];

/// Change of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "change")]
pub enum ChangeKind {
    /// The base has no bot of this name.
    New,
    /// Its content differs.
    Changed,
    /// It is the same program under another name.
    Renamed {
        /// Earlier name.
        from: String,
    },
    /// It no longer exists.
    Removed,
    /// It exists and cannot be read.
    Unreadable,
}

impl ChangeKind {
    /// Returns the word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Renamed { .. } => "renamed",
            Self::Removed => "removed",
            Self::Unreadable => "cannot be read",
        }
    }
}

/// A bot as it is now.
#[derive(Clone, Debug)]
pub(super) struct HeadBot {
    pub(super) source: BotSource,
    /// The path by which the repository names it, else where it was found.
    pub(super) path: PathBuf,
    pub(super) hashes: SourceHashes,
    /// The build it has or would have; `None` when it cannot be built.
    pub(super) key: Option<BuildHash>,
}

/// Hashes that identify a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceHashes {
    /// Everything in it.
    pub(super) whole: SourceHash,
    /// Everything but its manifest and the name of a single file; `None` when nothing is left.
    pub(super) program: Option<SourceHash>,
}

impl SourceHashes {
    /// Reads a bot's source.
    pub(super) fn of(bot: &BotSource, languages: &SourceLanguages) -> Result<Self, BotProblem> {
        let tree = bot.tree(languages)?;
        let is_single = bot.source.is_file() && tree.files.len() == 1;
        Ok(Self { whole: tree.hash(), program: program(&tree, is_single) })
    }

    /// Reads a source that a database keeps; `None` when it is damaged.
    pub(super) fn of_kept(row: &SourceRow) -> Option<Self> {
        let files = row.files.as_deref()?;
        let folder = joust_sandbox::temporary_folder().ok()?;
        pack::unpack(files, folder.path()).ok()?;
        let tree = SourceTree::read(folder.path(), &[]).ok()?;
        let is_single = pack::is_one_file(files, &row.name).ok()?;
        Some(Self { whole: row.hash, program: program(&tree, is_single) })
    }
}

fn program(tree: &SourceTree, is_single: bool) -> Option<SourceHash> {
    let mut fields: Vec<Vec<u8>> = Vec::new();
    for file in tree.files.iter().filter(|file| !MANIFESTS.contains(&file.path.as_str())) {
        let content = match &file.kind {
            FileKind::Plain { hash, .. } => hash.0.to_vec(),
            FileKind::Link(target) => target.clone().into_bytes(),
        };
        fields.push(if is_single { Vec::new() } else { file.path.clone().into_bytes() });
        fields.push(content);
    }
    let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
    (!fields.is_empty()).then(|| SourceHash::of("joust-program-1", &fields))
}

/// A bot whose content, name or place has changed.
#[derive(Clone, Debug)]
pub(super) struct ChangedBot {
    pub(super) change: ChangeKind,
    pub(super) base: Option<BaseBot>,
    pub(super) head: Option<HeadBot>,
}

impl ChangedBot {
    /// Returns its name; the later one where it has two.
    pub(super) fn name(&self) -> &str {
        match (&self.head, &self.base) {
            (Some(head), _) => head.source.name(),
            (None, Some(base)) => &base.name,
            (None, None) => "",
        }
    }
}

/// Compares an event's bots with those of the base. Unchanged bots are left out.
pub(super) fn compare(base: &[BaseBot], head: &[HeadBot]) -> Vec<ChangedBot> {
    let there: HashSet<&str> = head.iter().map(|now| now.source.name()).collect();
    let mut removed: Vec<&BaseBot> =
        base.iter().filter(|bot| !there.contains(bot.name.as_str())).collect();
    let known: HashMap<&str, &BaseBot> = base.iter().map(|bot| (bot.name.as_str(), bot)).collect();
    let mut entries = Vec::new();
    for now in head {
        let before = known.get(now.source.name()).copied();
        let entry = |change, base: Option<&BaseBot>| ChangedBot {
            change,
            base: base.cloned(),
            head: Some(now.clone()),
        };
        match before {
            Some(before) if before.content.is_same(now) => {}
            Some(before) => entries.push(entry(ChangeKind::Changed, Some(before))),
            None => match removed.iter().position(|bot| bot.content.is_same_program(now)) {
                Some(place) => {
                    let before = removed.remove(place);
                    let change = ChangeKind::Renamed { from: before.name.clone() };
                    entries.push(entry(change, Some(before)));
                }
                None => entries.push(entry(ChangeKind::New, None)),
            },
        }
    }
    entries.extend(removed.into_iter().map(|bot| ChangedBot {
        change: ChangeKind::Removed,
        base: Some(bot.clone()),
        head: None,
    }));
    entries
}

/// Marks bots that were not removed but cannot be read, because of an error in `places`.
pub(super) fn mark_unreadable(entries: &mut [ChangedBot], places: &[PathBuf]) {
    for entry in entries.iter_mut().filter(|entry| entry.change == ChangeKind::Removed) {
        let path = entry.base.as_ref().and_then(|base| base.path.as_deref());
        if path.is_some_and(|path| places.iter().any(|place| place.starts_with(path))) {
            entry.change = ChangeKind::Unreadable;
        }
    }
}

impl BaseContent {
    fn is_same(&self, now: &HeadBot) -> bool {
        match self {
            Self::Source(hashes) => hashes.whole == now.hashes.whole,
            Self::Recorded { source: Some(source), .. } => *source == now.hashes.whole,
            Self::Recorded { build, source: None, .. } => build.is_some() && *build == now.key,
        }
    }

    fn is_same_program(&self, now: &HeadBot) -> bool {
        match self {
            Self::Source(SourceHashes { program, .. })
            | Self::Recorded { program: program @ Some(_), .. } => {
                program.is_some() && *program == now.hashes.program
            }
            Self::Recorded { program: None, .. } => self.is_same(now),
        }
    }
}
