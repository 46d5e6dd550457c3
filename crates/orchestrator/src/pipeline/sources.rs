//! What a build was made from, as the database keeps it.

use super::workshop::Workshop;
use joust_bots::{BotSource, Build, git, pack};
use joust_store::{Kept, SourceRow};

/// Returns the source of `build`; `None` when the bot's files are not those that
/// it was made from.
pub(super) fn row(
    bot: &BotSource,
    build: &Build,
    (workshop, kept): (&Workshop, Kept),
) -> Option<SourceRow> {
    let made_from = build.source?;
    let tree = bot.tree(workshop.languages()).ok().filter(|tree| tree.hash() == made_from)?;
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
    Some(SourceRow { build: build.hash, hash: made_from, name, place, commit, files })
}
