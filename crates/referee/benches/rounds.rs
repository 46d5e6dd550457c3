//! Rounds per second of each game on one core; of UWCS Bomberman ticks of whole games.
//!
//! `rules` is the bare rules; `bout` is whole bouts through the `Judge` trait:
//! both views rendered, answers read and judged. Every bout has the same few
//! hundred answers, drawn by lot once, with all weapons in play. The dungeon is
//! played by two players with hit points without end for 1802 ticks.

#[path = "rounds/battleships_2017.rs"]
mod battleships_2017;
#[path = "rounds/battlesnake.rs"]
mod battlesnake;
#[path = "rounds/bomberman_2016.rs"]
mod bomberman_2016;
#[path = "rounds/coderone_dungeon.rs"]
mod coderone_dungeon;

use std::hint::black_box;

use joust_referee::games::battlebots::{self, Action, Bout, BoutOptions, GameState, Rules};
use joust_referee::games::uwcs_bomberman::{self, Admission, Effect, GameOptions, Server};
use joust_referee::rng::ChaCha8;
use joust_referee::{Connection, Input, Judge, Output, Outputs, Parts, Seed, SendTo, Verdict};
use joust_testkit::figures::speed;

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

fn start() -> GameState {
    let mut state = GameState::start();
    state.bots[0].hp = MANY_HP;
    state.bots[1].hp = MANY_HP;
    state
}

fn play_rules(rules: Rules, actions: &[[Action; 2]]) -> GameState {
    let mut state = start();
    for pair in actions {
        battlebots::advance(&mut state, rules, black_box(*pair));
    }
    state
}

fn play_bout(rules: Rules, answers: &[[Parts; 2]], out: &mut Outputs) -> u32 {
    let options = BoutOptions { rules, max_rounds: ROUNDS };
    let mut bout = Bout::from_state(options, start(), out);
    let game: &mut dyn Judge = &mut bout;
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
            game.next(&Input::Answer { seat, request, parts, verdict: Verdict::Ok }, out)
                .expect("the referee cannot fail");
        }
    }
    out.drain().for_each(drop);
    game.rounds()
}

fn bench_battlebots(name: &str, rules: Rules) {
    let answers = answers();
    let actions: Vec<[Action; 2]> = answers
        .iter()
        .map(|pair| pair.map(|text| battlebots::read(rules, text.as_bytes()).action))
        .collect();
    let title = |what| format!("battlebots/{what}/{name}");
    speed(&title("rules"), ROUNDS.into(), || play_rules(rules, &actions));
    let parts: Vec<[Parts; 2]> =
        answers.iter().map(|pair| pair.map(|text| Parts::single(text.as_bytes()))).collect();
    let mut out = Outputs::new();
    speed(&title("bout"), ROUNDS.into(), || play_bout(rules, &parts, &mut out));
}

/// Turns of one sample game of UWCS Bomberman.
const TURNS: u32 = 200;

/// Six players that walk and bomb at random while they live, then look on: every
/// message of a game through the server, from its bytes to the bytes of the
/// answers. Returns how many turns it had.
fn play_uwcs(rules: &str, actions: &[[&'static [u8]; 6]]) -> u32 {
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
    black_box(bytes_sent);
    server.state().turns
}

fn sent_by(effect: &Effect) -> usize {
    match effect {
        Effect::Send { to: SendTo::All, bytes } => 6 * bytes.len(),
        Effect::Send { bytes, .. } => bytes.len(),
        _ => 0,
    }
}

fn bench_uwcs_bomberman() {
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
    // Only `original` continues with one player left, so only its games are long.
    for rules in ["documented", "original"] {
        let ticks = play_uwcs(rules, &actions).into();
        speed(&format!("uwcs-bomberman/{rules}"), ticks, || play_uwcs(rules, &actions));
    }
}

fn main() {
    bench_battlebots("documented", Rules::Documented);
    bench_battlebots("original", Rules::Original);
    battleships_2017::bench();
    battlesnake::bench();
    bomberman_2016::bench();
    coderone_dungeon::bench();
    bench_uwcs_bomberman();
}
