//! Course of a bot over its versions: a rating of each build from its share of the points.
//!
//! Bouts that a newer build has played again keep their outcomes and not their opponents, so a
//! build is rated by its share of the points alone: by the difference in Elo to its opponents that
//! corresponds to the share, with a 95 % interval (Wilson).

use serde::Serialize;

use super::rating::{Rating, RatingScale, signed};
use joust_model::BotVersion;

/// The normal deviate of a 95 % interval.
const DEVIATE: f64 = 1.96;

/// The most builds that are drawn; of more the newest.
const MOST: usize = 30;

/// Distance of a build that has won or lost everything.
const FURTHEST: f64 = 800.0;

/// The builds of a bot as a picture 600 wide, 160 high.
#[derive(Debug, Serialize)]
pub(super) struct VersionChart {
    points: Vec<Point>,
    /// The line through them.
    line: String,
    /// Line on which the bot is as strong as its opponents.
    level: Option<String>,
}

/// One build.
#[derive(Debug, Serialize)]
struct Point {
    build: String,
    value: String,
    low: String,
    high: String,
    x: String,
    y: String,
    y_low: String,
    y_high: String,
}

/// Returns the course of a bot with at least two builds that have played, the oldest first.
pub(super) fn version_chart(versions: &[BotVersion]) -> Option<VersionChart> {
    let played: Vec<_> = versions.iter().filter(|version| version.bouts > 0).collect();
    let played = &played[played.len().saturating_sub(MOST)..];
    let ratings: Vec<Rating> = played.iter().map(|version| rating(version)).collect();
    let scale = RatingScale::of(ratings.iter().copied(), 0).filter(|_| played.len() > 1)?;
    let builds = played.iter().zip(&ratings).enumerate();
    let points: Vec<_> = builds
        .map(|(place, (version, rating))| Point {
            build: version.build.to_string()[..12].to_owned(),
            value: signed(rating.value, 0),
            low: signed(rating.low, 0),
            high: signed(rating.high, 0),
            x: format!("{:.0}", across(place, played.len())),
            y: height(scale, rating.value),
            y_low: height(scale, rating.low),
            y_high: height(scale, rating.high),
        })
        .collect();
    let line: Vec<_> = points.iter().map(|point| format!("{} {}", point.x, point.y)).collect();
    let level = scale.zero().map(|_| height(scale, 0.0));
    Some(VersionChart { line: format!("M{}", line.join("L")), points, level })
}

fn across(place: usize, all: usize) -> f64 {
    let as_number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    20.0 + 560.0 * as_number(place) / as_number(all - 1)
}

fn height(scale: RatingScale, value: f64) -> String {
    format!("{:.1}", 150.0 - 1.4 * scale.position(value))
}

/// Strength of a build by its share of the points.
fn rating(version: &BotVersion) -> Rating {
    let bouts = f64::from(version.bouts);
    let share = (f64::from(version.won) + f64::from(version.drawn) / 2.0) / bouts;
    let square = DEVIATE * DEVIATE;
    let middle = (share + square / (2.0 * bouts)) / (1.0 + square / bouts);
    let spread = (share * (1.0 - share) / bouts + square / (4.0 * bouts * bouts)).sqrt();
    let half = DEVIATE * spread / (1.0 + square / bouts);
    Rating { value: elo(share), low: elo(middle - half), high: elo(middle + half) }
}

fn elo(share: f64) -> f64 {
    let share = share.clamp(1e-9, 1.0 - 1e-9);
    (400.0 * (share / (1.0 - share)).log10()).clamp(-FURTHEST, FURTHEST)
}

#[cfg(test)]
mod tests {
    use joust_model::BuildHash;

    use super::*;

    fn version(build: u8, won: u32, lost: u32) -> BotVersion {
        BotVersion {
            bot: "a".to_owned(),
            build: BuildHash::of("test", &[&[build]]),
            language: String::new(),
            toolchain: String::new(),
            log_head: String::new(),
            first_at: 0,
            last_at: 0,
            bouts: won + lost,
            standing: 0,
            won,
            drawn: 0,
            lost,
            faults: 0,
        }
    }

    #[test]
    fn three_of_four_points_are_worth_191_elo() {
        let rating = rating(&version(1, 75, 25));
        assert_eq!(signed(rating.value, 0), "191");
        assert!(rating.low > 100.0 && rating.high < 300.0, "{rating:?}");
    }

    #[test]
    fn a_bot_that_grows_has_a_course_that_rises() {
        let course =
            version_chart(&[version(1, 1, 9), version(2, 5, 5), version(3, 9, 1)]).expect("one");
        let heights: Vec<f64> = course.points.iter().map(|one| one.y.parse().unwrap()).collect();
        assert!(heights[0] > heights[1] && heights[1] > heights[2], "{heights:?}");
        assert!(course.level.is_some());
    }

    #[test]
    fn one_build_has_no_course() {
        assert!(version_chart(&[version(1, 1, 9)]).is_none());
        assert!(version_chart(&[version(1, 0, 0), version(2, 1, 1)]).is_none());
    }
}
