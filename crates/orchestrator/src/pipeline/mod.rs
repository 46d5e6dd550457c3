//! The whole flow: the only module that knows it.

mod estimate;
mod failing;
mod league;
mod memory;
mod plans;
mod roster;
mod rounds;
mod run;
mod seating;
mod seed;
mod series;
mod single;
mod site;
mod watch;

pub use estimate::{Estimate, EventEstimate};
pub use failing::Failing;
pub use joust_model::RoundState;
pub use joust_model::cancel::Cancel;
pub use joust_model::notices::{Listener, Notice};
pub use league::{Ended, play_on};
pub use memory::memory_shortage;
pub use plans::{EventPlans, Player, Progress};
pub use roster::{EventRoster, ExclusionReason, Made, Participant};
pub use rounds::{Record, round_state};
pub(crate) use run::chosen;
pub use run::{
    EventReport, Mode, Replay, RunError, RunOptions, RunReport, Strictness, UnbuiltBot,
    event_settings, follow, run, run_with,
};
pub use seating::Seating;
pub use seed::unguessable;
pub(crate) use seed::{tournament_row, with_seed};
pub use series::{EndOfBout, Follower, Length, play_series};
pub use single::{Person, Single, SingleError, play_single, play_with_people, single_plan};
pub use site::{SiteProgress, SiteReport, SiteRunError, site};
pub use watch::{SourceWatch, TakenSources};
