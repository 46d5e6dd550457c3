//! Random number generators, each in a file of its own.

mod chacha8;

pub use chacha8::ChaCha8;
