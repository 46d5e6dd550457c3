//! Projects in a recipe: what a manifest that names one adds, place-holders, and the
//! package caches of the machine.

use std::path::Path;

use joust_sandbox::Folder;

use crate::detect::Machine;
use crate::language::Variant;
use crate::library_set::{LibrarySet, OWN};
use crate::template::PlaceholderValues;
use joust_bots::manifest::Project;

/// Folder of package caches in a build, read-only.
const CACHES: &str = "/caches";

/// A package cache of the machine, as a build finds it.
#[derive(Clone, Debug)]
pub(super) struct MountedCache {
    pub(super) folder: Folder,
    /// The group of Maven plugins to which a build's view is limited, if it is.
    pub(super) plugins_of: Option<String>,
}

/// Sets the place-holders of a project.
pub(super) fn set_values(values: &mut PlaceholderValues, project: &Project) {
    values.set("project", project.prefix());
    values.set("project.path", project.folder.clone());
    values.set("file", project.run_file.clone());
    values.set("file.stem", project.program_name());
}

/// Finds the package caches a variant asks for, sets their place-holders and
/// returns the caches to mount.
pub(super) fn caches(
    values: &mut PlaceholderValues,
    variant: &Variant,
    machine: &Machine,
) -> Vec<MountedCache> {
    let mut mounted = Vec::new();
    for (name, cache) in &variant.caches {
        let places = cache.places.iter().filter_map(|place| values.place(place)).map(str::to_owned);
        let Some(host) = machine.folder(&places.collect::<Vec<_>>()) else { continue };
        let inside = Path::new(CACHES).join(name);
        values.set(&format!("cache.{name}"), inside.to_string_lossy());
        let plugins_of = cache.plugins_of.clone();
        mounted.push(MountedCache { folder: Folder { host, inside }, plugins_of });
    }
    mounted
}

/// Sets the place-holder of what was fetched of the bot's own list, and has it stand for package
/// caches of the machine.
pub(super) fn own_set(
    values: &mut PlaceholderValues,
    own: &LibrarySet,
    caches: &mut Vec<MountedCache>,
) {
    let folder = own.as_own();
    let whole = |folder: Folder| MountedCache { folder, plugins_of: None };
    for (name, beneath) in &own.caches {
        let inside = Path::new(CACHES).join(name);
        values.set(&format!("cache.{name}"), inside.to_string_lossy());
        caches.retain(|cache| cache.folder.inside != inside);
        caches.push(whole(Folder { host: folder.host.join(beneath), inside }));
    }
    values.set("locked", OWN);
    caches.push(whole(folder));
}
