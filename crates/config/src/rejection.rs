//! Message and advice about one value, and suggestions for unknown words.

use std::fmt;

/// Message and advice about a value. Serde carries it as a text of two lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Description of the mistake: a lower-case fragment.
    pub message: String,
    /// Advice.
    pub hint: Option<String>,
}

impl Rejection {
    /// Makes a rejection with advice.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()) }
    }

    /// Makes a rejection without advice.
    pub(crate) fn bare(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// Refuses with advice unless a value is as it has to be.
    ///
    /// # Errors
    ///
    /// The rejection.
    pub fn unless(
        is_good: bool,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Result<(), Self> {
        if is_good { Ok(()) } else { Err(Self::new(message, hint)) }
    }

    pub(super) fn from_display(text: &dyn fmt::Display) -> Self {
        let text = text.to_string();
        match text.split_once('\n') {
            Some((message, hint)) => Self::new(message, hint),
            None => Self::bare(text),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message.replace('\n', "\\n"))?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n{hint}"))
    }
}

/// Words that a hint lists: a field may have thousands of bots.
const MOST_LISTED: usize = 30;

/// Returns a hint for an unknown word: the word of `known` nearest to `given`, or, when none is
/// near, the first thirty of `known` after `otherwise`.
pub fn did_you_mean(given: &str, known: &[&str], otherwise: &str) -> String {
    let listed = &known[..known.len().min(MOST_LISTED)];
    match nearest(given, known) {
        Some(word) => format!("did you mean `{word}`?"),
        None if known.is_empty() => "there are none".to_owned(),
        None if listed.len() < known.len() => {
            let others = known.len() - listed.len();
            format!("{otherwise} `{}` and {others} more", listed.join("`, `"))
        }
        None => format!("{otherwise} `{}`", listed.join("`, `")),
    }
}

fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let given = plain(given);
    let distance = |word: &str| strsim::damerau_levenshtein(&given, &plain(word));
    // Letters are exchanged more often than left out: of two words as near, the one as long.
    let unlike_in_length = |word: &str| word.len().abs_diff(given.len());
    let (word, distance) = known
        .iter()
        .map(|word| (*word, distance(word)))
        .min_by_key(|(word, distance)| (*distance, unlike_in_length(word)))?;
    let tolerated = given.chars().count().max(3).div_ceil(3);
    (distance <= tolerated).then_some(word)
}

/// Capitals, `_` and `-` are mixed up most often. Only the beginning of an
/// endless word is compared.
fn plain(word: &str) -> String {
    word.chars().take(64).collect::<String>().to_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_word_is_recognised() {
        let known = ["battlebots", "bomberman-2016", "uwcs-bomberman"];
        let hint = |given| did_you_mean(given, &known, "games are");
        assert_eq!(hint("bombermen-2016"), "did you mean `bomberman-2016`?");
        assert_eq!(hint("BattleBots"), "did you mean `battlebots`?");
        assert_eq!(did_you_mean("buots", &["bots", "bouts"], ""), "did you mean `bouts`?");
        let numbers: Vec<String> = (0..1000).map(|number| format!("bot-{number}")).collect();
        let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
        let many = did_you_mean("walker", &numbers, "bots are");
        assert!(many.starts_with("bots are `bot-0`, `bot-1`, "), "{many}");
        assert!(many.ends_with(", `bot-29` and 970 more"), "{many}");
        assert_eq!(did_you_mean("bto-417", &numbers, ""), "did you mean `bot-417`?");
        assert_eq!(hint("chess"), "games are `battlebots`, `bomberman-2016`, `uwcs-bomberman`");
    }
}
