//! Random number generators, each in a file of its own.

mod chacha8;
mod mt19937;

pub use chacha8::ChaCha8;
pub use mt19937::Mt19937;
