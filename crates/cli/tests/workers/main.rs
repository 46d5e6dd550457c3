//! `run --workers` and `worker` with a real server: workers play the same tournament, whatever
//! ends, stops or lies meanwhile. Without `nats-server` these tests are skipped with a message.

mod chance;
mod faults;
mod flood;
mod hostile;
mod lab;
mod liar;
mod machines;
mod play;
mod refused;
mod wire;
