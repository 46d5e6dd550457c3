//! The sections that `defaults:` and every event have in common.

use super::build::{BuildLayer, read_calibration};
use super::limits::LimitsLayer;
use super::section::Section;

/// `limits:`, `build:` and `calibration:` as written in one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers {
    pub(super) limits: LimitsLayer,
    pub(super) build: BuildLayer,
    pub(super) calibration_runs: Option<u32>,
}

impl Layers {
    /// Reads the three sections inside `section`.
    pub(super) fn read(section: &Section<'_>) -> Self {
        let inner = |key| section.item(key).and_then(|item| item.section());
        Self {
            limits: inner("limits").map(LimitsLayer::read).unwrap_or_default(),
            build: inner("build").map(BuildLayer::read).unwrap_or_default(),
            calibration_runs: inner("calibration").and_then(read_calibration),
        }
    }

    /// Lays this over `below`.
    pub(super) fn over(self, below: &Self) -> Self {
        Self {
            limits: self.limits.over(&below.limits),
            build: self.build.over(&below.build),
            calibration_runs: self.calibration_runs.or(below.calibration_runs),
        }
    }
}
