//! Badge: who leads, or how much was played, as a small picture for other pages.

use serde::Serialize;

use super::overview::EventCard;
use joust_model::{counted, public_text};

/// The longest text at the right, characters.
const LONGEST: usize = 40;

/// Width of a character of eleven pixels, on the average; and what stays free beside a text.
const CHARACTER: usize = 7;
const BESIDE: usize = 12;

/// Text at the left.
const LABEL: &str = "joust";

/// Path of the badge.
pub(super) const FILE: &str = "badge.svg";

/// Badge as its template takes it; lengths are in pixels.
#[derive(Debug, Serialize)]
pub(super) struct Badge {
    label: &'static str,
    said: String,
    /// Widths of the left part and of the right one.
    left: usize,
    right: usize,
}

/// Returns the badge.
pub(super) fn of(events: &[EventCard]) -> Badge {
    let said = short(&said(events));
    Badge { label: LABEL, left: width(LABEL), right: width(&said), said }
}

/// One event has a leader; of several there is only how much was played.
fn said(events: &[EventCard]) -> String {
    let bouts: u64 = events.iter().map(|event| event.bouts).sum();
    let bouts = counted(bouts, "bout");
    match events {
        [only] => match &only.leader {
            Some(leader) => format!("{} leads · {bouts}", public_text(leader)),
            None => bouts,
        },
        events => format!("{} · {bouts}", counted(events.len() as u64, "event")),
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn width(text: &str) -> usize {
    text.chars().count() * CHARACTER + BESIDE
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use parking_lot::Mutex;

    use super::super::{Site, TournamentInput};
    use super::*;
    use joust_model::Publication;

    #[test]
    fn a_badge_is_text_whatever_names_say() {
        let name = "<b>\"Cup\" & more".to_owned();
        let tournament = TournamentInput { name, ..TournamentInput::default() };
        let site = Site::new(tournament, &[], Publication::default());
        let files = Mutex::<BTreeMap<String, Vec<u8>>>::default();
        site.overview(Vec::new(), &files).expect("memory takes all");
        let badge = files.lock().remove(FILE).expect("a badge");
        let badge = String::from_utf8(badge).expect("text");
        assert!(
            badge.contains("&lt;b&gt;&quot;Cup&quot; &amp; more: 0 events · 0 bouts"),
            "{badge}"
        );
        assert_eq!(short(&"x".repeat(60)).chars().count(), LONGEST + 1);
    }
}
