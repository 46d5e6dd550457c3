//! Ratings of a bot over its versions and over its days, each from a share of the points.
//!
//! Bouts that a newer build has played again keep their outcomes and not their opponents, so a
//! build is rated by its share of the points alone: by the difference in Elo to its opponents that
//! corresponds to the share, with a 95 % interval (Wilson).

use serde::Serialize;

use super::rating::{Rating, RatingScale, signed};
use crate::timestamp::format_with;
use joust_model::{BotVersion, VersionDay};

/// The normal deviate of a 95 % interval.
const DEVIATE: f64 = 1.96;

/// The most points that are drawn; of more the newest.
const MOST: usize = 60;

/// Distance of a build that has won or lost everything.
const FURTHEST: f64 = 800.0;

/// Ratings of a bot as a picture 600 wide, 160 high.
#[derive(Debug, Serialize)]
pub(super) struct RatingChart {
    /// Axis in words, which is also part of its id.
    over: &'static str,
    points: Vec<Point>,
    /// The line through the points of each build.
    line: String,
    /// Line on which the bot is as strong as its opponents.
    level: Option<String>,
    /// Both ends of the axis.
    ends: [String; 2],
}

/// Rating of a build, in all of its bouts or in those of a day.
#[derive(Debug, Serialize)]
struct Point {
    build: String,
    day: Option<String>,
    value: String,
    low: String,
    high: String,
    x: String,
    y: String,
    y_low: String,
    y_high: String,
}

/// Points of a chart before they are placed.
struct Sample<'a> {
    version: &'a BotVersion,
    day: Option<VersionDay>,
    rating: Rating,
}

/// Returns the charts of a bot: over its builds if several have played, and over its days with
/// bouts if there are several.
pub(super) fn charts(versions: &[BotVersion]) -> Vec<RatingChart> {
    let by_version = versions.iter().filter(|version| version.bouts > 0).map(|version| Sample {
        version,
        day: None,
        rating: rating(version.bouts, version.won, version.drawn),
    });
    let by_day = versions.iter().flat_map(|version| {
        version.days.iter().map(move |day| Sample {
            version,
            day: Some(*day),
            rating: rating(day.bouts, day.won, day.drawn),
        })
    });
    let (by_version, mut by_day): (Vec<_>, Vec<_>) = (by_version.collect(), by_day.collect());
    by_day.sort_by_key(|sample| (sample.day.map(|day| day.at), sample.version.first_at));
    [chart("versions", &by_version), chart("days", &by_day)].into_iter().flatten().collect()
}

/// Draws ratings at two places at least.
fn chart(over: &'static str, samples: &[Sample<'_>]) -> Option<RatingChart> {
    let samples = &samples[samples.len().saturating_sub(MOST)..];
    let scale = RatingScale::of(samples.iter().map(|sample| sample.rating), 0)?;
    let places = (0..samples.len()).map(|place| match samples[place].day {
        Some(day) => day.at,
        None => i64::try_from(place).unwrap_or(i64::MAX),
    });
    let places: Vec<i64> = places.collect();
    let (first, last) = (*places.first()?, *places.last()?);
    let across = |at: i64| 20.0 + 560.0 * (at - first) as f64 / (last - first) as f64;
    let points =
        samples.iter().zip(&places).map(|(sample, at)| Point::new(sample, across(*at), scale));
    let points: Vec<_> = points.collect();
    let mut line = String::new();
    for (place, Point { x, y, day, build, .. }) in points.iter().enumerate() {
        let is_joined = place > 0 && (day.is_none() || points[place - 1].build == *build);
        line += &format!("{}{x} {y}", if is_joined { 'L' } else { 'M' });
    }
    let end = |point: &Point| point.day.clone().unwrap_or_else(|| point.build.clone());
    Some(RatingChart {
        over,
        ends: [end(points.first()?), end(points.last()?)],
        line,
        level: scale.zero().map(|_| height(scale, 0.0)),
        points,
    })
    .filter(|_| last > first)
}

impl Point {
    fn new(sample: &Sample<'_>, x: f64, scale: RatingScale) -> Self {
        let Sample { version, day, rating } = sample;
        Self {
            build: version.build.to_string()[..12].to_owned(),
            day: day.map(|day| format_with(day.at, "%Y-%m-%d")),
            value: signed(rating.value, 0),
            low: signed(rating.low, 0),
            high: signed(rating.high, 0),
            x: format!("{x:.0}"),
            y: height(scale, rating.value),
            y_low: height(scale, rating.low),
            y_high: height(scale, rating.high),
        }
    }
}

fn height(scale: RatingScale, value: f64) -> String {
    format!("{:.1}", 150.0 - 1.4 * scale.position(value))
}

/// Strength by the share of the points.
fn rating(bouts: u32, won: u32, drawn: u32) -> Rating {
    let bouts = f64::from(bouts);
    let share = (f64::from(won) + f64::from(drawn) / 2.0) / bouts;
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

    const DAY: i64 = 86_400_000;

    fn version(build: u8, days: &[(i64, u32, u32)]) -> BotVersion {
        let days = days.iter().map(|(day, won, lost)| VersionDay {
            at: day * DAY,
            bouts: won + lost,
            won: *won,
            drawn: 0,
        });
        let days: Vec<_> = days.collect();
        let (bouts, won) =
            (days.iter().map(|day| day.bouts).sum(), days.iter().map(|day| day.won).sum());
        BotVersion {
            bot: "a".to_owned(),
            build: BuildHash::of("test", &[&[build]]),
            language: String::new(),
            toolchain: String::new(),
            log_head: String::new(),
            first_at: days.first().map_or(0, |day| day.at),
            last_at: days.last().map_or(0, |day| day.at),
            bouts,
            standing: 0,
            won,
            drawn: 0,
            lost: bouts - won,
            faults: 0,
            days,
        }
    }

    fn heights(chart: &RatingChart) -> Vec<f64> {
        chart.points.iter().map(|one| one.y.parse().unwrap()).collect()
    }

    #[test]
    fn three_of_four_points_are_worth_191_elo() {
        let rating = rating(100, 75, 0);
        assert_eq!(signed(rating.value, 0), "191");
        assert!(rating.low > 100.0 && rating.high < 300.0, "{rating:?}");
    }

    #[test]
    fn builds_of_a_bot_that_improves_rise() {
        let builds = [(1, 1, 9), (2, 5, 5), (3, 9, 1)];
        let builds = builds.map(|(build, won, lost)| version(build, &[(1, won, lost)]));
        let charts = charts(&builds);
        assert_eq!(charts.len(), 1, "all on one day");
        let heights = heights(&charts[0]);
        assert!(heights[0] > heights[1] && heights[1] > heights[2], "{heights:?}");
        assert!(charts[0].level.is_some());
    }

    #[test]
    fn days_lie_on_a_scale_of_time_and_builds_have_lines_of_their_own() {
        let charts =
            charts(&[version(1, &[(1, 1, 9), (2, 5, 5)]), version(2, &[(2, 7, 3), (5, 9, 1)])]);
        let [versions, days] = &charts[..] else { panic!("{charts:?}") };
        assert_eq!((versions.over, days.over), ("versions", "days"));
        let across: Vec<_> = days.points.iter().map(|one| one.x.as_str()).collect();
        assert_eq!(across, ["20", "160", "160", "580"]);
        assert_eq!(days.line.matches('M').count(), 2);
        assert_eq!(days.ends, ["1970-01-02", "1970-01-06"]);
    }

    #[test]
    fn one_build_on_one_day_has_no_chart() {
        assert!(charts(&[version(1, &[(1, 1, 9)])]).is_empty());
        assert!(charts(&[version(1, &[]), version(2, &[(1, 1, 1)])]).is_empty());
    }
}
