//! Lists the calibration bots, so that the program has them wherever it is.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Seen from the manifest, where build scripts run.
const CALIBRATION: &str = "../../bots/calibration";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={CALIBRATION}");
    let target = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let folder = Path::new(CALIBRATION);
    fs::write(target.join("calibration_bots.rs"), calibration_bots(folder)?)
}

/// Returns a slice expression: language, file's path, file's bytes.
fn calibration_bots(folder: &Path) -> io::Result<String> {
    let mut table = "&[\n".to_owned();
    for language in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
        let mut files = Vec::new();
        collect(&language, &mut files)?;
        let name = language.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for file in files {
            let path = file.strip_prefix(&language).expect("it lies beneath").to_string_lossy();
            let place = format!("/{}", file.display());
            let here = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), {place:?})");
            writeln!(table, "    ({name:?}, {path:?}, include_bytes!({here})),")
                .expect("a text takes all that is written");
        }
    }
    table.push_str("]\n");
    Ok(table)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for path in entries(folder)? {
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns what is in a folder, sorted, but for hidden files.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
    let hidden = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    paths.retain(|path| !hidden(path));
    paths.sort();
    Ok(paths)
}
