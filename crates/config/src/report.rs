//! `report:` — what `joust report` makes public.

use joust_model::{Public, Publication};

use super::shape::{list_of, words};
use super::table::{Key, Kind, OwnKind, Table, field, word_of};

/// Parts of the site beside results.
const PUBLIC: Kind<Publication> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(items) = item.list() else { return false };
        let part = |item: &super::section::Item<'_>| item.word("part of a site", &Public::NAMES);
        to.public = items.iter().filter_map(part).collect();
        true
    },
    show: |of| {
        let public = of.public.iter().map(|one| word_of(one, &Public::NAMES));
        Some(public.collect::<Vec<_>>().into())
    },
    schema: || list_of(words(Public::NAMES.map(|(name, _)| name)), 0),
});

/// `report:`
pub(super) static REPORT: Table<Publication> = Table {
    name: "report",
    keys: &[
        Key::new(
            "public",
            PUBLIC,
            "What the site shows beside results. Default verdicts, times, replays. An e-mail \
             address is never shown.",
        )
        .in_help("[verdicts, times, replays]"),
        Key::new(
            "bouts",
            Kind::Count { range: 0..=1_000_000, field: field!(Publication, bouts) },
            "Most bouts of an event with a page and a replay; of more, as many evenly chosen ones.",
        )
        .is("10000"),
    ],
};
