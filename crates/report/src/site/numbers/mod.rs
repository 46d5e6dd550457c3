//! Charts of numbers: what a referee counts and bots say of themselves, turn by turn in a
//! bout ([`course`]) and over all bouts of an event ([`spread`]).

pub(super) mod course;
mod scale;
pub(super) mod spread;
