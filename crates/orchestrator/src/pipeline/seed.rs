//! Seed of a tournament, which a run draws where the file has `seed: drawn`.

use std::borrow::Cow;
use std::hash::BuildHasher as _;
use std::path::Path;

use super::RunError;
use joust_config::{SeedSource, Tournament};
use joust_model::{Seed, Shard};
use joust_store::{Access, Store, StoreError, TournamentRow};

/// Returns an unpredictable number.
pub fn unguessable() -> u64 {
    // Its keys are drawn by the machine.
    std::hash::RandomState::new().hash_one(())
}

/// Returns the tournament with a seed: the configured one, the one drawn for the first of these
/// databases that has one, or a new one.
///
/// # Errors
///
/// [`RunError::SeedOfShards`] where each shard would draw its own; [`RunError::Store`] when a
/// database cannot be read.
pub(crate) async fn with_seed<'a>(
    tournament: &'a Tournament,
    databases: &[&Path],
    shard: Option<Shard>,
) -> Result<Cow<'a, Tournament>, RunError> {
    if tournament.seed_source != SeedSource::ToDraw {
        return Ok(Cow::Borrowed(tournament));
    }
    let mut known = None;
    for database in databases {
        known = match known {
            None => drawn_for(database).await?,
            known => known,
        };
    }
    let seed = match known {
        Some(seed) => seed,
        None if shard.is_some() => return Err(RunError::SeedOfShards),
        None => Seed(unguessable()),
    };
    let mut tournament = tournament.clone();
    (tournament.seed, tournament.seed_source) = (seed, SeedSource::Drawn);
    Ok(Cow::Owned(tournament))
}

/// Returns the seed that was drawn for a database; `None` when there is no database, or the seed
/// was configured.
async fn drawn_for(database: &Path) -> Result<Option<Seed>, StoreError> {
    if std::fs::metadata(database).is_ok_and(|data| data.len() == 0) || !database.exists() {
        return Ok(None);
    }
    let store = Store::open(database, Access::ReadOnly).await?;
    let row = store.tournament().await;
    store.close().await;
    Ok(row?.filter(|row| row.seed_is_drawn).map(|row| row.seed))
}

/// Returns the database row of a tournament.
pub(crate) fn tournament_row(tournament: &Tournament) -> TournamentRow {
    TournamentRow {
        name: tournament.name.clone(),
        seed: tournament.seed,
        seed_is_drawn: tournament.seed_source == SeedSource::Drawn,
    }
}

#[cfg(test)]
mod tests {
    use joust_config::parse;
    use joust_referee::Catalogue;

    use super::*;

    const EVENTS: &str = "events: [{ game: battlebots, bots: ['bots/*'] }]";

    fn tournament(seed: &str) -> Tournament {
        let text = format!("seed: {seed}\n{EVENTS}\n");
        parse(&text, Path::new("tournament.yaml"), &Catalogue::built_in()).expect("a tournament")
    }

    async fn store(path: &Path, tournament: &Tournament) {
        let store = Store::open(path, Access::CreateOrOpen).await.expect("a database");
        store.put_tournament(&tournament_row(tournament)).await.expect("it is stored");
        store.close().await;
    }

    #[tokio::test]
    async fn a_seed_is_drawn_once_for_a_database_also_where_one_was_written_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        let written = tournament("7");
        let same = with_seed(&written, &[&path], None).await.expect("a seed");
        assert_eq!((same.seed, same.seed_source), (Seed(7), SeedSource::Written));
        store(&path, &written).await;
        let to_draw = tournament("drawn");
        let first = with_seed(&to_draw, &[&path], None).await.expect("a seed");
        assert_eq!(first.seed_source, SeedSource::Drawn);
        assert_ne!(first.seed, Seed(7), "what was written is known to everybody");
        let other = with_seed(&to_draw, &[&path], None).await.expect("a seed");
        assert_ne!(first.seed, other.seed, "none is stored yet");
        store(&path, &first).await;
        let missing = folder.path().join("missing.db");
        let again = with_seed(&to_draw, &[&missing, &path], None).await.expect("a seed");
        assert_eq!(again.seed, first.seed);
    }

    #[tokio::test]
    async fn shards_do_not_draw_a_seed_each() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        let (to_draw, shard) = (tournament("drawn"), "1/3".parse().expect("a shard"));
        let refused = with_seed(&to_draw, &[&path], Some(shard)).await.map(|it| it.seed);
        assert!(matches!(refused, Err(RunError::SeedOfShards)), "{refused:?}");
        let drawn = with_seed(&to_draw, &[], None).await.expect("a seed");
        store(&path, &drawn).await;
        let of_shard = with_seed(&to_draw, &[&path], Some(shard)).await.expect("a seed");
        assert_eq!(of_shard.seed, drawn.seed);
    }
}
