//! Settings in force: those of the base, whatever the change contains.
//!
//! A change can add only entries of `bots:` to them, each the path of a bot of its own. A file with
//! only such additions counts as a part of those bots; a file with any other change counts as one
//! that belongs to no bot. Entries of the base must stay exactly as they are.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use super::base::ChangeBase;
use super::bot_folders::BotFolders;
use super::repository_path::{is_hidden, leads_elsewhere, repository_path};
use super::request::{CheckRequest, CiError, insist_on_running};
use joust_bots::discover::expand;
use joust_config::{self as config, Pattern, Tournament, differ_in_bots_only, have_equal_comments};

/// The most entries that a change adds to an event.
const MOST_ADDED: usize = 1000;
/// The most changes of an event's entries that are listed; a file may have 500,000 entries.
const MOST_CHANGES: usize = 200;
/// Reason against one entry more.
const TOO_MANY: &str = "is one of more than 1,000 that the change adds";
/// Reason against an entry that could select more than one new bot.
const NO_PLAIN_PATH: &str = "is no plain path inside the repository";

/// The tournament in force.
pub(super) struct EffectiveSettings {
    pub(super) tournament: Tournament,
    /// The tournament's file, relative to the top, when the change does nothing to it but
    /// add paths of bots.
    pub(super) part_of_bots: Option<PathBuf>,
    /// Entries of `bots:` that the change may not make so.
    pub(super) entry_changes: Vec<EntryChange>,
}

impl EffectiveSettings {
    /// Returns settings to which the change adds nothing.
    pub(super) fn unchanged(tournament: Tournament) -> Self {
        Self { tournament, part_of_bots: None, entry_changes: Vec::new() }
    }
}

/// Entry of an event's `bots:` that a change may not make so.
pub(super) struct EntryChange {
    pub(super) event: String,
    /// Its path, as written.
    pub(super) path: String,
    pub(super) reason: &'static str,
}

/// Reads the tournament's `file` of the base, records it in `base`, and adds the paths of bots that
/// the change adds.
pub(super) fn in_force(
    file: &Path,
    request: &CheckRequest,
    base: &mut ChangeBase,
) -> Result<EffectiveSettings, CiError> {
    let Some(inside) = inside(file, base)? else {
        return Ok(EffectiveSettings::unchanged(config::load(file, &request.games)?));
    };
    let place = base.exported.folder.join(&inside);
    match config::load(&place, &request.games) {
        Ok(earlier) => base.tournament = Some(earlier),
        Err(_) if request.author.is_some() => return Err(CiError::NoSettings(inside)),
        Err(_) => {
            base.notes.push(format!(
                "the base has no `{}` that can be read; the present one stands for it",
                inside.display()
            ));
            let text = text(file).unwrap_or_default();
            base.tournament = config::parse(&text, &place, &request.games).ok();
            return Ok(EffectiveSettings::unchanged(config::load(file, &request.games)?));
        }
    }
    let before = text(&place).unwrap_or_default();
    base.note_rules(&inside, &before)?;
    // Games and their referees are those of the base, too.
    let games_in = config::folder_of(&place);
    let tournament = config::parse_with_games_in(&games_in, &before, file, &request.games)?;
    if !base.exported.touched.contains(&inside) {
        return Ok(EffectiveSettings::unchanged(tournament));
    }
    let plain = file.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let changed = if plain { text(file) } else { None };
    let now = changed
        .as_deref()
        .and_then(|text| config::parse_with_games_in(&games_in, text, file, &request.games).ok());
    let Some((changed, now)) = changed.zip(now) else {
        base.notes.push("the tournament's file cannot be read; the base's is in force".to_owned());
        return Ok(EffectiveSettings::unchanged(tournament));
    };
    let mut in_force = EffectiveSettings::unchanged(tournament);
    let added = add_entries(&mut in_force, &now, inside.parent().unwrap_or(&inside), base)?;
    let has_only_added = added > 0
        && in_force.entry_changes.is_empty()
        && differ_in_bots_only(&before, &changed)
        && have_equal_comments(&before, &changed);
    if has_only_added {
        in_force.part_of_bots = Some(inside);
    } else {
        base.notes.push(
            "the tournament's file is changed: the settings in force are those of the base"
                .to_owned(),
        );
    }
    Ok(in_force)
}

/// The text of a tournament's file; `None` where it is none that can be read.
fn text(file: &Path) -> Option<String> {
    String::from_utf8(config::read_plain(file, config::LARGEST_FILE).ok()?).ok()
}

/// Returns the path by which the repository names the file: a link of the change puts no other
/// tournament in force.
fn inside(file: &Path, base: &ChangeBase) -> Result<Option<PathBuf>, CiError> {
    let Some(repository) = &base.repository else { return Ok(None) };
    let place = config::folder_of(file).join(file.file_name().unwrap_or_default());
    match leads_elsewhere(&place, &repository.root) {
        true => Err(CiError::Elsewhere(file.to_owned())),
        false => Ok(repository_path(&place, &repository.root)),
    }
}

/// Adds the entries of `bots:` that the change adds for bots of its own and returns their number.
/// Its other changes to entries are noted. `folder` is the tournament's, in the repository.
fn add_entries(
    in_force: &mut EffectiveSettings,
    now: &Tournament,
    folder: &Path,
    base: &ChangeBase,
) -> Result<usize, CiError> {
    let EffectiveSettings { tournament, entry_changes, .. } = in_force;
    let folders = BotFolders::of(base);
    let mut added = 0;
    let here = tournament.folder.clone();
    for event in &mut tournament.events {
        let Some(now) = now.event(&event.id) else { continue };
        let (known, there) = (keys(&event.bots), keys(&now.bots));
        let gone = event.bots.iter().filter(|entry| !there.contains(&key(entry)));
        let gone = gone.map(|entry| (entry, "is in the base, and it is changed or taken away"));
        let moved = first_moved(&event.bots, &now.bots).map(|entry| {
            let reason =
                "is in the base in another order, and the first entry that finds a bot counts";
            (entry, reason)
        });
        let mut changes: Vec<(&Pattern, &'static str)> = gone.chain(moved).collect();
        let mut new = Vec::new();
        for entry in now.bots.iter().filter(|entry| !known.contains(&key(entry))) {
            insist_on_running(&base.cancel)?;
            let reason = match new.len() < MOST_ADDED {
                true => why_not_added(&entry.text, folder, base, &folders),
                false => Some(TOO_MANY),
            };
            match reason {
                None => new.push(entry.clone()),
                Some(reason) => changes.push((entry, reason)),
            }
            if changes.len() >= MOST_CHANGES {
                break;
            }
        }
        entry_changes.extend(changes.into_iter().map(|(entry, reason)| EntryChange {
            event: event.id.clone(),
            path: entry.text.clone(),
            reason,
        }));
        added += new.len();
        // An entry that was removed with its bot matches nothing, which is no error.
        event.bots.retain(|entry| {
            there.contains(&key(entry))
                || expand(&here, &entry.text).map_or(true, |found| !found.is_empty())
        });
        event.bots.extend(new);
    }
    Ok(added)
}

/// Returns the first entry of `before` that `now` has in another order, or not as often.
fn first_moved<'a>(before: &'a [Pattern], now: &'a [Pattern]) -> Option<&'a Pattern> {
    let (known, there) = (keys(before), keys(now));
    let mut stayed = before.iter().filter(|entry| there.contains(&key(entry)));
    let mut known = now.iter().filter(|entry| known.contains(&key(entry)));
    loop {
        match (stayed.next(), known.next()) {
            (None, None) => return None,
            (Some(one), Some(other)) if key(one) == key(other) => {}
            (one, other) => return other.or(one),
        }
    }
}

/// Everything that an entry of `bots:` says, wherever it is written.
type EntryKey<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

fn key(entry: &Pattern) -> EntryKey<'_> {
    (&entry.text, entry.name.as_deref(), entry.language.as_deref())
}

fn keys(entries: &[Pattern]) -> HashSet<EntryKey<'_>> {
    entries.iter().map(key).collect()
}

/// Returns why a change cannot add the entry `text` for a new bot beneath the tournament's
/// `folder`.
fn why_not_added(
    text: &str,
    folder: &Path,
    base: &ChangeBase,
    folders: &BotFolders,
) -> Option<&'static str> {
    let mut path = PathBuf::new();
    for part in Path::new(text).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(_) if !is_hidden(part) => path.push(part),
            _ => return Some(NO_PLAIN_PATH),
        }
    }
    match () {
        () if text.contains(['*', '?', '[', ']', '{', '}', '!']) || path.as_os_str().is_empty() => {
            Some(NO_PLAIN_PATH)
        }
        // All that is there would be the new bot's.
        () if base.has_files_at(&folder.join(&path)) => Some("names files of the base"),
        () if !folders.admit(&folder.join(&path), base) => {
            Some("lies among files of the base and beside no bot")
        }
        () => None,
    }
}
