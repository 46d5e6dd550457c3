//! The sections that `defaults:` and every event have in common.

use joust_model::Limits;

use super::build::{BuildLimits, Calibration};
use super::keys::DEFAULTS;
use super::schedule::Written;
use super::table::{Kind, SectionKind};
use super::tournament::Tournament;

/// `schedule:`, `limits:`, `build:` and `calibration:`.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    pub(super) schedule: Option<Written>,
    pub(super) limits: Limits,
    pub(super) build: BuildLimits,
    pub(super) calibration: Calibration,
}

/// `defaults:`; what is in force shows in each event.
pub(super) const SECTION: Kind<Tournament> = Kind::Section(SectionKind {
    read: |item, to, origins| DEFAULTS.read_item(item, &mut to.defaults, origins),
    set_defaults: |to| DEFAULTS.set_defaults(&mut to.defaults),
    show: |_| None,
    schema: || DEFAULTS.schema(),
    reference: |indent| DEFAULTS.reference(indent),
});
