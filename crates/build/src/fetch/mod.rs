//! Fetching: the way out of a package manager, and the hosts that it reaches.
//!
//! It runs in a seat without a network but for one port, behind which is a [`Proxy`] of ours. That admits
//! the hosts that the organiser's own configuration of the package manager leads to: those it names, and
//! those that the package manager asks when nothing but that configuration is there. So no host of a
//! registry is known here, and no file of a package manager is understood.

pub(crate) mod network;
mod organiser;
mod proxy;
mod route;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) use organiser::{NetworkAccess, OrganiserConfig};
pub(crate) use proxy::{Admission, Proxy, ProxyActivity, ProxyService};
pub(crate) use route::Authority;

/// The port of a seat at which it finds the proxy.
pub(crate) const PORT: u16 = 3128;
/// The address at which it does.
pub(crate) const SEAT_ADDRESS: &str = "127.0.0.1";

/// Overlays of a build: files and variables of the organiser's that decide nothing of the result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlays {
    /// Variables.
    pub(crate) variables: BTreeMap<String, String>,
    /// Files, by their path in what is thrown away.
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
