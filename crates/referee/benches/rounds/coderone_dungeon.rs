//! Ticks per second of the dungeon: two players with hit points without end.

use std::hint::black_box;

use joust_referee::games::coderone_dungeon::{self, Chance, Order, Report};
use joust_referee::rng::ChaCha8;
use joust_referee::{Input, Judge, Output, Outputs, Part, Parts, Seed, Verdict};
use joust_testkit::figures::speed;

/// Ticks of one bout of the dungeon that goes the distance.
const TICKS: usize = 1802;

const ORDERS: [Option<Order>; 8] = [
    Some(Order::Up),
    Some(Order::Down),
    Some(Order::Left),
    Some(Order::Right),
    Some(Order::Up),
    Some(Order::Left),
    Some(Order::Bomb),
    None,
];

fn dungeon_start(chance: &mut Chance) -> coderone_dungeon::GameState {
    let options = coderone_dungeon::BoutOptions {
        columns: 12,
        rows: 10,
        max_iterations: Some(coderone_dungeon::MAX_ITERATIONS),
        seats: 2,
    };
    let mut state = coderone_dungeon::GameState::generate(&options, chance);
    state.players.iter_mut().for_each(|player| player.hp = 1_000_000);
    state
}

fn dungeon_orders() -> Vec<[Option<Order>; 2]> {
    let mut rng = ChaCha8::from_seed(Seed(1));
    let mut draw = || ORDERS[rng.below(ORDERS.len() as u32) as usize];
    (0..TICKS).map(|_| [draw(), draw()]).collect()
}

fn play_dungeon(
    start: &coderone_dungeon::GameState,
    chance: &Chance,
    orders: &[[Option<Order>; 2]],
) -> coderone_dungeon::GameState {
    let (mut state, mut chance) = (start.clone(), chance.clone());
    let mut report = Report::default();
    let limit = Some(coderone_dungeon::MAX_ITERATIONS);
    for pair in orders {
        coderone_dungeon::advance(&mut state, limit, black_box(pair), &mut chance, &mut report);
    }
    state
}

fn play_dungeon_bout(
    start: &coderone_dungeon::GameState,
    chance: &Chance,
    answers: &[[Parts; 2]],
    out: &mut Outputs,
) -> u32 {
    let limit = Some(coderone_dungeon::MAX_ITERATIONS);
    let mut bout = coderone_dungeon::Bout::from_state(limit, start.clone(), chance.clone());
    let game: &mut dyn Judge = &mut bout;
    let mut asks = Vec::new();
    for pair in answers {
        for (seat, request) in asks.drain(..) {
            let parts = pair[joust_referee::Seat::index(seat)].clone();
            game.next(&Input::Answer { seat, request, parts, verdict: Verdict::Ok }, out)
                .expect("the referee cannot fail");
        }
        game.next(&Input::Tick, out).expect("the referee cannot fail");
        asks.extend(out.drain().filter_map(|output| match output {
            Output::Ask { seat, request, parts, .. } => {
                black_box(parts);
                Some((seat, request))
            }
            _ => None,
        }));
    }
    game.rounds()
}

pub(crate) fn bench() {
    let mut chance = Chance::from_seed(Seed(2026));
    let start = dungeon_start(&mut chance);
    let orders = dungeon_orders();
    assert_eq!(play_dungeon(&start, &chance, &orders).tick as usize, TICKS);
    let rules = || play_dungeon(&start, &chance, &orders);
    speed("coderone-dungeon/rules/original", TICKS as u64, rules);
    let word = |order: Option<Order>| {
        let bytes = order.map_or("", Order::name).as_bytes();
        Parts(vec![Part { name: "str".into(), bytes: bytes.into() }])
    };
    let answers: Vec<[Parts; 2]> = orders.iter().map(|pair| pair.map(word)).collect();
    let mut out = Outputs::new();
    let bout = || play_dungeon_bout(&start, &chance, &answers, &mut out);
    speed("coderone-dungeon/bout/original", TICKS as u64, bout);
}
