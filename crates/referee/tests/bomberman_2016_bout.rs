//! A bout of Bomberman 2016 through the `Judge` trait: requests, answers, the
//! idle rule, replay files, endings.

use joust_referee::games::bomberman_2016::Bomberman2016;
use joust_referee::{
    Input, Judge, LogKind, OptionValue, Options, Output, Outputs, Part, Parts, PlayerInfo, Referee,
    ReplayFolder, RequestId, Seat, Seed, Setup, StartError, Verdict,
};

fn start(options: &Options, seats: u8, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
    let setup = Setup { rules: "original", options, seed: Seed(77), seats, names: &[] };
    Bomberman2016.start(&setup, out)
}

fn option(name: &str, value: OptionValue) -> Options {
    [(name.to_owned(), value)].into_iter().collect()
}

/// A bout and its open requests.
struct Table {
    game: Box<dyn Judge>,
    open: Vec<(Seat, RequestId)>,
    out: Outputs,
}

impl Table {
    fn start(options: &Options, seats: u8) -> Self {
        let mut out = Outputs::new();
        let game = start(options, seats, &mut out).expect("the game starts");
        let mut table = Self { game, open: Vec::new(), out };
        table.collect();
        table
    }

    /// Returns what came out, and remembers the requests.
    fn folder(&self) -> &dyn ReplayFolder {
        self.game.replay_folder().expect("the game has replay folders")
    }

    fn collect(&mut self) -> Vec<Output> {
        let seen: Vec<Output> = self.out.drain().collect();
        for output in &seen {
            if let Output::Ask { seat, request, .. } = output {
                self.open.push((*seat, *request));
            }
        }
        seen
    }

    fn answer(&mut self, seat: Seat, text: &str, verdict: Verdict) -> Vec<Output> {
        let index = self.open.iter().position(|(who, _)| *who == seat).expect("it is asked");
        let (_, request) = self.open.remove(index);
        let part = Part { name: "move.txt".into(), bytes: text.as_bytes().into() };
        let parts = Parts(vec![part]);
        self.game
            .next(&Input::Answer { seat, request, parts, verdict }, &mut self.out)
            .expect("the referee cannot fail");
        self.collect()
    }

    /// Plays a round in which every seat that is asked says its text; returns
    /// the actions judged, in seat order.
    fn play(&mut self, texts: &[&str]) -> Vec<String> {
        let mut seen = Vec::new();
        if self.open.is_empty() {
            self.game.next(&Input::Tick, &mut self.out).expect("the referee cannot fail");
            seen = self.collect();
        }
        for (seat, _) in self.open.clone() {
            seen = self.answer(seat, texts[seat.index()], Verdict::Ok);
        }
        let action = |output: Output| match output {
            Output::Judged { action, .. } => Some(action.into_owned()),
            _ => None,
        };
        seen.into_iter().filter_map(action).collect()
    }

    fn view(&self) -> Vec<Part> {
        self.folder().round(&[]).files
    }

    fn file(&self, name: &str) -> String {
        let files = Parts(self.view());
        String::from_utf8(files.get(name).expect("it is there").to_vec()).expect("it is UTF-8")
    }
}

#[test]
fn every_living_seat_is_asked_with_the_same_bytes() {
    let mut out = Outputs::new();
    start(&Options::new(), 5, &mut out).expect("the game starts");
    let asked: Vec<_> = out
        .list
        .iter()
        .map(|output| match output {
            Output::Ask { parts, files: Some(files), .. } => (parts, &*files.key, &*files.folder),
            other => panic!("{other:?}"),
        })
        .collect();
    let keys: Vec<&str> = asked.iter().map(|(_, key, _)| *key).collect();
    assert_eq!(keys, ["A", "B", "C", "D", "E"]);
    let folders: Vec<&str> = asked.iter().map(|(.., folder)| *folder).collect();
    assert_eq!(folders, ["0/A", "0/B", "0/C", "0/D", "0/E"]);
    let same = |(parts, ..): &(&Parts, &str, &str)| {
        let shared =
            |(one, other): (&Part, &Part)| std::sync::Arc::ptr_eq(&one.bytes, &other.bytes);
        parts.0.iter().zip(&asked[0].0.0).all(shared)
    };
    assert!(asked.iter().all(same));
    let names: Vec<&str> = asked[0].0.0.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["state.json", "map.txt"]);
}

#[test]
fn answers_in_another_order_are_judged_in_seat_order() {
    let mut table = Table::start(&Options::new(), 2);
    assert_eq!(table.answer(Seat(1), "2", Verdict::Ok), []);
    let judged = |seat, request, verdict, action: &str| Output::Judged {
        seat: Seat(seat),
        request: RequestId(request),
        verdict,
        action: action.to_owned().into(),
    };
    let outputs = table.answer(Seat(0), "jump", Verdict::Ok);
    let expected = [
        judged(0, 0, Verdict::IllegalOutput, ""),
        judged(1, 1, Verdict::Ok, "left"),
        Output::RoundOver { round: 0 },
    ];
    assert_eq!(outputs[..3], expected);
}

#[test]
fn only_the_exit_status_leaves_a_move_in_force() {
    let faults = [
        (Verdict::ExitNonzero, "right"),
        (Verdict::Crash, "right"),
        (Verdict::Timeout, ""),
        (Verdict::MemoryLimit, ""),
        (Verdict::OutputLimit, ""),
        (Verdict::ProtocolViolation, ""),
    ];
    for (fault, expected) in faults {
        let mut table = Table::start(&Options::new(), 2);
        table.answer(Seat(0), "3", fault);
        let outputs = table.answer(Seat(1), "0", Verdict::Ok);
        let Output::Judged { verdict, action, .. } = &outputs[0] else { panic!("{outputs:?}") };
        assert_eq!((*verdict, &**action), (fault, expected));
    }
}

#[test]
fn an_idle_bot_bombs_itself_and_is_asked_no_more() {
    let mut table = Table::start(&Options::new(), 2);
    let step = |round: u32| if round.is_multiple_of(2) { "3" } else { "2" };
    for round in 0..19 {
        assert_eq!(table.play(&[step(round), "0"])[1], "nothing", "round {round}");
        assert!(!table.folder().holds_log_back(Seat(1)), "round {round}");
    }
    assert_eq!(table.play(&[step(19), "0"])[1], "bomb");
    assert!(table.folder().holds_log_back(Seat(1)), "5.5: no log of the forced bomb's turn");
    assert_eq!(table.play(&[step(20), "0"])[1], "nothing");
    assert!([0, 1, 2].iter().all(|seat| !table.folder().holds_log_back(Seat(*seat))));
    assert_eq!(table.open.len(), 1, "B is given up");
    assert_eq!(table.play(&[step(21)]), ["left"]);
    table.play(&[step(22)]);
    let outcome = table.game.outcome().expect("B is dead");
    assert_eq!((&*outcome.ended, outcome.rounds), ("last-survivor", 23));
    assert_eq!(outcome.seats[Seat(0)].rank, 1);
}

#[test]
fn a_person_may_do_nothing_for_ever() {
    let mut table = Table::start(&Options::new(), 2);
    table
        .game
        .next(&Input::Person { seat: Seat(1) }, &mut table.out)
        .expect("the referee cannot fail");
    for round in 0..30_u32 {
        let step = if round.is_multiple_of(2) { "3" } else { "2" };
        assert_eq!(table.play(&[step, "0"])[1], "nothing", "round {round}");
    }
}

#[test]
fn faults_count_as_doing_nothing() {
    let mut table = Table::start(&Options::new(), 2);
    for round in 0..21_u32 {
        table.answer(Seat(0), if round.is_multiple_of(2) { "3" } else { "2" }, Verdict::Ok);
        table.answer(Seat(1), "5", Verdict::Timeout);
    }
    assert_eq!(table.open.iter().map(|(seat, _)| seat.0).collect::<Vec<_>>(), [0]);
}

#[test]
fn a_round_without_requests_is_played_by_a_tick() {
    let mut table = Table::start(&Options::new(), 2);
    for _ in 0..21 {
        table.play(&["0", "0"]);
    }
    assert!(table.open.is_empty(), "both are given up");
    assert_eq!(table.play(&[]), Vec::<String>::new());
    assert_eq!(table.game.rounds(), 22);
    table.play(&[]);
    let outcome = table.game.outcome().expect("both bombed themselves");
    assert_eq!(outcome.ended, "all-dead");
    let ranks: Vec<u8> = outcome.seats.0.iter().map(|seat| seat.rank).collect();
    assert_eq!(ranks, [1, 2]);
}

#[test]
fn a_tick_while_somebody_is_asked_does_nothing() {
    let mut table = Table::start(&Options::new(), 2);
    let before = table.game.state_hash();
    table.game.next(&Input::Tick, &mut table.out).expect("the referee cannot fail");
    assert_eq!((table.collect(), table.game.state_hash()), (Vec::new(), before));
}

#[test]
fn nobody_killed_means_442_rounds() {
    let mut table = Table::start(&Options::new(), 2);
    while table.game.outcome().is_none() {
        let step = if table.game.rounds().is_multiple_of(2) { "3" } else { "2" };
        table.play(&[step, step]);
    }
    let outcome = table.game.outcome().expect("the bout is over");
    assert_eq!((&*outcome.ended, outcome.rounds), ("round-limit", 442));
}

#[test]
fn max_rounds_ends_a_bout_early() {
    let mut table = Table::start(&option("max_rounds", OptionValue::Int(2)), 2);
    table.play(&["0", "0"]);
    assert!(table.game.outcome().is_none());
    table.play(&["0", "0"]);
    let outcome = table.game.outcome().expect("the bout is over");
    assert_eq!((&*outcome.ended, outcome.rounds), ("round-limit", 2));
}

#[test]
fn the_seed_of_the_bout_is_the_game_seed_unless_one_is_given() {
    let shown = |options: &Options| Table::start(options, 2).file("map.txt");
    assert!(shown(&Options::new()).contains(", Seed: 77, "));
    let given = option("map_seed", OptionValue::Int(-2_147_483_648));
    assert!(shown(&given).contains(", Seed: -2147483648, "));
}

#[test]
fn line_ends_of_map_txt_can_be_those_of_windows() {
    let crlf = option("line_endings", OptionValue::Text("crlf".to_owned()));
    let lines = |options: &Options| Table::start(options, 2).file("map.txt");
    assert_eq!(lines(&crlf), lines(&Options::new()).replace('\n', "\r\n"));
}

#[test]
fn the_closing_folder_and_the_rewritten_files_show_the_end() {
    let mut table = Table::start(&Options::new(), 2);
    assert_eq!(table.folder().rewrites(), []);
    table.play(&["5", "0"]);
    while table.game.outcome().is_none() {
        let step = if table.game.rounds().is_multiple_of(2) { "3" } else { "2" };
        table.play(&["0", step]);
    }
    let closing = table.folder().round(&[PlayerInfo::named("ada")]);
    assert_eq!(closing.folder, "5");
    let names: Vec<&str> = closing.files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, ["map.txt", "state.json", "roundInfo.json"]);
    let info = String::from_utf8_lossy(&closing.files[2].bytes).into_owned();
    assert!(info.starts_with(r#"{"MapSeed":77,"Round":5,"Winner":{"Author":"bot 1","#), "{info}");
    assert!(info.contains(
        r#"{"Author":"ada","NickName":"ada","Email":"ada","PlayerKey":"A","BotType":"Unkown"}"#
    ));
    let rewrites = table.folder().rewrites();
    let folders: Vec<&str> = rewrites.iter().map(|round| round.folder.as_str()).collect();
    assert_eq!(folders, ["4/A", "4/B"]);
    assert!(rewrites.iter().all(|round| round.files == closing.files[..2]));
}

#[test]
fn the_log_tells_what_happened() {
    let mut table = Table::start(&Options::new(), 2);
    table.play(&["3", "2"]);
    let log = table.folder().engine_log();
    assert!(log.iter().all(|line| line.kind == LogKind::Info), "{log:?}");
    let log: Vec<&str> = log.iter().map(|line| line.text.as_str()).collect();
    let expected = [
        "Added Command MovementCommand(Right) for Player PlayerEntity(X:2, Y:2, Key:A)",
        "Added Command MovementCommand(Left) for Player PlayerEntity(X:20, Y:20, Key:B)",
        "Player PlayerEntity(X:3, Y:2, Key:A) has a movement coverage of 0.71% for the map",
        "Player PlayerEntity(X:19, Y:20, Key:B) has a movement coverage of 0.71% for the map",
    ];
    assert_eq!(log, expected);
}

#[test]
fn folders_of_the_dead_are_as_the_original_leaves_them() {
    let mut table = Table::start(&Options::new(), 3);
    // B blows itself up in round 4, A in round 9; C lives.
    table.play(&["0", "5", "0"]);
    while table.game.rounds() < 5 {
        assert_eq!(table.folder().empty_folders(), [""; 0]);
        table.play(&["0", "0", "0"]);
    }
    assert_eq!(table.folder().empty_folders(), ["5/B"], "a bot before the last of the living");
    table.play(&["5", "", "0"]);
    while table.game.outcome().is_none() {
        table.play(&["0", "", "0"]);
    }
    assert_eq!(table.folder().empty_folders(), [""; 0]);
    let rewrites = table.folder().rewrites();
    let folders: Vec<&str> = rewrites.iter().map(|round| round.folder.as_str()).collect();
    assert_eq!(folders, ["9/A", "4/B", "9/C"]);
}

#[test]
fn the_dead_behind_the_last_of_the_living_have_the_end_in_the_closing_folder() {
    let mut table = Table::start(&Options::new(), 3);
    // C blows itself up first, then B: the original comes to C again when the game is over.
    table.play(&["0", "0", "5"]);
    while table.game.rounds() < 5 {
        table.play(&["0", "0", "0"]);
    }
    assert_eq!(table.folder().empty_folders(), [""; 0]);
    table.play(&["0", "5", ""]);
    while table.game.outcome().is_none() {
        table.play(&["0", "0", ""]);
    }
    let rewrites = table.folder().rewrites();
    let folders: Vec<&str> = rewrites.iter().map(|round| round.folder.as_str()).collect();
    assert_eq!(folders, ["9/A", "9/B", "4/C", "10/C"]);
}

#[test]
fn one_or_thirteen_seats_are_refused() {
    for seats in [0, 1, 13] {
        let error = start(&Options::new(), seats, &mut Outputs::new()).err();
        assert_eq!(error, Some(StartError::Seats(seats)));
    }
}

#[test]
fn an_impossible_seed_is_refused() {
    let seed = option("map_seed", OptionValue::Int(2_147_483_648));
    let error = start(&seed, 2, &mut Outputs::new()).err().expect("it is too large");
    let expected = "option `map_seed` is `2147483648`, expected a whole number from -2147483648 to \
                    2147483647";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_rules_name_every_option_and_rule_set() {
    let text = Bomberman2016.spec().rules_text.as_str();
    for option in &Bomberman2016.spec().options {
        assert!(text.contains(&option.name), "{}", option.name);
    }
    for rules in &Bomberman2016.spec().rule_sets {
        assert!(text.contains(rules), "{rules}");
    }
}

#[test]
fn a_scene_shows_players_and_their_bombs() {
    let mut table = Table::start(&Options::new(), 2);
    let symbol = |table: &Table, x, y| table.game.scene().top(x, y).map(|cell| cell.symbol);
    assert_eq!(symbol(&table, 1, 1), Some('A'));
    assert_eq!(symbol(&table, 19, 19), Some('B'));
    assert_eq!(symbol(&table, 10, 10), Some('$'));
    table.play(&["5", "0"]);
    table.play(&["3", "0"]);
    assert_eq!(symbol(&table, 1, 1), Some('3'));
    assert!(table.game.scene().texts[2].text.starts_with("A bot 0 points=0 bag=0/1 radius=1"));
}
