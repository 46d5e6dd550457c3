//! Hostile and broken programs: one row per program, each against one line of
//! the [catalogue], each with a [control] that shows what it does where nothing
//! stops it.

pub mod catalogue;
pub mod control;
mod in_python;
mod judge;
mod place;
mod programs;
pub mod row;
pub mod rows;
mod seen;
mod table;
mod talk;
mod verdict;
mod without;

pub use judge::judge;
pub use place::{arguments, interpreter, make_place};
pub use programs::{Programs, build};
pub use row::{Answer, Clocks, Command, Control, Meanwhile, Partial, Row, Setting, Turn};
pub use seen::{Allowed, Left, Observation, Place};
pub use table::table;
pub use talk::{GAME_PORT, GAME_VARIABLE, Talk, asked};
pub use verdict::{Ended, verdict, verdict_of_file};

pub use joust_referee::{Limit, LimitSet, Verdict};
