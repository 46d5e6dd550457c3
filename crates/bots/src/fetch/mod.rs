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

use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use organiser::{OrganiserConfig, WayOut};
pub(crate) use proxy::{Admission, Proxy, Seen, Service};
pub(crate) use route::Authority;

/// The port of a seat at which it finds the proxy.
pub(crate) const PORT: u16 = 3128;
/// The address at which it does.
pub(crate) const SEAT_ADDRESS: &str = "127.0.0.1";

/// Things of the organiser's that a build is given and that decide nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passed {
    /// Variables.
    pub(crate) variables: BTreeMap<String, String>,
    /// Files, by their path in what is thrown away.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// The way out of a build that reaches registries.
    pub(crate) proxy: Option<Arc<Proxy>>,
}
