//! Path translation, from inside to the host's, for tiers that cannot mount anything.
//!
//! There a folder keeps its host path, so paths inside are replaced by host paths in commands,
//! working folders and variables. The contents of files are not changed.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::SeatSpec;
use crate::wire::{SCRATCH, TEMPORARY};

/// Host path of each path inside, the longest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Translation(Vec<(PathBuf, PathBuf)>);

impl Translation {
    /// Makes the translation for a seat whose writable folders are in `writable` on the host.
    pub(super) fn new(spec: &SeatSpec, writable: &Path) -> Self {
        let folders = spec.folders.iter().map(|f| (f.inside.clone(), f.host.clone()));
        let mut pairs: Vec<_> = folders
            .chain([
                (spec.scratch.clone(), writable.join(SCRATCH)),
                (PathBuf::from("/tmp"), writable.join(TEMPORARY)),
            ])
            .collect();
        pairs.sort_by_key(|(inside, _)| std::cmp::Reverse(inside.as_os_str().len()));
        Self(pairs)
    }

    /// Translates the paths in a text: at its start, after a separator of a list or an option
    /// (`:=,;@`), or after an option of letters (`-I/bot`).
    pub(super) fn text(&self, text: &OsStr) -> OsString {
        if self.0.is_empty() {
            return text.to_owned();
        }
        let (text, mut result) = (text.as_bytes(), Vec::with_capacity(text.len()));
        let mut left = text;
        while !left.is_empty() {
            let before = &text[..text.len() - left.len()];
            let found = self.find(left).filter(|_| begins(before));
            let (host, read) = found.unwrap_or((&left[..1], 1));
            result.extend_from_slice(host);
            left = &left[read..];
        }
        OsString::from_vec(result)
    }

    /// Translates a path.
    pub(super) fn path(&self, path: &Path) -> PathBuf {
        let found =
            self.0.iter().find_map(|(inside, host)| Some((host, path.strip_prefix(inside).ok()?)));
        match found {
            Some((host, rest)) if rest.as_os_str().is_empty() => host.clone(),
            Some((host, rest)) => host.join(rest),
            None => path.to_owned(),
        }
    }

    /// Returns the host path for the path that `text` begins with, and the length of that path.
    fn find(&self, text: &[u8]) -> Option<(&[u8], usize)> {
        self.0.iter().find_map(|(inside, host)| {
            let inside = inside.as_os_str().as_bytes();
            let rest = text.strip_prefix(inside)?;
            let is_whole = rest.first().is_none_or(|next| *next == b'/' || parts(*next));
            is_whole.then_some((host.as_os_str().as_bytes(), inside.len()))
        })
    }
}

/// Returns whether a path may begin after this.
fn begins(before: &[u8]) -> bool {
    let is_option = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_alphabetic);
    match before {
        [] => true,
        [.., last] if parts(*last) => true,
        [b'-', word @ ..] => is_option(word),
        _ => false,
    }
}

/// Returns whether this byte separates paths, or comes before one.
fn parts(byte: u8) -> bool {
    matches!(byte, b':' | b'=' | b',' | b';' | b'@')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translation() -> Translation {
        Translation(vec![
            (PathBuf::from("/scratch"), PathBuf::from("/host/s")),
            (PathBuf::from("/bot"), PathBuf::from("/host/b")),
        ])
    }

    #[test]
    fn a_path_inside_becomes_the_hosts() {
        assert_eq!(translation().text(OsStr::new("/bot/run.py")), "/host/b/run.py");
        assert_eq!(translation().path(Path::new("/bot")), Path::new("/host/b"));
    }

    #[test]
    fn lists_and_options_are_translated() {
        assert_eq!(
            translation().text(OsStr::new("-I=/bot:/usr:/scratch")),
            "-I=/host/b:/usr:/host/s"
        );
        for (inside, host) in [
            ("-I/bot/include", "-I/host/b/include"),
            ("-isystem/bot", "-isystem/host/b"),
            ("@/bot/list.rsp", "@/host/b/list.rsp"),
            ("-Wl,-rpath,/bot/lib,-z", "-Wl,-rpath,/host/b/lib,-z"),
            ("/bot/a.jar;/scratch", "/host/b/a.jar;/host/s"),
        ] {
            assert_eq!(translation().text(OsStr::new(inside)), host);
        }
    }

    #[test]
    fn other_text_stays() {
        for text in ["/bottle /bot", "a/bot", "-I./bot", "-I=/bottle", "/usr/scratch", ""] {
            assert_eq!(translation().text(OsStr::new(text)), text);
        }
        assert_eq!(translation().path(Path::new("/usr/bin")), Path::new("/usr/bin"));
    }
}
