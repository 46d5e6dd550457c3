//! The files recordings lie in: where they are, their lines, what is wrong with them.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test reads recordings from files; the referee itself never does"
)]

use std::fmt;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

/// Fault of a recording, and its place.
#[derive(Debug)]
pub(crate) struct Failure {
    place: String,
    problem: String,
}

impl Failure {
    /// Makes a failure of a whole file or folder.
    pub(crate) fn new(path: &Path, problem: impl fmt::Display) -> Self {
        Self { place: path.display().to_string(), problem: problem.to_string() }
    }

    /// Makes a failure of one line, counted from 1.
    pub(crate) fn at_line(path: &Path, line: usize, problem: impl fmt::Display) -> Self {
        let place = format!("{}:{line}", path.display());
        Self { place, problem: problem.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

/// Returns the folder with the committed recordings.
pub(crate) fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

/// Returns the folder to play: `JOUST_CONFORMANCE`, relative to the current
/// folder or to the workspace, or the committed recordings.
pub(crate) fn root() -> PathBuf {
    let Some(named) = std::env::var_os("JOUST_CONFORMANCE") else { return committed() };
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let in_workspace = workspace.join(&named);
    if in_workspace.is_dir() { in_workspace } else { PathBuf::from(named) }
}

/// Returns the files of `folder` whose names end with one of `endings`, sorted.
pub(crate) fn with_ending(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| Failure::new(folder, error))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Failure::new(folder, error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if endings.iter().any(|ending| name.ends_with(ending)) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Returns the lines of a text file, unpacked if its name ends with `.gz`.
pub(crate) fn lines(path: &Path) -> Result<Vec<String>, Failure> {
    let file = File::open(path).map_err(|error| Failure::new(path, error))?;
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    let reader: Box<dyn Read> =
        if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut lines = Vec::new();
    for (index, line) in BufReader::new(reader).lines().enumerate() {
        lines.push(line.map_err(|error| Failure::at_line(path, index + 1, error))?);
    }
    Ok(lines)
}

/// Returns the text of a file.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::new(path, error))
}

/// Makes an empty folder for a test of the runner.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old scratch folder can be removed");
    }
    fs::create_dir_all(&folder).expect("a scratch folder can be made");
    folder
}

/// Writes a file and the folder it is in.
pub(crate) fn write(path: &Path, bytes: &[u8]) {
    let folder = path.parent().expect("the file is in a folder");
    fs::create_dir_all(folder).expect("a scratch folder can be made");
    fs::write(path, bytes).expect("a scratch file can be written");
}
