//! Words of a command, split the way people expect it, without a shell.

/// Splits `text` at white space; single and double quotes keep words together.
/// Nothing else has a meaning: no variables, no escapes, no operators.
///
/// # Errors
///
/// A quote that is never closed.
pub fn split(text: &str) -> Result<Vec<String>, String> {
    let (words, open) = split_by(text, &['"', '\'']);
    open.map_or(Ok(words), |open| Err(format!("the quote `{open}` is never closed")))
}

/// Splits `text` at white space outside of `quotes`; returns the words with the quote that is never
/// closed, which reaches to the end.
pub(super) fn split_by(text: &str, quotes: &[char]) -> (Vec<String>, Option<char>) {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in text.chars() {
        match quote {
            Some(open) if open == character => quote = None,
            Some(_) => word.get_or_insert_default().push(character),
            None if quotes.contains(&character) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            None if character.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    (words, quote)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn blanks_separate_and_quotes_join() {
        assert_eq!(split("a  'b c' d\"e f\"").unwrap(), ["a", "b c", "de f"]);
    }

    #[test]
    fn an_empty_word_can_be_quoted() {
        assert_eq!(split("a '' b").unwrap(), ["a", "", "b"]);
    }

    #[test]
    fn what_a_shell_would_obey_is_plain_text() {
        assert_eq!(split("a;$(b) `c` >d").unwrap(), ["a;$(b)", "`c`", ">d"]);
    }

    #[test]
    fn an_open_quote_is_refused() {
        assert!(split("a 'b").is_err());
    }
}
