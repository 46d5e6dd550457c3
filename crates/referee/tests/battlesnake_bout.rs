//! A bout of Battlesnake through the `Judge` trait: calls, verdicts, endings, refusals.

use joust_referee::games::battlesnake::{
    Battlesnake, Bout, BoutOptions, GameState, Map, Snake, Square,
};
use joust_referee::{
    DeadlineClass, Input, Judge, OptionValue, Options, Output, Outputs, Part, Parts, Referee,
    RequestId, Seat, Seed, Setup, Verdict,
};

struct Table {
    bout: Box<dyn Judge>,
    open: Vec<(Seat, RequestId, Parts, DeadlineClass)>,
    judged: Vec<(u8, Verdict, String)>,
    rounds: Vec<u32>,
}

impl Table {
    fn start(options: &[(&str, OptionValue)], seats: u8) -> Result<Self, String> {
        let options: Options =
            options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let names: Vec<String> = (0..seats).map(|seat| format!("snake {seat}")).collect();
        let setup =
            Setup { rules: "original", options: &options, seed: Seed(1000), seats, names: &names };
        let checked = Battlesnake.check(&setup).map_err(|error| error.to_string());
        let mut out = Outputs::new();
        let started = Battlesnake.start(&setup, &mut out).map_err(|error| error.to_string());
        assert_eq!(checked.is_ok(), started.is_ok());
        Ok(Self::new(started?, out))
    }

    fn from_state(options: BoutOptions, state: GameState) -> Self {
        let names = (0..state.snakes.len()).map(|seat| format!("snake {seat}")).collect();
        let mut out = Outputs::new();
        let bout = Bout::from_state(options, Seed(1), state, names, &mut out);
        Self::new(Box::new(bout), out)
    }

    fn new(bout: Box<dyn Judge>, out: Outputs) -> Self {
        let (open, judged, rounds) = (Vec::new(), Vec::new(), Vec::new());
        let mut table = Self { bout, open, judged, rounds };
        table.see(out);
        table
    }

    fn see(&mut self, out: Outputs) {
        for output in out.list {
            match output {
                Output::Ask { seat, request, parts, deadline, .. } => {
                    self.open.push((seat, request, parts, deadline));
                }
                Output::Judged { seat, verdict, action, .. } => {
                    self.judged.push((seat.0, verdict, action.into_owned()));
                }
                Output::RoundOver { round } => self.rounds.push(round),
                _ => {}
            }
        }
    }

    fn take(&mut self, input: &Input) {
        let mut out = Outputs::new();
        self.bout.next(input, &mut out).expect("the referee cannot fail");
        self.see(out);
    }

    /// Answers all open requests in the order of the seats; what is missing is timed out.
    fn answer(&mut self, bodies: &[Option<&str>]) {
        self.judged.clear();
        for (seat, request, ..) in std::mem::take(&mut self.open) {
            let body = bodies.get(seat.index()).copied().flatten();
            let verdict = if body.is_some() { Verdict::Ok } else { Verdict::Timeout };
            let parts = body.map_or_else(Parts::none, reply);
            self.take(&Input::Answer { seat, request, parts, verdict });
        }
    }

    fn answer_or_tick(&mut self, bodies: &[Option<&str>]) {
        match self.open.is_empty() {
            true => self.take(&Input::Tick),
            false => self.answer(bodies),
        }
    }

    /// Answers the description and the start.
    fn begin(&mut self) {
        let seats = vec![Some("{}"); self.open.len()];
        self.answer(&seats);
        self.answer(&seats);
    }

    fn paths(&self) -> Vec<(u8, &str)> {
        let path = |parts: &Parts| String::from_utf8(parts.get("path").unwrap().to_vec()).unwrap();
        let paths = self.open.iter().map(|(seat, _, parts, _)| (seat.0, path(parts)));
        let known = ["/", "/start", "/move", "/end"];
        paths
            .map(|(seat, path)| (seat, *known.iter().find(|known| **known == path).unwrap()))
            .collect()
    }

    fn body(&self, seat: u8) -> String {
        let open = self.open.iter().find(|(open, ..)| open.0 == seat).expect("it is asked");
        String::from_utf8(open.2.get("body").expect("it has a body").to_vec()).expect("it is text")
    }

    fn ranks(&self) -> Vec<(u8, Option<i64>)> {
        let outcome = self.bout.outcome().expect("the bout is over");
        outcome.seats.0.iter().map(|seat| (seat.rank, seat.score.as_whole())).collect()
    }
}

fn reply(body: &str) -> Parts {
    let part = |name: &str, text: &str| Part { name: name.into(), bytes: text.as_bytes().into() };
    Parts(vec![part("status", "200"), part("body", body)])
}

fn text(value: &str) -> OptionValue {
    OptionValue::Text(value.to_owned())
}

const UP: Option<&str> = Some("{\"move\":\"up\"}");
const DOWN: Option<&str> = Some("{\"move\":\"down\"}");
const LEFT: Option<&str> = Some("{\"move\":\"left\"}");
const RIGHT: Option<&str> = Some("{\"move\":\"right\"}");

fn snake(squares: &[(i16, i16)]) -> Snake {
    let body = squares.iter().map(|(x, y)| Square::new(*x, *y)).collect();
    Snake { body, health: 90, out: None }
}

fn board(snakes: Vec<Snake>) -> GameState {
    GameState { turn: 0, width: 11, height: 11, food: Vec::new(), hazards: Vec::new(), snakes }
}

#[test]
fn a_bout_asks_for_a_description_then_starts_moves_and_ends() {
    let mut table = Table::start(&[], 2).unwrap();
    assert_eq!(table.paths(), [(0, "/"), (1, "/")]);
    assert!(table.open[0].2.get("body").is_none());
    table.answer(&[Some("{\"color\":\"#fff\"}"), None]);
    let expected = [(0, Verdict::Ok, String::new()), (1, Verdict::Timeout, String::new())];
    assert_eq!(table.judged, expected);
    assert_eq!(table.paths(), [(0, "/start"), (1, "/start")]);
    assert_eq!(table.open[0].3, DeadlineClass::Own { ms: 500 });
    table.answer(&[None, Some("")]);
    assert_eq!(table.judged, []);
    while table.open.is_empty() || table.paths()[0].1 == "/move" {
        table.answer_or_tick(&[LEFT, LEFT]);
    }
    assert_eq!(table.paths(), [(0, "/end"), (1, "/end")]);
    table.answer(&[None, None]);
    assert_eq!((table.judged.len(), table.bout.outcome().is_some()), (0, true));
    assert_eq!(table.rounds, (0..table.bout.rounds()).collect::<Vec<_>>());
}

/// The first request of `001-std-2-7.jsonl.gz`, but for the name of the game.
#[test]
fn a_request_is_as_recorded_byte_for_byte() {
    let side = OptionValue::Int(7);
    let mut table = Table::start(&[("width", side.clone()), ("height", side)], 2).unwrap();
    let looks = "{\"color\":\"#5217ed\",\"head\":\"default\",\"tail\":\"bolt\"}";
    table.answer(&[Some(looks), Some(looks)]);
    let snake = |number: u8, y: u8| {
        format!(
            "{{\"id\":\"snake-{}\",\"name\":\"snake {number}\",\"latency\":\"0\",\"health\":100,\
             \"body\":[{{\"x\":3,\"y\":{y}}},{{\"x\":3,\"y\":{y}}},{{\"x\":3,\"y\":{y}}}],\
             \"head\":{{\"x\":3,\"y\":{y}}},\"length\":3,\"shout\":\"\",\"squad\":\"\",\
             \"customizations\":{{\"color\":\"#5217ed\",\"head\":\"default\",\"tail\":\"bolt\"}}}}",
            number + 1
        )
    };
    let (one, two) = (snake(0, 1), snake(1, 5));
    let expected = format!(
        "\"ruleset\":{{\"name\":\"standard\",\"version\":\"cli\",\"settings\":{{\
         \"foodSpawnChance\":15,\"minimumFood\":1,\"hazardDamagePerTurn\":14,\"hazardMap\":\"\",\
         \"hazardMapAuthor\":\"\",\"royale\":{{\"shrinkEveryNTurns\":25}},\"squad\":{{\
         \"allowBodyCollisions\":false,\"sharedElimination\":false,\"sharedHealth\":false,\
         \"sharedLength\":false}}}}}},\"map\":\"standard\",\"timeout\":500,\"source\":\"\"}},\
         \"turn\":0,\"board\":{{\"height\":7,\"width\":7,\"snakes\":[{one},{two}],\
         \"food\":[{{\"x\":2,\"y\":0}},{{\"x\":2,\"y\":6}},{{\"x\":3,\"y\":3}}],\"hazards\":[]}},\
         \"you\":{two}}}"
    );
    let body = table.body(1);
    let (game, rest) = body.split_at(body.find("\"ruleset\"").expect("it has a ruleset"));
    assert_eq!(rest, expected);
    assert!(game.starts_with("{\"game\":{\"id\":\"game-") && game.len() == 38, "{game}");
}

#[test]
fn a_bad_or_late_answer_repeats_the_last_good_move() {
    let mut table = Table::from_state(
        BoutOptions::default(),
        board(vec![snake(&[(5, 5), (5, 5), (5, 5)]), snake(&[(1, 1), (1, 1), (1, 1)])]),
    );
    table.begin();
    table.answer(&[LEFT, Some("{\"move\":\"north\"}")]);
    let verdicts =
        [(0, Verdict::Ok, "left".to_owned()), (1, Verdict::IllegalOutput, String::new())];
    assert_eq!(table.judged, verdicts);
    let comments = &table.bout;
    assert_eq!(comments.comment(Seat(0)), None);
    let expected =
        "`move` is none of `up`, `down`, `left`, `right`; it has not moved yet and goes: up";
    assert_eq!(comments.comment(Seat(1)), Some(expected));
    table.answer(&[None, Some(" ")]);
    let verdicts = [(0, Verdict::Timeout, String::new()), (1, Verdict::NoOutput, String::new())];
    assert_eq!(table.judged, verdicts);
    let body = table.body(0);
    assert!(body.contains("\"head\":{\"x\":3,\"y\":5}"), "{body}");
    assert!(body.contains("\"head\":{\"x\":1,\"y\":3}"), "{body}");
}

#[test]
fn the_last_snake_is_asked_once_more() {
    let state = board(vec![snake(&[(0, 5), (1, 5), (2, 5)]), snake(&[(5, 5), (5, 4), (5, 3)])]);
    let mut table = Table::from_state(BoutOptions::default(), state);
    table.begin();
    table.answer(&[LEFT, UP]);
    let comment = "out in turn 1: left the board (wall-collision)";
    assert_eq!(table.bout.comment(Seat(0)), Some(comment));
    assert_eq!(table.paths(), [(1, "/move")]);
    table.answer(&[None, DOWN]);
    assert!(table.body(1).contains("\"head\":{\"x\":5,\"y\":6}"), "the move counts for nothing");
    assert!(table.body(0).contains("\"head\":{\"x\":-1,\"y\":5}"));
    table.answer(&[Some(""), Some("")]);
    assert_eq!(table.bout.outcome().unwrap().ended, "last-standing");
    assert_eq!((table.bout.rounds(), table.ranks()), (2, vec![(2, Some(0)), (1, Some(1))]));
}

#[test]
fn those_that_die_in_one_turn_share_a_rank() {
    let state = board(vec![
        snake(&[(4, 5), (3, 5), (2, 5)]),
        snake(&[(6, 5), (7, 5), (8, 5)]),
        snake(&[(0, 0), (1, 0), (2, 0)]),
    ]);
    let mut table = Table::from_state(BoutOptions::default(), state);
    table.begin();
    table.answer(&[UP, UP, LEFT]);
    table.answer(&[RIGHT, LEFT]);
    let comment = "out in turn 2: lost head to head against snake 1 (head-collision)";
    assert_eq!(table.bout.comment(Seat(0)), Some(comment));
    assert_eq!(table.paths(), []);
    table.take(&Input::Tick);
    table.answer(&[Some(""), Some(""), Some("")]);
    assert_eq!(table.bout.outcome().unwrap().ended, "nobody-left");
    assert_eq!(table.ranks(), [(1, Some(1)), (1, Some(1)), (3, Some(0))]);
}

#[test]
fn the_living_share_the_first_rank_at_the_turn_limit() {
    let state = board(vec![
        snake(&[(4, 5), (3, 5), (2, 5)]),
        snake(&[(6, 5), (7, 5), (8, 5)]),
        snake(&[(0, 0), (1, 0), (2, 0)]),
    ]);
    let options = BoutOptions { max_turns: 2, ..BoutOptions::default() };
    let mut table = Table::from_state(options, state);
    table.begin();
    table.answer(&[UP, UP, LEFT]);
    table.answer(&[UP, UP]);
    table.answer(&[None, None, None]);
    assert_eq!(table.bout.outcome().unwrap().ended, "turn-limit");
    assert_eq!(table.ranks(), [(1, Some(1)), (1, Some(1)), (3, Some(0))]);
}

#[test]
fn a_snake_alone_has_a_point_for_each_turn() {
    let mut table = Table::start(&[], 1).unwrap();
    table.begin();
    while table.bout.outcome().is_none() {
        table.answer_or_tick(&[UP]);
    }
    let (rank, score) = table.ranks()[0];
    let turns = i64::from(table.bout.rounds());
    assert_eq!((rank, score), (1, Some(turns - 1)));
}

#[test]
fn latency_is_that_of_the_last_move_and_hidden_from_its_own_snake() {
    let state = board(vec![snake(&[(4, 5), (3, 5), (2, 5)]), snake(&[(6, 5), (7, 5), (8, 5)])]);
    let mut table = Table::from_state(BoutOptions::default(), state);
    table.begin();
    for (seat, request, ..) in std::mem::take(&mut table.open) {
        let mut parts = reply("{\"move\":\"up\"}");
        parts.0.push(Part::took(std::time::Duration::from_micros(41_999)));
        table.take(&Input::Answer { seat, request, parts, verdict: Verdict::Ok });
    }
    let body = table.body(1);
    let (board, you) = body.split_at(body.find("\"you\"").unwrap());
    assert_eq!(board.matches("\"latency\":\"41\"").count(), 2);
    assert!(you.contains("\"latency\":\"0\""));
}

#[test]
fn a_board_without_room_is_refused() {
    let int = OptionValue::Int;
    let small = [("width", int(5)), ("height", int(5))];
    assert!(Table::start(&small, 8).is_ok());
    let refused = Table::start(&[("map", text("arcade_maze"))], 2).err();
    let expected = "option `map` is `arcade_maze`, expected width x height of 19x21 for this map";
    assert_eq!(refused.as_deref(), Some(expected));
    let maze = [("map", text("arcade_maze")), ("width", int(19)), ("height", int(21))];
    let refused = Table::start(&maze, 8).err();
    let expected =
        "option `map` is `arcade_maze`, expected a map that has room for 8 snakes on 19x21";
    assert_eq!(refused.as_deref(), Some(expected));
    assert!(Table::start(&maze, 6).is_ok());
    assert!(Table::start(&[("ruleset", text("squad"))], 2).is_err());
    assert!(Table::start(&[], 9).is_err());
}

#[test]
fn every_map_is_played_on_a_board_of_its_own_size() {
    let sides =
        [("hz_castle_wall_xl", 25), ("hz_rivers_bridges_xl", 25), ("hz_castle_wall_lg", 19)];
    let sides =
        sides.into_iter().chain([("hz_islands_bridges_lg", 19), ("hz_rivers_bridges_lg", 19)]);
    let sides: std::collections::BTreeMap<&str, i64> = sides.collect();
    let spec = Battlesnake.spec();
    let maps = spec.options.iter().find(|option| option.name == "map").expect("there is a map");
    let joust_referee::OptionKind::OneOf(maps) = &maps.kind else { panic!("maps are words") };
    for map in maps {
        assert!(Map::from_name(map).is_some(), "{map}");
        let side = sides.get(&**map).copied().unwrap_or(11);
        let size = if map == "arcade_maze" { (19, 21) } else { (side, side) };
        let (width, height) = (OptionValue::Int(size.0), OptionValue::Int(size.1));
        let options = [("map", text(map)), ("width", width), ("height", height)];
        let mut table = Table::start(&options, 4).unwrap_or_else(|error| panic!("{map}: {error}"));
        table.begin();
        while table.bout.outcome().is_none() {
            table.answer_or_tick(&[UP, RIGHT, DOWN, LEFT]);
        }
    }
}
