//! Replays for the site's viewer: every position comes back as it was, nothing private is shown,
//! and long bouts stay small.

mod decode;
mod played;
mod verified;

use joust_model::cancel::Cancel;
use joust_model::{FoldError, PublicPart, Publication};
use joust_referee::Catalogue;
use joust_report::site::replay::{self, ReplayError};
use played::Played;
use serde_json::Value;

/// Returns the publication of these parts.
fn publication(parts: impl IntoIterator<Item = PublicPart>) -> Publication {
    Publication { public: parts.into_iter().collect(), ..Publication::default() }
}

/// Returns the publication of all parts.
fn all() -> Publication {
    publication(PublicPart::NAMES.map(|(_, part)| part))
}

/// Number of rounds that the bouts of each game last when their bots never end them.
const LONGEST: [(&str, usize); 7] = [
    ("battlebots", 1000),
    ("battleships-2017", 106),
    ("battlesnake", 101),
    ("bomberman-2016", 442),
    ("coderone-dungeon", 1802),
    ("connect-four", 19),
    ("uwcs-bomberman", 1000),
];

/// The game that is shown first.
fn first() -> joust_referee::Game {
    Catalogue::built_in().iter().next().expect("there are games").clone()
}

fn json(played: &Played, public: &Publication) -> Value {
    let json = replay::json(&Catalogue::built_in(), &played.stored, public, &Cancel::default())
        .expect("the bout can be judged");
    serde_json::from_slice(&json).expect("it is JSON")
}

#[test]
fn every_position_of_every_game_comes_back_as_it_was() {
    for kind in &Catalogue::built_in() {
        for rules in &kind.spec().rule_sets {
            let played = Played::of(kind, rules, 60);
            let document = json(&played, &all());
            let decoded = decode::scenes(&document);
            assert_eq!(decoded.len(), played.scenes.len(), "{} {rules}", kind.id());
            for (frame, (decoded, scene)) in decoded.iter().zip(&played.scenes).enumerate() {
                assert_eq!(decoded, &decode::plain(scene), "{} {rules}, frame {frame}", kind.id());
            }
            let rounds: Vec<u64> = (1..played.scenes.len() as u64).collect();
            assert_eq!(document["rounds"], serde_json::json!(rounds), "{} {rules}", kind.id());
        }
    }
}

#[test]
fn a_game_s_own_time_is_the_limit_of_its_answers() {
    let kind = Catalogue::built_in().find("battlesnake").expect("it is built in").clone();
    let document = json(&Played::of(&kind, "original", 5), &all());
    assert_eq!(document["seats"][0]["turn_limit_ms"], 500);
}

#[test]
fn what_is_not_public_is_not_in_the_file() {
    let played = Played::of(&first(), "documented", 5);
    let document = json(&played, &publication([]));
    for column in ["verdict", "wall_us", "cpu_us", "limits", "reason", "output", "stderr"] {
        assert_eq!(document["turns"][column], serde_json::json!([]), "{column}");
    }
    for seat in document["seats"].as_array().expect("seats") {
        for name in ["verdicts", "limits_hit", "cpu_ms", "wall_ms", "turn_limit_ms"] {
            assert!(seat.get(name).is_none(), "{name}");
        }
    }
    let text = document.to_string();
    assert!(!text.contains("secret of a bot") && !text.contains("why it failed"), "{text}");
    let text = json(&played, &all()).to_string();
    assert!(text.contains("secret of a bot") && text.contains("why it failed"), "{text}");
}

#[test]
fn the_file_is_one_call_with_the_document_deflated() {
    let played = Played::of(&first(), "documented", 5);
    let file =
        replay::data_file(&Catalogue::built_in(), &played.stored, &all(), &Cancel::default())
            .expect("the bout can be judged");
    let text = String::from_utf8(file).expect("it is ASCII");
    let packed = text.strip_prefix("joustReplay(\"").and_then(|text| text.strip_suffix("\");\n"));
    let packed = packed.expect("one call");
    assert!(packed.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
    let expected = replay::json(&Catalogue::built_in(), &played.stored, &all(), &Cancel::default())
        .expect("the bout can be judged");
    assert_eq!(decode::inflate(packed), expected);
}

#[test]
fn a_name_that_deceives_is_written_out() {
    let played = Played::named(&first(), "documented", 2, "a\u{202e}</script>\u{1b}[2J");
    let document = json(&played, &all());
    let shown = "a\\u{202e}</script>\\u{1b}[2J";
    assert_eq!(document["seats"][0]["bot"], shown);
    let words = document["words"].as_array().expect("words");
    assert!(words.iter().any(|word| word.as_str().is_some_and(|word| word.contains(shown))));
    assert!(!document.to_string().contains('\u{202e}'));
}

#[test]
fn bouts_that_last_as_long_as_they_can_stay_small() {
    let mut rounds = Vec::new();
    for kind in &Catalogue::built_in() {
        let played = Played::to_the_end(kind, kind.spec().default_rules());
        rounds.push((kind.id().to_owned(), played.scenes.len() - 1));
        let file =
            replay::data_file(&Catalogue::built_in(), &played.stored, &all(), &Cancel::default())
                .expect("the bout can be judged");
        assert!(
            file.len() < 200_000,
            "{}: {} rounds, {} bytes",
            kind.id(),
            played.scenes.len() - 1,
            file.len()
        );
    }
    assert_eq!(rounds, LONGEST.map(|(game, rounds)| (game.to_owned(), rounds)));
}

#[test]
fn a_bout_of_another_revision_is_refused() {
    let mut played = Played::of(&first(), "documented", 2);
    played.stored.plan.revision += 1;
    let refused =
        replay::data_file(&Catalogue::built_in(), &played.stored, &all(), &Cancel::default())
            .expect_err("the rules are unknown");
    assert!(
        matches!(
            refused,
            ReplayError::Fold(FoldError::UnknownRevision { recorded: 2, here: 1, .. })
        ),
        "{refused}"
    );
    played.stored.plan.game = "chess".to_owned();
    let refused =
        replay::data_file(&Catalogue::built_in(), &played.stored, &all(), &Cancel::default())
            .expect_err("the game is unknown");
    assert_eq!(refused.to_string(), "this version of Joust has no game `chess`");
}

#[test]
fn a_damaged_log_is_an_error() {
    let mut played = Played::of(&first(), "documented", 2);
    played.stored.result.action_log.truncate(5);
    let refused =
        replay::data_file(&Catalogue::built_in(), &played.stored, &all(), &Cancel::default())
            .expect_err("the log is cut");
    assert_eq!(refused.to_string(), "the action log is damaged");
}

#[test]
fn what_seats_were_shown_is_kept_and_files_for_programs_are_not() {
    let played = Played::of(&first(), "documented", 3);
    let views = json(&played, &all())["views"].as_array().expect("views").len();
    assert!(views > 3 * 2 * 12, "{views} numbers");
    let dungeon = joust_testkit::game("coderone-dungeon");
    let played = Played::of(&dungeon, "original", 3);
    assert_eq!(json(&played, &all())["views"], serde_json::json!([]));
}
