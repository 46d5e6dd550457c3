//! Plain data that all other crates share: names, plans, results, logs.
#![forbid(unsafe_code)]

mod bout;
mod bout_keys;
pub mod cancel;
pub mod clock;
mod compressed;
mod connection_slots;
mod escape;
mod event;
mod fold;
mod hash;
mod limits;
pub mod notices;
mod number;
mod numbers;
mod options;
pub mod panics;
pub mod paths;
mod publication;
mod result;
pub mod scene_bytes;
mod schedule;
mod shared;
mod stored;
mod turn;
mod turn_log;

pub use bout::{BoutPlan, Occupant, SeatPlan};
pub use bout_keys::{BoutIds, PlanKeys, bout_seed};
pub use compressed::{LogNotKept, Unpacker, compress, decompress, is_longer};
pub use connection_slots::{ConnectionCaps, ConnectionSlot, ConnectionSlots, network_of};
pub use escape::{
    author_without_address, code_span, escaped, escaped_bytes, fenced, is_command, on_one_line,
    public_lines, public_text, shortened, spreadsheet_cell, without_addresses,
};
pub use event::{BotRow, Decision, DecisionRow, EventInfo, EventSettings, Mirror, Seats, TieBreak};
pub use fold::{Fold, FoldError, recorded_inputs};
pub use hash::{
    BoutId, BuildHash, ChainHash, ParseHashError, PlanKey, digest, digest_number, digest_text,
};
pub use limits::{Bytes, ClockMode, Limits, Pondering, ProgramLifetime, StartMode};
pub use number::{NumberRecord, NumberSource, NumberSummary, SeatNumbers, counted};
pub use options::{GameOptions, Setting};
pub use publication::{PublicPart, Publication, Reason, SiteLabels};
pub use result::{BoutResult, Calibration, SeatResult, Tier, VerdictCounts};
pub use schedule::{ParseShardError, Round, RoundState, ScheduleKind, Shard, all_groups};
pub use shared::Shared;
pub use stored::{
    BotVersion, BoutSummary, ChainHead, Change, HistoryRow, SeatSummary, StoredBout, VersionDay,
};
pub use turn::{
    Exit, MeasuredTurns, REFEREE_ERROR, REFEREE_SAYS, TurnRecord, UNASKED, UNJUDGED,
    is_referee_error, referee_error,
};
pub use turn_log::{TurnLog, TurnLogError, TurnVerdict, UnpackedTurns};

pub use joust_referee::{Finite, Limit, LimitSet, Score, Seat, Seed, Verdict};
pub use numbers::{PlainScore, plain_score};
