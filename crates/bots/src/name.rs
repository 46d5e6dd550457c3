//! Names of bots: checks and normal forms.

use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;
use unicode_width::UnicodeWidthChar;

use joust_model::escaped;

/// Longest name, characters.
const LONGEST: usize = 64;

/// Names that some file system or shell gives a meaning of its own.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Reason why a text is no name for a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Nothing visible in it.
    #[error("the name is empty")]
    Empty,
    /// More than 64 characters.
    #[error("the name has more than {LONGEST} characters")]
    TooLong,
    /// A control, direction or invisible character.
    #[error("the name has a character that cannot be seen: U+{0:04X}")]
    Unseen(u32),
    /// A separator of paths.
    #[error("the name has a `{0}`, which separates folders")]
    Separator(char),
    /// A name with a meaning of its own, such as `..` or `CON`.
    #[error("the name is reserved")]
    Reserved,
}

/// Returns `text` as a name: outer blanks removed, in normal form C.
///
/// # Errors
///
/// [`BadName`] when people or file systems could mistake it.
pub fn normalise(text: &str) -> Result<String, BadName> {
    if text.len() > LONGEST * 16 {
        return Err(BadName::TooLong);
    }
    let name: String = text.trim().nfc().collect();
    if name.is_empty() {
        return Err(BadName::Empty);
    }
    if let Some(unseen) = name.chars().find(|one| is_unseen(*one)) {
        return Err(BadName::Unseen(unseen.into()));
    }
    if let Some(separator) = name.chars().find(|one| matches!(one, '/' | '\\')) {
        return Err(BadName::Separator(separator));
    }
    if name.chars().count() > LONGEST {
        return Err(BadName::TooLong);
    }
    if name.chars().all(|one| one.width().unwrap_or(0) == 0) {
        return Err(BadName::Empty);
    }
    if is_reserved(&name) { Err(BadName::Reserved) } else { Ok(name) }
}

/// Returns an unchecked nickname as a name: control characters become blanks, separators of
/// folders become `-`, and what is too long is cut off.
///
/// # Errors
///
/// [`BadName`] when people could still mistake it.
pub fn nickname(text: &str) -> Result<String, BadName> {
    let plain = |one: char| match one {
        '/' | '\\' => '-',
        one if one.is_control() => ' ',
        one => one,
    };
    let text: String = text.chars().take(LONGEST * 16).map(plain).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = text.nfc().take(LONGEST).collect();
    match normalise(&text) {
        Err(BadName::Reserved) => normalise(&format!("{text}-")),
        other => other,
    }
}

/// Returns `name` with an addition that distinguishes it from an equal one, cut to the longest
/// name.
pub fn with_addition(name: &str, addition: &str) -> String {
    let most = LONGEST / 2;
    let addition: Vec<char> = addition.chars().collect();
    // Folders differ at their ends.
    let addition: String = addition[addition.len().saturating_sub(most)..].iter().collect();
    let room = LONGEST - addition.chars().count() - 3;
    let name: String = name.chars().take(room).collect();
    format!("{} ({addition})", name.trim_end())
}

/// Returns the form in which two names are the same: compatibility characters
/// replaced, case folded, hints about a character's style removed.
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let styled = |one: &char| !matches!(one, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    let upper = name.nfkc().filter(styled).flat_map(char::to_uppercase).collect::<String>();
    upper.chars().flat_map(char::to_lowercase).nfkc().collect()
}

/// Returns the forms in which two names look the same: names that share one are taken
/// for each other. Made of the skeletons of Unicode's report 39, with and without case.
pub fn lookalike_forms(name: &str) -> [String; 2] {
    let alike = |text: &str| fold(&skeleton(text).collect::<String>());
    [alike(&fold(name)), alike(name)]
}

/// Returns whether a character cannot be seen or turns the text around it.
pub(crate) fn is_unseen(character: char) -> bool {
    let mut bytes = [0; 4];
    let text = character.encode_utf8(&mut bytes);
    escaped(text) != *text
}

fn is_reserved(name: &str) -> bool {
    let folded = fold(name);
    let stem = folded.split('.').next().unwrap_or_default();
    let numbered = |word: &str| {
        let rest = stem.strip_prefix(word);
        rest.is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
    };
    folded == "."
        || folded == ".."
        || RESERVED[..4].contains(&stem)
        || RESERVED[4..].iter().any(|word| numbered(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_name_stays_as_it_is() {
        assert_eq!(normalise("Høgni's bot 2"), Ok("Høgni's bot 2".to_owned()));
    }

    #[test]
    fn a_name_is_brought_to_normal_form() {
        assert_eq!(normalise("e\u{301}clair "), Ok("\u{e9}clair".to_owned()));
    }

    #[test]
    fn hostile_names_are_refused() {
        let long = "a".repeat(10_000_000);
        let cases = [
            ("", BadName::Empty),
            ("  \t", BadName::Empty),
            (".", BadName::Reserved),
            ("..", BadName::Reserved),
            ("a/b", BadName::Separator('/')),
            ("a\\b", BadName::Separator('\\')),
            ("CON", BadName::Reserved),
            ("lpt1.txt", BadName::Reserved),
            ("ab\u{202e}cd", BadName::Unseen(0x202e)),
            ("a\u{200b}b", BadName::Unseen(0x200b)),
            ("a\u{1d173}b", BadName::Unseen(0x1d173)),
            ("a\u{fff0}b", BadName::Unseen(0xfff0)),
            ("a\u{e0fff}b", BadName::Unseen(0xe0fff)),
            ("a\nb", BadName::Unseen(10)),
            ("\u{1b}[31m", BadName::Unseen(0x1b)),
            ("\u{301}", BadName::Empty),
            (long.as_str(), BadName::TooLong),
        ];
        for (name, expected) in cases {
            assert_eq!(normalise(name), Err(expected), "{:.20}", name.escape_debug());
        }
    }

    #[test]
    fn sixty_four_characters_are_a_name_and_sixty_five_are_not() {
        assert!(normalise(&"ä".repeat(64)).is_ok());
        assert_eq!(normalise(&"ä".repeat(65)), Err(BadName::TooLong));
    }

    #[test]
    fn names_that_look_alike_fold_to_the_same() {
        assert_eq!(fold("Straße"), fold("STRASSE"));
        assert_eq!(fold("ｂｏｔ"), fold("Bot"));
        assert_eq!(fold("a\u{fe0f}"), fold("a"));
        assert_eq!(fold("a\u{e0101}"), fold("a"));
        assert_ne!(fold("bot1"), fold("bot2"));
    }

    #[test]
    fn names_of_other_alphabets_look_the_same() {
        let alike = |one: &str, other: &str| {
            let other = lookalike_forms(other);
            lookalike_forms(one).iter().any(|look| other.contains(look))
        };
        let same = [
            ("sniper", "\u{455}niper"),
            ("Sniper", "\u{405}NIPER"),
            ("paypal", "p\u{430}yp\u{430}l"),
            ("bot", "b\u{3bf}t"),
            ("b0t", "bOt"),
            ("Ill", "lll"),
            ("modern", "modem"),
            ("bot", "bot"),
        ];
        for (one, other) in same {
            assert!(alike(one, other), "{one} {other}");
        }
        for (one, other) in [("bot1", "bot2"), ("ann", "bob"), ("sniper", "snipper")] {
            assert!(!alike(one, other), "{one} {other}");
        }
    }
}
