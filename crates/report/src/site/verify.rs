//! Verification page: how anybody can check the results.

use serde::Serialize;

use super::{EventCard, Site, text};
use joust_model::Public;

#[derive(Debug, Serialize)]
pub(super) struct VerifyPage {
    /// `None` when it was drawn.
    seed: Option<u64>,
    head: String,
    database: String,
    /// A bout to try the commands with.
    example: Option<String>,
    public: Vec<&'static str>,
    hidden: Vec<&'static str>,
}

/// Returns the page.
pub(super) fn page(site: &Site, events: &[EventCard]) -> VerifyPage {
    let parts = |wanted: bool| {
        let is_wanted = |what: &Public| site.publication.shows(*what) == wanted;
        let parts = Public::NAMES.into_iter().filter(|(_, what)| is_wanted(what));
        parts.map(|(name, _)| name).collect()
    };
    VerifyPage {
        seed: site.tournament.seed.map(|seed| seed.0),
        head: text::public(&site.tournament.head),
        database: text::public(&site.tournament.database),
        example: events.iter().find_map(EventCard::example).map(|id| id.to_string()),
        public: parts(true),
        hidden: parts(false),
    }
}
