//! Hostile and broken programs: one row per program, each against one line of
//! the [catalogue], each with a [control] that shows what it does where nothing
//! stops it.

pub mod catalogue;
pub mod control;
mod dialogue;
mod in_python;
mod judge;
mod observation;
mod programs;
pub mod row;
pub mod rows;
mod table;
mod test_site;
mod unsandboxed;
mod verdict;
pub mod web_servers;

pub use dialogue::{Dialogue, GAME_PORT, GAME_VARIABLE, asked};
pub use judge::judge;
pub use observation::{Allowed, AnswerFileState, Observation, TestSite};
pub use programs::{Programs, build};
pub use row::{Answer, Clocks, Command, Control, Meanwhile, Partial, Row, Setting, Turn};
pub use table::table;
pub use test_site::{arguments, interpreter, make_site};
pub use verdict::{ProcessEnd, verdict, verdict_of_file};

pub use joust_referee::{Limit, LimitSet, Verdict};
