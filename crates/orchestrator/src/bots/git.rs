//! Where a source lies in its git repository, and sources of a commit.
//!
//! Without `git`, or outside of a repository, there is simply nothing to tell.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::pack::unpack_tar;

/// Where a source lies in its repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitPlace {
    /// Its path within the repository, with `/`.
    pub place: String,
    /// The newest commit, when it has the source as it is now.
    pub commit: Option<String>,
}

/// Returns where `source`, a folder or a file, lies in its repository; `None`
/// when it is in none.
#[must_use]
pub fn place_of(source: &Path) -> Option<GitPlace> {
    let folder = source.parent()?;
    let name = source.file_name()?.to_str()?;
    let prefix = said(&git(folder, &["rev-parse", "--show-prefix"])?)?;
    let place = format!("{prefix}{name}");
    let commit = said(&git(folder, &["rev-parse", "--verify", "HEAD"])?).filter(|commit| {
        let object = format!("{commit}:{place}");
        let is_in_it = || git(folder, &["cat-file", "-e", &object]);
        let differs = || git(folder, &["diff", "--no-ext-diff", "--quiet", "HEAD", "--", name]);
        is_hash(commit) && is_in_it().is_some() && differs().is_some()
    });
    Some(GitPlace { place, commit })
}

/// Writes the source that was at `place` in a commit of the repository around
/// `folder` to `to`: a folder that is made, or a file. Returns whether it did.
#[must_use]
pub fn write_source(folder: &Path, (commit, place): (&str, &str), to: &Path) -> bool {
    if !is_hash(commit) {
        return false;
    }
    let object = format!("{commit}:{place}");
    let kind = git(folder, &["cat-file", "-t", &object]).as_ref().and_then(said);
    match kind.as_deref() {
        Some("blob") => git(folder, &["cat-file", "blob", &object])
            .is_some_and(|file| std::fs::write(to, file.stdout).is_ok()),
        Some("tree") => git(folder, &["archive", "--format=tar", &object]).is_some_and(|archive| {
            std::fs::create_dir(to).is_ok() && unpack_tar(archive.stdout.as_slice(), to).is_ok()
        }),
        _ => false,
    }
}

fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Runs git; `None` unless it ends well.
fn git(folder: &Path, arguments: &[&str]) -> Option<Output> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "core.fsmonitor=false"])
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(output)
}

/// Returns what a command printed, without the line's end.
fn said(output: &Output) -> Option<String> {
    let text = std::str::from_utf8(&output.stdout).ok()?;
    Some(text.strip_suffix('\n').unwrap_or(text).to_owned())
}
