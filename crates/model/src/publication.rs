//! Public parts of a tournament's published site, labels of its pages, and reasons why a bot sits out
//! an event, in which the output of strangers' programs is separate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part of a site that can be public or not.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename = "part of a site", rename_all = "kebab-case")]
pub enum PublicPart {
    /// Verdicts of requests for an action.
    Verdicts,
    /// Times of turns.
    Times,
    /// Every round of a bout, to watch.
    Replays,
    /// Standard error of bots.
    Stderr,
    /// The logs of builds.
    Logs,
}

impl PublicPart {
    /// All such parts, with their names in the configuration.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("verdicts", Self::Verdicts),
        ("times", Self::Times),
        ("replays", Self::Replays),
        ("stderr", Self::Stderr),
        ("logs", Self::Logs),
    ];
}

/// Public parts of a published site. E-mail addresses are never published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The public parts. Default: verdicts, times and replays.
    pub public: BTreeSet<PublicPart>,
    /// The most bouts of an event that have a page each. Default 10,000.
    pub bouts: u32,
}

impl Publication {
    /// The default number of bouts of an event that have a page.
    pub const BOUTS: u32 = 10_000;

    /// Returns whether `what` is public.
    pub fn shows(&self, what: PublicPart) -> bool {
        self.public.contains(&what)
    }
}

impl Default for Publication {
    fn default() -> Self {
        let public = [PublicPart::Verdicts, PublicPart::Times, PublicPart::Replays].into();
        Self { public, bouts: Self::BOUTS }
    }
}

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

/// The organisers' texts on a tournament's pages. All of them are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SiteLabels {
    /// The title of the first page. Default: the tournament's name.
    pub title: Option<String>,
    /// Description in a sentence or two.
    pub description: Option<String>,
    /// Address of the published site: `https://…/`, with a slash at the end. Link previews need it.
    pub url: Option<String>,
    /// A picture for the top of every page, a file relative to the tournament's.
    pub logo: Option<PathBuf>,
    /// Links to other sites, by their labels.
    pub links: BTreeMap<String, String>,
    /// The tournament's own rules, in Markdown.
    pub rules: Option<String>,
    /// Instructions for entering, in Markdown.
    pub enter: Option<String>,
    /// Titles of events, by their ids. Default: the titles of their games.
    pub titles: BTreeMap<String, String>,
}

impl SiteLabels {
    /// The file extensions of logos, with their media types.
    pub const LOGOS: [(&'static str, &'static str); 5] = [
        ("png", "image/png"),
        ("svg", "image/svg+xml"),
        ("webp", "image/webp"),
        ("jpg", "image/jpeg"),
        ("jpeg", "image/jpeg"),
    ];
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
