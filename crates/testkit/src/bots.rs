//! Bots of a few lines, for tests that need real processes but no strategy.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A bot of one file.
#[derive(Clone, Copy, Debug)]
pub struct TinyBot<'a> {
    /// Its name; also its folder's.
    pub name: &'a str,
    /// The language's id.
    pub language: &'a str,
    /// The main file's name.
    pub entry: &'a str,
    /// The main file.
    pub source: &'a str,
}

impl TinyBot<'_> {
    /// Writes the bot into `bots/<name>` beneath `folder` and returns where.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        let home = folder.join("bots").join(self.name);
        fs::create_dir_all(&home)?;
        let (name, language, entry) = (self.name, self.language, self.entry);
        fs::write(
            home.join("bot.yaml"),
            format!("name: {name}\nlanguage: {language}\nentry: {entry}\n"),
        )?;
        fs::write(home.join(entry), self.source)?;
        Ok(home)
    }
}

/// Writes a bash bot that always does `action`.
///
/// # Errors
///
/// When a file cannot be written.
pub fn write_constant(folder: &Path, name: &str, action: &str) -> io::Result<PathBuf> {
    let source = format!("echo '{action}'\n");
    TinyBot { name, language: "bash", entry: "main.sh", source: &source }.write(folder)
}
