//! Bouts played without bots: the same few answers over and over.

use std::borrow::Cow;

use joust_model::{
    BoutId, BoutPlan, BoutResult, BuildHash, ClockMode, Exit, GameOptions, LimitSet, Limits,
    Occupant, Round, SeatPlan, SeatResult, StoredBout, TurnLog, TurnRecord, VerdictCounts,
};
use joust_play::channel::{self, Port};
use joust_referee::log::LogWriter;
use joust_referee::{
    Connection, Game, Input, Judge, Output, Outputs, Part, Parts, RequestId, Scene, Seat, Seed,
    Setup, Verdict, default_options,
};
use joust_testkit::fixtures;

/// More inputs than a bout is given.
const MOST_INPUTS: usize = 20_000;

/// A bout as it would come from the database, and its positions as they were.
pub(crate) struct Played {
    /// The bout.
    pub(crate) stored: StoredBout,
    /// The start position and that after each round.
    pub(crate) scenes: Vec<Scene>,
}

/// A request that waits.
struct Request {
    seat: Seat,
    request: RequestId,
    file: Option<Cow<'static, str>>,
}

/// Manner in which bots play.
#[derive(Clone, Copy)]
enum Manner {
    /// They shoot, bomb and hit.
    Fierce,
    /// They attack no one: a bout lasts as long as its rules let it.
    Peaceful,
}

struct Driver {
    manner: Manner,
    game: Box<dyn Judge>,
    out: Outputs,
    log: LogWriter,
    open: Vec<Request>,
    scenes: Vec<Scene>,
    turns: TurnLog,
}

impl Played {
    /// Plays a bout of a game, at most `rounds` rounds of it.
    pub(crate) fn of(kind: &Game, rules: &str, rounds: usize) -> Self {
        Self::bout(kind, rules, (rounds, Manner::Fierce), "bot")
    }

    /// Plays a bout that only the rules end.
    pub(crate) fn to_the_end(kind: &Game, rules: &str) -> Self {
        Self::bout(kind, rules, (usize::MAX, Manner::Peaceful), "bot")
    }

    /// Plays a bout whose bots are called `name` and a number; the first `name`.
    pub(crate) fn named(kind: &Game, rules: &str, rounds: usize, name: &str) -> Self {
        Self::bout(kind, rules, (rounds, Manner::Fierce), name)
    }

    fn bout(kind: &Game, rules: &str, (rounds, manner): (usize, Manner), name: &str) -> Self {
        let seats = kind.spec().seats.fewest.max(2);
        let names: Vec<String> = (0..seats)
            .map(|seat| if seat == 0 { name.to_owned() } else { format!("{name} {seat}") })
            .collect();
        let options = default_options(&kind.spec().options);
        let setup = Setup { rules, options: &options, seed: Seed(7), seats, names: &names };
        let mut out = Outputs::new();
        let game = kind.start(&setup, &mut out).expect("the defaults fit");
        let scenes = vec![game.scene()];
        let (log, turns) = (LogWriter::new(), TurnLog::default());
        let mut driver = Driver { manner, game, out, log, open: Vec::new(), scenes, turns };
        driver.see();
        driver.play(kind, seats, rounds);
        driver.end(kind, rules, &names, &GameOptions::from_referee(&options))
    }
}

impl Driver {
    fn play(&mut self, kind: &Game, seats: u8, rounds: usize) {
        let channel = channel::find(&kind.spec().channel).expect("it is of the list");
        let is_wired = channel.port == Port::OfTheGame;
        let ticks = kind.spec().clock.is_some();
        if is_wired {
            self.connect(seats);
        }
        for step in 0..MOST_INPUTS {
            if self.game.outcome().is_some() || self.scenes.len() > rounds {
                return;
            }
            for request in std::mem::take(&mut self.open) {
                let Request { seat, request, file } = request;
                let parts = answer(
                    kind.id(),
                    step + usize::from(seat.0) * 3,
                    (self.manner, file.as_deref()),
                );
                self.tell(Input::Answer { seat, request, parts, verdict: Verdict::Ok });
            }
            if is_wired {
                let words = match self.manner {
                    Manner::Fierce => WIRED,
                    Manner::Peaceful => &WIRED[2..],
                };
                (0..seats).for_each(|seat| {
                    self.send(seat, words[(step + usize::from(seat)) % words.len()])
                });
            }
            if ticks || self.open.is_empty() {
                self.tell(Input::Tick);
            }
        }
    }

    fn connect(&mut self, seats: u8) {
        for seat in (0..seats).map(Seat) {
            let connection = Connection(u32::from(seat.0));
            self.tell(Input::Opened { connection, seat: Some(seat) });
        }
        for Request { seat, request, .. } in std::mem::take(&mut self.open) {
            let parts = Parts::none();
            self.tell(Input::Answer { seat, request, parts, verdict: Verdict::Ok });
        }
        (0..seats).for_each(|seat| self.send(seat, &format!("REGISTER bot{seat} pw\n")));
    }

    fn send(&mut self, seat: u8, text: &str) {
        let connection = Connection(u32::from(seat));
        self.tell(Input::Message { connection, bytes: text.as_bytes().into() });
    }

    fn tell(&mut self, input: Input) {
        self.log.push(&input);
        self.game.next(&input, &mut self.out).expect("the referee cannot fail");
        self.see();
    }

    fn see(&mut self) {
        let outputs: Vec<Output> = self.out.drain().collect();
        let mut is_over = false;
        for output in outputs {
            match output {
                Output::Ask { seat, request, files, .. } => {
                    let file = files.and_then(|files| files.answers.first().cloned());
                    self.open.push(Request { seat, request, file });
                }
                Output::Judged { seat, verdict, action, .. } => {
                    self.record(seat, verdict, action.into_owned());
                }
                Output::RoundOver { .. } => is_over = true,
                _ => {}
            }
        }
        if is_over {
            self.scenes.push(self.game.scene());
        } else if self.game.outcome().is_some() {
            *self.scenes.last_mut().expect("there is the first") = self.game.scene();
        }
    }

    fn record(&mut self, seat: Seat, verdict: Verdict, action: String) {
        self.turns.push(&TurnRecord {
            round: Round(self.scenes.len() as u32 - 1),
            seat: seat.0,
            verdict: verdict.code(),
            limits_hit: LimitSet::default(),
            wall_us: 1500,
            cpu_us: 700,
            cpu_partial: false,
            stall_us: 0,
            peak_memory_bytes: 1 << 20,
            exit: Exit::Status(0),
            action,
            output: Vec::new(),
            stderr: b"secret of a bot".to_vec(),
            reason: "why it failed".to_owned(),
        });
    }

    fn end(self, kind: &Game, rules: &str, names: &[String], options: &GameOptions) -> Played {
        let build = BuildHash::of("test", &[]);
        let plan = BoutPlan {
            bout: BoutId::of("test", &[kind.id().as_bytes()]),
            event: "event".to_owned(),
            game: kind.id().to_owned(),
            revision: kind.spec().revision,
            referee: None,
            rules: rules.to_owned(),
            options: options.clone().into(),
            seed: Seed(7),
            match_number: 0,
            number: 0,
            seats: names
                .iter()
                .map(|bot| SeatPlan { bot: bot.clone(), occupant: Occupant::Build(build) })
                .collect(),
            limits: Limits::default().into(),
            clock: kind.spec().clock.as_ref().map(|_| ClockMode::Lockstep),
        };
        let action_log = zstd::bulk::compress(&self.log.to_bytes(), 3).expect("it is in memory");
        let seats = (0_u8..).zip(&plan.seats).map(|(seat, bot)| self.seat_result(seat, bot));
        let result = BoutResult {
            ended: "cut".to_owned(),
            rounds: self.game.rounds(),
            state_hash: self.game.state_hash().expect("the referee cannot fail").to_string(),
            action_log,
            turn_log: self.turns.compress(),
            ..fixtures::result(&plan, plan.key(), seats.collect())
        };
        Played { stored: StoredBout { plan, result }, scenes: self.scenes }
    }

    fn seat_result(&self, seat: u8, plan: &SeatPlan) -> SeatResult {
        let turns = TurnLog::read(&self.turns.compress()).expect("it was just written");
        let mut verdicts = VerdictCounts::default();
        let own = turns.iter().filter(|turn| turn.seat == seat);
        own.for_each(|turn| verdicts.add(turn.verdict()));
        SeatResult { score: 0.into(), verdicts, ..fixtures::seat(plan, 1, 0) }
    }
}

const WIRED: &[&str] = &[
    "ACTION RIGHT\n",
    "ACTION BOMB\n",
    "ACTION LEFT\n",
    "ACTION UP\n",
    "ACTION DOWN\n",
    "ACTION DOWN\n",
];

const FLEET: &str = "Carrier 1 1 north\nBattleship 3 1 north\nCruiser 5 1 north\nSubmarine 7 1 north\nDestroyer 8 1 north";

/// Returns a possible answer of a bot of the game at step `step`.
fn answer(game: &str, step: usize, (manner, file): (Manner, Option<&str>)) -> Parts {
    let pick = |words: &[&'static str]| words[step % words.len()].to_owned();
    let text = match (game, manner) {
        ("battlebots", Manner::Peaceful) => pick(&["N", "SE", "W", "NE", "S", "NW", "E", "NO"]),
        // Nobody has a ship there.
        ("battleships-2017", Manner::Peaceful) => format!("1,{},0", step % 10),
        ("battlesnake", _) => pick(&["right", "up", "left", "down"]),
        ("bomberman-2016", Manner::Peaceful) => pick(&["4", "3", "1", "2"]),
        ("coderone-dungeon", Manner::Peaceful) => pick(&["r", "u", "l", "d"]),
        ("battlebots", _) => {
            pick(&["N", "M SE", "E", "B S", "L W", "SW", "M NW", "S", "NO", "B E"])
        }
        ("bomberman-2016", _) => pick(&["4", "3", "5", "2", "1", "1", "3", "0"]),
        ("coderone-dungeon", _) => pick(&["r", "u", "p", "l", "d", "d"]),
        ("battleships-2017", _) => format!("1,{},{}", step % 10, step / 10 % 10),
        _ => String::new(),
    };
    let part = |name: &str, text: &str| Part { name: name.into(), bytes: text.as_bytes().into() };
    match (game, file) {
        ("battleships-2017", _) => {
            Parts(vec![part("place.txt", FLEET), part("command.txt", &text)])
        }
        ("battlesnake", _) => Parts(vec![part("body", &format!("{{\"move\":\"{text}\"}}"))]),
        (_, Some(file)) => Parts(vec![part(file, &text)]),
        ("coderone-dungeon", None) => Parts(vec![part("str", &text)]),
        _ => Parts::single(text.into_bytes()),
    }
}
