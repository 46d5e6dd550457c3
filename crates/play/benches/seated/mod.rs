//! A machine that is ready to play programs of a benchmark.

use std::collections::HashMap;
use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use joust_build::PlacedBuild;
use joust_model::BuildHash;
use joust_model::cancel::Cancel;
use joust_play::executor::Equipment;
use joust_sandbox::{Folder, Host, HostOptions};
use joust_toolchain::BOT;

/// The only build of a benchmark that has one.
pub(crate) const ONLY: BuildHash = BuildHash([0; 32]);

/// Makes this machine ready for `builds`, and says which tier it has.
pub(crate) fn equipment(
    builds: impl IntoIterator<Item = PlacedBuild>,
) -> Result<Equipment, Box<dyn Error>> {
    let host = Host::probe(&HostOptions::default())?;
    println!("sandbox tier {}", host.tier());
    Ok(Equipment {
        games: joust_referee::Catalogue::built_in(),
        host,
        builds: builds.into_iter().map(|build| (build.hash, Arc::new(build))).collect(),
        calibrations: HashMap::default(),
        machine: "bench".to_owned(),
        cancel: Cancel::default(),
    })
}

/// Returns the build [`ONLY`] of a program that lies in `folder`.
pub(crate) fn build(folder: &Path, command: Vec<OsString>) -> PlacedBuild {
    PlacedBuild {
        hash: ONLY,
        source: BuildHash::of("none", &[]),
        result: BuildHash::of("none", &[]),
        folder: folder.to_owned(),
        command,
        trailing: Vec::new(),
        hidden: Vec::new(),
        unused_files: Vec::new(),
        folders: vec![Folder { host: folder.to_owned(), inside: BOT.into() }],
        environment: Vec::new(),
        language: "c".to_owned(),
        toolchain: String::new(),
        system: Vec::new(),
        log: folder.join("log"),
        cached: true,
        took: Duration::ZERO,
    }
}
