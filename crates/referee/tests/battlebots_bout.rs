//! A bout of BattleBots through the `Judge` trait: requests, answers, endings.

use joust_referee::games::battlebots::Battlebots;
use joust_referee::{
    DeadlineClass, Input, Judge, OptionValue, Options, OptionsError, Output, Outputs, Parts,
    Referee, RequestId, Seat, Seed, Setup, StartError, Verdict,
};

fn start(options: &Options, seats: u8, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
    let setup = Setup { rules: "documented", options, seed: Seed(1), seats, names: &[] };
    Battlebots.start(&setup, out)
}

fn max_rounds(rounds: i64) -> Options {
    [("max_rounds".to_owned(), OptionValue::Int(rounds))].into_iter().collect()
}

fn begin(options: &Options) -> Box<dyn Judge> {
    start(options, 2, &mut Outputs::new()).expect("the game starts")
}

fn answer(game: &mut dyn Judge, seat: u8, request: u32, text: &str) -> Vec<Output> {
    let mut out = Outputs::new();
    let parts = Parts::single(text.as_bytes());
    let (seat, request) = (Seat(seat), RequestId(request));
    game.next(&Input::Answer { seat, request, parts, verdict: Verdict::Ok }, &mut out)
        .expect("the referee cannot fail");
    out.list
}

fn asked(outputs: &[Output]) -> Vec<(u8, u32)> {
    let asks = outputs.iter().filter_map(|output| match output {
        Output::Ask { seat, request, deadline: DeadlineClass::Turn, .. } => {
            Some((seat.0, request.0))
        }
        _ => None,
    });
    asks.collect()
}

#[test]
fn both_seats_are_asked_at_the_start() {
    let mut out = Outputs::new();
    start(&Options::new(), 2, &mut out).expect("the game starts");
    assert_eq!(asked(&out.list), [(0, 0), (1, 1)]);
}

#[test]
fn a_round_is_judged_in_seat_order_whoever_answers_first() {
    let mut game = begin(&Options::new());
    assert_eq!(answer(&mut *game, 1, 1, " N\n"), []);
    let outputs = answer(&mut *game, 0, 0, "jump");
    let judged = |seat, request, verdict, action: &str| Output::Judged {
        seat: Seat(seat),
        request: RequestId(request),
        verdict,
        action: action.to_owned().into(),
    };
    let expected = [
        judged(0, 0, Verdict::IllegalOutput, ""),
        judged(1, 1, Verdict::Ok, "N"),
        Output::RoundOver { round: 0 },
    ];
    assert_eq!(outputs[..3], expected);
    assert_eq!(asked(&outputs), [(0, 2), (1, 3)]);
}

#[test]
fn a_second_answer_to_a_request_is_ignored() {
    let mut game = begin(&Options::new());
    answer(&mut *game, 0, 0, "P");
    assert_eq!(answer(&mut *game, 0, 0, "N"), []);
    let outputs = answer(&mut *game, 1, 1, "NO");
    let taken = outputs.iter().any(
        |output| matches!(output, Output::Judged { seat: Seat(0), action, .. } if action == "P"),
    );
    assert!(taken, "{outputs:?}");
}

#[test]
fn an_answer_to_the_other_seats_request_is_ignored() {
    let mut game = begin(&Options::new());
    answer(&mut *game, 0, 1, "P");
    assert_eq!(answer(&mut *game, 1, 1, "NO"), []);
}

#[test]
fn max_rounds_ends_a_bout_early() {
    let mut game = begin(&max_rounds(1));
    answer(&mut *game, 0, 0, "P");
    let outputs = answer(&mut *game, 1, 1, "NO");
    let outcome = game.outcome().expect("the bout is over");
    assert_eq!(outputs.last(), Some(&Output::Over(outcome.clone())));
    assert_eq!((&*outcome.ended, outcome.rounds), ("round-limit", 1));
    let results: Vec<_> = outcome.seats.0.iter().map(|seat| (seat.rank, seat.score)).collect();
    assert_eq!(results, [(2, 9.into()), (1, 10.into())]);
}

#[test]
fn an_impossible_number_of_rounds_is_refused() {
    let error = start(&max_rounds(1001), 2, &mut Outputs::new()).err().expect("it is too large");
    let expected = "option `max_rounds` is `1001`, expected a whole number from 1 to 1000";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn an_unknown_option_is_refused() {
    let options = [("size".to_owned(), OptionValue::Int(3))].into_iter().collect();
    let error = start(&options, 2, &mut Outputs::new()).err();
    let unknown = OptionsError::Unknown { name: "size".to_owned() };
    assert_eq!(error, Some(StartError::Options(unknown)));
}

#[test]
fn three_seats_are_refused() {
    let error = start(&Options::new(), 3, &mut Outputs::new()).err();
    assert_eq!(error, Some(StartError::Seats(3)));
}

#[test]
fn the_rules_name_every_option_and_rule_set() {
    let text = Battlebots.spec().rules_text.as_str();
    for option in &Battlebots.spec().options {
        assert!(text.contains(&option.name), "{}", option.name);
    }
    for rules in &Battlebots.spec().rule_sets {
        assert!(text.contains(rules), "{rules}");
    }
}

#[test]
fn a_scene_names_the_bots_and_their_hit_points() {
    let names = ["huggy".to_owned(), "nop".to_owned()];
    let options = Options::new();
    let setup =
        Setup { rules: "original", options: &options, seed: Seed(1), seats: 2, names: &names };
    let game = Battlebots.start(&setup, &mut Outputs::new()).expect("the game starts");
    let scene = game.scene();
    assert_eq!(scene.top(1, 1).map(|cell| cell.symbol), Some('0'));
    assert_eq!(scene.top(8, 8).map(|cell| cell.symbol), Some('1'));
    assert_eq!(scene.texts[1].text, "0 huggy hp=10");
}
