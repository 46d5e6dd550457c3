//! `site:` and `report:`: pages of `joust report`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use joust_model::{PublicPart, Publication, SiteLabels, escaped};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::rejection::Rejection;
use super::super::values::{Address, Count, Paragraphs, SingleLine};

/// Keys of `report:`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ReportKeys {
    /// Parts of the site beside results. E-mail addresses are never shown.
    public: Vec<PublicPart>,
    /// Most bouts of an event with a page and a replay; if there are more, that many are chosen
    /// evenly.
    bouts: Count<0, 1_000_000>,
}

impl Default for ReportKeys {
    fn default() -> Self {
        let Publication { public, bouts } = Publication::default();
        Self { public: public.into_iter().collect(), bouts: Count(bouts) }
    }
}

impl From<ReportKeys> for Publication {
    fn from(keys: ReportKeys) -> Self {
        Self { public: keys.public.into_iter().collect(), bouts: keys.bouts.0 }
    }
}

/// Keys of `site:`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SiteKeys {
    /// Heading of the first page. Default: the name.
    #[schemars(example = &"Autumn cup 2026")]
    title: Option<SingleLine>,
    /// Description of the tournament in a sentence or two.
    #[schemars(example = &"Robots of first-year students meet.")]
    description: Option<SingleLine>,
    /// Address of the site, for previews of its links in chats.
    #[schemars(example = &"https://cup.example.org/")]
    url: Option<SiteAddress>,
    /// Picture for the top of every page, relative to this file: PNG, SVG, WebP or JPEG, up to 1
    /// MiB.
    #[schemars(example = &"logo.svg")]
    logo: Option<Logo>,
    /// Other places by their names, for every page.
    links: BTreeMap<String, Address>,
    /// Rules of the tournament's own in Markdown; those of its games have pages anyway.
    #[schemars(example = &"One bot a person.")]
    rules: Option<Paragraphs>,
    /// Way to enter, in Markdown, for the first page.
    #[schemars(example = &"Open a pull request that adds your bot.")]
    enter: Option<Paragraphs>,
    /// Titles of events by their ids. Default: the titles of their games.
    titles: BTreeMap<String, SingleLine>,
}

impl From<SiteKeys> for SiteLabels {
    fn from(keys: SiteKeys) -> Self {
        Self {
            title: keys.title.map(|line| line.0),
            description: keys.description.map(|line| line.0),
            url: keys.url.map(|address| address.0),
            logo: keys.logo.map(|logo| PathBuf::from(logo.0)),
            links: keys.links.into_iter().map(|(name, address)| (name, address.0)).collect(),
            rules: keys.rules.map(|text| text.0),
            enter: keys.enter.map(|text| text.0),
            titles: keys.titles.into_iter().map(|(id, line)| (id, line.0)).collect(),
        }
    }
}

/// Address of the site; it ends with a slash.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Address")]
struct SiteAddress(String);

impl TryFrom<Address> for SiteAddress {
    type Error = Rejection;

    fn try_from(Address(url): Address) -> Result<Self, Rejection> {
        let hint = "write the folder of the site: `https://cup.example.org/2026/`";
        let is_folder = !url.contains(['?', '#']);
        Rejection::unless(is_folder, "a site's address has no `?` and no `#`", hint)?;
        Ok(Self(if url.ends_with('/') { url } else { url + "/" }))
    }
}

/// File of the logo.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = r"\.(png|svg|webp|jpe?g)$"))]
struct Logo(String);

impl TryFrom<String> for Logo {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let ending = Path::new(&text).extension().and_then(|ending| ending.to_str());
        let known = SiteLabels::LOGOS.map(|(known, _)| known);
        let is_picture = known.contains(&ending.unwrap_or_default());
        let hint = format!("its name ends with one of: {}", known.join(", "));
        Rejection::unless(is_picture, format!("`{}` is no picture", escaped(&text)), hint)?;
        Ok(Self(text))
    }
}
