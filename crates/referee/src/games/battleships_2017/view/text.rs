//! Text writer: appends numbers and words to a file.

/// Appends a whole number.
pub(in super::super) fn push_number(out: &mut Vec<u8>, number: i64) {
    match u8::try_from(number) {
        Ok(digit @ 0..=9) => out.push(b'0' + digit),
        Ok(two @ 10..=99) => out.extend([b'0' + two / 10, b'0' + two % 10]),
        _ => out.extend_from_slice(number.to_string().as_bytes()),
    }
}

/// Appends words and numbers.
macro_rules! push {
    ($out:expr, $($piece:expr),+ $(,)?) => {{
        let out: &mut Vec<u8> = $out;
        $( crate::games::battleships_2017::view::text::Append::append(&$piece, out); )+
    }};
}
pub(in super::super) use push;

/// Something that can be appended to a file.
pub(in super::super) trait Append {
    /// Appends it.
    fn append(&self, out: &mut Vec<u8>);
}

impl Append for &str {
    fn append(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }
}

impl Append for &[u8] {
    fn append(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
}

impl Append for i32 {
    fn append(&self, out: &mut Vec<u8>) {
        push_number(out, i64::from(*self));
    }
}

impl Append for u32 {
    fn append(&self, out: &mut Vec<u8>) {
        push_number(out, i64::from(*self));
    }
}

impl Append for u8 {
    fn append(&self, out: &mut Vec<u8>) {
        push_number(out, i64::from(*self));
    }
}

impl Append for bool {
    fn append(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}
