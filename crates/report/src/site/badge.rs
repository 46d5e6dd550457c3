//! Badge: who leads, or how much was played, as a small picture for other pages.

use super::overview::EventCard;
use super::{Site, text};
use joust_model::counted;

/// The longest text at the right, characters.
const LONGEST: usize = 40;

/// Width of a character of eleven pixels, on the average; and what stays free beside a text.
const CHARACTER: usize = 7;
const BESIDE: usize = 12;

/// Text at the left.
const LABEL: &str = "joust";

/// Path of the badge.
pub(super) const FILE: &str = "badge.svg";

/// Returns the badge as SVG.
pub(super) fn svg(site: &Site, events: &[EventCard]) -> String {
    let said = escaped(&short(&said(events)));
    let title = escaped(&site.title());
    let (left, right) = (width(LABEL), width(&said));
    let all = left + right;
    let (label_at, said_at) = (left / 2, left + right / 2);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all}\" height=\"20\" role=\"img\" \
         aria-label=\"{title}: {said}\">\n<title>{title}: {said}</title>\n\
         <clipPath id=\"r\"><rect width=\"{all}\" height=\"20\" rx=\"3\"/></clipPath>\n\
         <g clip-path=\"url(#r)\"><rect width=\"{left}\" height=\"20\" fill=\"#333\"/>\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"#0b6b4f\"/></g>\n\
         <g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" \
         font-size=\"11\"><text x=\"{label_at}\" y=\"14\">{LABEL}</text>\
         <text x=\"{said_at}\" y=\"14\">{said}</text></g>\n</svg>\n"
    )
}

/// One event has a leader; of several there is only how much was played.
fn said(events: &[EventCard]) -> String {
    let bouts: u64 = events.iter().map(EventCard::played).sum();
    let bouts = counted(bouts, "bout");
    match events {
        [only] => match only.leader() {
            Some(leader) => format!("{} leads · {bouts}", text::public(leader)),
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

fn escaped(text: &str) -> String {
    let plain = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    plain.replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::TournamentInput;
    use super::*;
    use joust_model::Publication;

    #[test]
    fn a_badge_is_text_whatever_names_say() {
        let name = "<b>\"Cup\" & more".to_owned();
        let tournament = TournamentInput { name, ..TournamentInput::default() };
        let badge = svg(&Site::new(tournament, &[], Publication::default()), &[]);
        assert!(
            badge.contains("&lt;b&gt;&quot;Cup&quot; &amp; more: 0 events · 0 bouts"),
            "{badge}"
        );
        assert_eq!(short(&"x".repeat(60)).chars().count(), LONGEST + 1);
    }
}
