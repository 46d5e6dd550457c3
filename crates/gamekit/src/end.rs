//! Scores and ranks of an end.

use crate::Breach;

/// The most points of a seat, either way: they are kept to a millionth, and sums of a thousand
/// bouts are exact.
const MOST_POINTS: f64 = 9e9;

/// Returns the ranks: those that were said, if they fit the scores; else those that
/// follow from the scores.
pub(crate) fn ranked(scores: &[Option<f64>], ranks: Option<Vec<u8>>) -> Result<Vec<u8>, Breach> {
    for (seat, score) in scores.iter().enumerate() {
        if score.is_some_and(|points| points.abs() > MOST_POINTS) {
            return Err(Breach::new(format!("`scores` gives seat {seat} more than 9e9 points"))
                .hint("give fewer points, in a larger unit"));
        }
    }
    // The stored scores decide, so that a reader of the scores sees the winner.
    let scores: Vec<_> = scores.iter().map(|score| score.map(kept)).collect();
    let scores = scores.as_slice();
    let Some(ranks) = ranks else {
        return from_scores(scores).ok_or_else(|| {
            Breach::new("`end` has no `ranks`, and not every seat has a score")
                .hint("say who is first: `ranks`, one number for each seat")
        });
    };
    if ranks.len() != scores.len() {
        let (ranks, scores) = (ranks.len(), scores.len());
        return Err(Breach::new(format!("`end` has {scores} scores and {ranks} ranks"))
            .hint("one of each for every seat"));
    }
    for (seat, rank) in ranks.iter().enumerate() {
        let better = ranks.iter().filter(|other| *other < rank).count();
        if usize::from(*rank) != better + 1 {
            return Err(Breach::new(format!(
                "`ranks` gives seat {seat} rank {rank}, and {better} seats are better"
            ))
            .hint("count from 1; those who draw share a rank, and the next one is left out: 1, 2, 2, 4"));
        }
    }
    contradiction(scores, &ranks).map_or(Ok(ranks), Err)
}

/// Returns the points as they are kept.
fn kept(points: f64) -> f64 {
    (points * 1e6).round() / 1e6
}

/// Returns ranks by score, if every seat has one.
fn from_scores(scores: &[Option<f64>]) -> Option<Vec<u8>> {
    let scores: Vec<f64> = scores.iter().copied().collect::<Option<_>>()?;
    let rank = |own: &f64| 1 + scores.iter().filter(|other| *other > own).count();
    scores.iter().map(|own| u8::try_from(rank(own)).ok()).collect()
}

/// Finds a seat with more points and no better rank than another.
fn contradiction(scores: &[Option<f64>], ranks: &[u8]) -> Option<Breach> {
    let seats = || scores.iter().zip(ranks).enumerate();
    for (seat, (score, rank)) in seats() {
        let more = |other: &Option<f64>| matches!((other, score), (Some(a), Some(b)) if a > b);
        let found = seats().find(|(_, (other, place))| more(other) && *place >= rank);
        if let Some((other, _)) = found {
            let text = format!(
                "`ranks` contradicts `scores`: seat {other} has more points than seat {seat}, and no better rank"
            );
            return Some(
                Breach::new(text)
                    .hint("more points are better; send them negative where fewer are"),
            );
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_that_are_kept_alike_draw() {
        let ranks = |one, other| ranked(&[Some(one), Some(other)], None).expect("there are ranks");
        assert_eq!(ranks(0.000_000_4, 0.000_000_3), [1, 1]);
        assert_eq!(ranks(0.000_000_6, 0.000_000_4), [1, 2]);
        assert_eq!(ranks(0.1 + 0.2, 0.3), [1, 1]);
        let said = ranked(&[Some(0.000_000_4), Some(0.0)], Some(vec![2, 1]));
        assert_eq!(said.expect("they contradict nothing that is kept"), [2, 1]);
    }
}
