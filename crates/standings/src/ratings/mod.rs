//! Ratings of bots: pure functions of bout results.
//!
//! A rating is an estimate under a model, so every result here names its model,
//! comes with an interval, and is a number or a text that says why it is missing:
//! nothing is ever infinite or not a number. Elo differences are for a scale on
//! which 400 Elo are odds of ten to one.
//!
//! Two bots: [`Pentanomial`] counts mirror pairs, and [`sprt`] asks no more bouts than a decision
//! takes. One bot against many: [`MirrorSet`] and
//! [`RankLead`]. A whole event: [`bradley_terry`]
//! for bouts of two, [`skill`] for more, and [`event`] chooses.

pub mod bradley_terry;
pub mod event;
mod normal;
mod samples;
pub mod skill;
pub mod sprt;
mod totals;

pub use normal::{NORMALISED_ELO, Z95, phi, score_of_elo};
pub use samples::{MirrorSet, Outcomes, Pentanomial, RankLead};
pub use totals::Totals;
