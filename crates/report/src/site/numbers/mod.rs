//! Charts of numbers that referees count and bots report themselves: turn by turn in a bout
//! ([`line_charts`]) and over all bouts of an event ([`spread`]).

pub(super) mod line_charts;
pub(super) mod scale;
pub(super) mod spread;
