//! Plain data that all other crates share: names, plans, results, logs.
#![forbid(unsafe_code)]

mod addresses;
mod bout;
mod bout_ids;
mod bout_seed;
mod bytes;
mod calibration;
pub mod cancel;
mod chain;
mod change;
pub mod clock;
mod clock_mode;
mod compressed;
mod connection_slots;
mod counted;
mod escape;
mod event;
mod fold;
mod groups;
mod hash;
mod limits;
mod measured_turns;
mod network;
pub mod notices;
mod number;
mod numbers;
mod options;
pub mod panics;
pub mod paths;
mod plan_key;
mod pondering;
mod program_lifetime;
mod publication;
mod reason;
mod referee_error;
mod result;
mod round;
pub mod scene_bytes;
mod schedule;
mod shard;
mod shared;
mod site_labels;
mod start_mode;
mod stored;
mod tie_break;
mod tier;
mod turn;
mod turn_log;
mod version;

pub use addresses::{author_without_address, without_addresses};
pub use bout::{BoutPlan, Occupant, SeatPlan};
pub use bout_ids::BoutIds;
pub use bout_seed::bout_seed;
pub use bytes::Bytes;
pub use calibration::Calibration;
pub use chain::ChainHead;
pub use change::{Change, HistoryRow};
pub use clock_mode::ClockMode;
pub use compressed::{LogNotKept, Unpacker, compress, decompress, is_longer};
pub use connection_slots::{ConnectionCaps, ConnectionSlot, ConnectionSlots};
pub use counted::counted;
pub use escape::{
    code_span, escaped, escaped_bytes, fenced, is_command, on_one_line, public_lines, public_text,
    shortened, spreadsheet_cell,
};
pub use event::{BotRow, Decision, DecisionRow, EventInfo, EventSettings, Mirror, Seats};
pub use fold::{Fold, FoldError, recorded_inputs};
pub use groups::all_groups;
pub use hash::{
    BoutId, BuildHash, ChainHash, ParseHashError, PlanKey, digest, digest_number, digest_text,
};
pub use limits::Limits;
pub use measured_turns::MeasuredTurns;
pub use network::network_of;
pub use number::{NumberRecord, NumberSource, NumberSummary, SeatNumbers};
pub use options::{GameOptions, Setting};
pub use plan_key::PlanKeys;
pub use pondering::Pondering;
pub use program_lifetime::ProgramLifetime;
pub use publication::{PublicPart, Publication};
pub use reason::Reason;
pub use referee_error::{
    REFEREE_ERROR, REFEREE_SAYS, UNASKED, UNJUDGED, is_referee_error, referee_error,
};
pub use result::{BoutResult, SeatResult, VerdictCounts};
pub use round::Round;
pub use schedule::{RoundState, ScheduleKind};
pub use shard::{ParseShardError, Shard};
pub use shared::Shared;
pub use site_labels::SiteLabels;
pub use start_mode::StartMode;
pub use stored::{BoutSummary, SeatSummary, StoredBout};
pub use tie_break::TieBreak;
pub use tier::Tier;
pub use turn::{Exit, TurnRecord};
pub use turn_log::{TurnLog, TurnLogError, TurnVerdict, UnpackedTurns};
pub use version::{BotVersion, VersionDay};

pub use joust_referee::{Finite, Limit, LimitSet, Score, Seat, Seed, Verdict};
pub use numbers::{PlainScore, plain_score};
