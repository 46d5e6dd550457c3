//! Requests that are refused before a change is examined.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::base::ChangeBase;
use super::report::{ChangeReport, CheckOutcome, Refusal};
use super::repository_path::{first_link, is_hidden, real_path, repository_path};
use super::request::{CheckRequest, CiError, insist_on_running};
use crate::pipeline::RunMode;
use joust_bots::discover::expand;
use joust_config::{self as config, Event, Tournament};

/// Suffixes that SQLite and Joust add to the name of a database.
const SIDES: [&str; 6] = ["", "-wal", "-shm", "-journal", ".lock", ".new"];

/// Refuses a change that contains a path reserved for the organiser: a database, or the folder of
/// the reports. A database would be trusted, and reports would be written through a link.
pub(super) fn insist_on_own_files(
    tournament: &Tournament,
    request: &CheckRequest,
    base: &ChangeBase,
) -> Result<(), CiError> {
    let Some(repository) = &base.repository else { return Ok(()) };
    let databases = [Some(&tournament.database), request.base_database.as_ref()];
    let databases = databases.into_iter().flatten().flat_map(|database| {
        SIDES.map(|side| {
            let mut name = database.clone().into_os_string();
            name.push(side);
            PathBuf::from(name)
        })
    });
    for own in databases.chain(request.out.clone()) {
        let places = [repository_path(&own, &repository.root), real_path(&own, &repository.root)];
        for place in places.into_iter().flatten() {
            let is_there = |path: &&PathBuf| path.starts_with(&place) || place.starts_with(path);
            if let Some(path) = base.exported.committed.iter().find(is_there) {
                return Err(CiError::Own { own, path: path.clone() });
            }
        }
    }
    Ok(())
}

/// Returns why the tournament's file or bots may not lie where they do: the change brings a link on
/// the way to one, or one beneath a bot that leaves its folder or the repository.
///
/// Names that a language ignores and hidden names are looked at like all others.
pub(super) fn refused_links(
    tournament: &Tournament,
    events: &[&Event],
    file: &Path,
    base: &ChangeBase,
) -> Result<Vec<Refusal>, CiError> {
    let Some(repository) = &base.repository else { return Ok(Vec::new()) };
    let root = &repository.root;
    let touched = base.exported.touched.iter();
    let links: BTreeSet<&Path> =
        touched.map(PathBuf::as_path).filter(|path| root.join(path).is_symlink()).collect();
    let folder = repository_path(&config::folder_of(file), root);
    let above = folder.iter().flat_map(|folder| folder.ancestors());
    let above = above.filter(|folder| links.contains(folder));
    let mut refusals: Vec<Refusal> = above
        .map(|link| Refusal::of_file(link, "a link on the way to the tournament's file"))
        .collect();
    for event in events {
        let globs = event.bots.iter().map(|pattern| expand(&tournament.folder, &pattern.text));
        for found in globs.flatten().flatten() {
            insist_on_running(&base.cancel)?;
            // Where an organiser keeps bots elsewhere, that is no link.
            let Some(place) = repository_path(&found, root) else { continue };
            if let Some((link, reason)) = refused_link(&place, root, &links) {
                let event = Some(event.id.clone());
                refusals.push(Refusal { event, ..Refusal::of_file(&link, reason) });
            }
        }
    }
    Ok(refusals)
}

/// Returns the first link that a bot at `place` may not have, and why. `links` are those of the
/// change.
fn refused_link(
    place: &Path,
    root: &Path,
    links: &BTreeSet<&Path>,
) -> Option<(PathBuf, &'static str)> {
    const OUT: &str = "a link that leads out of the repository";
    if leads_out(place, root) {
        return Some((first_link(place, root).unwrap_or_else(|| place.to_owned()), OUT));
    }
    let way = first_link(place, root).filter(|link| links.contains(&**link));
    if let Some(link) = way {
        return Some((link, "a link: a bot is named by the place where its files are"));
    }
    let beneath = links.range(place..).take_while(|link| link.starts_with(place));
    beneath.into_iter().find_map(|link| {
        let is_hidden = link.strip_prefix(place).is_ok_and(|name| name.components().any(is_hidden));
        match () {
            () if leads_out(link, root) => Some((link.to_path_buf(), OUT)),
            // Others are read as a part of the bot's source, and refused there.
            () if is_hidden && !stays_in(link, place, root) => {
                Some((link.to_path_buf(), "a link that does not stay inside the bot's folder"))
            }
            () => None,
        }
    })
}

/// Returns true when `path` leads out of the repository, into its `.git`, or nowhere.
fn leads_out(path: &Path, root: &Path) -> bool {
    let Ok(real) = root.join(path).canonicalize() else { return true };
    real.strip_prefix(root)
        .map_or(true, |inside| inside.components().any(|part| part.as_os_str() == ".git"))
}

fn stays_in(link: &Path, place: &Path, root: &Path) -> bool {
    let real = |path: &Path| root.join(path).canonicalize().ok();
    real(link).zip(real(place)).is_some_and(|(link, place)| link.starts_with(place))
}

/// Returns a report that says nothing yet of the files, bots and events of a change.
pub(super) fn empty_report(request: &CheckRequest, base: &ChangeBase) -> ChangeReport {
    ChangeReport {
        outcome: CheckOutcome::Ok,
        base: base.label.clone(),
        author: request.author.clone(),
        dry_run: request.run.mode != RunMode::Play,
        notes: base.notes.clone(),
        refusals: Vec::new(),
        problems: Vec::new(),
        bot_files: Vec::new(),
        other_files: Vec::new(),
        events: Vec::new(),
        gates: Vec::new(),
    }
}
