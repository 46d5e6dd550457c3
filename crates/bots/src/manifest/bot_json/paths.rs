//! Paths as authors on Windows write them.

use std::path::Path;

/// Returns `text` as a relative path with `/` and nothing superfluous; empty
/// for the submission itself.
///
/// # Errors
///
/// The reason why it leaves the submission, as a text that follows the field's name.
pub(super) fn plain(text: &str) -> Result<String, &'static str> {
    let text = text.trim().replace('\\', "/");
    if text.starts_with('/') {
        return Err("is an absolute path");
    }
    if text.contains(':') {
        return Err("names a drive");
    }
    if text.chars().any(char::is_control) {
        return Err("holds a control character");
    }
    let parts: Vec<&str> =
        text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return Err("leaves the bot's folder");
    }
    Ok(parts.join("/"))
}

/// Returns the path as it is spelled in `folder`: a missing part is replaced by the only one that
/// differs in case. A part without such an equal stays as it is, because a build may make it.
///
/// # Errors
///
/// The reason why it leaves the submission: it passes a link that leads outside.
pub(super) fn find(folder: &Path, path: &str) -> Result<String, &'static str> {
    let mut found: Vec<String> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let here = folder.join(found.join("/"));
        let is_there = here.join(part).symlink_metadata().is_ok();
        found.push(if is_there { part.to_owned() } else { in_another_case(&here, part) });
    }
    let found = found.join("/");
    let (Ok(root), Ok(real)) = (folder.canonicalize(), folder.join(&found).canonicalize()) else {
        return Ok(found);
    };
    if real.starts_with(root) {
        Ok(found)
    } else {
        Err("passes a link that leaves the bot's folder")
    }
}

fn in_another_case(folder: &Path, name: &str) -> String {
    let lower = name.to_lowercase();
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut same = names.filter(|other| other.to_lowercase() == lower);
    match (same.next(), same.next()) {
        (Some(only), None) => only,
        _ => name.to_owned(),
    }
}
