//! Rounds per second of each game on one core; of UWCS Bomberman whole games.
//!
//! `rules` is the bare rules; `bout` is whole bouts through the `Game` trait:
//! both views rendered, answers read and judged. Every bout has the same few
//! hundred answers, drawn by lot once, with all weapons in play. The dungeon is
//! played by two players with hit points without end for 1802 ticks.

#[path = "rounds/battleships_2017.rs"]
mod battleships_2017;
#[path = "rounds/bomberman_2016.rs"]
mod bomberman_2016;

use std::hint::black_box;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use criterion::{criterion_group, criterion_main};
use joust_referee::games::battlebots::{self, Action, Bout, BoutOptions, Rules, State};
use joust_referee::games::coderone_dungeon::{self, Happened, Luck, Order};
use joust_referee::games::uwcs_bomberman::{self, Admission, Effect, GameOptions, Server};
use joust_referee::rng::ChaCha8;
use joust_referee::{Connection, Game, Input, Output, Outputs, Part, Parts, Seed, SendTo, Verdict};

/// Rounds of one sample bout; no bout ends before.
const ROUNDS: u32 = 400;

/// Hit points that last for [`ROUNDS`] rounds of damage.
const MANY_HP: i32 = 1_000_000;

const ANSWERS: &[&str] = &[
    "N", "E", "S", "W", "NE", "SW", "B N", "B E", "B SW", "M S", "M W", "M NE", "L N", "L SE",
    "L W", "P", "NO",
];

fn answers() -> Vec<[&'static str; 2]> {
    let mut rng = ChaCha8::from_seed(Seed(1));
    let mut draw = || ANSWERS[rng.below(ANSWERS.len() as u32) as usize];
    (0..ROUNDS).map(|_| [draw(), draw()]).collect()
}

fn start() -> State {
    let mut state = State::start();
    state.bots[0].hp = MANY_HP;
    state.bots[1].hp = MANY_HP;
    state
}

fn play_rules(rules: Rules, actions: &[[Action; 2]]) -> State {
    let mut state = start();
    for pair in actions {
        battlebots::advance(&mut state, rules, black_box(*pair));
    }
    state
}

fn play_bout(rules: Rules, answers: &[[Parts; 2]], out: &mut Outputs) -> u32 {
    let options = BoutOptions { rules, max_rounds: ROUNDS };
    let mut bout = Bout::from_state(options, start(), out);
    let game: &mut dyn Game = &mut bout;
    let mut asks = Vec::new();
    while game.outcome().is_none() {
        let round = game.rounds() as usize;
        asks.extend(out.drain().filter_map(|output| match output {
            Output::Ask { seat, request, parts, .. } => {
                black_box(parts);
                Some((seat, request))
            }
            _ => None,
        }));
        for (seat, request) in asks.drain(..) {
            let parts = answers[round][seat.index()].clone();
            game.next(Input::Answer { seat, request, parts, verdict: Verdict::Ok }, out);
        }
    }
    out.drain().for_each(drop);
    game.rounds()
}

fn bench_battlebots(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("battlebots");
    group.throughput(Throughput::Elements(u64::from(ROUNDS)));
    for (name, rules) in [("documented", Rules::Documented), ("original", Rules::Original)] {
        bench_rule_set(&mut group, name, rules);
    }
    group.finish();
}

fn bench_rule_set(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, rules: Rules) {
    let answers = answers();
    let actions: Vec<[Action; 2]> = answers
        .iter()
        .map(|pair| pair.map(|text| battlebots::read(rules, text.as_bytes()).action))
        .collect();
    group.bench_function(format!("rules/{name}"), |bencher| {
        bencher.iter(|| play_rules(rules, &actions));
    });
    let parts: Vec<[Parts; 2]> =
        answers.iter().map(|pair| pair.map(|text| Parts::single(text.as_bytes()))).collect();
    let mut out = Outputs::new();
    group.bench_function(format!("bout/{name}"), |bencher| {
        bencher.iter(|| play_bout(rules, &parts, &mut out));
    });
}

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

fn dungeon_start(luck: &mut Luck) -> coderone_dungeon::State {
    let options = coderone_dungeon::BoutOptions {
        columns: 12,
        rows: 10,
        max_iterations: Some(coderone_dungeon::MAX_ITERATIONS),
        seats: 2,
    };
    let mut state = coderone_dungeon::State::generate(&options, luck);
    state.players.iter_mut().for_each(|player| player.hp = 1_000_000);
    state
}

fn dungeon_orders() -> Vec<[Option<Order>; 2]> {
    let mut rng = ChaCha8::from_seed(Seed(1));
    let mut draw = || ORDERS[rng.below(ORDERS.len() as u32) as usize];
    (0..TICKS).map(|_| [draw(), draw()]).collect()
}

fn play_dungeon(
    start: &coderone_dungeon::State,
    luck: &Luck,
    orders: &[[Option<Order>; 2]],
) -> coderone_dungeon::State {
    let (mut state, mut luck) = (start.clone(), luck.clone());
    let mut happened = Happened::default();
    let limit = Some(coderone_dungeon::MAX_ITERATIONS);
    for pair in orders {
        coderone_dungeon::advance(&mut state, limit, black_box(pair), &mut luck, &mut happened);
    }
    state
}

fn play_dungeon_bout(
    start: &coderone_dungeon::State,
    luck: &Luck,
    answers: &[[Parts; 2]],
    out: &mut Outputs,
) -> u32 {
    let limit = Some(coderone_dungeon::MAX_ITERATIONS);
    let mut bout = coderone_dungeon::Bout::from_state(limit, start.clone(), luck.clone());
    let game: &mut dyn Game = &mut bout;
    let mut asks = Vec::new();
    for pair in answers {
        for (seat, request) in asks.drain(..) {
            let parts = pair[joust_referee::Seat::index(seat)].clone();
            game.next(Input::Answer { seat, request, parts, verdict: Verdict::Ok }, out);
        }
        game.next(Input::Tick, out);
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

fn bench_coderone_dungeon(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("coderone-dungeon");
    group.throughput(Throughput::Elements(TICKS as u64));
    let mut luck = Luck::from_seed(Seed(2026));
    let start = dungeon_start(&mut luck);
    let orders = dungeon_orders();
    assert_eq!(play_dungeon(&start, &luck, &orders).tick as usize, TICKS);
    group.bench_function("rules/original", |bencher| {
        bencher.iter(|| play_dungeon(&start, &luck, &orders));
    });
    let word = |order: Option<Order>| {
        let bytes = order.map_or("", Order::code).as_bytes();
        Parts(vec![Part { name: "str".into(), bytes: bytes.into() }])
    };
    let answers: Vec<[Parts; 2]> = orders.iter().map(|pair| pair.map(word)).collect();
    let mut out = Outputs::new();
    group.bench_function("bout/original", |bencher| {
        bencher.iter(|| play_dungeon_bout(&start, &luck, &answers, &mut out));
    });
    group.finish();
}

/// Turns of one sample game of UWCS Bomberman.
const TURNS: u32 = 200;

/// Six players that walk and bomb at random while they live, then look on: every
/// message of a game through the server, from its bytes to the bytes of the
/// answers.
fn play_uwcs(rules: &str, actions: &[[&'static [u8]; 6]]) -> usize {
    let quirks = uwcs_bomberman::quirks_of(rules).expect("it is known");
    let options = GameOptions { turns: TURNS, ..GameOptions::new(quirks) };
    let series = uwcs_bomberman::Series::OneGame;
    let mut server = Server::new(options, Admission::Anyone, series, Seed(1));
    let mut out = Vec::new();
    for player in 0..6 {
        server.open(Connection(player), None);
    }
    server.begin(&mut out);
    for player in 0..6 {
        server.receive(Connection(player), b"REGISTER bot pw\n", &mut out);
        server.checked(Connection(player), true, &mut out);
    }
    let mut bytes_sent = 0;
    server.strike(&mut out);
    for turn in actions {
        for (player, action) in (0..).zip(turn) {
            server.receive(Connection(player), black_box(action), &mut out);
        }
        server.strike(&mut out);
        bytes_sent += out.drain(..).map(|effect| sent_by(&effect)).sum::<usize>();
    }
    bytes_sent
}

fn sent_by(effect: &Effect) -> usize {
    match effect {
        Effect::Send { to: SendTo::All, bytes } => 6 * bytes.len(),
        Effect::Send { bytes, .. } => bytes.len(),
        _ => 0,
    }
}

fn bench_uwcs_bomberman(criterion: &mut Criterion) {
    const ACTIONS: [&[u8]; 6] = [
        b"ACTION UP\n",
        b"ACTION DOWN\n",
        b"ACTION LEFT\n",
        b"ACTION RIGHT\n",
        b"ACTION RIGHT\n",
        b"ACTION BOMB\n",
    ];
    let mut rng = ChaCha8::from_seed(Seed(1));
    let mut draw = || ACTIONS[rng.below(6) as usize];
    let actions: Vec<[&[u8]; 6]> =
        (0..TURNS).map(|_| [draw(), draw(), draw(), draw(), draw(), draw()]).collect();
    let mut group = criterion.benchmark_group("uwcs-bomberman");
    group.throughput(Throughput::Elements(1));
    // Only `original` goes on with one player left, so only there games are long.
    for rules in ["documented", "original"] {
        group.bench_function(format!("game/{rules}"), |bencher| {
            bencher.iter(|| play_uwcs(rules, &actions));
        });
    }
    group.finish();
}

criterion_group!(
    benches,
    bench_battlebots,
    battleships_2017::bench,
    bomberman_2016::bench,
    bench_coderone_dungeon,
    bench_uwcs_bomberman
);
criterion_main!(benches);
