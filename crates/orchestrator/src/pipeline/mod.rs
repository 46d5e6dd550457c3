//! The whole flow: the only module that knows it.

mod estimate;
mod failing;
mod field;
mod game_trial;
mod league;
mod memory;
mod plans;
mod rebuild;
mod referees;
mod reload;
mod rounds;
mod run;
mod seating;
mod seed;
mod series;
mod single;
mod site;
mod stamp;
pub mod stand_in;
mod workshop;

pub use estimate::{Estimate, EventEstimate};
pub use failing::Failing;
pub use field::{Entrant, Field, Made, SetAside};
pub use game_trial::{Circumstance, GameTrial, Repeats};
pub use joust_model::RoundState;
pub use joust_model::cancel::Cancel;
pub use joust_model::notices::{Listener, Notice};
pub use league::{Ended, play_on};
pub use memory::memory_shortage;
pub use plans::{EventPlans, Player, Progress};
pub use rebuild::{BuildQuery, NoBuild, Origin, Places, Rebuilt};
pub use reload::Reload;
pub use rounds::{Record, round_state};
pub(crate) use run::no_such_event;
pub use run::{
    EventReport, Lost, Mode, Replay, RunError, RunOptions, RunReport, Strictness, event_settings,
    follow, run, run_with,
};
pub use seating::Seating;
pub use seed::unguessable;
pub(crate) use seed::{tournament_row, with_seed};
pub use series::{EndOfBout, Follower, Length, play_series};
pub use single::{Person, Single, SingleError, play_single, play_with_people, single_plan};
pub use site::{SiteProgress, SiteReport, SiteRunError, site};
pub(crate) use workshop::recorded_tier;
pub use workshop::{
    Built, Isolation, OneTurn, Started, Workshop, WorkshopError, are_other_users, machine_name,
    started,
};
