//! Tests of a bout's history beside its result, as `joust history` prints it.

use joust_model::{Change, HistoryRow};
use joust_model::{PublicPart, Publication};
use joust_testkit::html::problems;

use crate::fixtures::site::{League, league, page};
use crate::fixtures::{disqualified, stored_bout};

/// A bout that was amended, after a try that was voided and before a rerun.
fn disputed() -> League {
    let mut league = league(&["anna", "bert"]);
    let shown = &mut league.bouts[0];
    let began = shown.stored.result.started_at;
    let mut before = stored_bout(["anna", "bert"], [2, 1], (0, 0));
    before.result.ended = "round-limit".to_owned();
    before.result.state_hash = "0f".repeat(32);
    before.result.started_at = began - 60_000;
    let bout = shown.stored.plan.bout;
    let line = |change, reason: &str, at, before| HistoryRow {
        bout,
        change,
        reason: reason.to_owned(),
        at,
        before,
    };
    shown.history = vec![
        line(Change::Voided, "/srv/joust: no space left", began - 90_000, None),
        line(
            Change::Amended,
            "the power failed; it said nothing; write to boss@secret.example",
            began + 30_000,
            Some(before),
        ),
        line(Change::Rerun, "3 reruns: all the same", began + 90_000, None),
    ];
    league
}

fn text(league: &League, publication: &Publication, bout: usize) -> String {
    let files = league.site(publication);
    assert_eq!(problems(&files), Vec::<String>::new());
    let id = league.bouts[bout].stored.plan.bout;
    page(&files, &format!("league/bouts/{id}.html")).text
}

#[test]
fn the_trail_has_every_result_and_reason_in_the_order_of_time() {
    let text = text(&disputed(), &Publication::default(), 0);
    let trail = &text[text.find("History").expect("a history")..];
    let mut after = 0;
    for part in [
        "A try was voided",
        "Result, superseded since",
        "round-limit after 3 rounds",
        &"0f".repeat(32),
        "Result, which stands",
        "knock-out after 3 rounds",
        "Amended: another result took its place",
        "the power failed; it said nothing; write to [e-mail]",
        "Rerun",
        "3 reruns: all the same",
    ] {
        let found = trail[after..].find(part);
        after += found.unwrap_or_else(|| panic!("{part} after {after}: {trail}"));
    }
}

#[test]
fn a_bout_that_nobody_touched_has_no_history() {
    let text = text(&disputed(), &Publication::default(), 1);
    assert!(!text.contains("History") && text.contains("joust history"), "{text}");
}

#[test]
fn decisions_on_its_bots_are_part_of_it() {
    let mut league = league(&["anna", "bert"]);
    league.info.decisions.push(disqualified("bert", "a copy of anna; it said so"));
    let text = text(&league, &Publication::default(), 1);
    let trail = &text[text.find("History").expect("a history")..];
    assert!(
        trail.contains("bert disqualified") && trail.contains("a copy of anna; it said so"),
        "{trail}"
    );
}

#[test]
fn the_log_of_the_machine_and_faults_are_public_only_when_asked_for() {
    let shown = |public: &[PublicPart]| {
        let public = public.iter().copied().collect();
        text(&disputed(), &Publication { public, ..Publication::default() }, 0)
    };
    let by_default = text(&disputed(), &Publication::default(), 0);
    assert!(!by_default.contains("/srv/joust") && by_default.contains("Faults"), "{by_default}");
    assert!(shown(&[PublicPart::Logs]).contains("/srv/joust: no space left"));
    assert!(!shown(&[]).contains("Faults"));
}
