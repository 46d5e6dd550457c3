//! Rounds per second of Bomberman 2016.
//!
//! `rules` is the bare rules with ready commands, movement conflicts and the
//! facts of the log included; `files` also renders `state.json` and `map.txt`
//! of every round, `bout` is whole bouts through the `Judge` trait. Players walk,
//! plant and trigger by lot, and are given new lives when one of them dies.

use std::hint::black_box;

use joust_referee::games::bomberman_2016::{
    Bomberman2016, Chance, Command, GameState, LineEndings, Report, Views, advance,
};
use joust_referee::rng::ChaCha8;
use joust_referee::{Input, Options, Output, Outputs, Part, Parts, Referee, Seed, Setup, Verdict};
use joust_testkit::figures::speed;

/// Rounds of a sample.
const ROUNDS: usize = 400;

const SEED: i32 = 2016;

/// Everything one sample needs, made before the clock runs.
struct Sample {
    start: GameState,
    commands: Vec<Vec<Option<Command>>>,
}

impl Sample {
    /// Draws commands for rounds in which no player dies: two of three players walk.
    fn new(players: u8) -> Self {
        const CHOICES: [usize; 12] = [1, 2, 3, 4, 1, 2, 3, 4, 5, 5, 6, 0];
        let mut rng = ChaCha8::from_seed(Seed(1));
        let mut draw = || Some(Command::ALL[CHOICES[rng.below(12) as usize]]);
        let commands = (0..ROUNDS).map(|_| (0..players).map(|_| draw()).collect()).collect();
        Self { start: GameState::fresh(SEED, players), commands }
    }

    fn play(&self, table: &mut Table, mut seen: impl FnMut(&GameState)) {
        table.state.clone_from(&self.start);
        for commands in &self.commands {
            advance(&mut table.state, black_box(commands), &mut table.chance, &mut table.report);
            seen(&table.state);
            revive(&mut table.state);
        }
    }
}

/// Memory that is used again and again.
struct Table {
    state: GameState,
    chance: Chance,
    report: Report,
}

fn revive(state: &mut GameState) {
    for player in &mut state.players {
        player.killed_round = None;
        player.on_map = true;
    }
}

fn bench_players(players: u8) {
    let sample = Sample::new(players);
    let mut table =
        Table { state: sample.start.clone(), chance: Chance::new(Seed(1)), report: Report::new() };
    let title = |what| format!("bomberman-2016/{what}/{players}");
    speed(&title("rules"), ROUNDS as u64, || {
        sample.play(&mut table, |state| _ = black_box(state));
    });
    let names: Vec<String> = (0..players).map(|seat| format!("bot-{seat}")).collect();
    let mut views = Views::new(&names, LineEndings::Lf);
    speed(&title("files"), ROUNDS as u64, || {
        sample.play(&mut table, |state| _ = black_box(views.render(state)));
    });
    bench_bout(&title("bout"), &names);
}

/// Two steps to and fro: no player dies, so every round is played.
fn bench_bout(title: &str, names: &[String]) {
    let options = Options::new();
    let seats = names.len() as u8;
    let setup = Setup { rules: "original", options: &options, seed: Seed(2016), seats, names };
    let side = u64::from(GameState::fresh(SEED, seats).side);
    let step =
        |text: &str| Parts(vec![Part { name: "move.txt".into(), bytes: text.as_bytes().into() }]);
    let steps = [[step("3"), step("2")], [step("4"), step("1")]];
    let mut asks = Vec::new();
    let mut out = Outputs::new();
    speed(title, side * side + 1, || {
        let mut game = Bomberman2016.start(&setup, &mut out).expect("the game starts");
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
                let parts = steps[seat.index() % 2][round % 2].clone();
                game.next(&Input::Answer { seat, request, parts, verdict: Verdict::Ok }, &mut out)
                    .expect("the referee cannot fail");
            }
        }
        out.drain().for_each(drop);
    });
}

pub(crate) fn bench() {
    for players in [2, 4, 12] {
        bench_players(players);
    }
}
