//! Webhooks: short messages to Discord, Slack or any address that takes JSON.
//!
//! Each address has a thread that sends its messages one after the other, so that a slow address
//! delays nothing else; what does not fit its queue is dropped and counted. Addresses are secrets:
//! they are in no error, no log and no database, and `Debug` leaves them out.

mod address;
mod message;
mod sender;

pub use address::{Address, Kind, NotAddresses, parse_addresses};
pub use message::{EventOutcome, Message};
pub use sender::{Handle, Undelivered, Webhooks};
