//! Game of a plan.

use joust_referee::{GameKind, registry};

use super::PlayError;
use joust_model::BoutPlan;

/// Returns the game of `plan`.
///
/// # Errors
///
/// [`PlayError::UnknownGame`] when this version of Joust has no such game.
pub fn kind_of(plan: &BoutPlan) -> Result<&'static dyn GameKind, PlayError> {
    registry::find(&plan.game).ok_or_else(|| PlayError::UnknownGame(plan.game.clone()))
}
