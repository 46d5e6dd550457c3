//! `run --workers` and `worker` with a real server: what workers play is the tournament, whatever
//! ends, stops or lies meanwhile. Without `nats-server` these tests are skipped and say so.

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
