//! UWCS Bomberman as a bout: seats, requests, faults, results.

use std::sync::Arc;

use joust_referee::games::uwcs_bomberman::{
    Admission, DeadNames, Effect, EndTest, GameOptions, IdleTurns, Quirks, Series, Server,
    UwcsBomberman, quirks_of,
};
use joust_referee::{
    ClockSpec, Connection, DeadlineClass, Input, Judge, OptionValue, Options, Output, Outputs,
    Parts, Referee, RequestId, Seat, Seed, SendTo, Setup, StartError, Verdict,
};

/// A bout and what came out of it since the last look.
struct Table {
    game: Box<dyn Judge>,
    out: Outputs,
    requests: Vec<(Seat, RequestId)>,
}

impl Table {
    fn start(rules: &str, seats: u8, options: &[(&str, i64)]) -> Self {
        let options: Options = options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), OptionValue::Int(*value)))
            .collect();
        let names: Vec<String> = (0..seats).map(|seat| format!("bot-{seat}")).collect();
        let setup = Setup { rules, options: &options, seed: Seed(7), seats, names: &names };
        let mut out = Outputs::new();
        let game = UwcsBomberman.start(&setup, &mut out).expect("the bout starts");
        let requests = out.drain().map(|output| match output {
            Output::Ask { seat, request, deadline: DeadlineClass::Start, .. } => (seat, request),
            other => panic!("{other:?}"),
        });
        let requests = requests.collect();
        Self { game, out, requests }
    }

    /// Two seats with a connection each, an open board, both registered, the
    /// first tick announced.
    fn running(rules: &str, options: &[(&str, i64)]) -> Self {
        let mut table = Self::start(rules, 2, options);
        table.open(0, Some(0));
        table.open(1, Some(1));
        table.all_ready();
        table.say(0, "REGISTER alice pw\n");
        table.say(1, "REGISTER bob pw\n");
        table.free_map();
        table.tick();
        table.out.drain().for_each(drop);
        table
    }

    fn free_map(&mut self) {
        let values = vec![0; 13 * 13];
        self.take(Input::Resolved { draw: "map".to_owned(), values });
        self.take(Input::Resolved { draw: "players".to_owned(), values: vec![0, 1] });
        self.take(Input::Resolved { draw: "starts".to_owned(), values: vec![0, 0, 12, 12] });
    }

    fn take(&mut self, input: Input) {
        self.game.next(&input, &mut self.out).expect("the referee cannot fail");
    }

    fn open(&mut self, connection: u32, seat: Option<u8>) {
        self.take(Input::Opened { connection: Connection(connection), seat: seat.map(Seat) });
    }

    fn close(&mut self, connection: u32) {
        self.take(Input::Closed { connection: Connection(connection) });
    }

    fn say(&mut self, connection: u32, text: &str) {
        let bytes: Arc<[u8]> = text.as_bytes().into();
        self.take(Input::Message { connection: Connection(connection), bytes });
    }

    fn tick(&mut self) {
        self.take(Input::Tick);
    }

    fn answer(&mut self, seat: Seat, request: RequestId, verdict: Verdict) {
        self.take(Input::Answer { seat, request, parts: Parts::none(), verdict });
    }

    fn all_ready(&mut self) {
        for (seat, request) in self.requests.clone() {
            self.answer(seat, request, Verdict::Ok);
        }
    }

    fn judged(&mut self) -> Vec<(u8, RequestId, Verdict, String)> {
        let judged = self.out.drain().filter_map(|output| match output {
            Output::Judged { seat, request, verdict, action } => {
                Some((seat.0, request, verdict, action.into_owned()))
            }
            _ => None,
        });
        judged.collect()
    }

    fn sent(&mut self) -> String {
        let sent = self.out.drain().filter_map(|output| match output {
            Output::Send { bytes, .. } => Some(String::from_utf8_lossy(&bytes).into_owned()),
            _ => None,
        });
        sent.collect()
    }

    fn ranks_and_scores(&self) -> Vec<(u8, i64)> {
        let outcome = self.game.outcome().expect("the bout is over");
        let points = |score: joust_referee::Score| score.as_whole().expect("points are whole");
        outcome.seats.0.iter().map(|seat| (seat.rank, points(seat.score))).collect()
    }
}

#[test]
fn init_is_sent_when_the_last_seat_is_ready_or_has_failed() {
    let mut table = Table::start("documented", 2, &[]);
    table.open(0, Some(0));
    let [(first, first_request), (second, second_request)] = table.requests[..] else { panic!() };
    table.answer(first, first_request, Verdict::Ok);
    assert_eq!(table.sent(), "");
    table.answer(second, second_request, Verdict::Timeout);
    let judged = Output::Judged {
        seat: second,
        request: second_request,
        verdict: Verdict::Timeout,
        action: "".into(),
    };
    assert!(table.out.list.contains(&judged));
    assert_eq!(table.sent(), "INIT\n");
}

#[test]
fn ticks_before_the_seats_are_ready_do_nothing() {
    let mut table = Table::start("documented", 2, &[]);
    table.tick();
    assert!(table.out.list.is_empty());
}

#[test]
fn a_turn_judges_every_living_seat_and_idleness_is_ok() {
    let mut table = Table::running("documented", &[]);
    table.say(1, "ACTION LEFT\n");
    table.tick();
    let judged = table.judged();
    let seen: Vec<_> =
        judged.iter().map(|(seat, _, verdict, action)| (*seat, *verdict, &**action)).collect();
    assert_eq!(seen, [(0, Verdict::Ok, ""), (1, Verdict::Ok, "LEFT")]);
    assert_ne!(judged[0].1, judged[1].1);
}

#[test]
fn a_fault_is_judged_once_in_the_tick_that_takes_it() {
    let mut table = Table::running("documented", &[]);
    table.tick();
    let newest = table.judged()[1].1;
    table.answer(Seat(1), newest, Verdict::Crash);
    table.answer(Seat(1), newest, Verdict::Timeout);
    table.tick();
    let verdicts: Vec<_> = table.judged().into_iter().map(|(_, _, verdict, _)| verdict).collect();
    assert_eq!(verdicts, [Verdict::Ok, Verdict::Crash]);
    table.tick();
    let verdicts: Vec<_> = table.judged().into_iter().map(|(_, _, verdict, _)| verdict).collect();
    assert_eq!(verdicts, [Verdict::Ok, Verdict::Ok]);
}

#[test]
fn a_fault_with_no_turn_left_is_judged_before_the_end() {
    let mut table = Table::running("documented", &[]);
    table.tick();
    let newest = table.judged()[1].1;
    table.answer(Seat(1), newest, Verdict::Crash);
    table.close(1);
    table.tick();
    let last = &table.out.list[table.out.list.len() - 2..];
    assert!(matches!(last, [Output::Judged { verdict: Verdict::Crash, .. }, Output::Over(_)]));
    assert_eq!(table.ranks_and_scores(), [(1, 1), (2, 0)]);
}

#[test]
fn the_result_goes_to_the_seat_whatever_name_it_shows() {
    let mut table = Table::start("documented", 2, &[("turns", 5)]);
    table.open(0, Some(1));
    table.open(1, Some(0));
    table.all_ready();
    table.say(0, "REGISTER bot-0 mine\n");
    table.say(1, "REGISTER bot-0 yours\n");
    table.free_map();
    table.tick();
    table.say(0, "ACTION BOMB\n");
    (0..5).for_each(|_| table.tick());
    assert!(table.sent().contains("PLAYERS 2\nbot-0 0 0\nbot-0 12 12\n"));
    assert_eq!(table.ranks_and_scores(), [(1, 2), (2, 0)]);
}

#[test]
fn a_second_connection_of_a_seat_is_audience() {
    let mut table = Table::start("documented", 2, &[]);
    for (connection, seat) in [(0, Some(0)), (1, Some(0)), (2, Some(1)), (3, None)] {
        table.open(connection, seat);
    }
    table.all_ready();
    for connection in [3, 2, 1, 0] {
        table.say(connection, &format!("REGISTER c{connection} pw\n"));
    }
    table.tick();
    let sent = table.sent();
    assert_eq!(sent.matches("REGISTERED").count(), 4);
    assert!(sent.contains("PLAYERS 2\n"));
    assert!(sent.contains("\nc0 ") && sent.contains("\nc2 "), "{sent}");
    table.say(1, "ACTION UP\n");
    assert_eq!(table.sent(), "E_NOT_PLAYING\n");
}

#[test]
fn a_seat_that_comes_back_in_the_window_plays_and_later_watches() {
    let mut table = Table::start("documented", 2, &[]);
    table.open(0, Some(0));
    table.open(1, Some(1));
    table.all_ready();
    table.say(0, "REGISTER alice pw\n");
    table.close(0);
    table.open(2, Some(0));
    table.say(2, "REGISTER alice pw\n");
    table.say(1, "REGISTER bob pw\n");
    table.tick();
    assert!(table.sent().contains("PLAYERS 2\n"));
    table.close(2);
    table.open(3, Some(0));
    table.say(3, "REGISTER alice pw\n");
    table.say(3, "ACTION UP\n");
    assert_eq!(table.sent(), "E_NOT_INIT\nE_NOT_PLAYING\n");
}

#[test]
fn a_seat_that_left_ranks_behind_one_without_points() {
    let mut table = Table::running("original", &[("turns", 3)]);
    table.tick();
    table.close(0);
    (0..3).for_each(|_| table.tick());
    assert_eq!(table.game.outcome().expect("over").ended, "turn-limit");
    assert_eq!(table.ranks_and_scores(), [(2, 0), (1, 0)]);
}

#[test]
fn a_name_that_breaks_the_original_server_ends_the_bout() {
    let mut table = Table::start("original", 2, &[("turns", 1)]);
    table.open(0, Some(0));
    table.open(1, Some(1));
    table.all_ready();
    table.say(0, "REGISTER a!b pw");
    table.say(1, "REGISTER bob pw");
    (0..3).for_each(|_| table.tick());
    let outcome = table.game.outcome().expect("over");
    assert_eq!((&*outcome.ended, outcome.rounds), ("stuck", 1));
    assert_eq!(table.ranks_and_scores(), [(1, 0), (1, 0)]);
}

#[test]
fn a_bout_without_anybody_is_a_draw() {
    let mut table = Table::start("documented", 3, &[]);
    for (seat, request) in table.requests.clone() {
        table.answer(seat, request, Verdict::Timeout);
    }
    table.tick();
    table.tick();
    assert_eq!(table.ranks_and_scores(), [(1, 0), (1, 0), (1, 0)]);
}

#[test]
fn an_endless_line_closes_the_connection_and_the_player_is_out() {
    let mut table = Table::running("documented", &[]);
    table.say(1, &"x".repeat(4097));
    assert!(table.out.list.contains(&Output::Close { connection: Connection(1) }));
    table.tick();
    assert_eq!(table.ranks_and_scores(), [(1, 1), (2, 0)]);
}

#[test]
fn the_same_seed_gives_a_seat_the_same_square_whoever_comes_first() {
    let starts = |order: [u8; 2]| {
        let mut table = Table::start("documented", 2, &[]);
        for (connection, seat) in (0..).zip(order) {
            table.open(connection, Some(seat));
        }
        table.all_ready();
        for (connection, seat) in (0..).zip(order) {
            table.say(connection, &format!("REGISTER seat{seat} pw\n"));
        }
        table.tick();
        table.sent().split_once("MAP").expect("a map is sent").1.to_owned()
    };
    assert_eq!(starts([0, 1]), starts([1, 0]));
}

#[test]
fn whether_a_seat_has_acted_is_known() {
    let mut table = Table::start("documented", 2, &[]);
    table.open(0, Some(0));
    table.open(1, Some(1));
    table.all_ready();
    assert!(!table.game.has_acted(Seat(0)));
    table.say(0, "REGISTER alice pw\n");
    assert!(table.game.has_acted(Seat(0)) && !table.game.has_acted(Seat(1)));
    table.say(1, "REGISTER bob pw\n");
    table.tick();
    assert!(!table.game.has_acted(Seat(1)));
    table.say(1, "ACTION UP\n");
    assert!(table.game.has_acted(Seat(1)));
    table.close(0);
    assert!(table.game.has_acted(Seat(0)));
}

#[test]
fn the_clock_is_that_of_the_options() {
    let clock = UwcsBomberman.spec().clock(&Options::new());
    assert_eq!(clock, Some(ClockSpec { first_ms: 500, tick_ms: 500, ticks: 1002 }));
    let options = [("tick_ms", 50), ("window_ms", 80), ("turns", 20)]
        .map(|(name, value)| (name.to_owned(), OptionValue::Int(value)));
    let clock = UwcsBomberman.spec().clock(&options.into_iter().collect());
    assert_eq!(clock, Some(ClockSpec { first_ms: 80, tick_ms: 50, ticks: 22 }));
}

#[test]
fn seven_seats_are_too_many() {
    let options = Options::new();
    let setup =
        Setup { rules: "documented", options: &options, seed: Seed(1), seats: 7, names: &[] };
    let refused = UwcsBomberman.start(&setup, &mut Outputs::new()).err();
    assert_eq!(refused, Some(StartError::Seats(7)));
}

/// Specification 9: fuse 4, first TICK 1, END right after the turn, no extra
/// point, turns without actions not announced.
#[test]
fn with_its_own_switches_the_readmes_example_is_played_literally() {
    let quirks = Quirks {
        survivor_points: 0,
        idle_turns: IdleTurns::Silent,
        dead_names: DeadNames::Escaped,
        end_test: EndTest::BeforeAndAfterTurn,
        ..quirks_of("documented").expect("it is known")
    };
    let options = GameOptions { rows: 5, columns: 5, ..GameOptions::new(quirks) };
    let mut server = Server::new(options, Admission::Anyone, Series::BackToBack, Seed(1));
    let (alice, bob) = (Connection(0), Connection(1));
    let mut out = Vec::new();
    server.begin(&mut out);
    for (connection, name) in [(alice, "alice"), (bob, "bob")] {
        server.open(connection, None);
        server.receive(connection, format!("REGISTER {name} pw\n").as_bytes(), &mut out);
        server.checked(connection, true, &mut out);
    }
    let map = "1110002020101111202010001".bytes().map(|digit| i64::from(digit - b'0'));
    server.resolve("map".to_owned(), map.collect());
    server.resolve("players".to_owned(), vec![0, 1]);
    server.resolve("starts".to_owned(), vec![0, 4, 4, 2]);
    out.clear();
    server.strike(&mut out);
    let turns: [&[(Connection, &str)]; 6] = [
        &[(alice, "LEFT"), (bob, "UP")],
        &[(alice, "BOMB"), (bob, "BOMB")],
        &[(alice, "RIGHT"), (bob, "DOWN")],
        &[(alice, "DOWN")],
        &[],
        &[],
    ];
    for turn in turns {
        for (connection, action) in turn {
            server.receive(*connection, format!("ACTION {action}\n").as_bytes(), &mut out);
        }
        server.strike(&mut out);
    }
    let sent = out.iter().filter_map(|effect| match effect {
        Effect::Send { to: SendTo::All, bytes } => Some(String::from_utf8_lossy(bytes)),
        _ => None,
    });
    let expected = "MAP 5 5\n1 1 1 0 0\n0 2 0 2 0\n1 0 1 1 1\n1 2 0 2 0\n1 0 0 0 1\n\
                    PLAYERS 2\nalice 0 4\nbob 4 2\nTICK 1\n\
                    ACTIONS 2\nalice LEFT\nbob UP\nTICK 2\n\
                    ACTIONS 2\nalice BOMB\nbob BOMB\nTICK 3\n\
                    ACTIONS 2\nalice RIGHT\nbob DOWN\nTICK 4\n\
                    ACTIONS 1\nalice DOWN\nTICK 5\nTICK 6\n\
                    DEAD 1\nbob\nEND\nSCORES 2\nalice 1\nbob 0\nINIT\n";
    assert_eq!(sent.collect::<String>(), expected);
}

#[test]
fn connections_beyond_those_that_bots_can_have_are_ignored() {
    let mut table = Table::start("documented", 2, &[]);
    (0..4096).for_each(|connection| table.open(connection, Some(0)));
    let full = table.game.state_hash();
    table.open(4096, Some(0));
    assert_eq!(table.game.state_hash(), full);
    table.close(0);
    let free = table.game.state_hash();
    table.open(4097, Some(0));
    assert_ne!(table.game.state_hash(), free);
}
