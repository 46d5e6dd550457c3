//! `report:` — what `joust report` makes public.

use super::section::Section;
use joust_model::{Public, Publication};

/// The most bouts of an event that can have a page.
pub(super) const MOST_BOUTS: u64 = 1_000_000;

/// Reads a `report:` section.
pub(super) fn read(section: Section<'_>) -> Publication {
    let default = Publication::default();
    let public = section.item("public").and_then(|item| item.list()).map(|items| {
        items.iter().filter_map(|item| item.word("part of a site", &Public::NAMES)).collect()
    });
    let bouts = section.item("bouts").and_then(|item| item.integer(0..=MOST_BOUTS));
    section.finish();
    Publication {
        public: public.unwrap_or(default.public),
        bouts: bouts.and_then(|bouts| bouts.value.try_into().ok()).unwrap_or(default.bouts),
    }
}
