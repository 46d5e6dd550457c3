//! Paths of project files: with `/` as sources have them, or as Windows writes them.

/// Returns the folder that a path is in; empty for the top.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the last part of a path.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Joins a path as Windows writes it to a folder of the tree; `None` when it
/// leaves the tree.
pub(super) fn beneath(folder: &str, path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    if path.starts_with('/') || path.contains(':') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
