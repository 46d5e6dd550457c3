//! Pictures of positions as pixels: previews of pages for chats ([`card`]) and replays as
//! animations ([`animation`]).
//!
//! Every game is drawn from its [`joust_referee::Scene`] as the site's viewer draws it, with
//! plainer shapes (`things`). There is no clock and no system font: the same scene gives the same
//! bytes everywhere.

pub mod animation;
mod board;
mod canvas;
pub mod card;
mod colours;
mod layout;
mod positions;
mod things;

pub use colours::Theme;
#[cfg(test)]
pub(crate) use positions::tests::recorded;
pub use positions::{PositionSpace, StillPicture, still};
