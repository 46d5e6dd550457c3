//! Versions of a candidate: the results of the last one, and a comparison of two.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use joust_model::{BotRow, BuildHash};
use joust_standings::ratings::sprt::{SequentialTest, Sprt, SprtDecision};
use joust_standings::ratings::{MirrorSet, RankLead};
use joust_store::{Access, Store, StoreError};

use super::report::{TestAnswer, VersionReport};

/// A version that was tried before.
pub(super) struct LastVersion {
    version: String,
    sets: Vec<MirrorSet>,
    builds: HashMap<String, BuildHash>,
}

impl LastVersion {
    /// Reads the recorded results of a version.
    pub(super) async fn read(
        version: &str,
        database: &Path,
        event: &str,
        bot: &str,
    ) -> Result<Self, StoreError> {
        let store = Store::open(database, Access::ReadOnly).await?;
        let bouts = store.results(event).await;
        let rows = store.bots(event).await;
        store.close().await;
        let sets = MirrorSet::all(&bouts?, bot);
        Ok(Self { version: version.to_owned(), sets, builds: builds(&rows?) })
    }

    /// Compares the sets that both have played against the same builds of `rows`; `None` when there
    /// are no such sets.
    pub(super) fn compare(
        &self,
        sets: &[&MirrorSet],
        rows: &[BotRow],
        test: Sprt,
    ) -> Option<VersionComparison> {
        let now = builds(rows);
        let is_same = |bot: &Arc<str>| {
            let build = now.get(&**bot);
            build.is_some() && build == self.builds.get(&**bot)
        };
        let comparable =
            self.sets.iter().filter(|set| set.opponents.iter().all(is_same)).collect::<Vec<_>>();
        let pair = |set: &&MirrorSet| {
            let before = comparable.iter().find(|other| set.is_comparable(other))?;
            Some((set.grade(), before.grade(), set.top()))
        };
        let pairs: Vec<(u32, u32, u32)> = sets.iter().filter_map(pair).collect();
        let top = pairs.first()?.2;
        let mut graded = SequentialTest::new(test, 2 * top as usize);
        pairs.iter().for_each(|(now, before, top)| _ = graded.add((now + top - before) as usize));
        let gains: Vec<f64> = pairs
            .iter()
            .map(|(now, before, top)| (f64::from(*now) - f64::from(*before)) / f64::from(*top))
            .collect();
        let lead = RankLead::of(&gains)?;
        let finding = graded.judgement().finding;
        Some(VersionComparison {
            is_over: finding != SprtDecision::Undecided || pairs.len() >= comparable.len(),
            comparison: VersionReport {
                version: self.version.clone(),
                gain: [lead.mean, lead.interval[0], lead.interval[1]],
                sets: pairs.len() as u64,
                answer: TestAnswer::of(finding),
                superiority: lead.superiority,
            },
        })
    }
}

/// Two versions compared.
pub(super) struct VersionComparison {
    pub(super) comparison: VersionReport,
    /// True if more sets would show nothing new: the test has decided, or the version before has
    /// played no others.
    pub(super) is_over: bool,
}

fn builds(rows: &[BotRow]) -> HashMap<String, BuildHash> {
    let all = rows.iter().filter_map(|row| Some((row.name.clone(), row.build?)));
    all.collect()
}

#[cfg(test)]
mod tests {
    use joust_model::Seed;

    use super::super::try_bot::usual_test;
    use super::*;

    fn set(seed: u64, grade: u32) -> MirrorSet {
        let opponents = vec![Arc::from("bob")];
        MirrorSet { seed: Seed(seed), number: 0, opponents, halves: vec![grade], most: 4 }
    }

    fn row(build: u8) -> BotRow {
        let build = Some(BuildHash::of("test", &[&[build]]));
        BotRow { name: "bob".to_owned(), build, ..BotRow::default() }
    }

    fn last(sets: Vec<MirrorSet>) -> LastVersion {
        LastVersion { version: "aaaaaaaa".to_owned(), sets, builds: builds(&[row(1)]) }
    }

    fn compare(
        last: &LastVersion,
        sets: &[MirrorSet],
        opponent: BotRow,
    ) -> Option<VersionComparison> {
        let sets: Vec<&MirrorSet> = sets.iter().collect();
        last.compare(&sets, &[opponent], usual_test())
    }

    #[test]
    fn only_the_seeds_that_both_have_met_are_compared() {
        let last = last(vec![set(1, 0), set(2, 2), set(3, 4)]);
        let compared = compare(&last, &[set(1, 4), set(2, 3), set(9, 4)], row(1)).expect("two");
        let VersionReport { gain, sets, answer, .. } = compared.comparison;
        assert_eq!((gain[0], sets, answer), (0.625, 2, TestAnswer::Undecided));
        assert!(!compared.is_over, "one more can be compared");
    }

    #[test]
    fn a_version_that_gains_in_every_set_is_stronger_and_the_reverse() {
        let sets = |grade| (0..40).map(|seed| set(seed, grade)).collect::<Vec<_>>();
        let better = compare(&last(sets(1)), &sets(3), row(1)).expect("sets").comparison;
        assert_eq!((better.answer, better.gain[0]), (TestAnswer::Stronger, 0.5));
        let worse = compare(&last(sets(3)), &sets(1), row(1)).expect("sets").comparison;
        assert_eq!((worse.answer, worse.gain[0]), (TestAnswer::Weaker, -0.5));
        let same = compare(&last(sets(3)), &sets(3), row(1)).expect("sets");
        assert!(same.is_over && same.comparison.answer == TestAnswer::Undecided);
        assert!((same.comparison.superiority - 0.5).abs() < 1e-9);
    }

    #[test]
    fn an_opponent_that_was_changed_is_another_one() {
        assert!(compare(&last(vec![set(1, 0)]), &[set(1, 4)], row(2)).is_none());
    }
}
