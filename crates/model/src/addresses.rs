//! E-mail addresses, which must not be published.

/// Separators between a name and a domain, in any width.
const SIGNS: [char; 3] = ['@', '\u{fe6b}', '\u{ff20}'];

/// Replaces everything that looks like an address with `mark`: an `@` with a name before it and a
/// domain after it.
pub fn without_addresses(text: &str, mark: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, sign)) = rest.char_indices().find(|(_, one)| SIGNS.contains(one)) {
        let (before, behind) = (&rest[..at], &rest[at + sign.len_utf8()..]);
        let name = before.len() - before.trim_end_matches(is_of_name).len();
        let domain = domain_length(behind);
        if name == 0 || domain == 0 {
            shown.push_str(before);
            shown.push(sign);
        } else {
            shown.push_str(&before[..at - name]);
            shown.push_str(mark);
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

/// Returns a bot's author without the e-mail address; `None` when nothing is left.
pub fn author_without_address(text: &str) -> Option<String> {
    const MARK: &str = "\u{0}";
    let text = without_addresses(text, MARK);
    if !text.contains(MARK) {
        return Some(text);
    }
    let text = text.replace("mailto:\u{0}", MARK);
    let text = ["<\u{0}>", "(\u{0})", "[\u{0}]", MARK]
        .iter()
        .fold(text, |text, address| text.replace(address, " "));
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").replace(" ,", ",").replace(" ;", ";");
    let text = text.trim_matches(|one: char| one.is_whitespace() || ",;:-|/<>()".contains(one));
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_has_a_name_and_no_address() {
        let author = |text| author_without_address(text);
        for text in [
            "Ada L. <ada@here.example>",
            "Ada L. (ada@here.example)",
            "Ada L., ada@here.example",
            "ada@here.example Ada L.",
            "Ada L. - mailto:ada@here.example",
            "Ada L. <ada\u{ff20}here.example>",
        ] {
            assert_eq!(author(text).as_deref(), Some("Ada L."), "{text}");
        }
        assert_eq!(author("ada@here.example"), None);
        assert_eq!(author("A <a@x.y>, B <b@x.y>").as_deref(), Some("A, B"));
    }

    #[test]
    fn an_author_without_an_address_stays() {
        for text in ["Ada", "@ada", "Team (A)", "a @ b", "- x -"] {
            assert_eq!(author_without_address(text).as_deref(), Some(text));
        }
    }
}
