//! Words of a referee that is somebody else's program: any bytes are taken or refused with a place.
#![no_main]

use joust_gamekit::{Capability, ExpectedGame, LineReader, Session, StartMessage, ToReferee};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let can = Capability::ALL.to_vec();
    let mut session = Session::new(ExpectedGame { id: "g".into(), version: "1".into(), can });
    session.send(&ToReferee::hello("joust", "g")).expect("it is the first message");
    let game = br#"{"t":"game","protocol":1,"id":"g","version":"1","can":["bouts","numbers","rejudge","scene"]}"#;
    session.accept_line(game).expect("it is in order");
    let (seed, options) = ("1".to_owned(), Default::default());
    let start = StartMessage { b: 1, seed, seats: 3, options, scene: true };
    session.send(&ToReferee::Start(start)).expect("it is free");
    let mut lines = LineReader::default();
    lines.push(bytes);
    while let Ok(Some(line)) = lines.next_line() {
        match session.accept_line(&line) {
            Ok(message) => drop(message.map(|message| message.to_line())),
            Err(breach) => {
                assert!(breach.message >= 2 && !breach.text.is_empty());
                break;
            }
        }
    }
});
