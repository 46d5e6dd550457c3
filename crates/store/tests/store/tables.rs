//! The smaller tables.

use std::time::Duration;

use joust_model::{Calibration, Reason, Seed};
use joust_store::{BotRow, BuildRow, Decision, DecisionRow, StoreError, TournamentRow};

use crate::fixtures::{EVENT, Fresh, bot, build, event};

#[tokio::test]
async fn the_tournament_is_the_one_put_last() {
    let fresh = Fresh::new().await;
    assert_eq!(fresh.store.tournament().await.expect("read"), None);
    for seed in [1, u64::MAX].map(Seed) {
        let tournament = TournamentRow { name: "cup".to_owned(), seed, seed_is_drawn: false };
        fresh.store.put_tournament(&tournament).await.expect("stored");
        assert_eq!(fresh.store.tournament().await.expect("read"), Some(tournament));
    }
}

#[tokio::test]
async fn events_keep_the_order_in_which_they_came() {
    let fresh = Fresh::new().await;
    let mut second = event();
    second.id = "a second one".to_owned();
    fresh.store.put_event(&second).await.expect("stored");
    let mut first = event();
    first.bouts_per_match = 9;
    fresh.store.put_event(&first).await.expect("stored");
    assert_eq!(fresh.store.events().await.expect("read"), [first, second]);
}

#[tokio::test]
async fn the_field_is_the_one_put_last_in_the_order_of_registration() {
    let fresh = Fresh::new().await;
    let sits_out = Some(Reason {
        ours: "no compiler\n'); DROP TABLE bots; --".to_owned(),
        build_log: "a.c:1: error".to_owned(),
        stderr: "no route".to_owned(),
    });
    let dora = BotRow { build: None, sits_out, owner: "o'hara".to_owned(), ..bot((&"dora", 1)) };
    let field = [bot((&"bert", 0)), dora];
    fresh.store.put_bots(EVENT, &field).await.expect("stored");
    assert_eq!(fresh.store.bots(EVENT).await.expect("read"), field);
}

#[tokio::test]
async fn a_field_needs_its_event() {
    let fresh = Fresh::new().await;
    let put = fresh.store.put_bots("cup", &[]).await;
    assert!(matches!(put, Err(StoreError::NoEvent { event, .. }) if event == "cup"));
}

#[tokio::test]
async fn an_event_comes_with_its_field_and_decisions() {
    let fresh = Fresh::new().await;
    let decision = DecisionRow {
        bot: "bert".to_owned(),
        decision: Decision::Disqualified,
        reason: "copied".to_owned(),
        at: 7,
    };
    fresh.store.decide(EVENT, &decision).await.expect("stored");
    let info = fresh.store.event(EVENT).await.expect("read").expect("an event");
    assert_eq!(info.settings, event());
    assert_eq!(info.bots.len(), 3);
    assert_eq!(info.decision("bert"), Some(&decision));
    assert_eq!(info.decision("anna"), None);
}

#[tokio::test]
async fn a_restored_bot_has_no_decision_but_the_record_of_both() {
    let fresh = Fresh::new().await;
    for decision in [Decision::Withdrawn, Decision::Restored] {
        let row = DecisionRow { bot: "anna".into(), decision, reason: "r".into(), at: 1 };
        fresh.store.decide(EVENT, &row).await.expect("stored");
    }
    let info = fresh.store.event(EVENT).await.expect("read").expect("an event");
    assert_eq!((info.decision("anna"), info.decisions.len()), (None, 2));
}

#[tokio::test]
async fn a_decision_needs_its_bot() {
    let fresh = Fresh::new().await;
    let row = DecisionRow {
        bot: "nobody".to_owned(),
        decision: Decision::Withdrawn,
        reason: String::new(),
        at: 0,
    };
    let decided = fresh.store.decide(EVENT, &row).await;
    assert!(matches!(decided, Err(StoreError::NoBot { bot, .. }) if bot == "nobody"));
}

#[tokio::test]
async fn the_newest_calibration_of_a_machine_is_kept() {
    let fresh = Fresh::new().await;
    let old = Calibration {
        language: "python3".to_owned(),
        game: "battlebots".to_owned(),
        runs: 10,
        cpu: Duration::from_micros(20_001),
        wall: Duration::from_micros(21_002),
        spread: Duration::from_nanos(3),
        measured_at: 1,
        machine: "here".to_owned(),
    };
    let new = Calibration { cpu: Duration::from_micros(19_000), measured_at: 2, ..old.clone() };
    let elsewhere = Calibration { machine: "there".to_owned(), ..old.clone() };
    for calibration in [&old, &elsewhere, &new] {
        fresh.store.put_calibration(calibration).await.expect("stored");
    }
    assert_eq!(fresh.store.calibrations("here").await.expect("read"), [new]);
}

#[tokio::test]
async fn a_build_keeps_its_first_record() {
    let fresh = Fresh::new().await;
    let row = BuildRow {
        hash: build("anna"),
        result: build("its files"),
        language: "c".to_owned(),
        toolchain: "cc 14".to_owned(),
        recipe: "cc -O2 bot.c".to_owned(),
        log_head: "warning: \u{1b}[31m".to_owned(),
        built_at: 5,
    };
    fresh.store.put_build(&row).await.expect("stored");
    let again = BuildRow { built_at: 6, ..row.clone() };
    fresh.store.put_build(&again).await.expect("stored");
    assert_eq!(fresh.store.build(&row.hash).await.expect("read"), Some(row));
    assert_eq!(fresh.store.build(&build("bert")).await.expect("read"), None);
}
