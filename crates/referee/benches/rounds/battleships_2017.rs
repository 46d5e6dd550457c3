//! Rounds per second of Battleships 2017.
//!
//! `rules` is the bare rules with ready commands; `bout` is whole bouts through
//! the `Judge` trait: answers read and judged, both seats' `state.json` and
//! `map.txt` rendered; `replay` also renders the files of the round's folder.
//! Every bout has a placement round, and then commands of all kinds, drawn by
//! lot once.

use std::hint::black_box;

use joust_referee::games::battleships_2017::{
    Bout, BoutOptions, Command, GameState, MapSize, Rules, advance, read,
};
use joust_referee::rng::ChaCha8;
use joust_referee::{Input, Judge, Output, Outputs, Part, Parts, Seed, Verdict};
use joust_testkit::figures::speed;

const FLEET: &str = "Carrier 0 0 north\nBattleship 2 0 north\nCruiser 4 0 north\n\
                     Submarine 6 0 north\nDestroyer 2 5 east\n";

/// Rounds of shooting in a sample bout; no fleet is sunk before.
const SHOTS: u32 = 50;

/// Files that are rendered: the views, with the replay or without.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Files {
    Views,
    ViewsAndReplay,
}

fn file(name: &str, text: &str) -> Parts {
    Parts(vec![Part { name: name.into(), bytes: text.as_bytes().into() }])
}

/// The answers of a bout: a placement, then one command in two a single shot,
/// the others of every other kind.
fn answers(options: &BoutOptions) -> Vec<[Parts; 2]> {
    let mut rng = ChaCha8::from_seed(Seed(1));
    let side = u32::from(options.size.side());
    let mut draw = || {
        let code = if rng.below(2) == 0 { 1 } else { 2 + rng.below(7) };
        file("command.txt", &format!("{code},{},{}\n", rng.below(side), rng.below(side)))
    };
    let mut answers = vec![[file("place.txt", FLEET), file("place.txt", FLEET)]];
    answers.extend((0..SHOTS).map(|_| [draw(), draw()]));
    answers
}

fn play_rules(options: &BoutOptions, commands: &[[Command; 2]]) -> GameState {
    let mut state = GameState::start(options);
    for pair in commands {
        let [a, b] = black_box(pair);
        black_box(advance(&mut state, options, [Some(a), Some(b)]));
    }
    state
}

fn play_bout(options: BoutOptions, answers: &[[Parts; 2]], files: Files, out: &mut Outputs) -> u32 {
    let names = ["Bravo".to_owned(), "Kraken".to_owned()];
    let mut bout = Bout::from_state(options, names, GameState::start(&options), out);
    let game: &mut dyn Judge = &mut bout;
    let mut asks = Vec::new();
    for pair in answers {
        asks.extend(out.drain().filter_map(|output| match output {
            Output::Ask { seat, request, parts, .. } => {
                black_box(parts);
                Some((seat, request))
            }
            _ => None,
        }));
        if files == Files::ViewsAndReplay {
            black_box(game.replay_folder().map(|folder| folder.round(&[])));
        }
        for (seat, request) in asks.drain(..) {
            let parts = pair[seat.index()].clone();
            game.next(&Input::Answer { seat, request, parts, verdict: Verdict::Ok }, out)
                .expect("the referee cannot fail");
        }
    }
    out.drain().for_each(drop);
    assert_eq!(game.rounds() as usize, answers.len(), "the bout ended early");
    game.rounds()
}

pub(crate) fn bench() {
    for (name, size) in
        [("small", MapSize::Small), ("medium", MapSize::Medium), ("large", MapSize::Large)]
    {
        bench_size(name, BoutOptions { size, ..BoutOptions::new(Rules::Original) });
    }
}

fn bench_size(name: &str, options: BoutOptions) {
    let answers = answers(&options);
    let commands: Vec<[Command; 2]> =
        answers.iter().map(|pair| pair.each_ref().map(|it| read(&options, it).command)).collect();
    let rounds = answers.len() as u64;
    let title = |what| format!("battleships-2017/{what}/{name}");
    speed(&title("rules"), rounds, || play_rules(&options, &commands));
    let mut out = Outputs::new();
    for (what, files) in [("bout", Files::Views), ("replay", Files::ViewsAndReplay)] {
        speed(&title(what), rounds, || play_bout(options, &answers, files, &mut out));
    }
}
