//! Words of records about referees of somebody's own: bouts that one could not finish, which are
//! stored, shown, and no point for anybody; and what one says of answers.

/// End of a bout with a failed referee, before the reason.
pub const REFEREE_ERROR: &str = "referee-error";

/// Text of the turn at whose answer the referee failed.
pub const UNJUDGED: &str = "the referee failed at this answer";

/// Text of a bout in which the referee failed before it asked anybody.
pub const UNASKED: &str = "the referee failed before it asked anybody";

/// Prefix of a referee's own words in the reason of a turn.
pub const REFEREE_SAYS: &str = "the referee says: ";

/// Returns what a bout says of its end whose referee failed twice at the same answer.
#[must_use]
pub fn referee_error(reason: &str) -> String {
    format!("{REFEREE_ERROR}: {reason}")
}

/// Returns whether a bout ended because its referee failed.
#[must_use]
pub fn is_referee_error(ended: &str) -> bool {
    ended.starts_with(REFEREE_ERROR)
}
