//! Messages between the orchestrator and a seat's launcher, both ways.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| joust_sandbox::fuzzing::read_messages(bytes));
