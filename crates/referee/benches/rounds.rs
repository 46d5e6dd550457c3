//! Rounds per second of each game on one core.
//!
//! `rules` is the bare rules; `bout` is whole bouts through the `Game` trait:
//! both views rendered, answers read and judged. Every bout has the same few
//! hundred answers, drawn by lot once, with all weapons in play.

use std::hint::black_box;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use criterion::{criterion_group, criterion_main};
use joust_referee::games::battlebots::{self, Action, Bout, BoutOptions, Rules, State};
use joust_referee::rng::ChaCha8;
use joust_referee::{Game, Input, Output, Outputs, Parts, Seed, Verdict};

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

criterion_group!(benches, bench_battlebots);
criterion_main!(benches);
