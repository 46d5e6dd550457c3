//! Bots that stay for their bout and answer with lines.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use joust_model::cancel::Cancel;
use joust_model::{
    BoutId, BoutPlan, BuildHash, Exit, GameOptions, Limits, Occupant, SeatPlan, TurnLog,
};
use joust_play::channel::{self, Answered, Channel, IdleSeats, Request};
use joust_play::{NullObserver, Played, TurnBout, play};
use joust_referee::{AnswerForm, ChessClock, Game, Input, Output, Parts, Seat, TimeRule, Verdict};
use joust_testkit::referee::{SCRIPTED, ask, judged, over, scripted_with_lines};
use joust_testkit::suite::Test;
use joust_testkit::time_scale::scaled;

use crate::fixture::opening;

pub(crate) const TESTS: &[Test] = &[
    ("a_bot_keeps_what_it_knows_and_answers_line_by_line", stays),
    ("an_answer_has_the_form_that_the_game_says", forms),
    ("lines_that_nobody_asked_for_are_dropped_and_counted", unasked),
    ("a_late_answer_is_never_taken_for_the_next_one", late),
    ("a_bot_that_is_late_once_may_go_on", goes_on),
    ("every_way_to_fail_has_its_verdict", faults),
    ("a_bot_that_has_ended_earns_the_same_verdict_again", stays_dead),
    ("a_bot_that_does_not_read_is_late_and_stalls_nobody", does_not_read),
    ("what_a_bot_used_and_said_is_known_at_its_end", account),
    ("a_bout_keeps_the_clocks_and_shows_them", clocks),
    ("the_first_line_of_a_program_is_its_first_answer", banner),
    ("half_a_line_is_no_answer_until_it_is_whole", half_lines),
    ("a_bot_that_ends_between_asks_is_out_with_how_it_ended", dies_between),
    ("a_bot_that_waits_for_its_turn_is_left_alone", waits),
    ("a_bot_that_thinks_when_it_is_not_asked_is_frozen_until_it_is", is_frozen),
];

const ONE: AnswerForm = AnswerForm::Lines(1);

fn second() -> Duration {
    scaled(Duration::from_secs(1))
}

/// A shell script in its seat.
struct Bot {
    channel: Box<dyn Channel>,
    _program: tempfile::TempDir,
}

fn game(answer: AnswerForm, times: TimeRule) -> Game {
    scripted_with_lines(|_, _| Ok(()), answer, times)
}

fn open(game: &Game, script: &str) -> Bot {
    let program = tempfile::tempdir().expect("a folder can be made");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(program.path(), mode).expect("it is ours");
    fs::write(program.path().join("bot.sh"), script).expect("a file can be written");
    let mut opening = opening(&program, &[]);
    opening.game = game.clone();
    opening.command = ["/bin/sh", "/bot/bot.sh"].map(OsString::from).to_vec();
    let channel = channel::open("lines", opening).expect("the channel opens");
    Bot { channel, _program: program }
}

impl Bot {
    fn new(script: &str) -> Self {
        open(&game(ONE, TimeRule::default()), script)
    }

    fn ask_within(&mut self, view: &str, within: Duration) -> Answered {
        let view = Parts::single(view.as_bytes());
        let request = Request { view: &view, within, files: None, idle_seats: None };
        self.channel.ask(&request).expect("the machine is well")
    }

    /// Asks it, with pondering forbidden for other seats.
    fn ask_alone(&mut self, view: &str) -> String {
        let (view, check) = (Parts::single(view.as_bytes()), || Ok(()));
        let idle_seats = Some(IdleSeats(&check));
        let request = Request { view: &view, within: 20 * second(), files: None, idle_seats };
        let answered = self.channel.ask(&request).expect("the machine is well");
        assert_eq!(answered.verdict, Verdict::Ok, "{answered:?}");
        text(&answered)
    }

    fn ask(&mut self, view: &str) -> Answered {
        self.ask_within(view, 20 * second())
    }

    #[track_caller]
    fn assert_answers(&mut self, view: &str, expected: &str) {
        let answered = self.ask(view);
        assert_eq!(answered.verdict, Verdict::Ok, "{answered:?}");
        assert_eq!(text(&answered), expected);
    }
}

fn text(answered: &Answered) -> String {
    String::from_utf8_lossy(answered.parts.get("").unwrap_or_default()).into_owned()
}

const COUNTS: &str = "n=0; while read -r line; do n=$((n+1)); echo \"$n $line\"; done";

fn stays() {
    let mut bot = Bot::new(COUNTS);
    bot.assert_answers("one", "1 one");
    bot.assert_answers("two\n", "2 two");
    bot.assert_answers("three", "3 three");
}

fn forms() {
    let times = TimeRule::default();
    let script = "while read -r a; do echo a $a; echo b $a; done";
    let mut two = open(&game(AnswerForm::Lines(2), times), script);
    two.assert_answers("x", "a x\nb x");
    two.assert_answers("y", "a y\nb y");
    let script = "while read -r a; do echo o $a; echo o 2; echo go; done";
    let mut until = open(&game(AnswerForm::Until("go".to_owned()), times), script);
    until.assert_answers("1", "o 1\no 2");
    let script = "while read -r a; do echo info x; echo bestmove $a; done";
    let mut prefix = open(&game(AnswerForm::Prefix("bestmove ".to_owned()), times), script);
    prefix.assert_answers("e4", "e4");
    prefix.assert_answers("e5", "e5");
}

fn unasked() {
    let script = "while read -r a; do echo $a; echo extra; echo more; done";
    let mut bot = Bot::new(script);
    bot.assert_answers("one", "one");
    std::thread::sleep(second() / 2);
    let second_answer = bot.ask("two");
    assert_eq!((text(&second_answer), second_answer.unasked), ("two".to_owned(), 2));
    assert_eq!(second_answer.reason, "2 lines dropped that nobody had asked for");
}

fn late() {
    let script = "read -r a; sleep 1; echo late; while read -r a; do echo $a; done";
    let mut bot = Bot::new(script);
    let answered = bot.ask_within("one", Duration::from_millis(50));
    assert_eq!((answered.verdict, answered.exit), (Verdict::Timeout, Exit::Running));
    assert!(answered.limits_hit.contains(joust_referee::Limit::Wall));
    bot.assert_answers("two", "two");
    bot.assert_answers("three", "three");
}

fn goes_on() {
    let script = "read -r a; sleep 1; echo late; while read -r a; do echo $a; done";
    let mut bot = Bot::new(script);
    assert_eq!(bot.ask_within("one", Duration::from_millis(50)).verdict, Verdict::Timeout);
    std::thread::sleep(2 * second());
    let answered = bot.ask("two");
    assert_eq!((text(&answered), answered.unasked), ("two".to_owned(), 1));
}

fn faults() {
    let rows = [
        ("read -r a; exit 0", Verdict::NoOutput),
        ("read -r a; printf half; exit 3", Verdict::ExitNonzero),
        ("read -r a; exit 3", Verdict::ExitNonzero),
        ("read -r a; kill -SEGV $$", Verdict::Crash),
        ("read -r a; head -c 9000 /dev/zero; sleep 60", Verdict::OutputLimit),
        ("read -r a; exec /bot/none", Verdict::ExitNonzero),
        ("exec python3 -c 'x = b\"x\" * (900 << 20); print(1)'", Verdict::MemoryLimit),
    ];
    for (script, expected) in rows {
        let answered = Bot::new(script).ask("go");
        assert_eq!(answered.verdict, expected, "{script}: {answered:?}");
        assert_eq!(answered.parts, Parts::none(), "{script}");
    }
    // At the end of its output a last line needs no end.
    let mut last = Bot::new("read -r a; printf half; exit 0");
    last.assert_answers("go", "half");
    assert_eq!(last.ask("go").verdict, Verdict::NoOutput);
    let closed = Bot::new("read -r a; exec >&-; sleep 60").ask_within("go", second());
    assert_eq!(closed.verdict, Verdict::Timeout);
    assert_eq!(closed.reason, "it has closed its standard output and did not end");
}

fn stays_dead() {
    let mut bot = Bot::new("read -r a; echo yes; exit 4");
    bot.assert_answers("one", "yes");
    for _ in 0..2 {
        let answered = bot.ask("two");
        assert_eq!(answered.verdict, Verdict::ExitNonzero, "{answered:?}");
    }
    assert_eq!(bot.ask("three").reason, "the program has ended before");
}

fn does_not_read() {
    let mut bot = Bot::new("sleep 60");
    let long = "x".repeat(1 << 20);
    for _ in 0..3 {
        let answered = bot.ask_within(&long, Duration::from_millis(50));
        assert_eq!(answered.verdict, Verdict::Timeout);
    }
}

fn account() {
    let mut bot = Bot::new("echo hello >&2; while read -r a; do echo $a; done");
    bot.assert_answers("one", "one");
    let ended = bot.channel.finish().expect("the machine is well").expect("it stayed");
    assert_eq!(ended.stderr, b"hello\n");
    assert!(ended.usage.peak_memory_bytes > 0 && !ended.usage.cpu.is_zero(), "{ended:?}");
    bot.channel.close().expect("it can be closed");
}

/// Waits until a condition holds, by polling.
#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + 20 * second();
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::yield_now();
    }
}

fn banner() {
    let script = "echo hello; echo again; while read -r a; do echo $a; done";
    let mut bot = Bot::new(script);
    bot.assert_answers("one", "hello");
}

fn half_lines() {
    let script = "read -r a; printf 'o'; read -r b; printf 'ne\n'; read -r c; echo three";
    let mut bot = Bot::new(script);
    let first = bot.ask_within("1", Duration::from_millis(50));
    assert_eq!((first.verdict, text(&first)), (Verdict::Timeout, String::new()));
    // The half belongs to the answer that is still owed.
    let second_answer = bot.ask_within("2", Duration::from_millis(50));
    assert_eq!((second_answer.verdict, text(&second_answer)), (Verdict::Timeout, String::new()));
}

fn dies_between() {
    for (end, expected) in [
        ("exit 0", Verdict::NoOutput),
        ("exit 3", Verdict::ExitNonzero),
        ("kill -SEGV $$", Verdict::Crash),
        ("exec >&-; exit 3", Verdict::ExitNonzero),
    ] {
        let mut bot = Bot::new(&format!("read -r a; echo $a; {end}"));
        bot.assert_answers("one", "one");
        assert_eq!(bot.ask("two").verdict, expected, "{end}");
        let answered = bot.ask("three");
        assert_eq!((answered.verdict, text(&answered)), (expected, String::new()), "{end}");
    }
}

/// The states of the processes that have `word` among their arguments.
fn states(word: &str) -> Vec<char> {
    let processes = fs::read_dir("/proc").expect("there is a /proc").flatten();
    let state = |folder: std::path::PathBuf| {
        let words = fs::read(folder.join("cmdline")).ok()?;
        let has_it = words.split(|byte| *byte == 0).any(|one| one == word.as_bytes());
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        stat.rsplit_once(") ").filter(|_| has_it)?.1.chars().next()
    };
    processes.filter_map(|entry| state(entry.path())).collect()
}

fn waits() {
    let word = "a-bot-that-waits";
    let mut bot = Bot::new(&format!("exec sh -c '{COUNTS}' {word}"));
    assert_eq!(bot.ask_alone("one"), "1 one");
    for _ in 0..20 {
        bot.channel.look().expect("the machine is well");
    }
    assert_eq!(bot.ask_alone("two"), "2 two");
    for _ in 0..20 {
        bot.channel.look().expect("the machine is well");
    }
    assert!(!states(word).contains(&'T'), "{:?}", states(word));
}

fn is_frozen() {
    const SPIN: &str = "while :; do :; done";
    let rows = [
        (
            "thinks-itself",
            "while read -r a; do echo $a; n=0; while [ $n -lt 99999999 ]; do n=$((n+1)); done; done",
        ),
        ("lets-a-child-think", "(SPIN) & while read -r a; do echo $a; done"),
        ("thinks-later", "while read -r a; do echo $a; sleep 0.02; SPIN; done"),
        (
            "wakes-itself",
            "trap '' CONT; (while :; do kill -CONT -1; done) & while read -r a; do echo $a; done",
        ),
        ("in-a-session-of-its-own", "setsid sh -c 'SPIN' WORD & while read -r a; do echo $a; done"),
    ];
    for (word, script) in rows {
        let script = script.replace("SPIN", SPIN).replace("WORD", word).replace('\'', "'\\''");
        let mut bot = Bot::new(&format!("exec sh -c '{script}' {word}"));
        assert_eq!(bot.ask_alone("one"), "one", "{word}");
        let are_frozen = || states(word).iter().all(|state| *state == 'T');
        let channel = &mut bot.channel;
        wait_until(word, || {
            channel.look().expect("the machine is well");
            !states(word).is_empty() && are_frozen()
        });
        if word != "thinks-itself" && word != "thinks-later" {
            assert_eq!(bot.ask_alone("two"), "two", "{word}");
            // It is known to think, so it is frozen without a check; one that wakes itself may need
            // another check.
            let channel = &mut bot.channel;
            wait_until(word, || {
                if word == "wakes-itself" {
                    channel.look().expect("the machine is well");
                }
                are_frozen()
            });
        }
        bot.channel.close().expect("it can be closed");
    }
}

/// Asks seat 0 three times and seat 1 once.
fn asks_again(
    input: &Input,
    out: &mut joust_referee::Outputs,
) -> Result<(), joust_referee::JudgeError> {
    let Input::Answer { seat, request, parts, verdict } = input else { return Ok(()) };
    assert!(parts.took() > Duration::ZERO, "{parts:?}");
    out.push(judged(seat.0, request.0, *verdict));
    if *seat == Seat(1) || request.0 > 1 {
        out.push(Output::RoundOver { round: request.0 });
        match request.0 {
            3 => out.push(over()),
            last => out.push(shows_clocks(last + 1)),
        }
    }
    Ok(())
}

fn shows_clocks(request: u32) -> Output {
    match ask(0, request) {
        Output::Ask { seat, request, deadline, files, .. } => {
            let parts = Parts::single(&b"{left_ms} {opp_left_ms}"[..]);
            Output::Ask { seat, request, parts, deadline, files }
        }
        other => other,
    }
}

fn clocks() {
    let clock = ChessClock { base: Duration::from_secs(60), increment: Duration::from_secs(1) };
    let times = TimeRule { clock: Some(clock), is_shown: true, ..TimeRule::default() };
    let game = scripted_with_lines(asks_again, ONE, times);
    let script = "while read -r line; do sleep 0.1; echo \"$line\"; done";
    let (one, two) = (open(&game, script), open(&game, script));
    let seat = |name: &str| SeatPlan {
        bot: name.to_owned(),
        occupant: Occupant::Build(BuildHash([7; 32])),
    };
    let limits = Limits { turn: Duration::from_secs(90), ..Limits::default() };
    let plan = BoutPlan {
        bout: BoutId([1; 8]),
        event: "event".to_owned(),
        game: SCRIPTED.to_owned(),
        revision: game.spec().revision,
        referee: BoutPlan::referee_of(game.spec()),
        rules: game.spec().default_rules().to_owned(),
        options: GameOptions::default().into(),
        seed: joust_referee::Seed(1),
        match_number: 0,
        number: 0,
        seats: vec![seat("anna"), seat("bert")],
        limits: limits.into(),
        clock: None,
    };
    let played: Played = play(TurnBout {
        game: &game,
        plan: &plan,
        channels: &mut [one.channel, two.channel],
        observer: &mut NullObserver,
        cancel: &Cancel::default(),
        processors: joust_play::Processors::ForEverySeat,
        programs: joust_model::ProgramLifetime::Bout,
    })
    .expect("it is played to its end");
    let log = TurnLog::read(&played.ledger.turn_log()).expect("it is a log");
    let said: Vec<String> =
        log.iter().map(|turn| String::from_utf8_lossy(&turn.output).trim().to_owned()).collect();
    // The start is not charged: the clock has its first increment.
    assert_eq!(said[..3], ["your turn", "your turn", "61000 61000"]);
    let left: Vec<u32> =
        said[3].split(' ').map(|number| number.parse().expect("a number")).collect();
    // On a loaded machine, some milliseconds of its sleep may count as time that it was kept
    // waiting.
    assert!((61_000..=61_950).contains(&left[0]) && left[1] == 61_000, "{left:?}");
    assert!(played.ledger.seats[0].used.cpu > Duration::ZERO);
}
