//! Strangers' texts, ready to be put into a page: nothing invisible, no e-mail
//! address. The templates make them text instead of mark-up.

use crate::model::{escaped, escaped_bytes};

/// What stands in place of an e-mail address.
const ADDRESS: &str = "[e-mail]";

/// Returns a text as people may see it.
pub(super) fn public(text: &str) -> String {
    without_addresses(&escaped(text))
}

/// Returns several lines as people may see them; line ends and tabs stay.
pub(super) fn public_lines(bytes: &[u8]) -> String {
    let lines = bytes.split(|byte| *byte == b'\n');
    let shown = lines.map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let parts = line.split(|byte| *byte == b'\t').map(escaped_bytes);
        without_addresses(&parts.collect::<Vec<_>>().join("\t"))
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// Puts [`ADDRESS`] in the place of everything that looks like an address:
/// what is around an `@` that has a name before it and a domain behind it.
fn without_addresses(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        let name = before.len() - before.trim_end_matches(is_of_name).len();
        let domain = domain_length(behind);
        if name == 0 || domain == 0 {
            shown.push_str(&rest[..=at]);
        } else {
            shown.push_str(&before[..at - name]);
            shown.push_str(ADDRESS);
        }
        rest = &behind[if name == 0 { 0 } else { domain }..];
    }
    shown.push_str(rest);
    shown
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || "._%+-'!#$&*/=?^`{|}~".contains(character)
}

/// Returns how many bytes at the start of `text` are a domain.
fn domain_length(text: &str) -> usize {
    let is_of_domain = |c: char| c.is_alphanumeric() || c == '.' || c == '-';
    let end = text.find(|c| !is_of_domain(c)).unwrap_or(text.len());
    text[..end].trim_end_matches(['.', '-']).len()
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
