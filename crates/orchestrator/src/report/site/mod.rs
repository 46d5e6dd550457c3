//! The static site of a tournament.

pub mod replay;
