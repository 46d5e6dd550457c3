//! Random number generators, each in a file of its own.

mod chacha8;
mod dotnet;
mod mt19937;

pub use chacha8::ChaCha8;
pub use dotnet::DotNetRandom;
pub use mt19937::Mt19937;
