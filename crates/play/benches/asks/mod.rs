//! Parts of the benchmark of asks.

pub(crate) mod again;
pub(crate) mod anchors;
pub(crate) mod arena;
pub(crate) mod cpu;
pub(crate) mod long_bout;
pub(crate) mod many_bouts;

use super::seated;
