//! Actions of two careful bots.

use std::vec::IntoIter;

use joust_referee::games::battlebots::{GameState, Rules, advance, read};
use joust_referee::rng::ChaCha8;
use joust_referee::{Seed, Verdict};

/// Rounds that a step is looked ahead.
const AHEAD: u32 = 4;

/// Number of times that a step that hurts a bot is drawn again.
const TRIES: u32 = 24;

/// Moves are drawn twice as often as weapons, mines seldom.
const KINDS: [&str; 8] = ["", "", "", "", "B ", "B ", "M ", "NO"];
const MINES: u32 = 40;
const DIRECTIONS: [&str; 8] = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];

/// Output of one bot, round by round, each with a number drawn by lot.
pub(crate) struct Script(IntoIter<(u32, String)>);

impl Script {
    pub(crate) fn next(&mut self) -> (u32, String) {
        self.0.next().expect("there is an answer for every round")
    }
}

/// Returns the actions of both bots in a bout of so many rounds in which neither is beaten.
pub(crate) fn scripts(seed: u64, rounds: u32) -> [Script; 2] {
    let mut rng = ChaCha8::from_seed(Seed(seed));
    loop {
        if let Some([one, other]) = attempt(&mut rng, rounds) {
            return [one, other].map(|script| Script(script.into_iter()));
        }
    }
}

fn attempt(rng: &mut ChaCha8, rounds: u32) -> Option<[Vec<(u32, String)>; 2]> {
    let mut state = GameState::start();
    let mut scripts = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        let steps = careful(rng, &state);
        play(&mut state, &steps);
        if state.has_dead_bot() {
            return None;
        }
        for (script, step) in scripts.iter_mut().zip(steps) {
            script.push(step);
        }
    }
    Some(scripts)
}

type Step = (u32, String);

fn careful(rng: &mut ChaCha8, state: &GameState) -> [Step; 2] {
    let mut steps = [draw(rng), draw(rng)];
    for _ in 0..TRIES {
        if is_harmless(state, &steps) {
            break;
        }
        steps = [draw(rng), draw(rng)];
    }
    steps
}

fn draw(rng: &mut ChaCha8) -> Step {
    let direction = DIRECTIONS[rng.below(8) as usize];
    let kind = KINDS[rng.below(8) as usize];
    let lot = rng.below(1 << 30);
    let text = match kind {
        "NO" if lot.is_multiple_of(MINES / 8) => format!("L {direction}\n"),
        "NO" => "NO\n".to_owned(),
        weapon => format!("{weapon}{direction}\n"),
    };
    (lot, text)
}

fn is_harmless(state: &GameState, steps: &[Step; 2]) -> bool {
    let points = |state: &GameState| state.bots[0].hp + state.bots[1].hp;
    let mut ahead = state.clone();
    play(&mut ahead, steps);
    let idle = [(7, String::new()), (7, String::new())];
    (1..AHEAD).for_each(|_| play(&mut ahead, &idle));
    points(&ahead) == points(state)
}

/// Two lots in a hundred are faults; see [`super`].
fn play(state: &mut GameState, steps: &[Step; 2]) {
    let rules = Rules::Documented;
    let action = |(lot, text): &Step| {
        let verdict = if lot % 100 < 2 { Verdict::Crash } else { Verdict::Ok };
        let text = if verdict.is_ok() { text.as_bytes() } else { b"" };
        read(rules, text).action
    };
    advance(state, rules, steps.each_ref().map(action));
}
