//! Answers of bots in every game: whatever they are, the bout survives them, and the same ones give
//! the same state.
//!
//! The first two bytes choose game, rules and seed. Then each step is one byte that says what
//! happens and to which of the open requests, one that says how many bytes the answer has, and the
//! answer.
#![no_main]

use joust_referee::{
    Catalogue, Connection, Game, Input, Judge, Options, Output, Outputs, Part, Parts, RequestId,
    Seat, Seed, Setup, StateHash, Verdict,
};
use libfuzzer_sys::fuzz_target;

/// Names of parts of answers: those of the games there are, and others that no game has.
const PARTS: [&str; 7] = ["", "body", "move.txt", "place.txt", "command.txt", "str", "../x"];

fuzz_target!(|bytes: &[u8]| {
    let Some((&[game, seed], steps)) = bytes.split_first_chunk() else { return };
    let games = Catalogue::built_in();
    let game = games.iter().cycle().nth(game.into()).expect("there are games");
    assert_eq!(state_after(game, seed, steps), state_after(game, seed, steps));
});

fn state_after(game: &Game, seed: u8, mut steps: &[u8]) -> StateHash {
    let mut bout = Bout::start(game, seed);
    while let Some((&step, rest)) = steps.split_first() {
        let (&length, rest) = rest.split_first().unwrap_or((&0, rest));
        let (answer, rest) = rest.split_at(usize::from(length).min(rest.len()));
        steps = rest;
        bout.take(step, answer);
    }
    let _ = bout.judge.scene();
    bout.judge.state_hash().expect("the referee cannot fail")
}

struct Bout {
    judge: Box<dyn Judge>,
    open: Vec<(Seat, RequestId)>,
}

impl Bout {
    fn start(game: &Game, seed: u8) -> Self {
        let (fewest, sets) = (game.spec().seats.fewest, &game.spec().rule_sets);
        let rules = &sets[usize::from(seed) % sets.len()];
        let names: Vec<String> = (0..fewest).map(|seat| format!("bot-{seat}")).collect();
        let options = Options::new();
        let setup = Setup {
            rules,
            options: &options,
            seed: Seed(seed.into()),
            seats: fewest,
            names: &names,
        };
        let mut out = Outputs::new();
        let judge = game.start(&setup, &mut out).expect("the game starts");
        let mut bout = Self { judge, open: Vec::new() };
        bout.hear(out);
        bout
    }

    fn take(&mut self, step: u8, answer: &[u8]) {
        let number = usize::from(step >> 4);
        let input = match (step % 8, self.open.is_empty()) {
            (0, _) => Input::Tick,
            (1, _) => {
                Input::Message { connection: Connection(number as u32 % 4), bytes: answer.into() }
            }
            (_, true) => Input::Answer {
                seat: Seat(step >> 4),
                request: RequestId(number as u32),
                parts: Parts::default(),
                verdict: Verdict::Timeout,
            },
            (kind, false) => {
                let (seat, request) = self.open.remove(number % self.open.len());
                let verdict =
                    if kind == 2 { Verdict::ALL[number % Verdict::ALL.len()] } else { Verdict::Ok };
                let name = PARTS[(usize::from(step) / 3) % PARTS.len()].into();
                Input::Answer {
                    seat,
                    request,
                    parts: Parts(vec![Part { name, bytes: answer.into() }]),
                    verdict,
                }
            }
        };
        let mut out = Outputs::new();
        self.judge.next(&input, &mut out).expect("the referee cannot fail");
        self.hear(out);
    }

    fn hear(&mut self, out: Outputs) {
        for output in out.list {
            if let Output::Ask { seat, request, .. } = output {
                self.open.push((seat, request));
            }
        }
    }
}
