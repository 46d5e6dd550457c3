//! Golden transcripts: the state machine takes what is in order, and refuses the rest
//! with the words of the file. Every message of them fits the JSON Schema.

mod schema;

use joust_gamekit::{Breach, Capability, ExpectedGame, Session, ToReferee};
use serde_json::Value;

use schema::Schema;

/// Conversations in order.
const IN_ORDER: [(&str, &str); 3] = [
    ("connect-four", include_str!("../golden/connect-four.transcript")),
    ("together", include_str!("../golden/together.transcript")),
    ("many-bouts", include_str!("../golden/many-bouts.transcript")),
];

/// Conversations that are refused.
const REFUSED: &str = include_str!("../golden/refused.transcript");

/// Whoever a line is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step<'a> {
    Runner(&'a str),
    Referee(&'a str),
    Ends,
    IsSilent,
    Refused(&'a str),
}

fn step(line: &str) -> Option<Step<'_>> {
    match line.split_at_checked(2) {
        Some(("> ", rest)) => Some(Step::Runner(rest)),
        Some(("< ", rest)) => Some(Step::Referee(rest)),
        Some(("! ", rest)) => Some(Step::Refused(rest)),
        None if line == "$" => Some(Step::Ends),
        None if line == "~" => Some(Step::IsSilent),
        _ => None,
    }
}

/// Reads `game ID VERSION CAPABILITY…`.
fn expected(line: &str) -> ExpectedGame {
    let words: Vec<&str> = line.split(' ').collect();
    let can = words[3..].iter().map(|name| name.parse::<Capability>().expect("it is known"));
    ExpectedGame { id: words[1].to_owned(), version: words[2].to_owned(), can: can.collect() }
}

fn bytes(text: &str) -> Vec<u8> {
    let text = match text.split_once("…") {
        Some((before, rest)) => {
            let (count, after) = rest.split_once("…").expect("it is closed");
            format!("{before}{}{after}", "x".repeat(count.parse().expect("it is a number")))
        }
        None => text.to_owned(),
    };
    match text.split_once("\\xff") {
        Some((before, after)) => [before.as_bytes(), b"\xff", after.as_bytes()].concat(),
        None => text.into_bytes(),
    }
}

/// Plays the steps; `case` is named where one fails.
fn play(case: &str, game: &ExpectedGame, steps: &[Step<'_>]) -> Session {
    let mut session = Session::new(game.clone());
    let mut last: Result<(), Breach> = Ok(());
    for step in steps {
        if let Step::Refused(text) = step {
            let breach = last.expect_err(case);
            assert_eq!(breach.to_string(), *text, "{case}");
            last = Ok(());
            continue;
        }
        last.unwrap_or_else(|breach| panic!("{case}: {breach}"));
        last = match step {
            Step::Runner(line) => {
                let message: ToReferee = serde_json::from_str(line).expect(case);
                let sent =
                    session.send(&message).unwrap_or_else(|misuse| panic!("{case}: {misuse}"));
                assert_eq!(sent, format!("{line}\n"), "{case}");
                Ok(())
            }
            Step::Referee(line) => session.accept_line(&bytes(line)).map(drop),
            Step::Ends => session.finish(),
            Step::IsSilent => Err(session.fail_for_silence()),
            Step::Refused(_) => unreachable!("it is dealt with above"),
        };
    }
    last.unwrap_or_else(|breach| panic!("{case}: {breach}"));
    session
}

#[test]
fn what_is_in_order_is_taken() {
    for (name, text) in IN_ORDER {
        let game = text.lines().find(|line| line.starts_with("game ")).expect("it names the game");
        let steps: Vec<Step<'_>> = text.lines().filter_map(step).collect();
        let session = play(name, &expected(game), &steps);
        assert_eq!(session.waits_for(), None, "{name}");
    }
}

#[test]
fn what_is_out_of_order_is_refused_with_text_and_place() {
    let mut lines = REFUSED.lines().skip_while(|line| line.starts_with('#'));
    let game = expected(lines.next().expect("it names the game"));
    let first = step(lines.next().expect("hello")).expect("it is a message");
    let (mut prelude, mut cases) = (vec![first], Vec::new());
    let mut is_prelude = false;
    for line in lines {
        if let Some(name) = line.strip_prefix("case ") {
            cases.push((name, prelude.clone()));
            is_prelude = false;
        } else if line == "prelude" {
            prelude.truncate(1);
            is_prelude = true;
        } else if let Some(step) = step(line) {
            let steps = match is_prelude {
                true => &mut prelude,
                false => &mut cases.last_mut().expect("a case has begun").1,
            };
            steps.push(step);
        }
    }
    assert!(cases.len() > 50, "{}", cases.len());
    for (name, steps) in cases {
        assert!(matches!(steps.last(), Some(Step::Refused(_))), "{name}");
        let mut session = play(name, &game, &steps);
        assert!(session.accept_line(b"{}").is_err(), "{name}: it is listened to after a breach");
    }
}

#[test]
fn every_message_fits_the_schema_and_what_lacks_a_key_does_not() {
    let schema = Schema::new(joust_gamekit::SCHEMA);
    for (_, text) in IN_ORDER {
        for step in text.lines().filter_map(step) {
            let (side, line) = match step {
                Step::Runner(line) => ("toReferee", line),
                Step::Referee(line) => ("fromReferee", line),
                _ => continue,
            };
            let mut message: Value = serde_json::from_str(line).expect("it is JSON");
            schema.check(side, &message).unwrap_or_else(|problem| panic!("{line}: {problem}"));
            let kind = message["t"].take();
            assert!(schema.check(side, &message).is_err(), "{line}");
            message["t"] = kind;
            message["b"] = Value::from("one");
            assert!(schema.check(side, &message).is_err(), "{line}");
        }
    }
}
