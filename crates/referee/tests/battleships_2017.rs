//! Tests of a bout of Battleships 2017: its requests, its views, and answers that it survives.

use joust_referee::games::battleships_2017::{Battleships2017, Bout, KEYS};
use joust_referee::{
    Cell, Colour, Files, Input, Judge, Kind, OptionValue, Options, Output, Outputs, Part, Parts,
    PlayerInfo, Referee, ReplayFolder, RequestId, Seat, Seed, Setup, StartError, Verdict,
};
use proptest::prelude::*;

const FLEET: &str = "Carrier 0 0 north\nBattleship 2 0 north\nCruiser 4 0 north\nSubmarine 6 0 north\nDestroyer 2 5 east";

fn options(pairs: &[(&str, OptionValue)]) -> Options {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn text(value: &str) -> OptionValue {
    OptionValue::Text(value.to_owned())
}

fn start(rules: &str, options: &Options, out: &mut Outputs) -> Result<Bout, StartError> {
    let names = ["Ann \"1\"".to_owned(), "Böb".to_owned()];
    Bout::start(&Setup { rules, options, seed: Seed(1), seats: 2, names: &names }, out)
}

fn begin(options: &Options) -> (Bout, Outputs) {
    let mut out = Outputs::new();
    let bout = start("original", options, &mut out).expect("the game starts");
    (bout, out)
}

fn small() -> Options {
    options(&[("map_size", text("small"))])
}

fn file(name: &str, text: &str) -> Parts {
    Parts(vec![Part { name: name.into(), bytes: text.as_bytes().into() }])
}

fn answer(bout: &mut Bout, seat: u8, request: u32, parts: Parts) -> Vec<Output> {
    let (seat, request) = (Seat(seat), RequestId(request));
    let mut out = Outputs::new();
    bout.next(&Input::Answer { seat, request, parts, verdict: Verdict::Ok }, &mut out)
        .expect("the referee cannot fail");
    out.list
}

/// Places both fleets on a small map; the next requests are 2 and 3.
fn placed() -> (Bout, Vec<Output>) {
    let (mut bout, _) = begin(&small());
    answer(&mut bout, 0, 0, file("place.txt", FLEET));
    let outputs = answer(&mut bout, 1, 1, file("place.txt", FLEET));
    (bout, outputs)
}

fn asks(outputs: &[Output]) -> Vec<(u8, u32, &Parts, &Files)> {
    let mut asked = Vec::new();
    for output in outputs {
        if let Output::Ask { seat, request, parts, files, .. } = output {
            let files = files.as_ref().expect("the bots of this game read files");
            asked.push((seat.0, request.0, parts, files));
        }
    }
    asked
}

fn shown<'a>(parts: &'a Parts, name: &str) -> &'a str {
    std::str::from_utf8(parts.get(name).expect("the file is there")).expect("it is text")
}

#[test]
fn both_seats_are_asked_with_their_files() {
    let (_, out) = begin(&Options::new());
    let asked = asks(&out.list);
    let folders: Vec<_> =
        asked.iter().map(|(_, _, _, files)| (&*files.key, &*files.folder)).collect();
    assert_eq!(folders, [("A", "Phase 1 - Round 0/A"), ("B", "Phase 1 - Round 0/B")]);
    for (seat, request, parts, files) in asked {
        assert_eq!(u32::from(seat), request);
        assert_eq!(files.answers[..], ["place.txt", "command.txt"]);
        let names: Vec<_> = parts.0.iter().map(|part| &*part.name).collect();
        assert_eq!(names, ["state.json", "map.txt"]);
    }
}

#[test]
fn the_folder_names_phase_and_round() {
    let (_, outputs) = placed();
    let asked = asks(&outputs);
    assert_eq!(&*asked[1].3.folder, "Phase 2 - Round 1/B");
    assert_eq!((asked[0].1, asked[1].1), (2, 3));
}

#[test]
fn the_json_is_json() {
    let (bout, outputs) = placed();
    for (_, _, parts, _) in asks(&outputs) {
        let state: serde_json::Value =
            serde_json::from_str(shown(parts, "state.json")).expect("it is JSON");
        assert_eq!(state["Round"], 1);
        assert_eq!(state["PlayerMap"]["Cells"].as_array().map(Vec::len), Some(49));
    }
    let replay = bout.round(&[]);
    for part in replay.files.iter().filter(|part| part.name.ends_with(".json")) {
        serde_json::from_slice::<serde_json::Value>(&part.bytes).expect("it is JSON");
    }
}

#[test]
fn names_are_escaped_in_json_and_raw_in_the_map() {
    let (_, out) = begin(&small());
    let asked = asks(&out.list);
    assert!(shown(asked[0].2, "state.json").contains(r#""Name":"Ann \"1\"","Ships""#));
    assert!(shown(asked[0].2, "map.txt").contains("Player Name: Ann \"1\"\n"));
    assert!(shown(asked[0].2, "map.txt").contains("Opponent: Böb\n"));
}

#[test]
fn a_round_is_judged_in_seat_order_whoever_answers_first() {
    let (mut bout, _) = placed();
    assert_eq!(answer(&mut bout, 1, 3, file("command.txt", " 1, 5,3 ")), []);
    let outputs = answer(&mut bout, 0, 2, file("command.txt", "shoot"));
    let judged = |seat, request, verdict, action: &str| Output::Judged {
        seat: Seat(seat),
        request: RequestId(request),
        verdict,
        action: action.to_owned().into(),
    };
    let expected = [
        judged(0, 2, Verdict::IllegalOutput, ""),
        judged(1, 3, Verdict::Ok, "1,5,3"),
        Output::RoundOver { round: 1 },
    ];
    assert_eq!(outputs[..3], expected);
}

#[test]
fn answers_that_do_not_fit_are_ignored() {
    let (mut bout, _) = placed();
    let shot = || file("command.txt", "1,0,0");
    assert_eq!(answer(&mut bout, 0, 3, shot()), []);
    assert_eq!(answer(&mut bout, 2, 2, shot()), []);
    assert_eq!(answer(&mut bout, 0, 0, shot()), []);
    assert_eq!(answer(&mut bout, 0, 2, shot()), []);
    assert_eq!(answer(&mut bout, 0, 2, file("command.txt", "1,1,1")), []);
    answer(&mut bout, 1, 3, shot());
    assert_eq!(bout.state().players[0].points, 10);
}

#[test]
fn a_fault_does_nothing_whatever_was_left() {
    let (mut bout, _) = placed();
    let parts = file("command.txt", "1,0,0");
    let (seat, request) = (Seat(0), RequestId(2));
    let input = Input::Answer { seat, request, parts, verdict: Verdict::Timeout };
    bout.next(&input, &mut Outputs::new()).expect("the referee cannot fail");
    answer(&mut bout, 1, 3, file("command.txt", "1,0,0"));
    let [a, b] = &bout.state().players;
    assert_eq!((a.points, a.do_nothings, a.last.name), (0, 1, Some("DoNothing")));
    assert_eq!(b.points, 10);
}

#[test]
fn line_endings_change_the_map_and_nothing_else() {
    let (_, lf) = begin(&small());
    let (_, crlf) = begin(&options(&[("map_size", text("small")), ("line_endings", text("crlf"))]));
    let (lf, crlf) = (asks(&lf.list), asks(&crlf.list));
    assert_eq!(shown(crlf[0].2, "state.json"), shown(lf[0].2, "state.json"));
    let expected = shown(lf[0].2, "map.txt").replace('\n', "\r\n");
    assert_eq!(shown(crlf[0].2, "map.txt"), expected);
}

#[test]
fn a_map_size_is_a_word_or_a_number() {
    let sizes = [
        (OptionValue::Int(1), 7),
        (text("1"), 7),
        (text("small"), 7),
        (OptionValue::Int(2), 10),
        (OptionValue::Int(3), 14),
        (text("large"), 14),
    ];
    for (value, side) in sizes {
        let (bout, _) = begin(&options(&[("map_size", value)]));
        assert_eq!(bout.options().size.side(), side);
    }
    assert_eq!(begin(&Options::new()).0.options().size.side(), 10);
}

#[test]
fn an_impossible_option_is_refused() {
    let refused = |pair| {
        let error = start("original", &options(&[pair]), &mut Outputs::new());
        error.expect_err("it is impossible").to_string()
    };
    let sizes = "one of medium, small, large, 2, 1, 3";
    assert_eq!(
        refused(("map_size", OptionValue::Int(4))),
        format!("option `map_size` is `4`, expected {sizes}")
    );
    assert_eq!(
        refused(("release", text("1.3"))),
        "option `release` is `1.3`, expected one of 1.2, 1.1, 1.0"
    );
    assert_eq!(refused(("size", OptionValue::Int(1))), "unknown option `size`");
}

#[test]
fn three_seats_are_refused() {
    let options = Options::new();
    let setup = Setup { rules: "original", options: &options, seed: Seed(1), seats: 3, names: &[] };
    let error = Bout::start(&setup, &mut Outputs::new()).err();
    assert_eq!(error, Some(StartError::Seats(3)));
}

#[test]
fn the_rules_name_every_option_and_rule_set() {
    let text = Battleships2017.spec().rules_text.as_str();
    for option in &Battleships2017.spec().options {
        assert!(text.contains(&option.name), "{}", option.name);
    }
    for rules in &Battleships2017.spec().rule_sets {
        assert!(text.contains(rules), "{rules}");
    }
}

#[test]
fn a_seat_without_information_is_named_like_the_seat() {
    let (bout, _) = begin(&Options::new());
    let known = PlayerInfo { nick_name: "Zed".to_owned(), ..PlayerInfo::named("x") };
    let replay = bout.round(&[known]);
    let info =
        replay.files.iter().find(|part| &*part.name == "roundInfo.json").expect("it is there");
    let expected = r#"{"MapSize":10,"Round":0,"Winner":{"Author":"x","NickName":"Zed","Email":"x","BotType":"Unkown"},"LeaderBoard":[{"Author":"x","NickName":"Zed","Email":"x","BotType":"Unkown"},{"Author":"Böb","NickName":"Böb","Email":"Böb","BotType":"Unkown"}],"Players":[{"Author":"x","NickName":"Zed","Email":"x","BotType":"Unkown"},{"Author":"Böb","NickName":"Böb","Email":"Böb","BotType":"Unkown"}]}"#;
    assert_eq!(String::from_utf8_lossy(&info.bytes), expected);
}

#[test]
fn the_log_tells_why_a_command_failed() {
    let (mut bout, _) = placed();
    answer(&mut bout, 0, 2, file("command.txt", "6,3,3"));
    answer(&mut bout, 1, 3, Parts::none());
    let expected = [
        "Added Command FireCrossShotNormalCommand for Player Ann \"1\"",
        "Added Command DoNothingCommand for Player Böb",
        "Beginning round processing",
        "Processing Player Commands",
        "Command of player Ann \"1\" failed: too little energy",
        "Killing off players who have no ships left",
        "Round processing complete",
    ];
    let log = bout.engine_log();
    assert!(log.iter().map(|line| line.text.as_str()).eq(expected), "{log:?}");
    let refused = [Seat(0), Seat(1)].map(|seat| bout.refused(seat));
    assert_eq!(refused, [Some("Command failed: too little energy".to_owned()), None]);
}

#[test]
fn nothing_is_rewritten_before_the_end() {
    let (bout, _) = placed();
    assert_eq!(bout.rewrites(), []);
}

#[test]
fn a_scene_shows_both_maps_and_a_seat_sees_no_other_fleet() {
    let (mut bout, _) = placed();
    answer(&mut bout, 0, 2, file("command.txt", "1,0,0"));
    answer(&mut bout, 1, 3, file("command.txt", "1,1,0"));
    let carrier = |seat| Some(Cell::new(Kind::Ship, 'C', Colour::Seat(seat)));
    let symbol = |scene: &joust_referee::Scene, x, y| scene.top(x, y).map(|cell| cell.symbol);
    let all = bout.scene();
    assert_eq!((all.width, all.height), (17, 7));
    assert_eq!((all.top(0, 5), all.top(10, 5)), (carrier(0), carrier(1)));
    assert_eq!((symbol(&all, 1, 6), symbol(&all, 10, 6)), (Some('!'), Some('c')));
    assert_eq!(all.top(8, 3), None);
    let of_b = all.seen_by(Seat(1));
    assert_eq!((symbol(&of_b, 0, 5), of_b.top(10, 5)), (Some('~'), carrier(1)));
    assert_eq!((symbol(&of_b, 1, 6), symbol(&of_b, 10, 6)), (Some('!'), Some('c')));
    let seen = all.seen_by(Seat(0));
    assert_eq!((seen.top(0, 5), symbol(&seen, 10, 5)), (carrier(0), Some('~')));
    assert_eq!((symbol(&seen, 1, 6), symbol(&seen, 10, 6)), (Some('!'), Some('*')));
    let energy = |scene: &joust_referee::Scene| {
        scene.texts.iter().filter(|line| line.text.contains("energy=")).count()
    };
    assert_eq!((energy(&all), energy(&seen)), (2, 1));
}

fn command() -> impl Strategy<Value = Parts> {
    let number = || prop_oneof![6 => -3..17_i32, 1 => any::<i32>()];
    let shot = (0..10_i32, number(), number())
        .prop_map(|(code, x, y)| file("command.txt", &format!("{code},{x},{y}")));
    let direction = prop::sample::select(&["north", "EAST", "south", "West"][..]);
    let ships = ["Carrier", "Battleship", "Cruiser", "Submarine", "Destroyer"];
    let lines = prop::collection::vec(
        (prop::sample::select(ships.to_vec()), number(), number(), direction),
        5,
    );
    let placement = lines.prop_map(|lines| {
        let lines: Vec<String> =
            lines.iter().map(|(ship, x, y, to)| format!("{ship} {x} {y} {to}")).collect();
        file("place.txt", &lines.join("\n"))
    });
    prop_oneof![
        12 => shot,
        1 => placement,
        1 => Just(file("place.txt", FLEET)),
        1 => Just(Parts::none()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_commands_keep_a_position_possible(
        documented: bool,
        size in 1..4_i64,
        release in prop::sample::select(&["1.0", "1.1", "1.2"][..]),
        commands in prop::collection::vec((command(), command()), 1..150),
    ) {
        let rules = if documented { "documented" } else { "original" };
        let options = options(&[("map_size", OptionValue::Int(size)), ("release", text(release))]);
        let mut out = Outputs::new();
        let mut bout = start(rules, &options, &mut out).expect("the game starts");
        let fleet = || (file("place.txt", FLEET), file("place.txt", FLEET));
        for (a, b) in std::iter::once(fleet()).chain(commands) {
            let request = 2 * bout.rounds();
            answer(&mut bout, 0, request, a);
            answer(&mut bout, 1, request + 1, b);
            check(&bout);
        }
    }
}

fn check(bout: &Bout) {
    for (key, player) in KEYS.into_iter().zip(&bout.state().players) {
        assert!(player.energy >= 0, "{key} has energy {}", player.energy);
        let hits = i32::try_from(player.shots_hit).expect("there are few");
        assert!(player.killed || player.points >= 10 * hits, "{key}");
        assert_eq!(player.shield.active, player.shield.active && player.shield.charges > 0);
        let is_covered = player.board.cells().iter().any(|cell| cell.shielded || cell.shield_hit);
        assert!(player.shield.active || !is_covered || player.killed, "{key}");
        assert!(player.shield.radius <= bout.options().size.max_shield_radius());
    }
    let over = bout.state().players.iter().any(|player| player.killed)
        || bout.rounds() > bout.options().size.last_round();
    assert_eq!(bout.outcome().is_some(), over);
}

/// Plays until a player was idle 25 times in a row; the first seat is always idle.
fn idle_rounds(with_person: bool) -> Bout {
    let (mut bout, _) = placed();
    if with_person {
        bout.next(&Input::Person { seat: Seat(0) }, &mut Outputs::new())
            .expect("the referee cannot fail");
    }
    for round in 1..=25 {
        answer(&mut bout, 0, 2 * round, Parts::none());
        answer(&mut bout, 1, 2 * round + 1, file("command.txt", "1,0,0"));
    }
    bout
}

#[test]
fn a_person_may_do_nothing_for_as_long_as_it_likes() {
    assert_eq!(idle_rounds(true).outcome(), None);
    assert!(idle_rounds(false).outcome().is_some());
    assert_ne!(idle_rounds(true).state_hash(), idle_rounds(false).state_hash());
}
