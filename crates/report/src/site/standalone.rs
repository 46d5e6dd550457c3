//! A replay as one page that needs no other file: styles, viewer and recording lie in it.

use data_encoding::BASE64;
use minijinja::context;
use minijinja::value::{Serde, Value};
use serde::Serialize;

use super::SiteError;
use super::numbers::line_charts::{self, Chart};
use super::page::{ASSETS, templates};
use super::replay::{self, ReplayError};
use joust_model::cancel::Cancel;
use joust_model::{BoutPlan, Publication, SeatResult, StoredBout};
use joust_referee::{Catalogue, sha256};

/// The file's name in messages.
const NAME: &str = "standalone.html";

#[derive(Serialize)]
struct StandalonePage<'a> {
    plan: &'a BoutPlan,
    seats: &'a [SeatResult],
    rounds: u32,
    ended: &'a str,
    /// True if judging the bout again may give another result.
    unrepeatable: bool,
    numbers: Vec<Chart>,
    version: &'static str,
}

/// Reason why a replay cannot be made a page.
#[derive(Debug, thiserror::Error)]
pub enum StandaloneError {
    /// The recording cannot be drawn.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A template of ours is wrong.
    #[error(transparent)]
    Site(#[from] SiteError),
}

/// Returns a recorded bout as one page in HTML that plays it. Its policy allows the scripts and
/// styles in it alone, by their hashes.
///
/// # Errors
///
/// [`StandaloneError`] when this version cannot judge the bout.
pub fn replay_page(
    games: &Catalogue,
    stored: &StoredBout,
    publication: &Publication,
) -> Result<String, StandaloneError> {
    let data = replay::packed(games, stored, publication, &Cancel::default())?;
    let file = |name: &str| ASSETS.get_file(name).and_then(|file| file.contents_utf8());
    let style = file("style.css").unwrap_or_default().to_owned() + replay::VIEWER_CSS;
    // A log that cannot be read has stopped the page before.
    let numbers = line_charts::charts(stored).unwrap_or_default();
    let page = Value::from(Serde(&StandalonePage::of(games, stored, numbers)));
    let (script_hash, style_hash) = (source(replay::VIEWER_JS), source(&style));
    let values = context! { page, script => script_hash, style => style_hash };
    let templates = templates();
    let made = templates.get_template(NAME).and_then(|found| found.render(values));
    let html = made.map_err(|source| SiteError::Template { path: NAME.to_owned(), source })?;
    // What strangers wrote holds no such mark: it has been made text.
    Ok(html.replacen("<!-- style -->", &style, 1).replacen("<!-- data -->", &data, 1).replacen(
        "<!-- script -->",
        replay::VIEWER_JS,
        1,
    ))
}

impl<'a> StandalonePage<'a> {
    fn of(
        games: &Catalogue,
        StoredBout { plan, result }: &'a StoredBout,
        numbers: Vec<Chart>,
    ) -> Self {
        Self {
            plan,
            seats: &result.seats,
            rounds: result.rounds,
            ended: &result.ended,
            unrepeatable: games.find(&plan.game).is_some_and(|game| !game.spec().can_repeat()),
            numbers,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// Returns the name of a script or style of the page in a policy.
fn source(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(&sha256(text.as_bytes())))
}
