//! A bout of connect four through the `Judge` trait: requests, refusals, endings.

use joust_referee::games::connect_four::ConnectFour;
use joust_referee::{
    Colour, Input, Judge, Kind, OptionValue, Options, Output, Outputs, Parts, Referee, RequestId,
    Seat, Seed, Setup, StartError, StateHash, Verdict, sha256,
};

fn start(options: &Options, seats: u8) -> Result<Box<dyn Judge>, StartError> {
    let names = ["ann".to_owned(), "bob".to_owned()];
    let setup = Setup { rules: "standard", options, seed: Seed(1), seats, names: &names };
    ConnectFour.start(&setup, &mut Outputs::new())
}

fn options(values: &[(&str, i64)]) -> Options {
    values.iter().map(|(name, value)| ((*name).to_owned(), OptionValue::Int(*value))).collect()
}

fn begin() -> Box<dyn Judge> {
    start(&Options::new(), 2).expect("the game starts")
}

fn answer(game: &mut dyn Judge, seat: u8, request: u32, text: &str) -> Vec<Output> {
    let mut out = Outputs::new();
    let parts = Parts::single(text.as_bytes());
    let (seat, request) = (Seat(seat), RequestId(request));
    game.next(&Input::Answer { seat, request, parts, verdict: Verdict::Ok }, &mut out)
        .expect("the referee cannot fail");
    out.list
}

#[test]
fn the_seats_are_asked_in_turn() {
    let mut game = begin();
    let outputs = answer(&mut *game, 0, 0, "3\n");
    let judged = Output::Judged {
        seat: Seat(0),
        request: RequestId(0),
        verdict: Verdict::Ok,
        action: "3".into(),
    };
    assert_eq!(outputs[..2], [judged, Output::RoundOver { round: 0 }]);
    let Output::Ask { seat: Seat(1), request: RequestId(1), parts, .. } = &outputs[2] else {
        panic!("{:?}", outputs[2]);
    };
    assert!(parts.get("").is_some_and(|view| view.starts_with(b"you 1\nconnect 4\n")));
    assert_eq!(outputs.len(), 3);
}

#[test]
fn an_answer_that_was_not_asked_for_is_ignored() {
    let mut game = begin();
    for (seat, request) in [(1, 0), (1, 1), (0, 1), (7, 0)] {
        assert_eq!(answer(&mut *game, seat, request, "3"), []);
    }
    assert_eq!(game.rounds(), 0);
}

#[test]
fn the_state_is_the_board_as_bots_see_it() {
    let mut game = begin();
    for (seat, request, column) in [(0, 0, "3"), (1, 1, "3")] {
        answer(&mut *game, seat, request, column);
    }
    let empty = ".......\n".repeat(4);
    let board = empty + "...1...\n...0...\n";
    assert_eq!(game.state_hash(), Ok(StateHash(sha256(board.as_bytes()))));
}

#[test]
fn a_person_is_told_why_a_column_takes_no_disc() {
    let mut game = begin();
    for request in 0..6 {
        let seat = u8::try_from(request % 2).expect("it is 0 or 1");
        answer(&mut *game, seat, request, "3");
    }
    let refusal = |text: &str| game.refusal(Seat(0), &Parts::single(text.as_bytes()));
    assert_eq!(refusal("3").as_deref(), Some("column 3 is full"));
    assert_eq!(refusal("7").as_deref(), Some("the columns are 0 to 6"));
    assert_eq!(refusal("x").as_deref(), Some("a column is a number"));
    assert_eq!(refusal("4"), None);
    assert_eq!(game.reads(Seat(0), &Parts::single(&b"3"[..])), Verdict::IllegalOutput);
    assert_eq!(game.reads(Seat(0), &Parts::none()), Verdict::NoOutput);
}

#[test]
fn what_does_not_fit_is_refused() {
    let error = |values: &[(&str, i64)]| start(&options(values), 2).err().map(|it| it.to_string());
    let reason = "option `columns` is `21`, expected a whole number from 4 to 20";
    assert_eq!(error(&[("columns", 21)]).as_deref(), Some(reason));
    assert_eq!(error(&[("height", 6)]).as_deref(), Some("unknown option `height`"));
    assert_eq!(start(&Options::new(), 3).err(), Some(StartError::Seats(3)));
}

#[test]
fn a_scene_has_discs_in_the_colours_of_their_seats() {
    let mut game = begin();
    answer(&mut *game, 0, 0, "3");
    answer(&mut *game, 1, 1, "6");
    let scene = game.scene();
    assert_eq!((scene.width, scene.height), (7, 7));
    let disc = |x, y| scene.top(x, y).map(|cell| (cell.kind, cell.symbol, cell.colour));
    assert_eq!(disc(3, 6), Some((Kind::Disc, '0', Colour::Seat(0))));
    assert_eq!(disc(6, 6), Some((Kind::Disc, '1', Colour::Seat(1))));
    assert_eq!(disc(6, 0), Some((Kind::Sign, '6', Colour::Plain)));
    let texts: Vec<_> = scene.texts.iter().map(|line| &*line.text).collect();
    assert_eq!(texts, ["round 2", "0 ann discs=1", "1 bob discs=1", "last disc in column 6"]);
    assert_eq!(scene.marks[0].label, "last disc, bob");
}

#[test]
fn the_rules_name_every_option_and_rule_set() {
    let text = ConnectFour.spec().rules_text.as_str();
    for option in &ConnectFour.spec().options {
        assert!(text.contains(&format!("`{}`", option.name)), "{}", option.name);
    }
    assert!(text.contains("`standard`"));
}
