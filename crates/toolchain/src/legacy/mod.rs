//! Project files of old systems (Visual C++, C# before the .NET SDK, Maven of the contests' time):
//! the parts that a build with today's tools needs. They are read as texts; nothing in them is run.
//! Paths in them have a `/`, as sources have them, or are as Windows writes them.

pub(crate) mod cpp;
pub(crate) mod dotnet;
pub(crate) mod maven;

/// Returns the folder that a path is in; empty for the top.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the last part of a path.
fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Joins a path as Windows writes it to a folder of the tree; `None` when it
/// leaves the tree.
fn beneath(folder: &str, path: &str) -> Option<String> {
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
