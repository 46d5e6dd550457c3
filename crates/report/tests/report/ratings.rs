//! Ratings in every format.

use joust_model::{BoutSummary, EventInfo, Mirror, Seed};
use joust_report::{Colours, Leaderboard, Superiority, TextStyle, find};
use joust_standings::ratings::Totals;
use joust_standings::ratings::event::{EventRatings, rate_totals};
use joust_standings::standings::{Standings, table};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::fixtures::{bout, event, plain};

/// Ann leads Bob after twelve mirror pairs; the third bot, whose name is hostile,
/// has not played.
fn league() -> (EventInfo, Vec<BoutSummary>) {
    let event = event(&["ann", "bob", "e\u{1b}|v`e"]);
    let pair = |number: u32| {
        let ranks = if number.is_multiple_of(3) { [1, 2] } else { [2, 1] };
        [(["ann", "bob"], [1, 2], 2 * number), (["bob", "ann"], ranks, 2 * number + 1)].map(
            |(bots, ranks, bout_number)| BoutSummary {
                seed: Seed(number.into()),
                ..bout(bots, ranks, bout_number)
            },
        )
    };
    let bouts = (0..12).flat_map(pair).collect();
    (event, bouts)
}

fn rated() -> (Standings, EventRatings) {
    let (event, bouts) = league();
    let standings = table(&event, &bouts, &[]);
    let bots: Vec<_> = standings.playing().iter().map(|row| row.bot.name.as_str()).collect();
    let mut totals = Totals::new(Mirror::Pairs);
    bouts.iter().for_each(|bout| totals.add(bout));
    let ratings = rate_totals(&bots, totals);
    (standings, ratings)
}

fn written(name: &str) -> String {
    let (standings, ratings) = rated();
    let superiority = Superiority::Shown;
    let board = Leaderboard {
        game: None,
        standings: &standings,
        ratings: Some(&ratings),
        superiority,
        bouts: None,
    };
    find(name, TextStyle::default()).expect("a format").leaderboard(&board)
}

#[test]
fn the_table_shows_ratings_what_they_are_and_who_is_stronger() {
    insta::assert_snapshot!(written("text"), @r#"
    league: battlebots, documented rules, 24 of 6 bouts
    ┌───┬─────────────┬─────────┬────────┬────────┬──────────┬───────┬────────────────┐
    │ # ┆ bot         ┆ matches ┆  bouts ┆ points ┆   rating ┆ score ┆ faults         │
    ╞═══╪═════════════╪═════════╪════════╪════════╪══════════╪═══════╪════════════════╡
    │ 1 ┆ ann         ┆   1-0-0 ┆ 20-0-4 ┆     20 ┆ +140 ±83 ┆   212 ┆ 4: 4 timeout   │
    │ 1 ┆ bob         ┆   0-0-1 ┆ 4-0-20 ┆      4 ┆ -140 ±83 ┆   196 ┆ 20: 20 timeout │
    │ 1 ┆ e\u{1b}|v`e ┆   0-0-0 ┆  0-0-0 ┆      0 ┆        - ┆     0 ┆ 0              │
    └───┴─────────────┴─────────┴────────┴────────┴──────────┴───────┴────────────────┘
    ranked by name
    rating: Elo by Bradley-Terry over all bouts, a draw is half a win, mean 0; ± 95 % interval
    note: no rating without a bout: e\u{1b}|v`e

    ┌───┬────────────────┬────────┬────────┬───┐
    │   ┆ won-drawn-lost ┆      1 ┆      2 ┆ 3 │
    ╞═══╪════════════════╪════════╪════════╪═══╡
    │ 1 ┆ ann            ┆      · ┆ 20-0-4 ┆   │
    │ 2 ┆ bob            ┆ 4-0-20 ┆      · ┆   │
    │ 3 ┆ e\u{1b}|v`e    ┆        ┆        ┆ · │
    └───┴────────────────┴────────┴────────┴───┘

    ┌───┬────────────────┬─────┬──────┬───┐
    │   ┆ stronger, in % ┆   1 ┆    2 ┆ 3 │
    ╞═══╪════════════════╪═════╪══════╪═══╡
    │ 1 ┆ ann            ┆   · ┆ 99.9 ┆   │
    │ 2 ┆ bob            ┆ 0.1 ┆    · ┆   │
    │ 3 ┆ e\u{1b}|v`e    ┆     ┆      ┆ · │
    └───┴────────────────┴─────┴──────┴───┘
    "#);
}

#[test]
fn markdown_shows_the_same() {
    insta::assert_snapshot!(written("markdown"), @r#"
    ### `league`

    `battlebots`, rules `documented`, 24 of 6 bouts

    | # | bot | matches | bouts | points | rating | score | faults |
    | ---: | :--- | ---: | ---: | ---: | ---: | ---: | ---: |
    | 1 | `ann` | 1-0-0 | 20-0-4 | 20 | +140 ±83 | 212 | 4: 4 timeout |
    | 1 | `bob` | 0-0-1 | 4-0-20 | 4 | -140 ±83 | 196 | 20: 20 timeout |
    | 1 | ``e\u{5c}u{1b}\|v`e`` | 0-0-0 | 0-0-0 | 0 | - | 0 | 0 |

    ranked by name

    rating: Elo by Bradley-Terry over all bouts, a draw is half a win, mean 0; ± 95 % interval

    Note: no rating without a bout: ``e\u{5c}u{1b}\|v`e``

    |  | won-drawn-lost | 1 | 2 | 3 |
    | ---: | :--- | ---: | ---: | ---: |
    | 1 | `ann` | · | 20-0-4 |  |
    | 2 | `bob` | 4-0-20 | · |  |
    | 3 | ``e\u{5c}u{1b}\|v`e`` |  |  | · |

    |  | stronger, in % | 1 | 2 | 3 |
    | ---: | :--- | ---: | ---: | ---: |
    | 1 | `ann` | · | 99.9 |  |
    | 2 | `bob` | 0.1 | · |  |
    | 3 | ``e\u{5c}u{1b}\|v`e`` |  |  | · |
    "#);
}

#[test]
fn json_has_the_documented_fields() {
    let json: Value = serde_json::from_str(&written("json")).expect("JSON");
    let ratings = &json["ratings"];
    assert_eq!(ratings["model"], "bradley-terry");
    assert_eq!(ratings["interval"], 0.95);
    assert!(ratings["text"].as_str().expect("a text").contains("Bradley-Terry"));
    assert_eq!(ratings["notes"][0]["bots"][0], "e\u{1b}|v`e");
    let ann = &json["rows"][0];
    let [rating, low, high, se] = ["rating", "rating_low", "rating_high", "rating_se"]
        .map(|name| ann[name].as_f64().expect("a number"));
    assert!(low < rating && rating < high && se > 0.0, "{ann}");
    assert!(json["rows"][2]["rating"].is_null() && json["rows"][2].get("rating").is_some());
    let [one, other] = [[0, 1], [1, 0]]
        .map(|[row, column]| json["superiority"][row][column].as_f64().expect("a probability"));
    assert!((one + other - 1.0).abs() < 1e-3 && one > 0.5);
    assert!(json["superiority"][0][0].is_null() && json["superiority"][0][2].is_null());
}

#[test]
fn csv_has_columns_for_them() {
    let csv = written("csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let place = |name: &str| header.iter().position(|one| one == name).expect("a column");
    let rows: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
    assert_eq!(&rows[0][place("rating_model")], "bradley-terry");
    let rating: f64 = rows[0][place("rating")].parse().expect("a number");
    assert!(rating > 0.0);
    assert_eq!(&rows[2][place("rating")], "");
    let chance: f64 = rows[0][place("stronger than bob")].parse().expect("a probability");
    assert!(chance > 0.5);
    assert_eq!(&rows[0][place("stronger than ann")], "");
}

#[test]
fn without_ratings_nothing_of_them_is_shown() {
    let (standings, _) = rated();
    for format in ["text", "markdown", "json", "csv"] {
        let text =
            find(format, TextStyle::default()).expect("a format").leaderboard(&plain(&standings));
        assert!(!text.contains("rating"), "{text}");
    }
}

/// Returns the table in a terminal of `width` columns.
fn table_of(width: u16) -> String {
    let (standings, ratings) = rated();
    let look = TextStyle { width: Some(width), colours: Colours::Off };
    let superiority = Superiority::Hidden;
    let board = Leaderboard {
        game: None,
        standings: &standings,
        ratings: Some(&ratings),
        superiority,
        bouts: None,
    };
    find("text", look).expect("it is there").leaderboard(&board)
}

#[test]
fn ratings_are_explained_only_where_they_are_shown() {
    let text = table_of(55);
    assert!(!text.contains("±") && !text.contains("note:"), "{text}");
    assert!(
        text.replace("\n  ", " ").contains("left out for width: bouts, rating, score;"),
        "{text}"
    );
}

#[test]
fn notes_are_broken_at_words() {
    let text = table_of(75);
    let whole = "over all bouts, a draw is half a win, mean 0; ± 95 % interval";
    assert!(text.replace("\n  ", " ").contains(whole), "{text}");
    assert!(text.lines().all(|line| line.width() <= 75), "{text}");
}
