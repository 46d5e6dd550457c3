//! Base64, in which screenshots come.

/// Returns the bytes of a text in base64; what is no digit is passed over.
pub(super) fn decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for digit in text.bytes().filter_map(value) {
        bits = bits << 6 | digit;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes
}

fn value(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let cases = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy", "++//"];
        let bytes: [&[u8]; 8] =
            [b"", b"f", b"fo", b"foo", b"foob", b"fooba", b"foobar", &[0xfb, 0xef, 0xff]];
        assert_eq!(cases.map(decode), bytes.map(<[u8]>::to_vec));
    }
}
