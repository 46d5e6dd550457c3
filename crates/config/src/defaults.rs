//! `defaults:` — sections that hold for every event that does not say otherwise.

use joust_model::Limits;

use super::build::{BUILD, BuildLimits, CALIBRATION, Calibration, build_key, calibration_key};
use super::limits::{LIMITS, limits_key};
use super::schedule::{self, Written};
use super::table::{Key, Kind, OwnKind, Table, section};

/// `schedule:`, `limits:`, `build:` and `calibration:`.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    pub(super) schedule: Option<Written>,
    pub(super) limits: Limits,
    pub(super) build: BuildLimits,
    pub(super) calibration: Calibration,
}

/// `defaults:`, which every event has, too.
pub(super) static DEFAULTS: Table<Shared> = Table {
    name: "defaults",
    keys: &[
        Key::new("schedule", SCHEDULE, schedule::HELP)
            .example("{ kind: partial, matches_per_bot: 30 }"),
        limits_key(section!(Shared, LIMITS, limits)),
        build_key(section!(Shared, BUILD, build)),
        calibration_key(section!(Shared, CALIBRATION, calibration)),
    ],
};

/// That of every event that has none.
const SCHEDULE: Kind<Shared> = Kind::Own(OwnKind {
    read: |item, shared| {
        shared.schedule = schedule::read(item);
        shared.schedule.is_some()
    },
    show: |_| None,
    schema: schedule::schema,
});
