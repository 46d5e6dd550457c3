//! Which game a plan is of, and how many processors it needs.

use joust_referee::{GameKind, Thinking, registry};

use super::PlayError;
use joust_model::{BoutPlan, Pace};

/// Returns the game of `plan`.
///
/// # Errors
///
/// [`PlayError::UnknownGame`] when this version of Joust has no such game.
pub fn kind_of(plan: &BoutPlan) -> Result<&'static dyn GameKind, PlayError> {
    registry::find(&plan.game).ok_or_else(|| PlayError::UnknownGame(plan.game.clone()))
}

/// Returns how many processors a bout of `plan` needs on a machine that has
/// `there`: those of one bot when the seats are asked one after the other, of
/// every bot when they think together. Where there never can be so many, a game
/// on a clock makes do: in real time with all there are, else with those of one
/// bot, the seats asked one after the other.
///
/// # Errors
///
/// [`PlayError::UnknownGame`] when this version of Joust has no such game.
pub fn cores_needed(plan: &BoutPlan, there: usize) -> Result<usize, PlayError> {
    let per_bot = plan.limits.cores_per_bot.max(1) as usize;
    let wanted = match kind_of(plan)?.thinking() {
        Thinking::OneAfterAnother => per_bot,
        Thinking::Together => per_bot * plan.seats.iter().filter(|seat| !seat.is_person()).count(),
    };
    Ok(match plan.clock {
        Some(Pace::Realtime) if wanted > there => there.max(1),
        Some(_) if wanted > there => per_bot,
        _ => wanted,
    })
}
