//! Any bytes and any order of messages: the state machine never panics, tells every
//! breach with its place, and is deaf after it.

use joust_gamekit::{
    Answer, AnswerVerdict, Answers, Capability, DropBout, ExpectedGame, FromReferee, LineReader,
    Misuse, Session, StartMessage, ToReferee,
};
use proptest::prelude::*;

fn session() -> Session {
    let can = vec![Capability::Bouts, Capability::Rejudge];
    let mut session = Session::new(ExpectedGame { id: "g".into(), version: "1".into(), can });
    session.send(&ToReferee::hello("joust", "g")).expect("it is the first message");
    let game = br#"{"t":"game","protocol":1,"id":"g","version":"1","can":["rejudge","bouts"]}"#;
    session.accept_line(game).expect("it is in order");
    session
}

/// Messages of a referee, few of them in order.
fn words() -> impl Strategy<Value = String> {
    let small = 0_u32..4;
    prop_oneof![
        (small.clone(), small.clone(), small.clone()).prop_map(|(b, n, seat)| format!(
            r#"{{"t":"ask","b":{b},"n":{n},"to":[{{"seat":{seat},"text":"x"}}],"state":"s"}}"#
        )),
        (small.clone(), small.clone())
            .prop_map(|(b, seat)| format!(r#"{{"t":"out","b":{b},"seat":{seat}}}"#)),
        (small.clone(), small.clone(), "illegal|timeout").prop_map(|(b, seat, kind)| format!(
            r#"{{"t":"fault","b":{b},"seat":{seat},"kind":"{kind}","text":""}}"#
        )),
        (small.clone(), small.clone()).prop_map(|(b, score)| format!(
            r#"{{"t":"end","b":{b},"scores":[{score},1],"reason":"over","state":"s"}}"#
        )),
        small.prop_map(|b| format!(r#"{{"t":"tell","b":{b},"to":[1],"text":"x"}}"#)),
        Just(r#"{"t":"log","text":"x"}"#.to_owned()),
        r#"[\{\}\[\]":,a-z0-9 ]{0,40}"#,
    ]
}

/// Replies as a runner does to a message that was in order.
fn reply(session: &mut Session, message: &FromReferee) {
    let FromReferee::Ask(ask) = message else { return };
    let answer = |seat| Answer {
        seat,
        verdict: AnswerVerdict::Ok,
        text: "1".to_owned(),
        files: Default::default(),
        us: 1,
    };
    let of = ask.to.iter().map(|asked| answer(asked.seat)).collect();
    let answers = ToReferee::Answers(Answers { b: ask.b, n: ask.n, of });
    session.send(&answers).expect("these are the answers to the ask");
}

fn start(b: u32) -> ToReferee {
    let (seed, options) = ("1".to_owned(), Default::default());
    ToReferee::Start(StartMessage { b, seed, seats: 2, options, scene: false })
}

#[test]
fn a_text_for_many_seats_counts_for_each_of_them() {
    let tell = |seats: u8| {
        let mut session = session();
        let (seed, options) = ("1".to_owned(), Default::default());
        let start = StartMessage { b: 1, seed, seats: 255, options, scene: false };
        session.send(&ToReferee::Start(start)).expect("a bout begins");
        let (to, text) = ((0..seats).collect::<Vec<_>>(), "x".repeat(100_000));
        let tell = format!(r#"{{"t":"tell","b":1,"to":{to:?},"text":"{text}"}}"#);
        session.accept_line(tell.as_bytes()).map(drop)
    };
    assert!(tell(100).is_ok());
    let breach = tell(255).expect_err("these are 25 MB").to_string();
    assert!(breach.contains("more than 16777216 bytes without an answer"), "{breach}");
}

proptest! {
    #[test]
    fn any_order_is_taken_or_refused_once(words in proptest::collection::vec(words(), 0..40)) {
        let mut session = session();
        session.send(&start(1)).expect("it is free");
        session.send(&start(2)).expect("it is free");
        for (at, line) in words.iter().enumerate() {
            match session.accept_line(line.as_bytes()) {
                Ok(Some(message)) => {
                    prop_assert_eq!(message.to_line().matches('\n').count(), 1);
                    reply(&mut session, &message);
                }
                Ok(None) => {}
                Err(breach) => {
                    prop_assert_eq!(breach.message, at as u64 + 2);
                    prop_assert!(!breach.text.is_empty());
                    let late = session.accept_line(br#"{"t":"log","text":"x"}"#);
                    prop_assert!(late.is_err());
                    let late = session.send(&ToReferee::Drop(DropBout { b: 1 }));
                    prop_assert!(matches!(late, Err(Misuse::Broken(_))));
                    break;
                }
            }
        }
        let _ = session.finish();
    }

    #[test]
    fn any_bytes_are_a_line_or_a_breach(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut lines = LineReader::default();
        lines.push(&bytes);
        let mut session = session();
        while let Ok(Some(line)) = lines.next_line() {
            if let Err(breach) = session.accept_line(&line) {
                prop_assert!(breach.to_string().starts_with("message 2"));
                break;
            }
        }
        let _ = lines.finish();
    }

    #[test]
    fn what_was_read_is_written_and_read_alike(line in words()) {
        let mut one = session();
        one.send(&start(1)).expect("it is free");
        let mut other = one.clone();
        if let Ok(Some(message)) = one.accept_line(line.as_bytes()) {
            let again = message.to_line();
            prop_assert_eq!(other.accept_line(again.trim_end().as_bytes()).expect("it is the same"), Some(message));
        }
    }
}
