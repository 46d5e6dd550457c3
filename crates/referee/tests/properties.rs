//! Tests of properties that every game in the registry has, under each of its rule sets.

use std::sync::Arc;

use joust_referee::{
    Catalogue, Connection, Game, Input, Judge, Options, Output, Outputs, Part, Parts, RequestId,
    Seat, SeatRange, Seed, Setup, StateHash, Verdict, log,
};
use proptest::prelude::*;

/// More inputs than any bout with default options may need.
const INPUTS_TO_THE_END: usize = 100_000;

/// Next step of a test.
#[derive(Clone, Debug)]
enum Step {
    /// Answers one of the open requests.
    Reply { which: usize, parts: Parts, verdict: Verdict },
    /// Sends any input.
    Any(Input),
}

fn bytes() -> impl Strategy<Value = Arc<[u8]>> {
    const WORDS: &[&str] = &[
        "N\n",
        "SE",
        "B W",
        "M S",
        "L NE",
        "P",
        "NO",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "2,3,4",
        "\u{85}N",
        "\0",
        "",
        "REGISTER bob pw\n",
        "REGISTER a!b x",
        "ACTION BOMB\n",
        "ACTION UP\nACTION",
        " LEFT",
        "u",
        "d",
        "l",
        "r",
        "p",
        "{\"move\":\"up\"}",
        "{\"move\":\"right\",\"shout\":\"a\\u0007=b\"}",
    ];
    prop_oneof![
        3 => prop::sample::select(WORDS).prop_map(|word| Arc::from(word.as_bytes())),
        1 => prop::collection::vec(any::<u8>(), 0..300).prop_map(Arc::from),
    ]
}

fn parts() -> impl Strategy<Value = Parts> {
    const NAMES: &[&str] =
        &["", "move.txt", "command.txt", "place.txt", "str", "lost", "body", "../x", "\u{1f600}"];
    let part = (prop::sample::select(NAMES), bytes())
        .prop_map(|(name, bytes)| Part { name: Arc::from(name), bytes });
    let move_file =
        bytes().prop_map(|bytes| Parts(vec![Part { name: Arc::from("move.txt"), bytes }]));
    prop_oneof![
        3 => bytes().prop_map(Parts::single),
        3 => move_file,
        1 => prop::collection::vec(part, 0..4).prop_map(Parts),
    ]
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![3 => Just(Verdict::Ok), 1 => prop::sample::select(&Verdict::ALL[..])]
}

fn connection() -> impl Strategy<Value = Connection> {
    prop_oneof![0..4_u32, any::<u32>()].prop_map(Connection)
}

fn input() -> impl Strategy<Value = Input> {
    let request = prop_oneof![0..20_u32, any::<u32>()].prop_map(RequestId);
    let seat = || prop_oneof![0..3_u8, any::<u8>()].prop_map(Seat);
    let known = prop::sample::select(&["collision-roll", "collision-loser"][..]);
    let draw = prop_oneof![".{0,12}", known.prop_map(str::to_owned)];
    prop_oneof![
        (seat(), request, parts(), verdict()).prop_map(|(seat, request, parts, verdict)| {
            Input::Answer { seat, request, parts, verdict }
        }),
        (connection(), bytes())
            .prop_map(|(connection, bytes)| Input::Message { connection, bytes }),
        (connection(), prop::option::of(seat()))
            .prop_map(|(connection, seat)| Input::Opened { connection, seat }),
        connection().prop_map(|connection| Input::Closed { connection }),
        Just(Input::Tick),
        seat().prop_map(|seat| Input::Person { seat }),
        (draw, prop::collection::vec(prop_oneof![0..100_i64, any::<i64>()], 0..5))
            .prop_map(|(draw, values)| Input::Resolved { draw, values }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (any::<usize>(), parts(), verdict())
            .prop_map(|(which, parts, verdict)| Step::Reply { which, parts, verdict }),
        1 => input().prop_map(Step::Any),
    ]
}

/// A bout with everything that went in and came out.
struct Table {
    new_outputs: fn() -> Outputs,
    game: Box<dyn Judge>,
    open: Vec<(Seat, RequestId)>,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
}

impl Table {
    /// Starts a bout; `seed` also says how many seats play.
    fn start(kind: &Game, rules: &str, seed: u64) -> Self {
        Self::start_with(Outputs::new, kind, rules, seed)
    }

    /// Starts a bout whose outputs go to such lists.
    fn start_with(new_outputs: fn() -> Outputs, kind: &Game, rules: &str, seed: u64) -> Self {
        let seats = seats_for(kind, seed);
        let names: Vec<String> = (0..seats).map(|seat| format!("bot-{seat}")).collect();
        let options = Options::new();
        let setup = Setup { rules, options: &options, seed: Seed(seed), seats, names: &names };
        let mut out = new_outputs();
        let game = kind.start(&setup, &mut out).expect("the game starts");
        let (open, inputs, outputs) = (Vec::new(), Vec::new(), Vec::new());
        let mut table = Self { new_outputs, game, open, inputs, outputs };
        table.see(out);
        table
    }

    fn take(&mut self, input: Input) {
        let mut out = (self.new_outputs)();
        if let Input::Answer { seat, request, .. } = &input {
            self.open.retain(|open| open != &(*seat, *request));
        }
        self.inputs.push(input.clone());
        self.game.next(&input, &mut out).expect("the referee cannot fail");
        self.see(out);
    }

    fn see(&mut self, out: Outputs) {
        for output in out.list {
            match &output {
                Output::Ask { seat, request, .. } => self.open.push((*seat, *request)),
                Output::Judged { seat, request, .. } => {
                    self.open.retain(|open| open != &(*seat, *request));
                }
                _ => {}
            }
            self.outputs.push(output);
        }
    }

    fn play(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Any(input) => self.take(input.clone()),
                Step::Reply { .. } if self.open.is_empty() => self.take(Input::Tick),
                Step::Reply { which, parts, verdict } => {
                    let (seat, request) = self.open[which % self.open.len()];
                    let (parts, verdict) = (parts.clone(), *verdict);
                    self.take(Input::Answer { seat, request, parts, verdict });
                }
            }
        }
    }

    /// Answers everything in the order asked until the bout is over.
    fn play_to_the_end(&mut self, answers: &[Parts]) {
        while self.game.outcome().is_none() {
            assert!(self.inputs.len() < INPUTS_TO_THE_END, "the bout does not end");
            let parts = answers[self.inputs.len() % answers.len()].clone();
            let open = self.open.clone();
            if open.is_empty() {
                self.take(Input::Tick);
            }
            for (seat, request) in open {
                let parts = parts.clone();
                self.take(Input::Answer { seat, request, parts, verdict: Verdict::Ok });
            }
        }
    }

    fn state(&self) -> StateHash {
        self.game.state_hash().expect("the referee cannot fail")
    }
}

/// Plays the bout of a table again without views: everything else must be the same.
fn assert_same_without_views(kind: &Game, rules: &str, seed: u64, table: &Table) {
    let mut blind = Table::start_with(Outputs::without_views, kind, rules, seed);
    table.inputs.iter().for_each(|input| blind.take(input.clone()));
    let rest: Vec<Output> = table.outputs.iter().cloned().filter_map(without_views).collect();
    assert_eq!(blind.outputs, rest);
    assert_eq!(blind.state(), table.state());
    assert_eq!(blind.game.outcome(), table.game.outcome());
    assert_eq!(blind.game.scene(), table.game.scene());
}

/// Returns an output as a caller gets it that wants no views; `None` for views and requests.
fn without_views(output: Output) -> Option<Output> {
    match output {
        Output::Send { .. } | Output::Ask { .. } => None,
        other => Some(other),
    }
}

/// Returns whether a turn that ended so still counts: the exit status does not void
/// a file that holds the answer. Source:
/// [`move.txt`](joust_referee::docs::bomberman_2016#movetxt).
fn acts_in_spite_of(kind: &Game, verdict: Verdict) -> bool {
    kind.spec().channel == "files" && matches!(verdict, Verdict::ExitNonzero | Verdict::Crash)
}

/// Returns one of the numbers of seats the game is played with.
fn seats_for(kind: &Game, seed: u64) -> u8 {
    let SeatRange { fewest, most } = kind.spec().seats;
    let choices = u64::from(most - fewest) + 1;
    fewest + u8::try_from(seed % choices).expect("it is less than the choices")
}

fn for_every_game(mut check: impl FnMut(&Game, &str)) {
    for game in &Catalogue::built_in() {
        game.spec().rule_sets.iter().for_each(|rules| check(game, rules));
    }
}

/// Opens a connection for each seat, then feeds only what happens to
/// connections and the clock.
fn wire_input() -> impl Strategy<Value = Input> {
    let connection = || (0..5_u32).prop_map(Connection);
    prop_oneof![
        6 => (connection(), bytes())
            .prop_map(|(connection, bytes)| Input::Message { connection, bytes }),
        3 => Just(Input::Tick),
        1 => (connection(), prop::option::of((0..3_u8).prop_map(Seat)))
            .prop_map(|(connection, seat)| Input::Opened { connection, seat }),
        1 => connection().prop_map(|connection| Input::Closed { connection }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_an_answer(seed: u64, steps in prop::collection::vec(step(), 0..120)) {
        for_every_game(|kind, rules| {
            let mut table = Table::start(kind, rules, seed);
            table.play(&steps);
            for output in &table.outputs {
                if let Output::Judged { verdict, action, .. } = output {
                    let may_act = verdict.is_ok() || acts_in_spite_of(kind, *verdict);
                    assert!(may_act || action.is_empty(), "{verdict} with `{action}`");
                }
            }
        });
    }

    #[test]
    fn the_same_seed_and_answers_give_the_same_bytes(
        seed: u64,
        steps in prop::collection::vec(step(), 0..120),
    ) {
        for_every_game(|kind, rules| {
            let mut one = Table::start(kind, rules, seed);
            let mut other = Table::start(kind, rules, seed);
            one.play(&steps);
            other.play(&steps);
            assert_eq!(one.outputs, other.outputs);
            assert_eq!(one.state(), other.state());
            assert_eq!(one.game.scene(), other.game.scene());
        });
    }

    #[test]
    fn a_log_gives_the_same_bout_again(
        seed: u64,
        steps in prop::collection::vec(step(), 0..120),
    ) {
        for_every_game(|kind, rules| {
            let mut table = Table::start(kind, rules, seed);
            table.play(&steps);
            let mut again = Table::start(kind, rules, seed);
            let inputs = log::decode(&log::encode(&table.inputs)).expect("a log can be read");
            inputs.into_iter().for_each(|input| again.take(input));
            assert_eq!(again.outputs, table.outputs);
            assert_eq!(again.game.state_hash(), table.game.state_hash());
            assert_same_without_views(kind, rules, seed, &table);
        });
    }

    #[test]
    fn a_wire_survives_and_repeats_anything(
        seed: u64,
        inputs in prop::collection::vec(wire_input(), 0..200),
    ) {
        for_every_game(|kind, rules| {
            let mut table = Table::start(kind, rules, seed);
            for seat in 0..kind.spec().seats.fewest {
                let connection = Connection(u32::from(seat));
                table.take(Input::Opened { connection, seat: Some(Seat(seat)) });
            }
            for (seat, request) in table.open.clone() {
                let parts = Parts::none();
                table.take(Input::Answer { seat, request, parts, verdict: Verdict::Ok });
            }
            inputs.iter().for_each(|input| table.take(input.clone()));
            let mut again = Table::start(kind, rules, seed);
            table.inputs.iter().for_each(|input| again.take(input.clone()));
            assert_eq!(again.outputs, table.outputs);
            assert_eq!(again.state(), table.state());
            assert_eq!(again.game.scene(), table.game.scene());
            assert_same_without_views(kind, rules, seed, &table);
        });
    }

    #[test]
    fn every_bout_ends(seed: u64, answers in prop::collection::vec(parts(), 1..20)) {
        for_every_game(|kind, rules| {
            let mut table = Table::start(kind, rules, seed);
            table.play_to_the_end(&answers);
            let outcome = table.game.outcome().expect("the bout is over").clone();
            assert_eq!(outcome.rounds, table.game.rounds());
            assert_eq!(outcome.seats.seats(), usize::from(seats_for(kind, seed)));
            assert!(outcome.seats.0.iter().any(|seat| seat.rank == 1));
            assert_eq!(table.outputs.last(), Some(&Output::Over(outcome)));
            assert_same_without_views(kind, rules, seed, &table);
        });
    }

    #[test]
    fn nothing_follows_the_end(seed: u64, inputs in prop::collection::vec(input(), 0..20)) {
        for_every_game(|kind, rules| {
            let mut table = Table::start(kind, rules, seed);
            table.play_to_the_end(&[Parts::none()]);
            let (outputs, state) = (table.outputs.len(), table.state());
            inputs.iter().for_each(|input| table.take(input.clone()));
            assert_eq!((table.outputs.len(), table.state()), (outputs, state));
        });
    }
}

#[test]
fn do_nothing_ends_every_bout() {
    for_every_game(|kind, rules| {
        let SeatRange { fewest, most } = kind.spec().seats;
        for seed in 0..=u64::from(most - fewest) {
            Table::start(kind, rules, seed).play_to_the_end(&[Parts::none()]);
        }
    });
}

#[test]
fn a_scene_has_as_many_cells_as_squares() {
    for_every_game(|kind, rules| {
        let scene = Table::start(kind, rules, 1).game.scene();
        let squares = usize::from(scene.width) * usize::from(scene.height);
        assert!(squares > 0);
        assert!(scene.layers.iter().all(|layer| layer.cells.len() == squares));
    });
}

#[test]
fn every_rule_set_has_samples_with_names_of_their_own() {
    for_every_game(|kind, rules| {
        let mut names: Vec<String> =
            kind.samples(rules).into_iter().map(|sample| sample.name).collect();
        let samples = names.len();
        names.sort();
        names.dedup();
        assert!(samples > 0);
        assert_eq!(names.len(), samples);
    });
}

#[test]
fn an_unknown_rule_set_is_refused() {
    for kind in &Catalogue::built_in() {
        let options = Options::new();
        let seats = kind.spec().seats.fewest;
        let setup = Setup { rules: "house", options: &options, seed: Seed(1), seats, names: &[] };
        let refused = kind.start(&setup, &mut Outputs::new());
        let error = refused.err().expect("the rule set is unknown");
        assert_eq!(error.to_string(), "unknown rule set `house`");
    }
}

#[test]
fn ids_are_unique_and_can_be_found() {
    let games = Catalogue::built_in();
    for kind in &games {
        let same = games.iter().filter(|other| other.id() == kind.id());
        assert_eq!(same.count(), 1);
        assert!(games.find(kind.id()).is_some());
    }
}
