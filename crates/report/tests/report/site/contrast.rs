//! Colours that lie on one another can be distinguished, in light and in dark: texts
//! 4.5 to 1, signs, edges and what is on a board 3 to 1 (WCAG 2.2, 1.4.3 and
//! 1.4.11). Computed from the variables of the style sheets.

use std::collections::{BTreeMap, BTreeSet};

use joust_model::Publication;

use crate::fixtures::site::league;

const TEXT: f64 = 4.5;
const SIGN: f64 = 3.0;

const SEATS: [&str; 12] = [
    "seat-0", "seat-1", "seat-2", "seat-3", "seat-4", "seat-5", "seat-6", "seat-7", "seat-8",
    "seat-9", "seat-10", "seat-11",
];
const PAGE: &[&str] = &["bg", "panel", "stripe"];
const FLOORS: &[&str] = &["rv-floor-a", "rv-floor-b"];
const WATERS: &[&str] = &["rv-water-a", "rv-water-b"];

/// Colours in front of others, with the contrast that they must have at least.
const PAIRS: &[(f64, &[&str], &[&str])] = &[
    (TEXT, &["fg", "muted", "accent", "gold", "bad"], PAGE),
    (TEXT, &["fg", "bad"], &["bad-soft"]),
    (TEXT, &["fg", "accent"], &["accent-soft"]),
    (TEXT, &["on-accent"], &["accent"]),
    (TEXT, &["on-far"], &["h0", "h9", "h10"]),
    (TEXT, &["on-low"], &["h1"]),
    (TEXT, &["on-near"], &["h2", "h3", "h4", "h5", "h6", "h7", "h8"]),
    (TEXT, &["on-seat"], &SEATS),
    (TEXT, &["fg", "muted", "accent"], &["rv-current"]),
    (TEXT, &["rv-on-fault"], &["rv-fault"]),
    (TEXT, &["rv-ink", "rv-gain", "rv-loss"], FLOORS),
    (TEXT, &["rv-ink"], WATERS),
    (SIGN, &["edge", "interval"], PAGE),
    (SIGN, &["accent"], &["line"]),
    (SIGN, &["interval"], &["accent-soft"]),
    (SIGN, &["rv-fill", "rv-near"], &["line"]),
    (SIGN, &["rv-playhead"], &["panel"]),
    (SIGN, &SEATS, &["panel", "rv-floor-a", "rv-floor-b", "rv-water-a", "rv-water-b"]),
    (SIGN, &["rv-wall-top", "rv-brick-a", "rv-brick-b", "rv-wood-a", "rv-rock-a"], FLOORS),
    (SIGN, &["rv-rim", "rv-fuse", "rv-bonus", "rv-fallen", "rv-blast-edge"], FLOORS),
    (SIGN, &["rv-ripple"], WATERS),
    (SIGN, &["rv-ore-gem", "rv-crack"], &["rv-rock-a"]),
];

/// Colours that carry no information: lines between rows, the grain of things whose edge or ground
/// is in [`PAIRS`].
const ORNAMENTS: [&str; 15] = [
    "line",
    "rv-wave",
    "rv-wall-side",
    "rv-wall-light",
    "rv-mortar",
    "rv-brick-light",
    "rv-wood-b",
    "rv-wood-c",
    "rv-rock-b",
    "rv-shadow",
    "rv-bomb-light",
    "rv-bomb-dark",
    "rv-bullet",
    "rv-missile",
    "rv-scorch",
];

/// Colours by name: light, then dark.
type Colours = BTreeMap<String, [Option<[f64; 3]>; 2]>;

fn colours() -> Colours {
    let files = league(&["anna", "bert"]).site(&Publication::default());
    let sheets = ["assets/style.css", "assets/viewer.css"];
    let text = sheets.map(|sheet| String::from_utf8_lossy(&files[sheet]).into_owned()).concat();
    let variables = text.lines().filter_map(|line| {
        let (name, value) = line.trim().strip_prefix("--")?.strip_suffix(';')?.split_once(": ")?;
        is_colour(value).then(|| (name.to_owned(), pair(value)))
    });
    variables.collect()
}

fn is_colour(value: &str) -> bool {
    value.starts_with('#') || value.starts_with("light-dark(")
}

fn pair(value: &str) -> [Option<[f64; 3]>; 2] {
    match value.strip_prefix("light-dark(").and_then(|value| value.strip_suffix(')')) {
        // What is half transparent has no contrast of its own.
        Some(pair) => {
            pair.split_once(", ").map_or([None; 2], |(one, other)| [one, other].map(opaque))
        }
        None => [opaque(value); 2],
    }
}

/// Reads `#rrggbb`.
fn opaque(value: &str) -> Option<[f64; 3]> {
    let number = u32::from_str_radix(value.strip_prefix('#')?, 16).ok()?;
    let part = |shift: u32| f64::from((number >> shift) & 0xff) / 255.0;
    (value.len() == 7).then(|| [part(16), part(8), part(0)])
}

/// Relative luminance, as WCAG defines it.
fn luminance(colour: [f64; 3]) -> f64 {
    let linear = |part: f64| {
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = colour.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn the_formula_gives_the_known_values() {
    let colour = |text| opaque(text).expect("a colour");
    let near = |one: f64, other: f64| (one - other).abs() < 0.005;
    assert!(near(contrast(colour("#ffffff"), colour("#000000")), 21.0));
    assert!(near(contrast(colour("#777777"), colour("#ffffff")), 4.48));
    assert_eq!(pair("light-dark(#000000, #ffffff)"), [Some([0.0; 3]), Some([1.0; 3])]);
}

#[test]
fn whatever_lies_on_something_is_told_apart_in_light_and_dark() {
    let colours = colours();
    let mut close = Vec::new();
    for (least, upper, lower) in PAIRS {
        for (over, under) in
            upper.iter().flat_map(|over| lower.iter().map(move |under| (*over, *under)))
        {
            for (theme, name) in ["light", "dark"].into_iter().enumerate() {
                let [over_is, under_is] =
                    [over, under].map(|name| colours[name][theme].expect("opaque"));
                let found = contrast(over_is, under_is);
                if found < *least {
                    close.push(format!("{over} on {under}, {name}: {found:.2} and not {least}"));
                }
            }
        }
    }
    assert_eq!(close, Vec::<String>::new());
}

#[test]
fn every_colour_is_checked_or_an_ornament() {
    let pairs = PAIRS.iter().flat_map(|(_, upper, lower)| upper.iter().chain(lower.iter()));
    let known: BTreeSet<&str> = pairs.chain(&ORNAMENTS).copied().collect();
    let colours = colours();
    let names: BTreeSet<&str> = colours.keys().map(String::as_str).collect();
    assert_eq!(names, known);
}
