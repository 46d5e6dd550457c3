//! Standings: pure functions of bout results.
//!
//! A bout gives one point for each opponent ranked behind, half a point for
//! each ranked level; with two seats that is one for a win and half for a draw,
//! with four 3, 2, 1 and 0 for the ranks 1 to 4. So a bout of more than two is
//! one meeting of each pair of its bots, and the cross table is made of these.
//! A bout is won by the only seat of rank 1, drawn by those that share it. A
//! match is all bouts of one group of bots. The bot that has won more bouts than any
//! other wins it; it counts once all of its bouts are there.
//!
//! Bouts count only among bots that play. The bouts of a bot that was not built,
//! has withdrawn or was disqualified are void for its opponents too, as if they had
//! never met it. Such bots have no rank and are listed
//! after all others, the disqualified last.

mod cross;
mod ranking;
mod table;
mod table_changes;
mod tally;
mod value;

pub use cross::{Cross, CrossEntry};
pub use table::{Count, Record, Standings, StandingsRow, Status, playing, table};
pub use table_changes::{BotMovement, PairingChange, TableChanges, TableRank, compare_tables};
pub use tally::PairRecord;
pub use value::{Quarters, TieBreakValue};
