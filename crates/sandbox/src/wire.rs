//! Messages between the orchestrating process and a seat's launcher.
//!
//! A message starts with a version and a kind, so that later kinds can be added
//! beside these. Both
//! ends are the same program, but neither trusts what it reads: any bytes give
//! a message or [`Malformed`], never a panic and never an allocation larger
//! than the bytes at hand.

mod codec;
mod mode;
mod reply;
mod request;

pub(crate) use mode::{FileSystem, Mode};
pub(crate) use reply::{Done, Failure, Ready, Reply, Shortfall};
pub(crate) use request::{
    Counter, Identity, LiveRequest, OfferAnswer, Prepare, Request, SetUp, TurnRequest, WarmRequest,
    Watch, encode_environment,
};

/// Raised whenever a message changes its shape.
const VERSION: u16 = 5;

#[cfg(test)]
mod tests;
