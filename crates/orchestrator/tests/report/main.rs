//! Reports: the same standings in every format.

mod bout;
mod calibrations;
mod fixtures;
mod formats;
mod hostile;
mod ratings;
