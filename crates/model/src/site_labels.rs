//! Labels of a site: the organisers' texts on a tournament's pages.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

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
