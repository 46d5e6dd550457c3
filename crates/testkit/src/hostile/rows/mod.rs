//! The table: every row, one file per part of the catalogue.

mod disk;
mod kernel;
mod memory;
mod moves;
mod network;
mod output;
mod processes;
mod reading;
mod servers;
mod signals;
mod start;
mod talks;
mod time;
mod writing;

use super::Row;

/// Returns every row, part by part.
pub fn all() -> Vec<Row> {
    [
        processes::rows(),
        signals::rows(),
        memory::rows(),
        disk::rows(),
        output::rows(),
        time::rows(),
        talks::rows(),
        reading::rows(),
        servers::rows(),
        writing::rows(),
        moves::rows(),
        network::rows(),
        kernel::rows(),
        start::rows(),
    ]
    .concat()
}
