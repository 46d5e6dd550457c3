//! Parts of the benchmark of warm starts.

pub(crate) mod bots;
pub(crate) mod bouts;
pub(crate) mod memory;
pub(crate) mod turns;

use super::table::Result;
use super::{cpu, executed, table};
