//! Settings in force: those of the base, whatever the change says.
//!
//! All that a change can add to them is paths of bots. A file that does so and nothing
//! else counts as a part of those bots; any other change to it is one of the files that
//! belong to no bot.

use std::path::{Component, Path, PathBuf};

use super::base::Base;
use super::request::{CiError, Request};
use joust_bots::discover::expand;
use joust_config::{self as config, Pattern, Tournament, differ_in_bots_only};

/// The tournament in force.
pub(super) struct InForce {
    pub(super) tournament: Tournament,
    /// The tournament's file, relative to the top, when the change does nothing to it but
    /// add paths of bots.
    pub(super) part_of_bots: Option<PathBuf>,
}

/// Reads the tournament's `file` as it was, notes in `base` what it was, and adds the
/// paths of bots that the change adds.
pub(super) fn in_force(
    file: &Path,
    request: &Request,
    base: &mut Base,
) -> Result<InForce, CiError> {
    let Some(inside) = inside(file, base) else {
        return Ok(InForce { tournament: config::load(file, &request.games)?, part_of_bots: None });
    };
    let place = base.top.join(&inside);
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
            return Ok(InForce {
                tournament: config::load(file, &request.games)?,
                part_of_bots: None,
            });
        }
    }
    let before = text(&place).unwrap_or_default();
    base.note_rules(&inside, &before)?;
    // Games and their referees are what they were, too.
    let games_in = config::folder_of(&place);
    let mut tournament = config::parse_with_games_in(&games_in, &before, file, &request.games)?;
    let touches = base.touched.contains(&inside) || base.committed.contains(&inside);
    if !touches {
        return Ok(InForce { tournament, part_of_bots: None });
    }
    let plain = file.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let changed = if plain { text(file) } else { None };
    let changed = changed.and_then(|changed| {
        let now = config::parse_with_games_in(&games_in, &changed, file, &request.games);
        Some(Changed { is_in_bots_only: differ_in_bots_only(&before, &changed), now: now.ok()? })
    });
    let is_only_bots = add_bots(&mut tournament, changed, &games_in, &mut base.notes);
    Ok(InForce { tournament, part_of_bots: is_only_bots.then_some(inside) })
}

/// The text of a tournament's file; `None` where it is none that can be read.
fn text(file: &Path) -> Option<String> {
    String::from_utf8(config::read_plain(file, config::LARGEST_FILE).ok()?).ok()
}

/// The tournament's file as the change has it.
struct Changed {
    now: Tournament,
    /// Whether it differs in paths of bots alone.
    is_in_bots_only: bool,
}

/// Where the file lies in the repository; a link lies where it is.
fn inside(file: &Path, base: &Base) -> Option<PathBuf> {
    let folder = config::folder_of(file).canonicalize().ok()?;
    let place = folder.join(file.file_name()?);
    place.strip_prefix(&base.repository.as_ref()?.root).ok().map(Path::to_owned)
}

/// Adds what the present file has under `bots:` beyond that, and says whether it has
/// nothing else. `before` is the tournament's folder in the base.
fn add_bots(
    tournament: &mut Tournament,
    changed: Option<Changed>,
    before: &Path,
    notes: &mut Vec<String>,
) -> bool {
    let Some(Changed { now, is_in_bots_only }) = changed else {
        notes.push("the tournament's file cannot be read; the base's is in force".to_owned());
        return false;
    };
    let mut is_only_bots = is_in_bots_only;
    let mut added = 0;
    let folder = tournament.folder.clone();
    for event in &mut tournament.events {
        let Some(now) = now.event(&event.id) else { continue };
        let is_known =
            |pattern: &Pattern, all: &[Pattern]| all.iter().any(|other| other.text == pattern.text);
        is_only_bots &= event.bots.iter().all(|pattern| is_known(pattern, &now.bots));
        // A path that is gone with its bot is no mistake.
        let is_gone = |pattern: &Pattern| {
            !is_known(pattern, &now.bots)
                && expand(&folder, &pattern.text).is_ok_and(|found| found.is_empty())
        };
        let mut new = Vec::new();
        for pattern in now.bots.iter().filter(|pattern| !is_known(pattern, &event.bots)) {
            match why_not_added(&pattern.text, before) {
                None => new.push(pattern.clone()),
                Some(why) => {
                    notes.push(format!("`{}` {why}: it is not in force", pattern.text));
                    is_only_bots = false;
                }
            }
        }
        added += new.len();
        event.bots.retain(|pattern| !is_gone(pattern));
        event.bots.extend(new);
    }
    is_only_bots &= added > 0;
    if !is_only_bots {
        notes.push(
            "the tournament's file is changed: the settings in force are those of the base"
                .to_owned(),
        );
    }
    is_only_bots
}

/// Says why a change cannot add a pattern as the path of a new bot, beneath the tournament's
/// folder; `before` is that folder in the base.
fn why_not_added(text: &str, before: &Path) -> Option<&'static str> {
    let mut path = PathBuf::new();
    for part in Path::new(text).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) if !name.as_encoded_bytes().starts_with(b".") => {
                path.push(name)
            }
            _ => return Some("is no plain path inside the repository"),
        }
    }
    // All that lies there would be the new bot's.
    let is_there = || before.join(&path).symlink_metadata().is_ok();
    match () {
        () if text.contains(['*', '?', '[', ']', '{', '}', '!']) || path.as_os_str().is_empty() => {
            Some("is no plain path inside the repository")
        }
        () if is_there() => Some("is in the base, and no bot of it"),
        () => None,
    }
}
