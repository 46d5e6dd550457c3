//! Rules page of an event: the tournament's own rules, then those of its game.

use serde::Serialize;

use super::leaderboard::{Heading, heading};
use super::{EventSite, Site, text};

#[derive(Debug, Serialize)]
pub(super) struct RulesPage {
    event: Heading,
    /// The tournament's own rules, in Markdown.
    own: String,
    /// The rules of the game, in Markdown.
    game: String,
}

/// Returns whether an event has a page of rules.
pub(super) fn has_page(event: &EventSite) -> bool {
    event.game().is_some_and(|game| !game.spec().rules_text.trim().is_empty())
}

/// Returns the page.
pub(super) fn page(event: &EventSite, site: &Site) -> RulesPage {
    let shown = |text: &str| text::public_lines(text.as_bytes());
    RulesPage {
        event: heading(event),
        own: site.tournament.words.rules.as_deref().map(shown).unwrap_or_default(),
        game: event.game().map(|game| shown(&game.spec().rules_text)).unwrap_or_default(),
    }
}
