//! Words of records about referees of somebody's own: bouts that one could not finish, which are
//! stored, shown, and no point for anybody; and what one says of answers.

/// What such a bout says of its end, before the reason.
pub const REFEREE_ERROR: &str = "referee-error";

/// What the record of a turn says whose answer the referee failed at.
pub const UNJUDGED: &str = "the referee failed at this answer";

/// What a record says of a bout in which the referee failed before it asked anybody.
pub const UNASKED: &str = "the referee failed before it asked anybody";

/// What stands in the reason of a turn before a referee's own words.
pub const REFEREE_SAYS: &str = "the referee says: ";

/// Returns what a bout says of its end whose referee failed twice at the same answer.
#[must_use]
pub fn referee_error(reason: &str) -> String {
    format!("{REFEREE_ERROR}: {reason}")
}

/// Says whether a bout ended because its referee failed.
#[must_use]
pub fn is_referee_error(ended: &str) -> bool {
    ended.starts_with(REFEREE_ERROR)
}
