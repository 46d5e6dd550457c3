//! Fixed texts in records about external referees. A bout that its referee could not finish is
//! stored and shown, and gives no points.

/// Prefix of the end of a bout whose referee failed.
pub const REFEREE_ERROR: &str = "referee-error";

/// Reason of the turn whose answer made the referee fail.
pub const UNJUDGED: &str = "the referee failed at this answer";

/// Text for a bout whose referee failed before its first request.
pub const UNASKED: &str = "the referee failed before it asked anybody";

/// Prefix of a referee's own words in the reason of a turn.
pub const REFEREE_SAYS: &str = "the referee says: ";

/// Returns the end of a bout whose referee failed twice at the same answer.
pub fn referee_error(reason: &str) -> String {
    format!("{REFEREE_ERROR}: {reason}")
}

/// Returns whether a bout ended because its referee failed.
pub fn is_referee_error(ended: &str) -> bool {
    ended.starts_with(REFEREE_ERROR)
}
