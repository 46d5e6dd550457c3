//! Order of play, jobs, shards and machines never change a table: many small
//! leagues of made-up results, played in many ways, have one table each.

mod leagues;
mod merged;
mod played;
mod tables;

use std::path::{Path, PathBuf};

use joust_model::Shard;
use joust_store::Store;
use joust_store::shard::{MergeCounts, merge};
use leagues::{Lot, Made};
use played::{Manner, play};
use tables::{TableTexts, bouts, told};
use tempfile::TempDir;
use tokio::task::JoinSet;

/// Leagues that are played in every way.
const LEAGUES: u64 = 10;

/// A folder with the databases of a league.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        // In memory where that can be: every result is committed, and a disk takes its time.
        let in_memory = tempfile::tempdir_in("/dev/shm");
        Self(in_memory.or_else(|_| tempfile::tempdir()).expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Plays a league, or a part of it, into the database `name`.
    async fn play(&self, made: &Made, name: &str, manner: Manner) -> PathBuf {
        let path = self.path(name);
        play(made, &path, manner).await;
        path
    }

    /// Plays every shard of `count`, each on a machine of its own.
    async fn shards(&self, made: &Made, count: u32, lot: &mut Lot) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for number in 1..=count {
            let manner = Manner {
                shard: Some(Shard::new(number, count).expect("a shard")),
                machine: number.into(),
                ..Manner::drawn(lot)
            };
            paths.push(self.play(made, &format!("shard-{number}-{count}.db"), manner).await);
        }
        paths
    }

    async fn merge(&self, name: &str, inputs: &[PathBuf]) -> (PathBuf, MergeCounts) {
        let path = self.path(name);
        let merged = merge(&path, inputs).await.expect("they belong together");
        (path, merged)
    }
}

/// Tries a claim with every league, all at once: a league mostly waits for its commits.
async fn every_league<F>(claim: impl Fn(u64) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    (0..LEAGUES).map(claim).collect::<JoinSet<()>>().join_all().await;
}

async fn of(path: &Path) -> TableTexts {
    told(path).await
}

#[tokio::test(flavor = "multi_thread")]
async fn order_of_play_jobs_and_interruptions_never_change_a_table() {
    every_league(|seed| async move {
        let (made, mut lot) = Made::drawn(seed);
        let place = Place::new();
        let plain = place.play(&made, "plain.db", Manner::plain()).await;
        let expected = of(&plain).await;
        let rows = bouts(&plain).await;
        assert_eq!(rows.len() as u64, made.bouts(), "league {seed}");
        for (number, jobs) in [1, 2, 8].into_iter().enumerate() {
            let manner = Manner { jobs, ..Manner::drawn(&mut lot) };
            let path = place.play(&made, &format!("{number}.db"), manner).await;
            assert_eq!(of(&path).await, expected, "league {seed}, {manner:?}");
            assert_eq!(bouts(&path).await, rows, "league {seed}, {manner:?}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn shards_merged_in_any_order_are_the_league() {
    every_league(|seed| async move {
        let (made, mut lot) = Made::drawn(seed);
        let place = Place::new();
        let whole = place.play(&made, "whole.db", Manner::plain()).await;
        let expected = of(&whole).await;
        let count = 1 + u32::try_from(lot.below(4)).expect("small");
        let mut shards = place.shards(&made, count, &mut lot).await;
        for round in 0..2 {
            lot.shuffle(&mut shards);
            let (joined, merged) = place.merge(&format!("joined-{round}.db"), &shards).await;
            assert_eq!(of(&joined).await, expected, "league {seed}, {shards:?}");
            assert_eq!((merged.bouts, merged.shared), (made.bouts(), 0), "league {seed}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_of_merges_and_of_overlaps_is_the_league() {
    every_league(|seed| async move {
        let (made, mut lot) = Made::drawn(seed);
        let place = Place::new();
        let whole = place.play(&made, "whole.db", Manner::plain()).await;
        let expected = of(&whole).await;
        let shards = place.shards(&made, 3, &mut lot).await;
        let (half, _) = place.merge("half.db", &shards[..2]).await;
        // The half and its own parts, the whole, another machine's whole: every bout several times.
        let other = place.play(&made, "other.db", Manner { machine: 9, ..Manner::plain() }).await;
        let mut all =
            vec![half.clone(), whole.clone(), other, shards[0].clone(), shards[2].clone()];
        lot.shuffle(&mut all);
        let (joined, merged) = place.merge("joined.db", &all).await;
        assert_eq!(of(&joined).await, expected, "league {seed}, {all:?}");
        assert_eq!(merged.bouts, made.bouts());
        assert!(merged.shared > 0, "identical results are met and kept once");
        // Into a database that has a part already, and once more.
        let last = [shards[2].clone()];
        let (_, added) = place.merge("half.db", &last).await;
        assert_eq!(of(&half).await, expected, "league {seed}");
        assert_eq!(added.bouts, made.bouts());
        let before = bouts(&half).await;
        let (_, again) = place.merge("half.db", &last).await;
        assert_eq!((again.added, again.replaced), (0, 0));
        assert_eq!(bouts(&half).await, before, "nothing is there twice");
    })
    .await;
}

#[tokio::test]
async fn one_database_inside_the_other_gives_the_larger() {
    let (made, mut lot) = Made::drawn(3);
    let place = Place::new();
    let part =
        place.play(&made, "part.db", Manner { stops_after: Some(2), ..Manner::plain() }).await;
    let whole = place.path("whole.db");
    Store::copy(&part, &whole).await.expect("copied");
    place.play(&made, "whole.db", Manner { jobs: 2, ..Manner::drawn(&mut lot) }).await;
    let expected = of(&whole).await;
    for (name, inputs) in [("a.db", [&part, &whole]), ("b.db", [&whole, &part])] {
        let (joined, merged) = place.merge(name, &inputs.map(Clone::clone)).await;
        assert_eq!(of(&joined).await, expected);
        assert_eq!(bouts(&joined).await, bouts(&whole).await);
        assert_eq!(merged.bouts, made.bouts());
    }
    let (_, merged) = place.merge("part.db", std::slice::from_ref(&whole)).await;
    assert_eq!((merged.added, of(&part).await), (made.bouts() - 2, expected));
}
