//! Ratings as texts that need no more escaping.

use joust_standings::ratings::Z95;
use joust_standings::ratings::event::{BotRating, EventRatings, Model, Note};

/// `+153 ±56` in Elo, `27.8 ±6.1` on a skill scale, `-` without a rating.
pub(super) fn value(model: Model, rating: Option<&BotRating>) -> String {
    let number = rating.and_then(|rating| rating.rating.zip(rating.se));
    match (number, model) {
        (None, _) => "-".to_owned(),
        (Some((value, se)), Model::BradleyTerry) => format!("{} ±{:.0}", elo(value), Z95 * se),
        (Some((value, se)), Model::Skill(_)) => format!("{value:.1} ±{:.1}", Z95 * se),
    }
}

/// No rating is minus nothing.
fn elo(value: f64) -> String {
    if value.abs() < 0.5 { "0".to_owned() } else { format!("{value:+.0}") }
}

/// Describes the ratings, in one line.
pub(super) fn heading(ratings: &EventRatings) -> String {
    format!("rating: {}; ± 95 % interval", ratings.model.text())
}

/// A note with its bots, whose names `name` makes harmless.
pub(super) fn note(note: &Note, name: impl Fn(&str) -> String) -> String {
    const NAMED: usize = 10;
    if note.bots.is_empty() {
        return note.text.clone();
    }
    let mut names: Vec<_> = note.bots.iter().take(NAMED).map(|bot| name(bot)).collect();
    if note.bots.len() > NAMED {
        names.push(format!("{} more", note.bots.len() - NAMED));
    }
    format!("{}: {}", note.text, names.join(", "))
}

/// Probability that a bot is the stronger, in percent; nothing where that is unknown.
pub(super) fn percent(superiority: Option<f64>) -> String {
    superiority.map_or_else(String::new, |chance| format!("{:.1}", 100.0 * chance))
}

/// A number with no more digits than it has.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
