//! Kits: the built-in connect four and the one of every kit agree, view by view and state hash by
//! state hash, on random games that are interleaved.
//!
//! Languages whose tools are not on this machine are named and left out.
//! `JOUST_KIT_GAMES=10000` plays so many games; the usual number is small.

mod program;

use joust_gamekit::{
    Answer, AnswerVerdict, Answers, AskMessage, Capability, EndMessage, ExpectedGame, FromReferee,
    Session, StartMessage, ToReferee,
};
use joust_referee::rng::ChaCha8;
use joust_referee::{
    Catalogue, Input, Judge, OptionValue, Options, Output, Outputs, Parts, Seed, Setup, Verdict,
};

use program::{KITS, Program};

/// Bouts that one process plays at the same time.
const TOGETHER: u32 = 5;

/// One bout, in this process and in the other one.
struct Pair {
    judge: Box<dyn Judge>,
    out: Outputs,
    chance: ChaCha8,
    columns: u32,
}

fn options(chance: &mut ChaCha8) -> (Options, u32) {
    let mut draw = |least: u32, most: u32| least + chance.below(most - least + 1);
    let numbers = [("columns", draw(4, 9)), ("rows", draw(4, 8)), ("connect", draw(3, 5))];
    let columns = numbers[0].1;
    let of = |(name, value): (&str, u32)| (name.to_owned(), OptionValue::Int(value.into()));
    (numbers.map(of).into(), columns)
}

impl Pair {
    fn start(b: u32, program: &mut Program, session: &mut Session) -> Self {
        let mut chance = ChaCha8::from_seed(Seed(b.into()));
        let (options, columns) = options(&mut chance);
        let shown = options.iter().map(|(name, value)| match value {
            OptionValue::Int(value) => (name.clone(), (*value).into()),
            _ => unreachable!("they are numbers"),
        });
        let start = StartMessage {
            b,
            seed: u64::from(b).to_string(),
            seats: 2,
            options: shown.collect(),
            scene: false,
        };
        program.say(&session.send(&ToReferee::Start(start)).expect("the number is new"));
        let games = Catalogue::built_in();
        let game = games.find("connect-four").expect("it ships with Joust");
        let setup =
            Setup { rules: "standard", options: &options, seed: Seed(0), seats: 2, names: &[] };
        let mut out = Outputs::new();
        let judge = game.start(&setup, &mut out).expect("the options fit");
        Self { judge, out, chance, columns }
    }

    /// Compares a request of the program with that of the built-in game, and answers both.
    fn answer(&mut self, ask: &AskMessage) -> Answers {
        let asked = self.out.drain().find_map(|output| match output {
            Output::Ask { seat, request, parts, .. } => Some((seat, request, parts)),
            _ => None,
        });
        let (seat, request, view) = asked.expect("the bout goes on here, too");
        let own = self.judge.state_hash().expect("it is in this process").0;
        assert_eq!(ask.position.hash(), Some(own), "bout {}, ask {}", ask.b, ask.n);
        let [to] = &ask.to[..] else { panic!("one seat is asked") };
        assert_eq!((to.seat, Some(to.text.as_bytes())), (seat.0, view.get("")));
        let (verdict, text) = self.draw();
        let (parts, told) = match verdict {
            AnswerVerdict::Ok => (Parts::single(text.as_bytes()), Verdict::Ok),
            _ => (Parts::none(), Verdict::Timeout),
        };
        let input = Input::Answer { seat, request, parts, verdict: told };
        self.judge.next(&input, &mut self.out).expect("it is in this process");
        let answer = Answer { seat: seat.0, verdict, text, files: Default::default(), us: 1 };
        Answers { b: ask.b, n: ask.n, of: vec![answer] }
    }

    /// Mostly a column, now and then something else.
    fn draw(&mut self) -> (AnswerVerdict, String) {
        let column = self.chance.below(self.columns + 1);
        let text = match self.chance.below(20) {
            0 => return (AnswerVerdict::Timeout, String::new()),
            1 => String::new(),
            2 => format!(" \t{column}\r\n"),
            3 => format!("00{column}"),
            4 => format!("-{column}"),
            5 => "\u{663} \"\\\u{1}\u{1f600}".to_owned(),
            6 => "99999999999999999999".to_owned(),
            _ => column.to_string(),
        };
        (AnswerVerdict::Ok, text)
    }

    fn check_end(&self, end: &EndMessage) {
        let own = self.judge.state_hash().expect("it is in this process").0;
        assert_eq!(end.position.hash(), Some(own), "the end of bout {}", end.b);
        let outcome = self.judge.outcome().expect("the bout is over here, too");
        assert_eq!(outcome.ended, end.reason);
        let own: Vec<_> =
            outcome.seats.iter().map(|(_, seat)| (seat.rank, Some(seat.score.as_f64()))).collect();
        let said: Vec<_> = end.ranks.iter().copied().zip(end.scores.iter().copied()).collect();
        assert_eq!(said, own, "the end of bout {}", end.b);
    }
}

/// Plays so many games with one process.
fn play(program: &mut Program, language: &str, games: u32) {
    let kit = joust_gamekit::kits::KITS.iter().find(|kit| kit.language == language);
    let can = kit
        .expect("there is a kit")
        .can
        .split(", ")
        .filter_map(|name| name.parse::<Capability>().ok());
    let can = can.collect();
    let mut session =
        Session::new(ExpectedGame { id: "connect-four-kit".into(), version: "1".into(), can });
    let hello = ToReferee::hello("kits", "connect-four-kit");
    program.say(&session.send(&hello).expect("it is the first message"));
    take(program, &mut session);
    let mut bouts = std::collections::BTreeMap::new();
    let mut next = 1;
    while next <= games || !bouts.is_empty() {
        while next <= games && bouts.len() < TOGETHER as usize {
            bouts.insert(next, Pair::start(next, program, &mut session));
            next += 1;
        }
        match take(program, &mut session) {
            FromReferee::Ask(ask) => {
                let answers = bouts.get_mut(&ask.b).expect("it is under way").answer(&ask);
                let answers = session.send(&ToReferee::Answers(answers));
                program.say(&answers.expect("these are the answers"));
            }
            FromReferee::End(end) => {
                bouts.remove(&end.b).expect("it is under way").check_end(&end);
            }
            _ => {}
        }
    }
    program.end();
    session.finish().expect("no bout is under way");
}

fn take(program: &mut Program, session: &mut Session) -> FromReferee {
    let line = program.line();
    let taken =
        session.accept_line(&line).unwrap_or_else(|breach| panic!("{breach}: {}", breach.shown));
    taken.expect("no bout was dropped")
}

#[test]
#[ignore = "long: a compiler for each kit"]
#[expect(clippy::print_stdout, reason = "a language that is left out is named")]
fn the_built_in_connect_four_and_that_of_every_kit_agree() {
    let games =
        std::env::var("JOUST_KIT_GAMES").map_or(200, |text| text.parse().expect("a number"));
    let mut played = Vec::new();
    for kit in KITS {
        match kit.start() {
            Some(mut program) => {
                play(&mut program, kit.language, games);
                played.push(kit.language);
            }
            None => println!("SKIPPED: {}: no `{}` here", kit.language, kit.tool),
        }
    }
    println!("{games} games each: {}", played.join(", "));
    assert!(played.contains(&"python"), "{played:?}");
}
