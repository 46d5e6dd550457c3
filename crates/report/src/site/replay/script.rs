//! JSON as a script of one call: `joustReplay("<base64 of zlib>");`.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A site has thousands of replays: a higher level takes twice as long for a
/// few per cent.
const LEVEL: Compression = Compression::new(5);

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the script that hands `json` to the viewer.
pub(super) fn call(json: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(json.len() / 4), LEVEL);
    encoder.write_all(json).expect("compression into memory does not fail");
    let packed = encoder.finish().expect("compression into memory does not fail");
    let mut script = Vec::with_capacity(packed.len() * 4 / 3 + 32);
    script.extend_from_slice(b"joustReplay(\"");
    push_base64(&mut script, &packed);
    script.extend_from_slice(b"\");\n");
    script
}

fn push_base64(out: &mut Vec<u8>, bytes: &[u8]) {
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        let digits = [18, 12, 6, 0].map(|shift| DIGITS[(bits >> shift & 63) as usize]);
        out.extend_from_slice(&digits[..=chunk.len()]);
        out.extend_from_slice(&b"=="[..3 - chunk.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base64(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        push_base64(&mut out, bytes);
        String::from_utf8(out).expect("it is ASCII")
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let cases = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let encoded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(cases.map(|text| base64(text.as_bytes())), encoded);
        assert_eq!(base64(&[0xfb, 0xef, 0xff]), "++//");
    }
}
