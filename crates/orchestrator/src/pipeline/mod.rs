//! Pipeline of a run: the only module that knows all its stages.

mod failing;
mod league;
mod plans;
mod roster;
mod rounds;
mod run;
mod seed;
mod single;
mod site;
mod watch;

pub use failing::Failing;
pub use league::{RunOutcome, play_on};
pub use plans::{EventPlans, Player, ScheduleProgress};
pub use roster::{BuildState, EventRoster, ExclusionReason, Participant};
pub use rounds::{RoundRecord, round_state};
pub use run::{
    BotSelection, BoutFilter, BoutSelection, EventReport, RunError, RunMode, RunOptions, RunReport,
    Strictness, UnbuiltBot, chosen, event_settings, memory_shortage, run,
};
pub use seed::unguessable;
pub(crate) use seed::{tournament_row, with_seed};
pub use single::{
    PeopleSeating, SeatedPerson, SeriesBoutEnd, SeriesLength, SeriesObserver, SingleBout,
    SingleError, play_series, play_with_people, single_plan,
};
pub use site::{SiteProgress, SiteReport, SiteRunError, site};
pub use watch::{SourceWatch, TakenSources};
