//! Turn logs of recorded bouts, with their compression and below it.
#![no_main]

use joust_model::TurnLog;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = TurnLog::read(bytes);
    let packed = zstd::encode_all(bytes, 1).expect("memory takes what is written");
    let _ = TurnLog::read(&packed);
});
