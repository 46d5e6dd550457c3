//! A bout of Coder One's dungeon through the `Judge` trait: requests, queues,
//! endings, refusals.

use joust_referee::games::coderone_dungeon::{
    Bomb, Bout, BoutOptions, Chance, CoderoneDungeon, Effect, EffectKind, GameState, Order, Report,
    Spot, advance,
};
use joust_referee::{
    DeadlineClass, Input, Judge, OptionValue, Options, Output, Outputs, Parts, Referee, RequestId,
    Seat, Seed, Setup, Verdict,
};

fn start_with(options: &[(&str, i64)], seats: u8) -> Result<Box<dyn Judge>, String> {
    let options: Options = options
        .iter()
        .map(|(name, value)| ((*name).to_owned(), OptionValue::Int(*value)))
        .collect();
    let setup = Setup { rules: "original", options: &options, seed: Seed(5), seats, names: &[] };
    let mut out = Outputs::new();
    let game = CoderoneDungeon.start(&setup, &mut out).map_err(|error| error.to_string())?;
    assert!(out.list.is_empty(), "nobody is asked before the first tick");
    Ok(game)
}

fn feed(game: &mut dyn Judge, input: Input) -> Vec<Output> {
    let mut out = Outputs::new();
    game.next(&input, &mut out).expect("the referee cannot fail");
    out.list
}

fn answer(game: &mut dyn Judge, seat: u8, request: u32, word: &str) {
    let parts = Parts::single(word.as_bytes());
    let (seat, request) = (Seat(seat), RequestId(request));
    let out = feed(game, Input::Answer { seat, request, parts, verdict: Verdict::Ok });
    assert!(out.is_empty(), "an answer only queues");
}

fn actions(outputs: &[Output]) -> Vec<(u8, u32, &str)> {
    let judged = outputs.iter().filter_map(|output| match output {
        Output::Judged { seat, request, action, .. } => Some((seat.0, request.0, &**action)),
        _ => None,
    });
    judged.collect()
}

fn requests(outputs: &[Output]) -> Vec<(u8, u32)> {
    let asks = outputs.iter().filter_map(|output| match output {
        Output::Ask { seat, request, deadline: DeadlineClass::Tick, .. } => {
            Some((seat.0, request.0))
        }
        _ => None,
    });
    asks.collect()
}

#[test]
fn a_tick_judges_then_ends_then_asks() {
    let mut game = start_with(&[], 2).unwrap();
    let first = feed(&mut *game, Input::Tick);
    assert_eq!(actions(&first), [(0, 0, ""), (1, 1, "")]);
    assert_eq!(first[2], Output::RoundOver { round: 0 });
    assert_eq!(requests(&first[3..]), [(0, 2), (1, 3)]);
    let second = feed(&mut *game, Input::Tick);
    assert_eq!(actions(&second), [(0, 2, ""), (1, 3, "")]);
    assert_eq!(requests(&second), [(0, 4), (1, 5)]);
    assert_eq!(game.rounds(), 2);
}

#[test]
fn a_late_answer_is_taken_in_the_tick_after_it_came() {
    let mut game = start_with(&[], 2).unwrap();
    feed(&mut *game, Input::Tick);
    feed(&mut *game, Input::Tick);
    feed(&mut *game, Input::Tick);
    answer(&mut *game, 1, 3, "p");
    assert_eq!(actions(&feed(&mut *game, Input::Tick)), [(0, 6, ""), (1, 7, "b")]);
}

#[test]
fn answers_that_nobody_asked_for_are_ignored() {
    let mut game = start_with(&[], 2).unwrap();
    answer(&mut *game, 0, 0, "p");
    answer(&mut *game, 0, 2, "p");
    feed(&mut *game, Input::Tick);
    feed(&mut *game, Input::Tick);
    // Seat 1's request, a future one, a seat that does not play.
    answer(&mut *game, 0, 3, "p");
    answer(&mut *game, 0, 6, "p");
    answer(&mut *game, 7, 2, "p");
    answer(&mut *game, 0, 4, "");
    // Answered already, and older than one that was answered.
    answer(&mut *game, 0, 4, "p");
    answer(&mut *game, 0, 2, "p");
    for _ in 0..3 {
        let out = feed(&mut *game, Input::Tick);
        assert!(actions(&out).iter().all(|(_, _, action)| action.is_empty()), "{out:?}");
    }
}

#[test]
fn a_fault_is_judged_once_whatever_request_it_is_told_under() {
    let mut game = start_with(&[], 2).unwrap();
    let fault = |seat: u8, request: u32| {
        let (seat, request) = (Seat(seat), RequestId(request));
        Input::Answer { seat, request, parts: Parts::none(), verdict: Verdict::Crash }
    };
    let verdicts = |outputs: &[Output]| -> Vec<Verdict> {
        let judged = outputs.iter().filter_map(|output| match output {
            Output::Judged { verdict, .. } => Some(*verdict),
            _ => None,
        });
        judged.collect()
    };
    // Before anything was asked, and after everything was answered.
    feed(&mut *game, fault(0, 0));
    assert_eq!(verdicts(&feed(&mut *game, Input::Tick)), [Verdict::Crash, Verdict::Ok]);
    answer(&mut *game, 1, 3, "u");
    feed(&mut *game, fault(1, 3));
    assert_eq!(verdicts(&feed(&mut *game, Input::Tick)), [Verdict::Ok, Verdict::Ok]);
    assert_eq!(verdicts(&feed(&mut *game, Input::Tick)), [Verdict::Ok, Verdict::Crash]);
    assert_eq!(verdicts(&feed(&mut *game, Input::Tick)), [Verdict::Ok, Verdict::Ok]);
}

#[test]
fn waiting_answers_are_part_of_the_state() {
    let mut one = start_with(&[], 2).unwrap();
    let mut other = start_with(&[], 2).unwrap();
    feed(&mut *one, Input::Tick);
    feed(&mut *other, Input::Tick);
    assert_eq!(one.state_hash(), other.state_hash());
    answer(&mut *one, 0, 2, "p");
    assert_ne!(one.state_hash(), other.state_hash());
}

#[test]
fn the_last_state_is_shown_before_the_end() {
    let mut game = start_with(&[("max_iterations", 1)], 2).unwrap();
    feed(&mut *game, Input::Tick);
    feed(&mut *game, Input::Tick);
    let last = feed(&mut *game, Input::Tick);
    assert_eq!(requests(&last).len(), 2);
    let Some(Output::Over(outcome)) = last.last() else { panic!("the bout is over: {last:?}") };
    assert_eq!((&*outcome.ended, outcome.rounds), ("limit", 3));
    assert!(feed(&mut *game, Input::Tick).is_empty());
}

#[test]
fn no_limit_is_no_limit() {
    let mut game = start_with(&[("max_iterations", 0)], 2).unwrap();
    for _ in 0..5000 {
        feed(&mut *game, Input::Tick);
    }
    assert!(game.outcome().is_none());
}

#[test]
fn the_clock_follows_the_options() {
    let clock = |options: &[(&str, i64)]| {
        let options =
            options.iter().map(|(name, value)| ((*name).to_owned(), OptionValue::Int(*value)));
        let clock =
            CoderoneDungeon.spec().clock(&options.collect()).expect("the game is on a clock");
        (clock.first_ms, clock.tick_ms, clock.ticks)
    };
    assert_eq!(clock(&[]), (0, 100, 1802));
    assert_eq!(clock(&[("tick_ms", 20), ("max_iterations", 3000)]), (0, 20, 3002));
    assert_eq!(clock(&[("max_iterations", 0)]), (0, 100, u32::MAX));
}

#[test]
fn one_to_eight_players_can_start() {
    for seats in 1..=8 {
        let mut game = start_with(&[], seats).unwrap();
        let asked = requests(&feed(&mut *game, Input::Tick)).len();
        assert_eq!(asked, usize::from(seats));
    }
    let refused = |seats| start_with(&[], seats).err().expect("so many do not play");
    assert_eq!(refused(0), "the game is not played with 0 seats");
    assert_eq!(refused(9), "the game is not played with 9 seats");
}

#[test]
fn a_board_that_may_be_too_small_is_refused_whatever_the_seed() {
    assert!(start_with(&[("columns", 7), ("rows", 8)], 2).is_ok());
    let refused = start_with(&[("columns", 7), ("rows", 7)], 2).err().unwrap();
    let expected =
        "option `rows` is `7`, expected at least 8: 2 players and all blocks need 56 squares";
    assert_eq!(refused, expected);
}

/// Every seed finds a place for everybody on the smallest boards allowed.
#[test]
fn the_smallest_boards_never_run_out_of_squares() {
    for (columns, rows, seats) in [(7, 8, 2), (14, 4, 2), (8, 10, 6), (23, 4, 8), (10, 5, 1)] {
        let options = BoutOptions { columns, rows, max_iterations: None, seats };
        for seed in 0..500 {
            let state = GameState::generate(&options, &mut Chance::from_seed(Seed(seed)));
            assert_eq!(state.metal.len() + state.blocks.len() + state.ammo.len(), 44);
        }
    }
}

#[test]
fn a_game_that_is_over_goes_on_burning_without_hurting() {
    let options = BoutOptions { columns: 12, rows: 10, max_iterations: None, seats: 2 };
    let mut chance = Chance::from_seed(Seed(1));
    let mut state = GameState::generate(&options, &mut chance);
    state.is_over = true;
    state.blocks.clear();
    let at = state.players[0].at;
    state.bombs = vec![Bomb { at, owner: 1, timer: 1, power: 2 }];
    state.effects = vec![Effect { kind: EffectKind::Ammo, delay: 2 }];
    let before = state.players.clone();
    let mut report = Report::default();
    for tick in 1..=3 {
        let orders = [Some(Order::Up), Some(Order::Bomb)];
        advance(&mut state, None, &orders, &mut chance, &mut report);
        assert!(report.orders.is_empty());
        assert_eq!(state.fires.is_empty(), tick > 1);
        assert_eq!(report.spawns.len(), usize::from(tick == 2));
    }
    assert_eq!(state.players, before);
    assert!(state.bombs.is_empty());
}

#[test]
fn forced_draws_that_cannot_be_are_dropped() {
    let play = |forced: &[(&str, &[i64])]| {
        let options = BoutOptions { columns: 12, rows: 10, max_iterations: None, seats: 2 };
        let mut chance = Chance::from_seed(Seed(9));
        let mut state = GameState::generate(&options, &mut chance);
        state.effects =
            [EffectKind::Ammo, EffectKind::Treasure].map(|kind| Effect { kind, delay: 1 }).to_vec();
        let metal = state.metal[0];
        let mut bout = Bout::from_state(None, state, chance);
        for (draw, values) in forced {
            let (draw, mut values) = ((*draw).to_owned(), values.to_vec());
            if values.first() == Some(&-7) {
                values = vec![metal.x.into(), metal.y.into()];
            }
            bout.next(&Input::Resolved { draw, values }, &mut Outputs::new())
                .expect("the referee cannot fail");
        }
        bout.next(&Input::Tick, &mut Outputs::new()).expect("the referee cannot fail");
        bout.report().clone()
    };
    let free = play(&[]);
    let impossible: &[(&str, &[i64])] =
        &[("ammo", &[-7]), ("treasure", &[99, 99, 10_000]), ("weather", &[1])];
    assert_eq!(play(impossible), free);
    let treasure = free.spawns[1].at.expect("there is room");
    let Spot { x, y } = treasure;
    let forced = play(&[("ammo", &[x.into(), y.into()])]);
    assert_eq!(forced.spawns[0].at, Some(treasure));
}
