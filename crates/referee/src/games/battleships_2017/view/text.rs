//! Text writer: appends numbers and words to a file.

use crate::bytes::push_number;

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
