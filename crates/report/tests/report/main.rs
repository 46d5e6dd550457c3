//! Reports: the same standings in every format, and the static site.

mod bout;
mod calibrations;
mod fixtures;
mod formats;
mod hostile;
mod original;
mod ratings;
mod site;
