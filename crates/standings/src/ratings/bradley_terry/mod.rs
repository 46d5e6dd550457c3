//! Bradley-Terry ratings of a whole event of two-seat bouts.
//!
//! All results are fitted at once: the ratings are those under which every bot's expected points
//! equal its real ones, where a draw is half a win. They have mean zero within each group of bots
//! that met, directly or by way of others. There are two standard errors: the model's, and the
//! robust one, which uses the observed spread of the results, with a mirror pair as one sample.
//!
//! If a bot won everything, no finite ratings fit; then every pair that met is given one
//! virtual draw, and a note says so.
//!
//! Source: D. R. Hunter, "MM algorithms for generalized Bradley-Terry models" (2004).

mod covariance;
mod fit;
mod lbfgs;
mod likelihood;
mod network;
mod results;

pub use covariance::{Covariance, MOST_EXACT, Spread};
pub use fit::{Difference, Fit};
pub use results::{Meeting, Results};

/// Elo in one unit of log odds: 400 / ln 10.
pub const ELO: f64 = 173.717_792_761_300_73;

/// Returns the bots of each group, given the group of each bot.
fn members(groups: &[usize]) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); groups.iter().max().map_or(0, |last| last + 1)];
    for (bot, group) in groups.iter().enumerate() {
        members[*group].push(bot);
    }
    members
}
