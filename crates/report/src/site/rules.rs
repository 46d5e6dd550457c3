//! Rules page of an event: the tournament's own rules, then those of its game.

use serde::Serialize;

use super::leaderboard::{Heading, heading};
use super::{EventSite, Site};

#[derive(Debug, Serialize)]
pub(super) struct RulesPage<'a> {
    event: Heading,
    /// The tournament's own rules, in Markdown.
    own: Option<&'a str>,
    /// The rules of the game, in Markdown.
    game: &'a str,
}

/// Returns whether an event has a page of rules.
pub(super) fn has_page(event: &EventSite) -> bool {
    event.game().is_some_and(|game| !game.spec().rules_text.trim().is_empty())
}

/// Returns the page.
pub(super) fn page<'a>(event: &'a EventSite, site: &'a Site) -> RulesPage<'a> {
    RulesPage {
        event: heading(event),
        own: site.tournament.words.rules.as_deref(),
        game: event.game().map(|game| &*game.spec().rules_text).unwrap_or_default(),
    }
}
