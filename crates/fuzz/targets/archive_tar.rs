//! `.tar.gz` of a bot: the fuzzer writes what is beneath the compression.
#![no_main]

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::fuzz_target;

#[path = "shared/archive.rs"]
mod archive;

fuzz_target!(|bytes: &[u8]| {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).expect("memory takes what is written");
    archive::unpack_one("bot.tar.gz", &packed.finish().expect("memory takes what is written"));
});
