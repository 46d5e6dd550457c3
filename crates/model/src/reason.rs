//! Reason why a bot sits out an event, apart from what strangers' programs printed.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{PublicPart, Publication};

/// Reason why a bot sits out an event: what Joust says of it, and as fields of their own the
/// texts that are public only where the organiser says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Reason {
    /// In Joust's words; always public.
    pub ours: String,
    /// The telling lines of its build's log, escaped; public with [`PublicPart::Logs`].
    pub build_log: String,
    /// The last line of its standard error, escaped; public with [`PublicPart::Stderr`].
    pub stderr: String,
}

impl Reason {
    /// Makes a reason that quotes nobody.
    pub fn ours(text: impl Into<String>) -> Self {
        Self { ours: text.into(), ..Self::default() }
    }

    /// Returns the reason as `publication` lets everybody see it.
    #[must_use]
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
