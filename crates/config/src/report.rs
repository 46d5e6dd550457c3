//! `report:` — what `joust report` makes public.

use joust_model::{Public, Publication};

use super::schema::values::{list_of, words};
use super::table::{Kind, OwnKind, word_of};

/// What the site shows beside results.
pub(super) const PUBLIC: Kind<Publication> = Kind::Own(OwnKind {
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
