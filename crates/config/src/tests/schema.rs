//! Reader and schema, side by side. Every section and every value of the schema is
//! tried on the reader; the cases of `cases.yaml` are those which
//! `scripts/check-schemas` tries on the schema with a validator of others.

use std::collections::BTreeSet;
use std::path::Path;

use joust_referee::Catalogue;
use serde_json::{Value, json};

use super::super::{ConfigErrors, parse};

/// Longer than any word is near to.
const UNKNOWN: &str = "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz";

/// One value of the file: where it stands, in which game's event, and its schema.
struct Spot {
    game: String,
    path: Vec<String>,
    schema: Value,
}

fn schema() -> Value {
    super::super::schema::schema(json!({}), &Catalogue::built_in())
}

/// Returns the problems of a small tournament of `game` with `value` at `path`.
fn problems(game: &str, path: &[String], value: &Value) -> Vec<(String, String)> {
    let mut file = json!({ "events": [{ "game": game, "bots": ["a"] }] });
    let mut place = &mut file;
    for key in path {
        place = match key.parse::<usize>() {
            Ok(index) => &mut place[index],
            Err(_) => &mut place[key.as_str()],
        };
    }
    *place = value.clone();
    let result: Result<_, ConfigErrors> =
        parse(&file.to_string(), Path::new("t.yaml"), &Catalogue::built_in());
    let problems = result.err().map_or(Vec::new(), |errors| errors.0);
    problems.into_iter().map(|one| (one.message, one.hint.unwrap_or_default())).collect()
}

/// Lays the additions of `allOf` for one game over the schema of all games.
fn overlaid(mut base: Value, over: &Value) -> Value {
    let (Some(all), Some(over)) = (base.as_object_mut(), over.as_object()) else {
        return over.clone();
    };
    for (key, value) in over {
        let below = all.remove(key);
        let value = below.map_or_else(|| value.clone(), |below| overlaid(below, value));
        all.insert(key.clone(), value);
    }
    base
}

fn event_of(game: &str) -> Value {
    let event = schema()["properties"]["events"]["items"].clone();
    let only = event["allOf"].as_array().expect("a list").iter();
    let only = only.filter(|one| one["if"]["properties"]["game"]["const"] == game);
    let properties = only.fold(json!({}), |sum, one| overlaid(sum, &one["then"]["properties"]));
    overlaid(event, &json!({ "properties": properties }))
}

/// Returns every possible value, sections included; languages are read elsewhere.
fn spots() -> Vec<Spot> {
    let mut all = Vec::new();
    let games = Catalogue::built_in();
    for game in games.ids() {
        let path = vec!["events".to_owned(), "0".to_owned()];
        collect(&mut all, game, path, event_of(game));
    }
    let first = games.ids()[0];
    for (key, value) in schema()["properties"].as_object().expect("a mapping") {
        if !["events", "languages"].contains(&key.as_str()) {
            collect(&mut all, first, vec![key.clone()], value.clone());
        }
    }
    collect_root(&mut all, first);
    all
}

fn collect_root(all: &mut Vec<Spot>, game: &str) {
    all.push(Spot { game: game.to_owned(), path: Vec::new(), schema: schema() });
}

fn collect(all: &mut Vec<Spot>, game: &str, path: Vec<String>, schema: Value) {
    let inner = schema["properties"].as_object().cloned().unwrap_or_default();
    all.push(Spot { game: game.to_owned(), path: path.clone(), schema });
    for (key, value) in inner {
        let path = path.iter().cloned().chain([key]).collect();
        collect(all, game, path, value);
    }
}

fn keys(schema: &Value) -> BTreeSet<String> {
    schema["properties"].as_object().expect("a mapping").keys().cloned().collect()
}

#[test]
fn every_section_has_the_keys_its_reader_knows() {
    let mut sections = 0;
    for spot in spots().into_iter().filter(|spot| spot.schema["properties"].is_object()) {
        let path: Vec<String> = spot.path.iter().cloned().chain([UNKNOWN.to_owned()]).collect();
        let problems = problems(&spot.game, &path, &json!(1));
        let message = format!("unknown key `{UNKNOWN}`");
        let hint = problems.iter().find(|one| one.0 == message).map(|one| one.1.as_str());
        let hint = hint.unwrap_or_else(|| panic!("{path:?}: no such problem in {problems:?}"));
        let known: BTreeSet<String> =
            hint.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect();
        assert_eq!(keys(&spot.schema), known, "{} {path:?}", spot.game);
        sections += 1;
    }
    assert!(sections > 20, "{sections}");
}

fn accepts(spot: &Spot, value: &Value) -> bool {
    problems(&spot.game, &spot.path, value).is_empty()
}

/// Boards for words that do not fit on the default one, such as maps of one size.
const BOARDS: [[u32; 2]; 3] = [[19, 19], [19, 21], [25, 25]];

/// Returns whether a word is accepted, if need be on a board of its own.
fn accepts_word(spot: &Spot, word: &Value) -> bool {
    let Some((key, parent)) = spot.path.split_last() else { return accepts(spot, word) };
    let fits = |[width, height]: &[u32; 2]| {
        let options = json!({ key: word, "width": width, "height": height });
        problems(&spot.game, parent, &options).is_empty()
    };
    accepts(spot, word) || BOARDS.iter().any(fits)
}

#[test]
fn every_word_of_the_schema_is_read_and_no_other() {
    let mut words = 0;
    for spot in spots() {
        let Some(known) = spot.schema["enum"].as_array() else { continue };
        // The game determines the other keys, not the words of this one.
        if spot.path.last().is_some_and(|key| key == "game") {
            assert_eq!(json!(known), json!(Catalogue::built_in().ids()));
            continue;
        }
        // A key that has no effect in this game may be written without a value.
        let is_of_other_games = spot.schema["type"] == "null";
        for word in known {
            let is_accepted = word.is_null() || !is_of_other_games;
            assert_eq!(
                accepts_word(&spot, word),
                is_accepted,
                "{} {:?}: {word}",
                spot.game,
                spot.path
            );
            words += 1;
        }
        assert!(!accepts(&spot, &json!("zz")), "{} {:?}", spot.game, spot.path);
    }
    assert!(words > 40, "{words}");
}

#[test]
fn every_range_of_the_schema_is_the_reader_s() {
    let mut ranges = 0;
    for spot in spots() {
        let (Some(least), Some(most)) =
            (as_wide(&spot.schema["minimum"]), as_wide(&spot.schema["maximum"]))
        else {
            continue;
        };
        let refused_by_type = |number: i128| {
            problems(&spot.game, &spot.path, &number_of(number)).iter().any(is_about_range)
        };
        for number in [least, most] {
            assert!(!refused_by_type(number), "{} {:?}: {number}", spot.game, spot.path);
        }
        for number in [least - 1, most + 1] {
            assert!(refused_by_type(number), "{} {:?}: {number}", spot.game, spot.path);
        }
        ranges += 1;
    }
    assert!(ranges > 60, "{ranges}");
}

fn as_wide(number: &Value) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

fn number_of(number: i128) -> Value {
    let text = serde_json::from_str(&number.to_string());
    i64::try_from(number).map_or_else(|_| text.expect("a number"), Value::from)
}

/// Returns whether a problem is about the number alone, not about its meaning elsewhere.
fn is_about_range((message, _): &(String, String)) -> bool {
    message.ends_with("is out of range") || message.starts_with("expected a whole number")
}

#[test]
fn reader_and_cases_agree() {
    let text = include_str!("cases.yaml");
    let cases: Value = super::super::yaml::from_str(text).expect("it is YAML");
    for (key, is_accepted) in [("accepted", true), ("refused", false), ("refused_by_joust", false)]
    {
        let list = cases["tournament"][key].as_array().expect("a list");
        assert!(!list.is_empty());
        for case in list.iter().map(|case| case.as_str().expect("a text")) {
            let file = format!("events:\n  - game: battlebots\n    bots: [a]\n    {case}\n");
            let result = parse(&file, Path::new("t.yaml"), &Catalogue::built_in());
            assert_eq!(result.is_ok(), is_accepted, "{case}: {:?}", result.err());
        }
    }
}
