//! What is refused before anything of a change is looked at.

use std::path::{Component, Path, PathBuf};

use super::base::Base;
use super::report::{Outcome, Refusal, Report};
use super::request::{CiError, Request};
use super::survey::{inside, shown};
use crate::pipeline::Mode;
use joust_bots::discover::expand;
use joust_config::{Event, Tournament};

/// What SQLite adds to the name of a database.
const SIDES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Refuses a change that brings what is the organiser's: a database, or the folder of the
/// reports. It would be believed, or written through.
pub(super) fn insist_on_own_files(
    tournament: &Tournament,
    request: &Request,
    base: &Base,
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
        let Some(place) = lexical(&own, &repository.root) else { continue };
        let is_there = |path: &&PathBuf| path.starts_with(&place) || place.starts_with(path);
        if let Some(path) = base.committed.iter().find(is_there) {
            return Err(CiError::Own { own, path: path.clone() });
        }
    }
    Ok(())
}

/// Returns why bots may not lie where they do: behind a link out of the repository.
pub(super) fn links_out(tournament: &Tournament, events: &[&Event], base: &Base) -> Vec<Refusal> {
    let Some(repository) = &base.repository else { return Vec::new() };
    let root = &repository.root;
    let mut refusals = Vec::new();
    for event in events {
        let globs = event.bots.iter().map(|pattern| expand(&tournament.folder, &pattern.text));
        // Where an organiser keeps bots elsewhere, that is no link.
        let found = globs.flatten().flatten().filter(|path| lexical(path, root).is_some());
        for link in found.filter_map(|path| link_out(&path, root, base)) {
            refusals.push(Refusal {
                event: Some(event.id.clone()),
                bot: None,
                file: Some(shown(&link, root)),
                reason: "a link that leads out of the repository".to_owned(),
            });
        }
    }
    refusals
}

/// Returns the link at `path`, or one of the change beneath it, that leads out.
fn link_out(path: &Path, root: &Path, base: &Base) -> Option<PathBuf> {
    let leads_out = |path: &Path| {
        let real = path.canonicalize();
        !real.is_ok_and(|real| {
            let inside = real.strip_prefix(root).ok();
            inside.is_some_and(|inside| !inside.components().any(is_gits))
        })
    };
    if leads_out(path) {
        return Some(path.to_owned());
    }
    let is_seen = |entry: &walkdir::DirEntry| {
        entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let walk = walkdir::WalkDir::new(path).max_depth(64).into_iter().filter_entry(is_seen);
    let mut links = walk.filter_map(Result::ok).filter(walkdir::DirEntry::path_is_symlink);
    let is_of_change = |link: &Path| {
        let place = inside(link, root);
        place.is_some_and(|place| base.touched.contains(&place) || base.committed.contains(&place))
    };
    let link = links.find(|link| is_of_change(link.path()) && leads_out(link.path()));
    link.map(walkdir::DirEntry::into_path)
}

fn is_gits(part: Component<'_>) -> bool {
    part.as_os_str() == ".git"
}

/// Returns where a path lies in the repository by its words alone, whatever links do.
fn lexical(path: &Path, root: &Path) -> Option<PathBuf> {
    let start = std::env::current_dir().ok()?.canonicalize().ok()?;
    let mut place = PathBuf::new();
    for part in start.join(path).components() {
        match part {
            Component::ParentDir => _ = place.pop(),
            Component::CurDir => {}
            other => place.push(other),
        }
    }
    let by_words = place.strip_prefix(root).ok().map(Path::to_owned);
    by_words.or_else(|| inside(path, root))
}

/// A report of a change of which nothing was even looked at.
pub(super) fn refused(refusals: Vec<Refusal>, request: &Request, base: &Base) -> Report {
    Report {
        outcome: Outcome::Refused,
        base: base.label.clone(),
        author: request.author.clone(),
        dry_run: request.run.mode != Mode::Play,
        notes: base.notes.clone(),
        refusals,
        problems: Vec::new(),
        other_files: base.touched.clone(),
        events: Vec::new(),
        gates: Vec::new(),
    }
}
