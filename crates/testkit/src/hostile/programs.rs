//! Compiles the programs.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder of the compiled programs.
#[derive(Clone, Debug)]
pub struct Programs {
    /// All behaviours in one.
    pub hostile: PathBuf,
    /// The same as a library, for an interpreter, if it was wanted.
    pub library: Option<PathBuf>,
    /// Runs a program without the sandbox where it can do no harm.
    pub control: PathBuf,
    /// Starts a program in an odd place.
    pub stage: PathBuf,
    /// The scripts.
    pub scripts: PathBuf,
}

/// Compiles the programs into `folder` with the C compiler `cc`.
///
/// # Errors
///
/// When the compiler is not there or refuses a program.
pub fn build(folder: &Path) -> io::Result<Programs> {
    std::fs::create_dir_all(folder)?;
    let sources = sources();
    let programs = Programs {
        hostile: folder.join("hostile"),
        library: None,
        control: folder.join("control"),
        stage: folder.join("stage"),
        scripts: sources.join("scripts"),
    };
    compile(&c_files(&hostile_sources())?, &programs.hostile, &[])?;
    compile(&[sources.join("tools/control.c")], &programs.control, &[])?;
    compile(&[sources.join("tools/stage.c")], &programs.stage, &[])?;
    Ok(programs)
}

impl Programs {
    /// Compiles the behaviours as a library, too, beside the others.
    ///
    /// # Errors
    ///
    /// When the compiler refuses them.
    pub fn with_library(self) -> io::Result<Self> {
        let library = self.hostile.with_extension("so");
        compile(&c_files(&hostile_sources())?, &library, &["-shared", "-fPIC"])?;
        Ok(Self { library: Some(library), ..self })
    }
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}

fn hostile_sources() -> PathBuf {
    sources().join("hostile")
}

fn c_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "c") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn compile(sources: &[PathBuf], program: &Path, options: &[&str]) -> io::Result<()> {
    let output = Command::new("cc")
        .args(["-O1", "-Wall", "-Wextra", "-pthread"])
        .args(options)
        .arg("-o")
        .arg(program)
        .args(sources)
        .arg("-lrt")
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("`cc` refused `{}`: {said}", program.display())))
}
