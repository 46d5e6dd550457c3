//! Reason why a bot sits out an event, separate from the output of strangers' programs.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{PublicPart, Publication};

/// Reason why a bot sits out an event. Joust's own text is separate from texts that are only public
/// if the organiser chooses so.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Reason {
    /// Joust's own text; always public.
    pub ours: String,
    /// The relevant lines of its build's log, escaped; public with [`PublicPart::Logs`].
    pub build_log: String,
    /// The last line of its standard error, escaped; public with [`PublicPart::Stderr`].
    pub stderr: String,
}

impl Reason {
    /// Makes a reason without quotations of other programs.
    pub fn ours(text: impl Into<String>) -> Self {
        Self { ours: text.into(), ..Self::default() }
    }

    /// Returns the parts of the reason that `publication` makes public.
    pub fn published(&self, publication: &Publication) -> Self {
        let shown = |what, text: &String| match publication.shows(what) {
            true => text.clone(),
            false => String::new(),
        };
        Self {
            ours: self.ours.clone(),
            build_log: shown(PublicPart::Logs, &self.build_log),
            stderr: shown(PublicPart::Stderr, &self.stderr),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.ours)?;
        if !self.stderr.is_empty() {
            write!(f, "; it said `{}`", self.stderr)?;
        }
        self.build_log.lines().try_for_each(|line| write!(f, "\n{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason() -> Reason {
        Reason {
            ours: "it left; it said so".to_owned(),
            build_log: "a.c:1\na.c:2".to_owned(),
            stderr: "no route".to_owned(),
        }
    }

    #[test]
    fn the_organiser_sees_all_of_it() {
        let text = "it left; it said so; it said `no route`\na.c:1\na.c:2";
        assert_eq!(reason().to_string(), text);
    }

    #[test]
    fn everybody_sees_our_words_whole_and_what_is_public() {
        let shown = |public: &[PublicPart]| {
            let public = public.iter().copied().collect();
            let publication = Publication { public, ..Publication::default() };
            reason().published(&publication).to_string()
        };
        assert_eq!(shown(&[]), "it left; it said so");
        assert_eq!(shown(&[PublicPart::Logs]), "it left; it said so\na.c:1\na.c:2");
        assert_eq!(shown(&[PublicPart::Stderr]), "it left; it said so; it said `no route`");
    }
}
