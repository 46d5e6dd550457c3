//! Referees that break the protocol, through the program: each causes an error that names the place
//! and says what to do, and no bot loses a point.

use joust_sandbox::affinity::{pin_this_thread, processors};
use joust_testkit::env::TestEnv;

use super::env;

const GAME: &str = "entry: referee.py\nseats: { min: 2, max: 2 }\ncan: [rejudge]\n";

/// A referee of one question, whose messages are `HELLO`, `START` and `ANSWERS`.
const REFEREE: &str = r#"
import json, sys

def put(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()

game = '{"t":"game","protocol":1,"id":"coin","version":"1","can":["rejudge"]}'
ask = '{"t":"ask","b":1,"n":1,"to":[{"seat":0,"text":"head or tail?"}],"state":"asked"}'
end = '{"t":"end","b":1,"scores":[1,0],"reason":"over","state":"answered"}'
say = {"hello": lambda: HELLO, "start": lambda: START, "answers": lambda: ANSWERS}
for line in sys.stdin:
    say[json.loads(line)["t"]]()
AT_THE_END
"#;

/// Statements of the referee's program for each message, right or wrong.
#[derive(Clone, Copy)]
struct Says<'a> {
    hello: &'a str,
    start: &'a str,
    answers: &'a str,
    at_the_end: &'a str,
}

const WELL: Says<'_> =
    Says { hello: "put(game)", start: "put(ask)", answers: "put(end)", at_the_end: "" };

fn coin(env: &TestEnv, says: Says<'_>) {
    let text = REFEREE
        .replace("HELLO", says.hello)
        .replace("START", says.start)
        .replace("ANSWERS", says.answers)
        .replace("AT_THE_END", says.at_the_end);
    env.write("coin/referee.py", &text);
}

fn with_bots() -> TestEnv {
    let env = env();
    env.write("coin/game.yaml", GAME);
    for bot in ["anna.sh", "bert.sh"] {
        env.write(bot, "while read -r line; do echo head; done\n");
    }
    env
}

#[test]
fn a_referee_that_breaks_the_protocol_is_told_where_and_what_to_do() {
    let hello = |hello| Says { hello, ..WELL };
    let start = |start| Says { start, ..WELL };
    let answers = |answers| Says { answers, ..WELL };
    let rows = [
        (hello("put(game.replace(':1', ':2'))"), "message 1: the referee speaks version 2", "(say"),
        (hello("put('Loading …') or put(game)"), "byte 1: the line is not an object", "(standard"),
        (hello("sys.exit('no board')"), "ended before it said `game`", "status 1"),
        (start("put('{\"t\":\"move\",\"b\":1}')"), "(bout 1): unknown type \"move\"", "(types are"),
        (
            start("put(end + '\\n' + ask)"),
            "message 3 (bout 1): `ask` comes after the end",
            "(`end`",
        ),
        (start("print(ask[:40], end='') or sys.exit()"), "middle of a line, after 40", "(every"),
        (
            start("sys.stdout.buffer.write(b'\\xff\\n') and sys.stdout.flush()"),
            "byte 1: the line is not UTF-8",
            "(write",
        ),
        (start("put('x' * 100_000_000)"), "message 2: a line of more than 1048576", "(send"),
        (start("put(ask.replace('\"seat\":0', '\"seat\":7'))"), "names seat 7", "(seats are"),
        (
            start("put(ask + '\\n' + ask.replace('\"n\":1', '\"n\":2'))"),
            "before it has the answers",
            "(after",
        ),
        (answers("put(end.replace('scores', 'points'))"), "`end` has no `scores`", "(a number"),
        (answers("put(end.replace('[1', '[NaN'))"), "the line is not JSON", "(JSON has finite"),
        (answers("put(end + '\\n' + end)"), "`end` comes after the end", "(`end` is the last"),
        (
            answers("put(end.replace('over', 'referee-error: no'))"),
            "`reason` begins with `referee-error`",
            "(so end",
        ),
        (
            answers("put(end.replace('over', ' Infrastructure-Error: no'))"),
            "`reason` begins with `infrastructure-error`",
            "(so end",
        ),
        (answers("sys.exit(0)"), "ended in the middle of the bout", "(it ends when"),
        // In a write of its own, long after the end was read.
        (
            Says { at_the_end: "put(end)", ..WELL },
            "`end` comes after the end",
            "(`end` is the last",
        ),
    ];
    let env = with_bots();
    for (says, what, hint) in rows {
        coin(&env, says);
        let ran = env.run(["play", "coin/", "anna.sh", "bert.sh"]).expect(1);
        let told = &ran.stdout;
        assert!(told.contains("referee-error: ") && told.contains(what), "{what:?} in {told}");
        assert!(told.contains(hint) && told.contains("nobody won or lost"), "{hint:?} in {told}");
        assert!(ran.stderr.contains("joust game check"), "{}", ran.stderr);
    }
    coin(&env, WELL);
    env.run(["play", "coin/", "anna.sh", "bert.sh"]).expect(0);
}

#[test]
fn the_author_of_a_referee_that_fails_is_shown_what_it_wrote() {
    let env = with_bots();
    coin(&env, Says { answers: "boom()", ..WELL });
    let trace =
        "  the referee wrote to standard error:\n    | Traceback (most recent call last):\n";
    let played = env.run(["play", "coin/", "anna.sh", "bert.sh"]).expect(1);
    assert!(played.stderr.contains(trace), "{}", played.stderr);
    assert!(!played.stdout.contains("Traceback"), "{}", played.stdout);
    let checked = env.run(["game", "check", "coin", "--seeds", "2"]).expect(1).stdout;
    assert_eq!(checked.matches(trace).count(), 1, "once is enough: {checked}");
    assert!(checked.contains("    | NameError: name 'boom' is not defined"), "{checked}");
    // One that keeps running reports itself that it gives up.
    let gives_up = "put('{\"t\":\"error\",\"text\":\"no map\"}') or print('lost at 7', file=sys.stderr, flush=True)";
    coin(&env, Says { answers: gives_up, ..WELL });
    let played = env.run(["play", "coin/", "anna.sh", "bert.sh"]).expect(1).stderr;
    assert!(played.contains("standard error:\n    | lost at 7\n"), "{played}");
    let checked = env.run(["game", "check", "coin", "--seeds", "2"]).expect(1).stdout;
    assert!(checked.contains("    | lost at 7\n"), "{checked}");
}

#[test]
fn what_a_referee_wrote_is_shown_however_joust_ends_it() {
    let env = with_bots();
    let rows = [
        ("put('x' * 2_000_000)", "a line of more than 1048576"),
        ("[put(ask) for _ in iter(int, 1)]", "ask 1 comes where 2 is due"),
        ("put(end.replace('reason', 'why'))", "`end` has no `reason`"),
    ];
    const WRITES: &str = "print('lost at 7', file=sys.stderr, flush=True) or";
    let shows = |says: Says<'_>, what: &str| {
        coin(&env, says);
        let played = env.run(["play", "coin/", "anna.sh", "bert.sh"]).expect(1);
        assert!(played.stdout.contains(what), "{what}: {}", played.stdout);
        assert!(played.stdout.contains("\n| the referee wrote: lost at 7\n"), "{}", played.stdout);
        let outcome = played.stdout.lines().find(|line| line.starts_with("referee-error"));
        assert!(outcome.is_some_and(|line| !line.contains("lost at 7")), "{}", played.stdout);
        let wrote = "standard error:\n    | lost at 7\n";
        assert!(played.stderr.contains(wrote), "{what}: {}", played.stderr);
    };
    for (does, what) in rows {
        shows(Says { answers: &format!("{WRITES} {does}"), ..WELL }, what);
    }
    // It writes long before its time is up, even on a machine that stalls for a second.
    env.write("coin/game.yaml", &format!("{GAME}limits: {{ step: 1s }}\n"));
    let hello = format!("{WRITES} put(game)");
    for says in ["", "print('{', end='', flush=True) or "] {
        let answers = format!("{says}__import__('time').sleep(60)");
        shows(Says { hello: &hello, answers: &answers, ..WELL }, "the referee is silent");
    }
}

#[test]
fn a_rerun_names_the_referee_that_does_not_repeat() {
    let env = with_bots();
    env.write("coin/game.yaml", "entry: referee.py\nseats: { min: 2, max: 2 }\n");
    let chance = "put(end.replace('[1,', '[%d,' % (__import__('time').time_ns() % 1_000_000_007)))";
    coin(&env, Says { hello: "put(game.replace('\"rejudge\"', ''))", answers: chance, ..WELL });
    env.write(
        "tournament.yaml",
        "name: Coins\ngames: { coin: { referee: coin } }\nevents:\n  - game: coin\n    bots: ['*.sh']\n    bouts: 1\n",
    );
    env.run(["run"]).expect(0);
    let bout = &joust_testkit::league::bout_ids(&env)[0];
    let told = env.run(["rerun", bout]).expect(1).stdout;
    let verdict = "not reproducible: its one turn is the same, and the result is another one: with the \
                   same answers the referee does not repeat\n";
    assert!(told.ends_with(verdict), "{told}");
    let again = env.run(["rerun", bout, "--format", "json"]).expect(1).json();
    assert_eq!(
        (&again["same_result"], &again["divergence"]),
        (&false.into(), &().into()),
        "{again}"
    );
}

#[test]
fn a_bot_is_not_checked_where_the_referee_fails() {
    let env = with_bots();
    coin(&env, Says { answers: "boom()", ..WELL });
    let checked = env.run(["bot", "check", "coin/", "anna.sh", "--bouts", "2"]).expect(1);
    let conclusion =
        "not checked: the referee failed in 2 of 2 bouts, which is not the bot's fault\n";
    assert!(checked.stdout.ends_with(conclusion), "{}", checked.stdout);
    assert!(checked.stderr.contains("    | NameError"), "{}", checked.stderr);
    assert!(checked.stderr.contains("hint: `joust game check"), "{}", checked.stderr);
    let json = ["bot", "check", "coin/", "anna.sh", "--bouts", "2", "--format", "json"];
    let checked = env.run(json).expect(1).json();
    assert_eq!((&checked["ok"], &checked["bouts_unjudged"]), (&false.into(), &2.into()));
}

#[test]
fn a_try_ends_when_the_referee_fails_and_goes_on_once_it_is_mended() {
    let env = with_bots();
    coin(&env, Says { answers: "boom()", ..WELL });
    env.write(
        "tournament.yaml",
        "games: { coin: { referee: coin } }\nevents:\n  - game: coin\n    bots: ['*.sh']\n    bouts: 2\n",
    );
    let tried = env.run(["try", "anna", "--budget", "5m", "--quiet"]).expect(1);
    let early = "0 bouts, 0 of them now in ";
    assert!(tried.stdout.contains(early), "{}", tried.stdout);
    assert!(tried.stdout.contains("; it ends early, as the referee fails"), "{}", tried.stdout);
    for told in ["coin: bout ", ": referee-error: ", "hint: `joust history BOUT --database "] {
        assert!(tried.stderr.contains(told), "{told:?} in {}", tried.stderr);
    }
    assert!(!tried.stderr.contains("boom"), "the referee's own words: {}", tried.stderr);
    let json = ["try", "anna", "--budget", "5m", "--quiet", "--format", "json"];
    let tried = env.run(json).expect(1).json();
    assert_eq!(tried["ended"], "referee-failed", "{tried}");
    coin(&env, WELL);
    let tried = env.run(["try", "anna", "--budget", "8s", "--quiet"]).expect(0);
    assert!(!tried.stdout.contains(": 0 bouts, "), "{}", tried.stdout);
}

#[test]
fn a_question_without_a_text_is_an_empty_line() {
    let env = with_bots();
    coin(&env, Says { start: "put(ask.replace('head or tail?', ''))", ..WELL });
    let played = env.run(["play", "coin/", "anna.sh", "bert.sh", "--format", "json"]);
    let played = played.expect(0).json();
    assert_eq!(played["seats"][0]["verdicts"]["ok"], 1, "{played}");
}

#[test]
fn a_referee_that_writes_much_before_it_reads_long_answers_plays_on() {
    let env = with_bots();
    for bot in ["anna.sh", "bert.sh"] {
        let long = "while read -r line; do head -c 60000 /dev/zero | tr '\\0' h; echo; done\n";
        env.write(bot, long);
    }
    let start = "put(ask.replace('}],', '},{\"seat\":1,\"text\":\"you?\"}],')) \
                 or [put(json.dumps({'t': 'log', 'text': 'y' * 1000})) for _ in range(300)]";
    coin(&env, Says { start, ..WELL });
    env.run(["play", "coin/", "anna.sh", "bert.sh"]).expect(0);
}

/// A referee that counts its bouts.
const COUNTING: &str = r#"
import json, sys

def put(**message):
    print(json.dumps(message), flush=True)

bouts = 0
for line in sys.stdin:
    told = json.loads(line)
    if told["t"] == "hello":
        put(t="game", protocol=1, id="coin", version="1", can=["bouts", "rejudge"])
    elif told["t"] == "start":
        bouts += 1
        asked = [{"seat": 0, "text": "head or tail?"}]
        put(t="ask", b=told["b"], n=1, to=asked, state=f"bout {bouts}")
    elif told["t"] == "answers":
        put(t="end", b=told["b"], scores=[1, 0], reason="over", state="answered")
"#;

#[test]
fn a_referee_that_takes_something_into_its_next_bout_is_found_when_bouts_are_judged_again() {
    let env = with_bots();
    env.write("coin/game.yaml", &GAME.replace("rejudge", "bouts, rejudge"));
    env.write("coin/referee.py", COUNTING);
    env.write(
        "tournament.yaml",
        "games: { coin: { referee: coin } }\nevents:\n  - game: coin\n    bots: ['*.sh']\n    bouts: 6\n",
    );
    // Each processor has a referee of its own. On one processor all bouts have the same one,
    // whatever other processes of Joust borrow.
    pin_this_thread(&processors()[..1]).expect("it is one of ours");
    env.run(["run", "--jobs", "1"]).expect(0);
    let judged = env.run(["verify"]).expect(1).stdout;
    assert!(judged.contains("0 bouts agree with their record, 6 do not"), "{judged}");
}

#[test]
fn a_referee_that_stays_after_its_bout_says_nothing_more() {
    let env = with_bots();
    let of_bouts = |text: &str| text.replace("rejudge", "bouts, rejudge");
    env.write("coin/game.yaml", &of_bouts(GAME));
    for (at_the_end, status) in [("", 0), ("put(end)", 1)] {
        coin(&env, Says { at_the_end, hello: "put(game.replace('[', '[\"bouts\",'))", ..WELL });
        let told = env.run(["play", "coin/", "anna.sh", "bert.sh"]).expect(status).stderr;
        let found = told.contains("`end` comes after the end") && told.contains("joust game check");
        assert_eq!(found, status == 1, "{told}");
    }
}

#[test]
fn a_check_finds_what_a_referee_does_after_its_last_bout() {
    let env = with_bots();
    let rows = [
        ("sys.exit(3)", "it ended with status 3 when standard input ended"),
        ("put(end)", "`end` comes after the end"),
    ];
    for (at_the_end, what) in rows {
        coin(&env, Says { at_the_end, ..WELL });
        let told = env.run(["game", "check", "coin", "--seeds", "1"]).expect(1).stdout;
        assert!(told.contains(what), "{told}");
    }
    coin(&env, WELL);
    env.run(["game", "check", "coin", "--seeds", "1"]).expect(0);
}

#[test]
fn a_folder_that_is_no_game_is_told_to_be_none() {
    let env = with_bots();
    env.write("empty/rules.md", "# Rules\n");
    let told = env.run(["play", "empty/", "anna.sh", "bert.sh"]).expect(2).stderr;
    assert!(told.contains("there is no `game.yaml` in `empty/`"), "{told}");
    assert!(told.contains("joust game new"), "{told}");
}

fn referee_of(env: &TestEnv) -> String {
    std::fs::read_to_string(env.path().join("coin/referee.py")).expect("it was written")
}

#[test]
fn a_referee_that_talks_on_and_never_comes_to_the_point_has_its_time_too() {
    let env = with_bots();
    env.write("coin/game.yaml", &format!("{GAME}limits: {{ step: 1s }}\n"));
    let rows = [
        (
            "while True: put('{\"t\":\"log\",\"text\":\"thinking\"}'); time.sleep(.02)",
            "says other things; it owes bout 1: `ask` or `end` after `start`",
        ),
        (
            "while True: sys.stdout.write(' '); sys.stdout.flush(); time.sleep(.02)",
            "is silent; it owes bout 1: `ask` or `end` after `start`",
        ),
    ];
    for (talk, what) in rows {
        coin(&env, Says { start: "talk()", ..WELL });
        let talk = format!("\nimport time\ndef talk():\n    {talk}\nimport json, sys");
        let text = referee_of(&env).replace("\nimport json, sys", &talk);
        env.write("coin/referee.py", &text);
        let told = env.run(["play", "coin/", "anna.sh", "bert.sh"]).expect(1).stdout;
        assert!(told.contains(what) && told.contains("`limits: { step: … }`"), "{told}");
    }
}

#[test]
fn a_view_that_no_argument_can_be_is_the_referee_s_fault() {
    let env = with_bots();
    env.write("coin/game.yaml", &format!("{GAME}channel: argv\n"));
    let rows = [
        (
            "put(ask.replace('head', 'x' * 200_000))",
            "does not fit into one argument (at most 131071",
        ),
        ("put(ask.replace('head', chr(92) + 'u0000'))", "a view with a zero byte"),
    ];
    for (start, what) in rows {
        coin(&env, Says { start, ..WELL });
        let told = env.run(["play", "coin/", "anna.sh", "bert.sh"]).expect(1).stdout;
        assert!(told.contains("referee-error: ") && told.contains(what), "{told}");
        assert!(told.contains("ask 1 of seat 0"), "{told}");
        let checked = env.run(["game", "check", "coin", "--seeds", "1"]).expect(1).stdout;
        assert!(checked.contains(what), "{checked}");
    }
}

#[test]
fn the_last_of_several_lines_may_be_empty() {
    let env = with_bots();
    env.write("coin/game.yaml", &format!("{GAME}answer: {{ lines: 2 }}\n"));
    for bot in ["anna.sh", "bert.sh"] {
        env.write(bot, "while read -r line; do echo head; echo; done\n");
    }
    let reason = "put(end.replace('over', 'lines: %d' % len(text.split(chr(10)))))";
    coin(&env, Says { answers: reason, ..WELL });
    let read = "message = json.loads(line); text = message.get('of', [{}])[0].get('text'); say[message[\"t\"]]()";
    let referee = referee_of(&env).replace("say[json.loads(line)[\"t\"]]()", read);
    env.write("coin/referee.py", &referee);
    let told = env.run(["play", "coin/", "anna.sh", "bert.sh"]).expect(0).stdout;
    assert!(told.contains("lines: 2"), "{told}");
    env.run(["game", "check", "coin", "--seeds", "1"]).expect(0);
}
