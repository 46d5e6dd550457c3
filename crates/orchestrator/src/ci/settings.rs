//! Settings in force: those of the base, whatever the change contains.
//!
//! A change can add only entries of `bots:` to them, each the path of a bot of its own. A file with
//! only such additions counts as a part of those bots; a file with any other change counts as one
//! that belongs to no bot. Entries of the base must stay exactly as they are.

use std::path::{Component, Path, PathBuf};

use super::base::ChangeBase;
use super::bot_folders::BotFolders;
use super::repository_path::{is_hidden, leads_elsewhere, repository_path};
use super::request::{CheckRequest, CiError};
use joust_bots::discover::expand;
use joust_config::{self as config, Pattern, Tournament, differ_in_bots_only, have_equal_comments};

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
    let added = add_entries(&mut in_force, &now, inside.parent().unwrap_or(&inside), base);
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
) -> usize {
    let EffectiveSettings { tournament, entry_changes, .. } = in_force;
    let folders = BotFolders::of(base);
    let mut added = 0;
    let here = tournament.folder.clone();
    for event in &mut tournament.events {
        let Some(now) = now.event(&event.id) else { continue };
        let mut note = |pattern: &Pattern, reason| {
            entry_changes.push(EntryChange {
                event: event.id.clone(),
                path: pattern.text.clone(),
                reason,
            });
        };
        let gone = event.bots.iter().filter(|pattern| !has_entry(&now.bots, pattern));
        gone.for_each(|pattern| note(pattern, "is in the base, and it is changed or taken away"));
        if let Some(moved) = first_moved(&event.bots, &now.bots) {
            note(
                moved,
                "is in the base in another order, and the first entry that finds a bot counts",
            );
        }
        let mut new = Vec::new();
        for pattern in now.bots.iter().filter(|pattern| !has_entry(&event.bots, pattern)) {
            match why_not_added(&pattern.text, folder, base, &folders) {
                None => new.push(pattern.clone()),
                Some(reason) => note(pattern, reason),
            }
        }
        added += new.len();
        // An entry that was removed with its bot matches nothing, which is no error.
        event.bots.retain(|pattern| {
            has_entry(&now.bots, pattern)
                || expand(&here, &pattern.text).map_or(true, |found| !found.is_empty())
        });
        event.bots.extend(new);
    }
    added
}

/// Returns the first entry of `before` that `now` has in another order, or not as often.
fn first_moved<'a>(before: &'a [Pattern], now: &'a [Pattern]) -> Option<&'a Pattern> {
    let mut stayed = before.iter().filter(|entry| has_entry(now, entry));
    let mut known = now.iter().filter(|entry| has_entry(before, entry));
    loop {
        match (stayed.next(), known.next()) {
            (None, None) => return None,
            (Some(one), Some(other)) if is_same_entry(one, other) => {}
            (one, other) => return other.or(one),
        }
    }
}

/// Returns whether `entries` has an equal entry, wherever it is written.
fn has_entry(entries: &[Pattern], entry: &Pattern) -> bool {
    entries.iter().any(|other| is_same_entry(entry, other))
}

fn is_same_entry(one: &Pattern, other: &Pattern) -> bool {
    *one == Pattern { place: one.place, ..other.clone() }
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
