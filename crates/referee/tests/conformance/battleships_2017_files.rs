//! Files of the original, compared byte for byte.

#![expect(
    clippy::disallowed_methods,
    reason = "a test reads recorded files; the referee itself never does"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use joust_referee::{Part, PlayerInfo, ReplayFolder};

use super::Player;
use crate::files::Failure;

/// The kept files of one match, and which of them were compared.
pub(crate) struct Kept {
    root: PathBuf,
    left: BTreeSet<PathBuf>,
    compared: u32,
}

impl Kept {
    /// Finds the files kept for the recording at `path`, if any.
    pub(crate) fn beside(path: &Path) -> Result<Self, Failure> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.split('.').next().unwrap_or_default();
        let root = path.with_file_name(format!("{stem}.files"));
        if root.is_dir() { Self::of(&root) } else { Ok(Self::none(root)) }
    }

    /// Finds the files of a folder.
    pub(crate) fn of(root: &Path) -> Result<Self, Failure> {
        let mut kept = Self::none(root.to_owned());
        kept.list(root).map_err(|error| Failure::new(root, error))?;
        Ok(kept)
    }

    fn none(root: PathBuf) -> Self {
        Self { root, left: BTreeSet::new(), compared: 0 }
    }

    fn list(&mut self, folder: &Path) -> std::io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                self.list(&path)?;
            } else {
                self.left.insert(path);
            }
        }
        Ok(())
    }

    /// Compares what was shown in a round, if it was kept.
    pub(crate) fn check_round(&mut self, player: &Player, round: u32) -> Result<(), String> {
        let folder = format!("round-{round:03}");
        for (key, (_, parts)) in ["A", "B"].into_iter().zip(&player.asked) {
            self.check_parts(&format!("{folder}/{key}"), &parts.0)?;
        }
        self.check_root(player, &folder, &[])
    }

    /// Compares the files of a round's folder itself.
    pub(crate) fn check_root(
        &mut self,
        player: &Player,
        folder: &str,
        players: &[PlayerInfo],
    ) -> Result<(), String> {
        let replay = player.bout.round(players);
        self.check_parts(folder, &replay.files)
    }

    /// Compares the files that are written when the match is over.
    pub(crate) fn check_final(&mut self, player: &Player) -> Result<(), String> {
        for (key, rewritten) in ["A", "B"].into_iter().zip(player.bout.rewrites()) {
            self.check_parts(&format!("final/{key}"), &rewritten.files)?;
        }
        Ok(())
    }

    /// Compares those of `parts` that were kept in `folder`.
    pub(crate) fn check_parts(&mut self, folder: &str, parts: &[Part]) -> Result<(), String> {
        for part in parts {
            let path = self.root.join(folder).join(&*part.name);
            if self.left.remove(&path) {
                self.check(&path, &part.bytes)?;
            }
        }
        Ok(())
    }

    fn check(&mut self, path: &Path, here: &[u8]) -> Result<(), String> {
        let name = path.strip_prefix(&self.root).unwrap_or(path).display();
        let recorded = fs::read(path).map_err(|error| format!("{name}: {error}"))?;
        self.compared += 1;
        if recorded == here {
            return Ok(());
        }
        let same = recorded.iter().zip(here).take_while(|(a, b)| a == b).count();
        let near = |bytes: &[u8]| {
            let range = same.saturating_sub(40)..bytes.len().min(same + 40);
            bytes.get(range).unwrap_or_default().escape_ascii().to_string()
        };
        let (recorded, here) = (near(&recorded), near(here));
        Err(format!("{name}: byte {same}: recorded ..{recorded}.., here ..{here}.."))
    }

    /// Reads a kept file that is an input and not compared.
    pub(crate) fn take(&mut self, name: &str) -> Result<String, String> {
        let path = self.root.join(name);
        self.left.remove(&path);
        fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))
    }

    /// Fails if a kept file was not compared.
    pub(crate) fn check_all_compared(&self) -> Result<(), String> {
        match self.left.first() {
            None => Ok(()),
            Some(path) => Err(format!("`{}` was never written here", path.display())),
        }
    }

    /// Returns how many files were compared.
    pub(crate) fn compared(&self) -> u32 {
        self.compared
    }
}
