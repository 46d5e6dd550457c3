//! Random number generators, each in a file of its own.

mod chacha8;
mod dotnet;
mod go_rand;
mod mt19937;

pub use chacha8::ChaCha8;
pub use dotnet::DotNetRandom;
pub use go_rand::GoRand;
pub use mt19937::Mt19937;
