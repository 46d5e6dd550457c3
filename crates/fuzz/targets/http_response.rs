//! Answers of bots that are web servers: any bytes in any pieces are an answer within the caps, or
//! none.
#![no_main]

use joust_play::fuzzing::http_response;
use libfuzzer_sys::fuzz_target;

const CAP: usize = 4096;

fuzz_target!(|input: (u8, &[u8])| {
    let (size, bytes) = input;
    let pieces = http_response(bytes, usize::from(size) + 1, CAP);
    let whole = http_response(bytes, bytes.len().max(1), CAP);
    for (status, body) in [&pieces, &whole].into_iter().flatten() {
        assert!(body.len() <= CAP && *status >= 200);
    }
    if let (Some(pieces), Some(whole)) = (pieces, whole) {
        assert_eq!(pieces, whole);
    }
});
