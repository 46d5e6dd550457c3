//! Words of a site: what the organisers of a tournament say on its pages.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

/// Texts of the organisers on a tournament's pages. All of it may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SiteLabels {
    /// The title of the first page. Default: the tournament's name.
    pub title: Option<String>,
    /// Description in a sentence or two.
    pub description: Option<String>,
    /// Address of the published site: `https://…/`, with a slash at the end. Previews of links
    /// need it.
    pub url: Option<String>,
    /// A picture for the top of every page, a file relative to the tournament's.
    pub logo: Option<PathBuf>,
    /// Other places, by what they are called.
    pub links: BTreeMap<String, String>,
    /// The tournament's own rules, in Markdown.
    pub rules: Option<String>,
    /// Instructions for entering, in Markdown.
    pub enter: Option<String>,
    /// Titles of events, by their ids. Default: the titles of their games.
    pub titles: BTreeMap<String, String>,
}

impl SiteLabels {
    /// The endings of files that can be a logo, with their media types.
    pub const LOGOS: [(&'static str, &'static str); 5] = [
        ("png", "image/png"),
        ("svg", "image/svg+xml"),
        ("webp", "image/webp"),
        ("jpg", "image/jpeg"),
        ("jpeg", "image/jpeg"),
    ];
}
