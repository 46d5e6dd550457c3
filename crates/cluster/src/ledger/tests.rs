use std::collections::BTreeSet;

use joust_model::{BoutPlan, BoutResult, BuildHash, GameOptions, Limits, Occupant, SeatPlan};
use joust_play::executor::{CoreNeeds, Failure, FewerCores, MachineOffer, Needs, Toolchain};
use joust_referee::Seed;
use joust_testkit::fixtures;

use super::*;
use crate::message::{Batch, WorkerState};

const TIMEOUTS: Timeouts =
    Timeouts { lease: Duration::from_secs(30), beat: Duration::from_secs(5) };

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn bout(number: u64, wanted: usize) -> Assignment {
    let seat = SeatPlan { bot: "a".to_owned(), occupant: Occupant::Build(BuildHash([1; 32])) };
    let plan = BoutPlan {
        bout: BoutId(number.to_be_bytes()),
        event: "event".to_owned(),
        game: "game".to_owned(),
        revision: 1,
        referee: None,
        rules: "rules".to_owned(),
        options: GameOptions::default().into(),
        seed: Seed(number / 2),
        match_number: number / 4,
        number: u32::try_from(number % 4).expect("it is small"),
        seats: vec![seat],
        limits: Limits::default().into(),
        clock: None,
    };
    let cores = CoreNeeds { wanted, otherwise: FewerCores::Refused };
    Assignment::new(plan, Needs { cores, ..Needs::default() })
}

fn announcement(worker: &str, held: &[u64]) -> Announcement {
    let tier = joust_sandbox::Tier::B;
    let offer = MachineOffer { cores: 1, tier, toolchains: BTreeSet::new() };
    Announcement {
        state: WorkerState::Playing,
        held: held.iter().copied().collect(),
        epoch: 1,
        ..Announcement::new(worker, offer)
    }
}

fn filled(bouts: u64) -> Ledger {
    let mut ledger = Ledger::new(1, TIMEOUTS);
    (0..bouts).for_each(|number| assert_eq!(ledger.add_bout(bout(number, 1), seconds(0)), None));
    ledger
}

fn seeds(batch: &Batch) -> Vec<u64> {
    batch.bouts.iter().map(|it| it.plan.seed.0).collect()
}

fn report(batch: &Batch) -> Report {
    let delivery = |it: &Assignment| {
        Delivery::new(it.plan.bout, Err(joust_play::executor::Failure::Cancelled))
    };
    Report {
        worker: "w".to_owned(),
        epoch: 1,
        batch: batch.number,
        attempt: batch.attempt,
        deliveries: batch.bouts.iter().map(delivery).collect(),
        returned: Vec::new(),
    }
}

#[test]
fn mirrored_bouts_are_never_in_two_batches_and_a_match_may_be() {
    let mut ledger = filled(7);
    let first = ledger.next_batch(seconds(0)).expect("whole pairs wait");
    assert_eq!(seeds(&first), [0, 0]);
    let second = ledger.next_batch(seconds(0)).expect("whole pairs wait");
    assert_eq!(seeds(&second), [1, 1]);
    assert_eq!(ledger.next_batch(seconds(0)), None, "as many are out as there may be");
    ledger.record_announcement(&announcement("w", &[]), seconds(0));
    assert_eq!(seeds(&ledger.next_batch(seconds(0)).expect("one may be")), [2, 2]);
    ledger.record_announcement(&announcement("v", &[]), seconds(0));
    assert_eq!(ledger.next_batch(seconds(0)), None, "the last pair may not be whole");
    ledger.close();
    assert_eq!(seeds(&ledger.next_batch(seconds(0)).expect("it is whole")), [3]);
}

#[test]
fn a_batch_lasts_as_long_whoever_plays_in_it() {
    let of = |bot: &str, number| {
        let mut bout = bout(number, 1);
        bout.plan.seats[0].bot = bot.to_owned();
        bout
    };
    let mut ledger = Ledger::new(1, TIMEOUTS);
    ledger.record_announcement(&announcement("w", &[]), seconds(0));
    for number in 0..4 {
        ledger.add_bout(of(if number < 2 { "quick" } else { "slow" }, number), seconds(0));
    }
    for (took, number) in [(Duration::from_millis(10), 0), (seconds(1), 1)] {
        let batch =
            ledger.next_batch(seconds(number)).expect("nothing is known, so it is one pair");
        assert_eq!(seeds(&batch), [number, number]);
        let results = |it: &Assignment| Ok(vec![result(it, took)]);
        let deliver = |it: &Assignment| Delivery::of_all(it.plan.bout, results(it));
        let deliveries = batch.bouts.iter().map(deliver).collect();
        let fresh =
            ledger.record_report(Report { deliveries, ..report(&batch) }, seconds(number + 1));
        assert_eq!(fresh.len(), 2);
        if number == 0 {
            ledger.add_bout(of("quick", 4), seconds(0));
        }
    }
    for number in 5..100 {
        let bot = ["quick", "slow", "new"][usize::try_from(number / 20).expect("small").min(2)];
        ledger.add_bout(of(bot, number), seconds(3));
    }
    let sizes: Vec<usize> = std::iter::from_fn(|| {
        let batch = ledger.next_batch(seconds(3))?;
        ledger.record_report(report(&batch), seconds(3));
        Some(batch.bouts.len())
    })
    .collect();
    assert_eq!(
        sizes[..7],
        [22, 6, 6, 8, 8, 8, 8],
        "quick ones with a slow pair, slow ones, new ones"
    );
    assert!(sizes[7..].iter().all(|size| *size <= 8), "those of nobody known are few: {sizes:?}");
}

#[test]
fn a_batch_is_of_one_class() {
    let mut ledger = Ledger::new(1, TIMEOUTS);
    for (number, cores) in [(0, 1), (1, 1), (2, 4), (3, 4), (4, 1), (5, 1)] {
        ledger.add_bout(bout(number, cores), seconds(0));
    }
    ledger.close();
    let classes =
        [ledger.next_batch(seconds(0)), ledger.next_batch(seconds(0))].map(|it| it.unwrap().class);
    assert_ne!(classes[0], classes[1]);
    assert_eq!(ledger.classes(seconds(0)).len(), 2);
}

fn tools(languages: &[&str]) -> BTreeSet<Toolchain> {
    let version = || "1".to_owned();
    let tools =
        |language: &&str| Toolchain { language: (*language).to_owned(), version: version() };
    languages.iter().map(tools).collect()
}

/// Makes a ledger with a pair of bouts for each of these languages, and these workers.
fn in_languages(languages: &[&str], workers: &[(&str, &[&str])]) -> Ledger {
    let mut ledger = Ledger::new(1, TIMEOUTS);
    for (number, language) in (0..).zip(languages.iter().flat_map(|it| [it, it])) {
        let mut bout = bout(number, 1);
        bout.needs.toolchains = tools(&[language]);
        ledger.add_bout(bout, seconds(0));
    }
    ledger.close();
    workers.iter().for_each(|(name, languages)| {
        let mut announcement = announcement(name, &[]);
        announcement.offer.toolchains = tools(languages);
        ledger.record_announcement(&announcement, seconds(0));
    });
    // Short bouts all fit into one batch.
    ledger.durations.record(&bout(0, 1).plan, Duration::from_millis(1));
    ledger
}

#[test]
fn bouts_of_all_languages_go_out_together_while_whoever_plays_has_the_tools() {
    let languages = ["c", "go", "c", "go", "c", "go", "c", "go"];
    let both: &[&str] = &["c", "go"];
    let cut = |workers: &[(&str, &[&str])]| {
        let mut ledger = in_languages(&languages, workers);
        let batch = ledger.next_batch(seconds(0)).expect("they wait");
        assert_eq!(ledger.classes(seconds(0)).len(), 1, "others are not asked for");
        seeds(&batch)
    };
    assert_eq!(cut(&[("w", both), ("v", both)]), [0, 0, 1, 1]);
    assert_eq!(cut(&[("w", both), ("v", &["c"])]), [0, 0, 2, 2]);
    assert_eq!(cut(&[]), [0, 0, 1, 1, 2, 2, 3, 3], "who comes may have them");
    let mut ledger = in_languages(&languages, &[]);
    ledger.record_announcement(
        &Announcement { state: WorkerState::Preparing, ..announcement("w", &[]) },
        seconds(0),
    );
    let batch = ledger.next_batch(seconds(0)).expect("they wait");
    assert_eq!(seeds(&batch), [0, 0, 1, 1, 2, 2, 3, 3], "what it has it does not know yet");
}

/// Returns all batches that can be sent now.
fn all_cut(ledger: &mut Ledger, now: Duration) -> Vec<Batch> {
    std::iter::from_fn(|| ledger.next_batch(now)).collect()
}

#[test]
fn a_batch_that_nobody_can_take_any_more_is_taken_apart() {
    let mut ledger = in_languages(&["c", "go", "c", "go"], &[("w", &["c", "go"])]);
    let batches = all_cut(&mut ledger, seconds(0));
    assert_eq!(seeds(&batches[0]), [0, 0, 1, 1]);
    let mut lacking = announcement("v", &[]);
    lacking.offer.toolchains = tools(&["c"]);
    ledger.record_announcement(&lacking, seconds(20));
    assert_eq!(all_cut(&mut ledger, seconds(20)), [], "somebody can take them");
    assert_eq!(ledger.remove_silent_workers(seconds(21)), ["w"]);
    let anew = all_cut(&mut ledger, seconds(21));
    assert_eq!(seeds(&anew[0]), [0, 0, 2, 2]);
    assert_eq!(seeds(&anew[1]), [1, 1]);
    assert_ne!(anew[0].class, anew[1].class);
    assert_eq!(
        ledger.record_report(report(&batches[0]), seconds(21)).len(),
        4,
        "late reports count"
    );
    assert_eq!(ledger.record_report(report(&anew[0]), seconds(21)).len(), 2);
}

#[test]
fn a_worker_that_measures_anew_keeps_its_tools_meanwhile() {
    let mut ledger = in_languages(&["c", "go"], &[("w", &["c", "go"])]);
    assert_eq!(all_cut(&mut ledger, seconds(0)).len(), 2);
    ledger.record_announcement(
        &Announcement { state: WorkerState::Preparing, ..announcement("w", &[]) },
        seconds(1),
    );
    let mut lacking = announcement("v", &[]);
    lacking.offer.toolchains = tools(&["c"]);
    ledger.record_announcement(&lacking, seconds(1));
    assert_eq!(all_cut(&mut ledger, seconds(1)), []);
}

#[test]
fn what_is_reported_twice_is_new_once() {
    let mut ledger = filled(2);
    ledger.close();
    let batch = ledger.next_batch(seconds(0)).expect("it waits");
    assert_eq!(ledger.record_report(report(&batch), seconds(0)).len(), 2);
    assert!(ledger.record_report(report(&batch), seconds(0)).is_empty());
    assert!(ledger.is_empty());
}

#[test]
fn what_is_given_back_waits_again() {
    let mut ledger = filled(2);
    ledger.close();
    let batch = ledger.next_batch(seconds(0)).expect("it waits");
    let returned = batch.bouts.iter().map(|it| it.plan.bout).collect();
    ledger.record_report(Report { deliveries: Vec::new(), returned, ..report(&batch) }, seconds(0));
    assert_eq!(ledger.next_batch(seconds(0)).expect("it waits again").bouts.len(), 2);
}

#[test]
fn a_batch_of_a_silent_worker_is_handed_out_again() {
    let mut ledger = filled(2);
    ledger.close();
    let batch = ledger.next_batch(seconds(0)).expect("it waits");
    ledger.record_announcement(&announcement("w", &[batch.number]), seconds(10));
    assert!(ledger.requeue_overdue(seconds(54)).is_empty());
    assert_eq!(ledger.requeue_overdue(seconds(56)), [batch.number]);
    let again = ledger.next_batch(seconds(56)).expect("it is handed out");
    assert_eq!((again.attempt, again.bouts.len()), (1, 2));
    assert_eq!(ledger.remove_silent_workers(seconds(56)), ["w"]);
}

#[test]
fn what_nobody_holds_is_handed_out_again_when_the_transport_was_wiped() {
    let mut ledger = filled(4);
    ledger.close();
    let (held, waits) =
        (ledger.next_batch(seconds(0)).unwrap(), ledger.next_batch(seconds(0)).unwrap());
    ledger.record_announcement(&announcement("w", &[held.number]), seconds(10));
    assert_eq!(ledger.requeue_after_wipe(seconds(12)), 1);
    assert_eq!(ledger.next_batch(seconds(12)).expect("it is handed out").number, waits.number);
}

/// Makes a result that claims to have taken `took`.
fn result(bout: &Assignment, took: Duration) -> BoutResult {
    let action_log = vec![0; 1000];
    BoutResult { took, action_log, ..fixtures::result(&bout.plan, bout.plan.key(), Vec::new()) }
}

#[test]
fn a_batch_that_its_worker_does_not_hold_any_more_is_handed_out_again_when_no_report_comes() {
    let mut ledger = filled(4);
    ledger.close();
    let (kept, dropped) =
        (ledger.next_batch(seconds(0)).unwrap(), ledger.next_batch(seconds(0)).unwrap());
    ledger.record_announcement(&announcement("w", &[kept.number, dropped.number]), seconds(5));
    for at in [10, 15, 20, 25, 30] {
        ledger.record_announcement(&announcement("w", &[kept.number]), seconds(at));
        assert!(ledger.requeue_overdue(seconds(at)).is_empty(), "its report may be on its way");
    }
    ledger.record_announcement(&announcement("w", &[kept.number]), seconds(33));
    assert_eq!(ledger.requeue_overdue(seconds(33)), [dropped.number]);
}

#[test]
fn a_report_that_was_wiped_on_its_way_is_not_waited_for_as_long() {
    let mut ledger = filled(2);
    ledger.close();
    let batch = ledger.next_batch(seconds(0)).expect("it waits");
    ledger.record_announcement(&announcement("w", &[batch.number]), seconds(5));
    assert_eq!(ledger.requeue_after_wipe(seconds(6)), 0, "the worker has it");
    ledger.record_announcement(&announcement("w", &[]), seconds(7));
    assert!(ledger.requeue_overdue(seconds(9)).is_empty());
    assert_eq!(ledger.requeue_overdue(seconds(10)), [batch.number]);
}

#[test]
fn a_worker_in_another_life_holds_nothing_of_what_it_held() {
    let mut ledger = filled(2);
    ledger.close();
    let batch = ledger.next_batch(seconds(0)).expect("it waits");
    ledger.record_announcement(&announcement("w", &[batch.number]), seconds(5));
    let fresh = Announcement { instance: 7, epoch: 0, ..announcement("w", &[]) };
    ledger.record_announcement(&fresh, seconds(6));
    ledger.record_announcement(&fresh, seconds(29));
    assert_eq!(ledger.requeue_overdue(seconds(29)), [batch.number]);
}

#[test]
fn who_holds_a_batch_for_ever_keeps_nobody_waiting_for_ever() {
    let mut ledger = filled(2);
    ledger.close();
    let batch = ledger.next_batch(seconds(0)).expect("it waits");
    let mut attempts = Vec::new();
    for at in (0..4000).step_by(5) {
        ledger.record_announcement(&announcement("w", &[batch.number]), seconds(at));
        if !ledger.requeue_overdue(seconds(at)).is_empty() {
            attempts.push(at);
            ledger.next_batch(seconds(at)).expect("it is handed out");
        }
    }
    // Without measurements, bouts are assumed to take long.
    assert_eq!(attempts, [545, 1635, 3805]);
}

#[test]
fn what_an_older_report_gives_back_is_not_taken_from_whom_has_it_now() {
    let mut ledger = filled(2);
    ledger.close();
    let batch = ledger.next_batch(seconds(0)).expect("it waits");
    ledger.record_announcement(&announcement("w", &[batch.number]), seconds(10));
    assert_eq!(ledger.requeue_overdue(seconds(56)), [batch.number]);
    let again = ledger.next_batch(seconds(56)).expect("it is handed out");
    let returned: Vec<BoutId> = batch.bouts.iter().map(|it| it.plan.bout).collect();
    let back = |batch: &Batch| Report {
        deliveries: Vec::new(),
        returned: returned.clone(),
        ..report(batch)
    };
    ledger.record_report(back(&batch), seconds(57));
    ledger.record_report(Report { epoch: 0, ..back(&again) }, seconds(57));
    assert_eq!(ledger.next_batch(seconds(57)), None, "somebody has it");
    ledger.record_report(back(&again), seconds(57));
    assert_eq!(ledger.next_batch(seconds(57)).expect("it waits again").bouts.len(), 2);
}

#[test]
fn what_a_worker_says_of_itself_overflows_nothing() {
    let mut ledger = filled(9);
    ledger.close();
    let mut offer = announcement("w", &[]);
    offer.offer.cores = usize::MAX;
    ledger.record_announcement(&offer, seconds(0));
    ledger.record_announcement(&Announcement { worker: "v".to_owned(), ..offer }, seconds(0));
    let batch = ledger.next_batch(seconds(0)).expect("it waits");
    let results = vec![result(&batch.bouts[0], Duration::MAX); 2];
    let deliveries = vec![Delivery::of_all(batch.bouts[0].plan.bout, Ok(results))];
    let fresh = ledger.record_report(Report { deliveries, ..report(&batch) }, seconds(4));
    assert_eq!(fresh.len(), 1);
    assert_eq!(ledger.durations.overall, Some(seconds(4)), "it was out for so long");
    assert!(ledger.requeue_overdue(Duration::from_secs(1 << 40)).len() <= 9);
}

#[test]
fn results_that_nobody_asked_for_take_no_more_than_their_room() {
    const LONG: usize = 63 << 20;
    check_room_of_premature_results(|result| result.action_log = vec![0; LONG]);
    check_room_of_premature_results(|result| result.machine = "m".repeat(LONG));
}

fn check_room_of_premature_results(lengthen: fn(&mut BoutResult)) {
    let mut ledger = filled(0);
    for number in 0..9 {
        let bout = bout(number, 1);
        let mut one = result(&bout, seconds(1));
        lengthen(&mut one);
        let deliveries = vec![Delivery::new(bout.plan.bout, Ok(one))];
        let batch = Batch {
            epoch: 1,
            number: 0,
            attempt: 0,
            class: ClassId::of(&bout.needs),
            bouts: Vec::new(),
        };
        ledger.record_report(Report { deliveries, ..report(&batch) }, seconds(0));
    }
    assert_eq!(ledger.premature.reports.len(), MOST_PREMATURE_BYTES / (64 << 20));
    for number in 0..9 {
        ledger.add_bout(bout(number, 1), seconds(0));
    }
    assert_eq!((ledger.premature.reports.len(), ledger.premature.bytes), (0, 0));
}

#[test]
fn only_its_holder_fails_a_bout() {
    let mut ledger = filled(4);
    ledger.close();
    let batch = ledger.next_batch(seconds(0)).expect("it waits");
    ledger.record_announcement(&announcement("one", &[batch.number]), seconds(1));
    let bout = batch.bouts[0].plan.bout;
    let failed = |worker: &str, batch: &Batch| {
        let failure = Failure::Infrastructure("no reason".to_owned());
        let deliveries = vec![Delivery::new(bout, Err(failure))];
        Report { deliveries, ..Report { worker: worker.to_owned(), ..report(batch) } }
    };
    assert_eq!(ledger.record_report(failed("other", &batch), seconds(2)), []);
    let before = Batch { number: batch.number + 1, ..batch.clone() };
    assert_eq!(ledger.record_report(failed("one", &before), seconds(2)), []);
    assert!(ledger.is_requested(bout));
    assert_eq!(ledger.record_report(failed("one", &batch), seconds(2)).len(), 1);
}

#[test]
fn results_of_bouts_that_another_holds_are_told_from_those_of_its_holder() {
    let mut ledger = filled(2);
    ledger.close();
    let batch = ledger.next_batch(seconds(0)).expect("a pair waits");
    ledger.record_announcement(&announcement("w", &[batch.number]), seconds(0));
    let one = |worker: &str, at: usize| {
        let it = &batch.bouts[at];
        let delivery = Delivery::of_all(it.plan.bout, Ok(vec![result(it, seconds(1))]));
        Report { worker: worker.to_owned(), deliveries: vec![delivery], ..report(&batch) }
    };
    let mut is_of_holder = |report| ledger.record_report(report, seconds(1))[0].is_of_holder;
    assert!(!is_of_holder(one("thief", 0)));
    assert!(is_of_holder(one("w", 1)));
}
