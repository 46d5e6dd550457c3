//! Verification page: instructions for checking the results.

use serde::Serialize;

use super::{EventCard, Site};
use joust_model::{BoutId, PublicPart};

#[derive(Debug, Serialize)]
pub(super) struct VerifyPage<'a> {
    /// `None` when it was drawn.
    seed: Option<u64>,
    head: &'a str,
    database: &'a str,
    /// A bout to try the commands with.
    example: Option<BoutId>,
    public: Vec<&'static str>,
    hidden: Vec<&'static str>,
}

/// Returns the page.
pub(super) fn page<'a>(site: &'a Site, events: &[EventCard]) -> VerifyPage<'a> {
    let parts = |wanted: bool| {
        let is_wanted = |what: &PublicPart| site.publication.shows(*what) == wanted;
        let parts = PublicPart::NAMES.into_iter().filter(|(_, what)| is_wanted(what));
        parts.map(|(name, _)| name).collect()
    };
    VerifyPage {
        seed: site.tournament.seed.map(|seed| seed.0),
        head: &site.tournament.head,
        database: &site.tournament.database,
        example: events.iter().find_map(|event| event.example),
        public: parts(true),
        hidden: parts(false),
    }
}
