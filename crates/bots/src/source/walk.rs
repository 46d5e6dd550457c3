//! Walk through a bot's folder that selects the files and links of its source.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{DEEPEST, FileKind, MOST_BYTES, MOST_FILES, SourceFile, hash_file};
use crate::problem::BotProblem;
use crate::side_files::{is_system_file, is_virtual_environment};

/// Message about a link to a place outside the bot's folder.
const LEAVES: &str = "a link that does not stay inside the bot's folder";

/// Entries that a walk leaves out.
pub(super) struct SkipRules<'a> {
    pub(super) hidden: bool,
    pub(super) names: &'a [String],
    /// A folder whose own files are taken all the same.
    pub(super) shipped: Option<&'a str>,
}

pub(super) struct SourceWalk<'a> {
    root: &'a Path,
    canonical: PathBuf,
    skip: SkipRules<'a>,
    pub(super) files: Vec<SourceFile>,
    pub(super) bytes: u64,
}

impl<'a> SourceWalk<'a> {
    pub(super) fn new(root: &'a Path, skip: SkipRules<'a>) -> Result<Self, BotProblem> {
        let canonical = root.canonicalize().map_err(|error| unreadable(root, &error))?;
        Ok(Self { root, canonical, skip, files: Vec::new(), bytes: 0 })
    }

    pub(super) fn folder(&mut self, inside: &str, depth: usize) -> Result<(), BotProblem> {
        let folder = self.root.join(inside);
        if depth > DEEPEST {
            return Err(BotProblem::new(&folder, format!("more than {DEEPEST} folders deep")));
        }
        let entries = fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&folder, &error))?;
            self.entry(&entry, inside, depth)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        entry: &fs::DirEntry,
        inside: &str,
        depth: usize,
    ) -> Result<(), BotProblem> {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_str();
        let name = name.ok_or_else(|| BotProblem::new(&path, "the file's name is not UTF-8"))?;
        if self.skip.hidden && (name.starts_with('.') || is_system_file(name)) {
            return Ok(());
        }
        let relative = if inside.is_empty() { name.to_owned() } else { format!("{inside}/{name}") };
        let kind = entry.file_type().map_err(|error| unreadable(&path, &error))?;
        let is_ignored = self.skip.names.iter().any(|ignored| ignored == name);
        // A link that leaves the folder is refused before its name is looked at.
        if kind.is_symlink() && is_ignored {
            return self.link_target(&path).map(drop);
        }
        if is_ignored {
            return self.shipped(&relative);
        }
        if kind.is_dir() && self.skip.hidden && is_virtual_environment(&path) {
            Ok(())
        } else if kind.is_dir() {
            self.folder(&relative, depth + 1)
        } else if kind.is_symlink() {
            self.link(&path, relative)
        } else {
            self.plain(&path, relative)
        }
    }

    /// Takes the files that were shipped somewhere beneath the folder `left_out`.
    fn shipped(&mut self, left_out: &str) -> Result<(), BotProblem> {
        let Some(inside) = self.skip.shipped else { return Ok(()) };
        if !Path::new(inside).starts_with(left_out) {
            return Ok(());
        }
        let folder = self.root.join(inside);
        self.ensure_without_links(&folder, inside)?;
        let entries = fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.filter(|name| !name.starts_with('.'));
            let is_plain = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
            if let Some(name) = name.filter(|_| is_plain) {
                self.plain(&path, format!("{inside}/{name}"))?;
            }
        }
        Ok(())
    }

    pub(super) fn link(&mut self, path: &Path, relative: String) -> Result<(), BotProblem> {
        let target = self.link_target(path)?;
        self.keep(relative, FileKind::Link(target))
    }

    fn link_target(&self, path: &Path) -> Result<String, BotProblem> {
        let target = target_inside(&self.canonical, path);
        let target = target.map_err(|error| unreadable(path, &error))?;
        target.ok_or_else(|| BotProblem::new(path, LEAVES))
    }

    /// Refuses `path`, which is `inside` the folder by its name, when it is reached through a link.
    pub(super) fn ensure_without_links(&self, path: &Path, inside: &str) -> Result<(), BotProblem> {
        let real = path.canonicalize().map_err(|error| unreadable(path, &error))?;
        match real == self.canonical.join(inside) {
            true => Ok(()),
            false => Err(BotProblem::new(path, "it is reached through a link")),
        }
    }

    /// Takes the file that is the bot; where it is a link that stays in the folder, what it
    /// leads to.
    pub(super) fn main(&mut self, path: &Path, relative: String) -> Result<(), BotProblem> {
        let real = path.canonicalize().ok().filter(|real| real.starts_with(&self.canonical));
        match real.filter(|_| path.is_symlink()) {
            Some(real) => self.plain(&real, relative),
            None => self.plain(path, relative),
        }
    }

    pub(super) fn plain(&mut self, path: &Path, relative: String) -> Result<(), BotProblem> {
        let metadata = path.symlink_metadata().map_err(|error| unreadable(path, &error))?;
        if !metadata.is_file() {
            return Err(BotProblem::new(path, "neither a plain file nor a folder"));
        }
        self.bytes = self.bytes.saturating_add(metadata.len());
        if self.bytes > MOST_BYTES {
            let message = format!("the bot has more than {} MiB", MOST_BYTES >> 20);
            return Err(BotProblem::new(self.root, message));
        }
        let hash = hash_file(path).map_err(|error| unreadable(path, &error))?;
        let executable = metadata.permissions().mode() & 0o111 != 0;
        self.keep(relative, FileKind::Plain { executable, hash })
    }

    fn keep(&mut self, path: String, kind: FileKind) -> Result<(), BotProblem> {
        if self.files.len() == MOST_FILES {
            let message = format!("the bot has more than {MOST_FILES} files");
            return Err(BotProblem::new(self.root, message));
        }
        self.files.push(SourceFile { path, kind });
        Ok(())
    }
}

/// Returns the target of a link that stays inside the folder `canonical`.
pub(super) fn target_inside(canonical: &Path, link: &Path) -> io::Result<Option<String>> {
    let target = fs::read_link(link)?;
    let real = link.canonicalize();
    let stays = target.is_relative()
        && real.is_ok_and(|real| real.starts_with(canonical) && !leads_up(link, &real));
    Ok(target.to_str().filter(|_| stays).map(str::to_owned))
}

/// Returns whether a link leads to a folder that contains it: a loop for a walk.
fn leads_up(link: &Path, real: &Path) -> bool {
    link.parent()
        .and_then(|parent| parent.canonicalize().ok())
        .is_none_or(|at| at.starts_with(real))
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> BotProblem {
    BotProblem::io(path, "read", error)
}
