//! What a build was made from, as the database keeps it.

use super::workshop::Workshop;
use joust_bots::{BotSource, PlacedBuild, git, pack};
use joust_store::{Kept, SourceRow};

/// Returns the source of `build`; `None` when the bot's files are not those that
/// it was made from.
pub(super) fn row(
    bot: &BotSource,
    build: &PlacedBuild,
    (workshop, kept): (&Workshop, Kept),
) -> Option<SourceRow> {
    let tree = bot.tree(workshop.languages()).ok().filter(|tree| tree.hash() == build.source)?;
    let files = match kept {
        Kept::Name => None,
        Kept::Files => pack::pack(&tree).ok().filter(|files| files.len() <= pack::MOST_KEPT),
    };
    // What was unpacked from an archive is in no repository.
    let is_unpacked = bot.found != bot.source;
    let place = (!is_unpacked).then(|| git::place_of(workshop.folder(), &bot.source, &tree));
    let place = place.flatten();
    let (place, commit) = place.map_or((None, None), |git| (Some(git.place), git.commit));
    let name = bot.source.file_name()?.to_str()?.to_owned();
    Some(SourceRow { build: build.hash, hash: build.source, name, place, commit, files })
}
