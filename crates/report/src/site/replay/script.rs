//! JSON as a script of one call: `joustReplay("<base64 of zlib>");`.

use std::io::Write;

use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A site has thousands of replays: a higher level takes twice as long for a
/// few per cent.
const LEVEL: Compression = Compression::new(5);

/// Returns the script that hands `json` to the viewer.
pub(super) fn call(json: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(json.len() / 4), LEVEL);
    encoder.write_all(json).expect("compression into memory does not fail");
    let packed = encoder.finish().expect("compression into memory does not fail");
    format!("joustReplay(\"{}\");\n", BASE64.encode(&packed)).into_bytes()
}
