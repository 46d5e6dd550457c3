//! Action logs of recorded bouts: any bytes are a log or an error, and what was read is written and
//! read again alike.
#![no_main]

use joust_referee::log::{decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(inputs) = decode(bytes) {
        assert_eq!(decode(&encode(&inputs)).as_ref(), Ok(&inputs));
    }
});
