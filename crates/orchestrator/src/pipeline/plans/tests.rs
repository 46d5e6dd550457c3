use std::collections::{HashMap, HashSet};
use std::path::Path;

use joust_store::{BoutPlace, Scheduled};

use super::*;

fn players(count: usize) -> Vec<Player> {
    let player = |number| Player {
        name: format!("bot-{number:02}"),
        build: BuildHash::of("test", &[&[number]]),
        listed: u32::from(number),
    };
    (0..u8::try_from(count).unwrap()).map(player).collect()
}

/// The plans of an event whose matches are of four.
fn fours(bots: usize, matches: u32) -> Vec<BoutPlan> {
    let text = format!(
        "events:\n  - {{ game: uwcs-bomberman, bots: [a], players_per_match: 4, schedule: {{ kind: \
         partial, matches_per_bot: {matches} }} }}\n"
    );
    let tournament =
        joust_config::parse(&text, Path::new("t.yaml"), &joust_referee::Catalogue::built_in())
            .unwrap();
    let players = players(bots);
    EventPlans::new(&tournament, &tournament.events[0], &players).all().collect()
}

fn seats_taken(plans: &[BoutPlan]) -> HashMap<(&str, usize), usize> {
    let mut taken = HashMap::new();
    for plan in plans {
        for (seat, planned) in plan.seats.iter().enumerate() {
            *taken.entry((planned.bot.as_str(), seat)).or_default() += 1;
        }
    }
    taken
}

#[test]
fn shards_together_have_every_bout_once_and_keep_mirror_pairs_together() {
    let text = "events:\n  - { game: battlebots, bots: [a], bouts: 5 }\n";
    let tournament =
        joust_config::parse(text, Path::new("t.yaml"), &joust_referee::Catalogue::built_in())
            .unwrap();
    let (players, event) = (players(9), &tournament.events[0]);
    let plans = || EventPlans::new(&tournament, event, &players);
    let mut together: Vec<BoutPlan> = Vec::new();
    for number in 1..=4 {
        let shard = Shard::new(number, 4).unwrap();
        let own: Vec<_> = plans().of_shard(Some(shard)).all().collect();
        for plan in &own {
            let partner =
                own.iter().any(|other| other.bout != plan.bout && other.seed == plan.seed);
            assert!(partner || plan.number == 4, "{plan:?}");
        }
        assert!((42..=48).contains(&own.len()), "shard {number} has {} bouts", own.len());
        together.extend(own);
    }
    together.sort_by_key(|plan| (plan.match_number, plan.number));
    assert_eq!(together, plans().all().collect::<Vec<_>>());
}

#[test]
fn every_bout_is_found_by_its_place_whatever_the_schedule() {
    let kinds = [
        "{ kind: round-robin }",
        "{ kind: partial, matches_per_bot: 4 }",
        "{ kind: gauntlet, bots: [bot-03, bot-05] }",
        "{ kind: swiss, rounds: 3 }",
        "{ kind: divisions, rounds: 2, size: 4 }",
    ];
    for kind in kinds {
        let text =
            format!("events:\n  - {{ game: battlebots, bots: [a], bouts: 3, schedule: {kind} }}\n");
        let games = joust_referee::Catalogue::built_in();
        let tournament = joust_config::parse(&text, Path::new("t.yaml"), &games).unwrap();
        let players = players(11);
        let plans = EventPlans::new(&tournament, &tournament.events[0], &players);
        let places: Vec<BoutPlace> = Scheduled::all(&plans).collect();
        assert_eq!(places, plans.all().map(|plan| BoutPlace::of(&plan)).collect::<Vec<_>>());
        assert_eq!(places.len() as u64, plans.count(), "{kind}");
        let mut done = BoutSet::new(plans.bouts_per_match());
        // What finds them remembers the last match, and its last pair.
        let mut find = plans.finder();
        let mut is_found = |place: &BoutPlace| {
            let alone = plans.finder()(place.match_number, place.number);
            let found = find(place.match_number, place.number);
            assert_eq!((found, alone), (Some(*place), Some(*place)), "{kind}");
        };
        places.iter().chain(places.iter().rev()).for_each(&mut is_found);
        places.iter().step_by(4).for_each(&mut is_found);
        for place in &places {
            assert!(done.insert(place.match_number, place.number), "a place of its own");
        }
        let last = places.last().unwrap();
        let mut find = plans.finder();
        assert_eq!(find(last.match_number, 3), None, "{kind}");
        assert_eq!(find(last.match_number + 1, 0), None, "{kind}");
        assert_eq!(find(last.match_number, last.number), Some(*last), "{kind}");
        assert_eq!(plans.unfinished(&done).count(), 0);
        assert_eq!(plans.unfinished(&BoutSet::default()).count(), places.len());
        let all = ScheduleProgress { scheduled: plans.count(), finished: plans.count() };
        assert_eq!(plans.progress(&done), all);
    }
}

/// An event of five bots with programs that stay for a match.
fn with_whole_matches() -> Tournament {
    let text = "events:\n  - { game: battlebots, bots: [a], bouts: 3 }\n";
    let games = joust_referee::Catalogue::built_in();
    let mut tournament = joust_config::parse(text, Path::new("t.yaml"), &games).unwrap();
    tournament.events[0].limits.programs = ProgramLifetime::Match;
    tournament
}

#[test]
fn a_match_that_is_played_whole_is_in_one_shard_and_in_one_go() {
    let tournament = with_whole_matches();
    let players = players(5);
    let plans = || EventPlans::new(&tournament, &tournament.events[0], &players);
    let mut matches = 0;
    for number in 1..=3 {
        let own = plans().of_shard(Some(Shard::new(number, 3).unwrap()));
        for together in in_one_go(own.all()) {
            assert_eq!(together.len(), 3);
            assert!(together.iter().all(|it| it.match_number == together[0].match_number));
            matches += 1;
        }
    }
    assert_eq!(matches, 10, "each once");
    let mut apart = with_whole_matches();
    apart.events[0].limits.programs = ProgramLifetime::Bout;
    let plans = EventPlans::new(&apart, &apart.events[0], &players);
    assert!(in_one_go(plans.all()).all(|together| together.len() == 1));
}

#[test]
fn a_match_that_lacks_a_bout_is_played_whole_again() {
    let tournament = with_whole_matches();
    let players = players(3);
    let plans = EventPlans::new(&tournament, &tournament.events[0], &players);
    let lacking = plans.all().nth(4).unwrap();
    let (mut finished, mut all) = (BoutSet::new(3), BoutSet::new(3));
    for plan in plans.all() {
        all.insert(plan.match_number, plan.number);
        if plan != lacking {
            finished.insert(plan.match_number, plan.number);
        }
    }
    assert_eq!(plans.unfinished(&all).count(), 0);
    assert_eq!(plans.played_again(&all).len(), 0);
    let again: Vec<_> = plans.unfinished(&finished).collect();
    assert_eq!(again.len(), 3);
    assert!(again.iter().all(|plan| plan.match_number == lacking.match_number));
    let replaced = plans.played_again(&finished);
    assert!(replaced.len() == 2 && !replaced.contains(lacking.match_number, lacking.number));
}

#[test]
fn listed_seats_are_another_plan_for_the_same_bout_unless_the_lot_fell_so() {
    let plans = |seats: &str, is_turned: bool| -> Vec<BoutPlan> {
        let text = format!(
            "events:\n  - {{ game: battlebots, bots: [a], mirror: false, seats: {seats} }}\n"
        );
        let tournament =
            joust_config::parse(&text, Path::new("t.yaml"), &joust_referee::Catalogue::built_in())
                .unwrap();
        let mut players = players(4);
        if is_turned {
            players.iter_mut().for_each(|player| player.listed = 3 - player.listed);
        }
        EventPlans::new(&tournament, &tournament.events[0], &players).all().collect()
    };
    let (drawn, listed, turned) =
        (plans("drawn", false), plans("listed", false), plans("listed", true));
    assert_eq!(drawn, plans("drawn", true), "where lots are drawn the list plays no part");
    for ((drawn, listed), turned) in drawn.iter().zip(&listed).zip(&turned) {
        assert_eq!((drawn.bout, drawn.seed), (listed.bout, listed.seed));
        assert_eq!(drawn.key() == listed.key(), drawn.seats == listed.seats);
        assert!(listed.seats[0].bot < listed.seats[1].bot, "{listed:?}");
        assert!(turned.seats[0].bot > turned.seats[1].bot, "{turned:?}");
        assert_ne!(listed.key(), turned.key());
    }
}

#[test]
fn shards_of_a_round_are_equal() {
    let text = "events:\n  - { game: battlebots, bots: [a], bouts: 2, schedule: { kind: swiss, rounds: 5 } }\n";
    let tournament =
        joust_config::parse(text, Path::new("t.yaml"), &joust_referee::Catalogue::built_in())
            .unwrap();
    let (players, event) = (players(80), &tournament.events[0]);
    let plans = || EventPlans::new(&tournament, event, &players);
    let open = RoundState { open: 1, of: 5, is_over: false };
    assert_eq!((plans().all().count(), plans().round_state()), (80, Some(open)));
    for number in 1..=4 {
        let share = plans().of_shard(Shard::new(number, 4).ok()).all().count();
        assert_eq!(share, 20, "shard {number} of 80");
    }
}

#[test]
fn every_group_of_four_meets_with_all_rotations_of_its_seats() {
    let plans = fours(6, 100);
    assert_eq!(plans.len(), 60);
    let taken = seats_taken(&plans);
    assert!(taken.len() == 24 && taken.values().all(|count| *count == 10), "{taken:?}");
}

#[test]
fn a_selection_gives_every_bot_every_seat_equally_often() {
    let plans = fours(16, 12);
    assert_eq!(plans.len(), 192);
    let taken = seats_taken(&plans);
    assert!(taken.len() == 64 && taken.values().all(|count| *count == 12), "{taken:?}");
    let bouts: HashSet<_> = plans.iter().map(|plan| plan.bout).collect();
    assert_eq!(bouts.len(), plans.len(), "every bout has its own id");
}
