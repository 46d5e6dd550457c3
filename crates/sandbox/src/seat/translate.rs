//! Path translation, from inside to the host's, for tiers that cannot mount anything.
//!
//! There a folder keeps its host path, so whatever in a command, a working
//! folder or a variable starts with a path inside is changed to where that is.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::SeatSpec;

/// Where each path inside is on the host, the longest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Translation(Vec<(PathBuf, PathBuf)>);

impl Translation {
    /// For a seat whose writable folders are in `writable` on the host.
    pub(super) fn new(spec: &SeatSpec, writable: &Path) -> Self {
        let folders = spec.folders.iter().map(|f| (f.inside.clone(), f.host.clone()));
        let mut pairs: Vec<_> = folders
            .chain([
                (spec.scratch.clone(), writable.join("scratch")),
                (PathBuf::from("/tmp"), writable.join("tmp")),
            ])
            .collect();
        pairs.sort_by_key(|(inside, _)| std::cmp::Reverse(inside.as_os_str().len()));
        Self(pairs)
    }

    /// Translates the paths in a text; they start it or follow ":" or "=".
    pub(super) fn text(&self, text: &OsStr) -> OsString {
        if self.0.is_empty() {
            return text.to_owned();
        }
        let mut result = Vec::with_capacity(text.len());
        for piece in text.as_bytes().split_inclusive(|byte| matches!(byte, b':' | b'=')) {
            self.append(piece, &mut result);
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

    fn append(&self, piece: &[u8], result: &mut Vec<u8>) {
        let found = self.0.iter().find_map(|(inside, host)| {
            let rest = piece.strip_prefix(inside.as_os_str().as_bytes())?;
            let whole = matches!(rest.first(), None | Some(b'/' | b':' | b'='));
            whole.then_some((host, rest))
        });
        match found {
            Some((host, rest)) => {
                result.extend_from_slice(host.as_os_str().as_bytes());
                result.extend_from_slice(rest);
            }
            None => result.extend_from_slice(piece),
        }
    }
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
    }

    #[test]
    fn other_text_stays() {
        assert_eq!(translation().text(OsStr::new("/bottle /bot")), "/bottle /bot");
        assert_eq!(translation().path(Path::new("/usr/bin")), Path::new("/usr/bin"));
    }
}
