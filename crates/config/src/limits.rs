//! `limits:` — what a bot may use in a bout.

use std::time::Duration;

use joust_model::Limits;
use joust_referee::ClockSpec;

use super::schema::values::words;
use super::table::{Kind, OwnKind};

/// A bot never has a network; the key is there to say so.
pub(super) const NO_NETWORK: Kind<Limits> = Kind::Own(OwnKind {
    read: |item, _| {
        let Some(text) = item.text() else { return false };
        if text != "none" {
            let hint = "a bot never has one: write `none`; only builds can, with `build: { network: \
                        open }`";
            item.refuse(format!("network `{text}` is not possible"), Some(hint.to_owned()));
        }
        true
    },
    show: |_| Some("none".into()),
    schema: || words(["none"]),
});

/// The processor time of a whole bout is [`cpu_of_a_bout`], once the event's clock is known.
pub(super) fn set_with_the_clock(_: &mut Limits) {}

/// Returns the processor time of a whole bout of a game on a clock for which none is
/// written: four fifths of what its ticks can last.
pub(super) fn cpu_of_a_bout(clock: &ClockSpec, bout: Duration) -> Duration {
    let ticks = Duration::from_millis(clock.tick_ms.into()).saturating_mul(clock.ticks);
    ticks.min(bout) / 5 * 4
}
