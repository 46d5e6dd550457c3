//! Fetching: the way out of a package manager, and the hosts that it reaches.
//!
//! It runs in a seat whose only network is one port of Joust's [`Proxy`]. The proxy admits the
//! hosts that the organiser's own configuration of the package manager leads to: the hosts that it
//! names, and those that the package manager contacts when it has nothing but that configuration.
//! So this module knows no host of a registry, and parses no file of a package manager.

mod organiser;
mod proxy;
mod route;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) use organiser::{NetworkAccess, OrganiserConfig};
pub(crate) use proxy::{Admission, Proxy, ProxyActivity, ProxyService};
pub(crate) use route::Authority;

/// Port of the proxy in a seat.
pub(crate) const PORT: u16 = 3128;
/// Address of the proxy in a seat.
const SEAT_ADDRESS: &str = "127.0.0.1";

/// Overlays of a build: the organiser's files and variables, which do not affect the result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlays {
    /// Variables.
    pub(crate) variables: BTreeMap<String, String>,
    /// Files, by their path in the temporary folder.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// The way out of a build that reaches registries.
    pub(crate) proxy: Option<Arc<Proxy>>,
}

/// Registries that a package manager reached with the organiser's configuration alone.
#[derive(Debug)]
pub(crate) struct Registries {
    /// The hosts that it asked.
    pub(crate) hosts: BTreeSet<Authority>,
    /// Reason for which it could not reach one.
    pub(crate) trouble: Option<String>,
}
