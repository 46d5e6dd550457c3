//! Bot as found: its manifest, the place of its source, and the files that belong to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::manifest::Manifest;
use crate::problem::BotProblem;
use crate::source::SourceTree;
use crate::source_language::SourceLanguages;

/// A bot as found: its manifest and where its source lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotSource {
    /// Manifest of its author.
    pub manifest: Manifest,
    /// Match of the glob: a folder, a source file or an archive.
    pub found: PathBuf,
    /// The source: a folder, or a single file.
    pub source: PathBuf,
    /// Index of the first pattern that selects it, from 0.
    pub pattern: usize,
    /// Reasons for which it is not built: its manifest cannot be used, or an earlier bot has its
    /// name or its owner.
    pub unreadable: Vec<BotProblem>,
}

impl BotSource {
    /// Returns a bot whose manifest could be read.
    pub fn new(manifest: Manifest, found: &Path, source: &Path) -> Self {
        let (found, source) = (found.to_owned(), source.to_owned());
        Self { manifest, found, source, pattern: 0, unreadable: Vec::new() }
    }

    /// Returns the bot's name.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// Returns the folder that the entry of a bot which is a single file is relative to.
    fn root(&self) -> Option<PathBuf> {
        let entry = Path::new(self.manifest.entry.as_deref()?);
        let path = std::path::absolute(&self.source).ok()?;
        path.ancestors().nth(entry.components().count()).map(Path::to_owned)
    }

    /// Returns the files and folders that belong to a bot which is a single file.
    pub fn companions(&self) -> Vec<PathBuf> {
        let root = self.root().unwrap_or_default();
        self.manifest.beside.iter().map(|one| root.join(one)).collect()
    }

    /// Reads the source tree.
    ///
    /// # Errors
    ///
    /// The first file that cannot be part of a source.
    pub fn tree(&self, languages: &SourceLanguages) -> Result<SourceTree, BotProblem> {
        if let Some(problem) = BotProblem::joined(&self.unreadable) {
            return Err(problem);
        }
        self.read(languages)
            .map_err(|problem| BotProblem { file: self.original_path(&problem.file), ..problem })
    }

    /// Returns the path of a file of the source for messages. If the source is a copy, the path is
    /// in the folder or archive that was found.
    fn original_path(&self, file: &Path) -> PathBuf {
        let is_copy = self.source.is_dir() && !self.source.starts_with(&self.found);
        match file.strip_prefix(&self.source) {
            Ok(inside) if is_copy => self.found.components().chain(inside.components()).collect(),
            _ => file.to_owned(),
        }
    }

    fn read(&self, languages: &SourceLanguages) -> Result<SourceTree, BotProblem> {
        let ignore = languages.ignored(&self.manifest.language);
        if self.source.is_file() {
            let beside = &self.manifest.beside;
            let is_alone = |entry: &&str| beside.is_empty() && !entry.contains('/');
            let entry = self.manifest.entry.as_deref().filter(|entry| !is_alone(entry));
            return match entry {
                Some(entry) => SourceTree::of_files(&self.source, entry, beside, ignore),
                None => SourceTree::of_file(&self.source),
            };
        }
        match &self.manifest.project {
            Some(project) => SourceTree::read_with(&self.source, ignore, &project.run_file),
            None => SourceTree::read(&self.source, ignore),
        }
    }
}

/// Returns the absolute path, or the path itself where that cannot be found out.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Removes other bots, and folders that hold one, from the files beside a bot that is a single
/// file: no bot carries the source of another. The paths `found` of all bots are absolute.
pub(super) fn drop_other_bots(bot: &mut BotSource, found: &BTreeSet<PathBuf>) {
    let Some(root) = bot.root().filter(|_| !bot.manifest.beside.is_empty()) else { return };
    let is_another = |one: &String| {
        let path = absolute(&root.join(one));
        let beneath = found.range(path.clone()..).next();
        beneath.is_some_and(|other| other.starts_with(&path))
            || path.ancestors().any(|above| found.contains(above))
    };
    bot.manifest.beside.retain(|one| !is_another(one));
}
