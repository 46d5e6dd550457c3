//! One scale for a whole event of two-seat bouts.
//!
//! All results are fitted at once: the ratings are those under which every bot's
//! expected points equal its real ones. They have mean zero within each group of
//! bots that met, directly or by way of others. Two covariances are given: that of
//! the model, and the robust one, which takes the spread that the results have
//! really shown, with a mirror pair as one sample. In a large field they are simulated
//! ([`MOST_EXACT`]).
//!
//! Where somebody won everything, no finite ratings fit; then every pair that met
//! is given one virtual draw, and the fit says so.

mod climb;
mod covariance;
mod fit;
mod inverse;
mod model;
mod network;
mod problem;
mod results;
mod simulated;
mod solve;

pub use covariance::MOST_EXACT;
pub use fit::{Difference, Fit};
pub use model::PairModel;
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
