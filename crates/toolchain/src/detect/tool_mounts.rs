//! Places of tools: where their folders appear inside a sandbox, and barriers to other users.
//!
//! Bots in the tier without mounts see this machine's files, with the rights of the users that they
//! run as.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use joust_sandbox::Folder;

use super::{Machine, Toolchain};

/// Folders of the host that every sandbox shows under their own names.
const SHOWN: [&str; 6] = ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin"];

/// The folder inside under which everything else appears.
const NEUTRAL: &str = "/toolchains";

/// Assigns each folder one place inside.
pub(super) struct ToolMounts {
    home: Option<PathBuf>,
    mounted: Vec<(String, Folder)>,
}

impl ToolMounts {
    pub(super) fn new(machine: &Machine) -> Self {
        let home = machine.home.as_deref().map(|home| home.canonicalize().unwrap_or(home.into()));
        Self { home, mounted: Vec::new() }
    }

    /// Gives the folder `name` of `tool` a place and returns it; `None` for
    /// one that is not there, or so wide that a home would be laid open.
    pub(super) fn folder(&mut self, tool: &str, name: &str, path: &Path) -> Option<String> {
        let path = path.canonicalize().ok().filter(|path| path.is_dir())?;
        if let Some(inside) = self.inside(&path) {
            return Some(inside);
        }
        if self.is_too_wide(&path) {
            return None;
        }
        let wanted = match name {
            "home" => format!("{NEUTRAL}/{tool}"),
            _ => format!("{NEUTRAL}/{tool}-{name}"),
        };
        self.mounted.push((tool.to_owned(), Folder { host: path, inside: (&wanted).into() }));
        Some(wanted)
    }

    /// Returns the program's path inside; a program outside every folder known
    /// so far brings the folder it lies in.
    pub(super) fn program(&mut self, tool: &str, real: &Path) -> String {
        let (Some(parent), Some(name)) = (real.parent(), real.file_name()) else {
            return real.to_string_lossy().into_owned();
        };
        let folder = self.folder(tool, "home", parent);
        let folder = folder.or_else(|| self.folder(tool, "bin", parent));
        let folder = folder.unwrap_or_else(|| parent.to_string_lossy().into_owned());
        format!("{folder}/{}", name.to_string_lossy())
    }

    /// Returns the path on the host of a place with place-holders.
    pub(super) fn host_path(
        &self,
        template: &str,
        values: &BTreeMap<String, String>,
    ) -> Option<PathBuf> {
        let (start, rest) = template.strip_prefix('{')?.split_once('}')?;
        let inside = Path::new(values.get(start)?).join(rest.trim_start_matches('/'));
        Some(host_location(&self.mounted, &inside))
    }

    pub(super) fn into_toolchain(self, found: Toolchain) -> Toolchain {
        let libraries = self.mounted.iter().filter_map(|(_, folder)| {
            let has = has_libraries(&folder.host.join("lib"));
            has.then(|| folder.inside.join("lib").to_string_lossy().into_owned())
        });
        Toolchain { libraries: libraries.collect(), folders: self.mounted, ..found }
    }

    fn inside(&self, path: &Path) -> Option<String> {
        if SHOWN.iter().any(|shown| path.starts_with(shown)) {
            return Some(path.to_string_lossy().into_owned());
        }
        self.mounted.iter().find_map(|(_, folder)| {
            let rest = path.strip_prefix(&folder.host).ok()?;
            let inside = if rest.as_os_str().is_empty() {
                folder.inside.clone()
            } else {
                folder.inside.join(rest)
            };
            Some(inside.to_string_lossy().into_owned())
        })
    }

    fn is_too_wide(&self, path: &Path) -> bool {
        let holds_home = self.home.as_deref().is_some_and(|home| home.starts_with(path));
        holds_home || path.components().count() < 3
    }
}

/// Returns the path on the host of a place inside, by the mounted folders.
pub(super) fn host_location(mounted: &[(String, Folder)], inside: &Path) -> PathBuf {
    let found = mounted
        .iter()
        .find_map(|(_, folder)| Some(folder.host.join(inside.strip_prefix(&folder.inside).ok()?)));
    found.unwrap_or_else(|| inside.to_owned())
}

fn has_libraries(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.into_iter().any(|entry| entry.file_name().to_string_lossy().contains(".so"))
}

/// Returns the first obstacle for other users to a folder that can be entered or a program that can
/// be run: a folder on the way to it, or it itself, that is closed to them. `None` when there is
/// none.
pub fn closed_folder(path: &Path) -> Option<PathBuf> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut on_the_way: Vec<&Path> = real.ancestors().collect();
    on_the_way.reverse();
    on_the_way.into_iter().find(|place| !is_open(place)).map(Path::to_owned)
}

fn is_open(place: &Path) -> bool {
    place.metadata().is_ok_and(|data| data.permissions().mode() & 0o001 != 0)
}
