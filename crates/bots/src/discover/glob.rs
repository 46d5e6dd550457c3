//! Globs of an event's `bots:`: the paths that one matches.

use std::fs;
use std::path::{Path, PathBuf};

use crate::side_files::{accompanies_sources, is_document};

/// Returns the paths beneath `folder` that match `glob`. Hidden files match only where the glob
/// names them; documents such as `README.md` and other files that only accompany bots never match.
pub fn expand(folder: &Path, glob: &str) -> Result<Vec<PathBuf>, String> {
    let start = if glob.starts_with('/') { PathBuf::from("/") } else { folder.to_owned() };
    let mut paths = vec![start];
    for part in glob.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if !part.contains(['*', '?', '[', '{']) {
            paths.iter_mut().for_each(|path| path.push(part));
            paths.retain(|path| path.symlink_metadata().is_ok());
            continue;
        }
        let matcher = globset::Glob::new(part)
            .map_err(|error| format!("`{glob}` is not a glob: {}", error.kind()))?
            .compile_matcher();
        let fits = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            let hidden = name.as_encoded_bytes().starts_with(b".") && !part.starts_with('.');
            !hidden && matcher.is_match(name) && !is_document(path) && !accompanies_sources(path)
        };
        paths = match part {
            "**" => paths.iter().flat_map(|path| folders_beneath(path)).collect(),
            _ => paths.iter().flat_map(|path| children(path)).filter(fits).collect(),
        };
    }
    Ok(paths)
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn folders_beneath(folder: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(folder).max_depth(8).into_iter();
    let visible = walk.filter_entry(|entry| {
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        entry.depth() == 0 || !is_hidden && !accompanies_sources(entry.path())
    });
    let folders = visible.filter_map(Result::ok).filter(|entry| entry.file_type().is_dir());
    folders.map(walkdir::DirEntry::into_path).collect()
}
