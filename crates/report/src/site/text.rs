//! Strangers' texts, ready to be put into a page: nothing invisible, no e-mail
//! address. The templates make them text instead of mark-up.

use joust_model::{escaped, escaped_bytes, without_addresses};

/// Text in place of an e-mail address.
const ADDRESS: &str = "[e-mail]";

/// Returns a text as people may see it.
pub(super) fn public(text: &str) -> String {
    without_addresses(&escaped(text), ADDRESS)
}

/// Returns several lines as people may see them; line ends and tabs stay.
pub(super) fn public_lines(bytes: &[u8]) -> String {
    let lines = bytes.split(|byte| *byte == b'\n');
    let shown = lines.map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let parts = line.split(|byte| *byte == b'\t').map(escaped_bytes);
        without_addresses(&parts.collect::<Vec<_>>().join("\t"), ADDRESS)
    });
    shown.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_left_out_wherever_it_stands() {
        assert_eq!(public("Jo <jo.x+1@mail.example.org>."), "Jo <[e-mail]>.");
        assert_eq!(public("a@b"), "[e-mail]");
        assert_eq!(public("x@y.z,u@v"), "[e-mail],[e-mail]");
        assert_eq!(public_lines(b"ok\n\tme@here.example\r\n"), "ok\n\t[e-mail]\n");
    }

    #[test]
    fn what_is_no_address_stays() {
        for text in ["@team", "a @ b", "3@", "@@", "", "mail@ home"] {
            assert_eq!(public(text), text);
        }
    }

    #[test]
    fn an_address_of_other_letters_is_left_out_too() {
        assert_eq!(public("jürgen@straße.example"), "[e-mail]");
        assert_eq!(public("a@b@c.example"), "[e-mail]@c.example");
    }
}
