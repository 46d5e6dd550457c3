//! Strengths of bots from results so far, to pair those that are about as strong.
//!
//! They follow the Bradley-Terry model with a virtual draw of each bot against an average one,
//! fitted by Zermelo's iteration. The fit uses only sums, products and quotients, so that every
//! machine gets the same numbers, bit by bit. The ratings that people see come from
//! `ratings`, with their intervals.

/// Rounds of the iteration: after these no two bots change places any more in practice.
const ITERATIONS: usize = 60;

/// One bot's place in a bout that was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatFinish {
    /// The bot.
    pub bot: usize,
    /// 1 is best; equal ranks are a draw.
    pub rank: u8,
}

/// Two bots that met in a bout.
struct PairMeeting {
    bots: [usize; 2],
    /// Share of the one point that the first has.
    points: f64,
}

/// Returns the strength of each of `bots` bots; one without a bout has 1.
pub(super) fn strengths(bouts: &[Vec<SeatFinish>], bots: usize) -> Vec<f64> {
    let meetings: Vec<PairMeeting> = bouts.iter().flat_map(|bout| meetings(bout)).collect();
    let mut points = vec![0.5; bots];
    for PairMeeting { bots: [one, other], points: of_one } in &meetings {
        points[*one] += of_one;
        points[*other] += 1.0 - of_one;
    }
    let mut strengths = vec![1.0_f64; bots];
    for _ in 0..ITERATIONS {
        let mut weights: Vec<f64> = strengths.iter().map(|own| 1.0 / (own + 1.0)).collect();
        for PairMeeting { bots: [one, other], .. } in &meetings {
            let weight = 1.0 / (strengths[*one] + strengths[*other]);
            weights[*one] += weight;
            weights[*other] += weight;
        }
        for (bot, strength) in strengths.iter_mut().enumerate() {
            *strength = points[bot] / weights[bot];
        }
    }
    strengths
}

fn meetings(bout: &[SeatFinish]) -> Vec<PairMeeting> {
    let points = |one: u8, other: u8| match one.cmp(&other) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    };
    let mut meetings = Vec::new();
    for (place, one) in bout.iter().enumerate() {
        for other in &bout[place + 1..] {
            let points = points(one.rank, other.rank);
            meetings.push(PairMeeting { bots: [one.bot, other.bot], points });
        }
    }
    meetings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn won(bot: usize, against: usize) -> Vec<SeatFinish> {
        vec![SeatFinish { bot, rank: 1 }, SeatFinish { bot: against, rank: 2 }]
    }

    #[test]
    fn who_won_more_is_stronger_and_nobody_is_infinitely_so() {
        let found = strengths(&[won(0, 1), won(0, 2), won(1, 2)], 4);
        assert!(found[0] > found[1] && found[1] > found[2], "{found:?}");
        assert!(found.iter().all(|one| one.is_finite() && *one > 0.0));
    }

    #[test]
    fn who_has_not_played_is_average() {
        assert_eq!(strengths(&[], 2), [1.0, 1.0]);
    }

    #[test]
    fn a_win_against_a_strong_bot_is_worth_more() {
        // 4 beat 0, which beat all others; 5 beat 3, which lost to all others.
        let bouts = [won(0, 1), won(0, 2), won(1, 3), won(2, 3), won(4, 0), won(5, 3)];
        let found = strengths(&bouts, 6);
        assert!(found[4] > found[5], "{found:?}");
    }

    #[test]
    fn in_a_bout_of_more_everybody_meets_everybody() {
        let ranks = [(0, 1), (1, 2), (2, 2), (3, 4)];
        let bout = ranks.map(|(bot, rank)| SeatFinish { bot, rank }).to_vec();
        let found = strengths(&[bout], 4);
        assert!(found[0] > found[1] && found[2] > found[3], "{found:?}");
        assert!((found[1] - found[2]).abs() < 1e-12);
    }
}
