//! Games whose referee is an external program: a folder with a `game.yaml`, and bots in three
//! languages.

use std::fs;
use std::thread;
use std::time::Duration;

use joust_testkit::env::{Ran, TestEnv};
use joust_testkit::league::bout_ids;
use serde_json::Value;

use super::env;

/// A custom game.
pub(crate) const GAME: [(&str, &str); 3] = [
    ("nim/game.yaml", include_str!("external/game.yaml")),
    ("nim/referee.py", include_str!("external/referee.py")),
    ("nim/rules.md", include_str!("external/rules.md")),
];

const BOTS: [(&str, &str); 3] = [
    ("bots/perfect.py", include_str!("external/perfect.py")),
    ("bots/one.sh", include_str!("external/one.sh")),
    ("bots/three.c", include_str!("external/three.c")),
];

/// Makes a folder with the game and its bots, and a tournament whose referee behaves so.
pub(crate) fn cup(behave: &str, bots: &str, bouts: u32) -> TestEnv {
    let env = env();
    for (name, text) in GAME.into_iter().chain(BOTS) {
        env.write(name, text);
    }
    env.write("tournament.yaml", &tournament(behave, bots, bouts));
    env
}

fn tournament(behave: &str, bots: &str, bouts: u32) -> String {
    format!(
        "name: Nim cup\ngames: {{ nim: {{ referee: nim }} }}\nevents:\n  - game: nim\n    \
         bots: {bots}\n    bouts: {bouts}\n    options: {{ behave: {behave} }}\n"
    )
}

fn run(env: &TestEnv) -> Ran {
    env.run(["run"])
}

#[test]
fn a_game_of_ones_own_is_played_checked_and_shown_like_any_other() {
    let env = cup("well", "['bots/*']", 4);
    run(&env).expect(0);
    let standings = env.run(["standings", "--format", "json"]).expect(0).json();
    let first = &standings[0]["rows"][0]["bot"];
    assert!(first == "perfect" || standings.to_string().contains("perfect"), "{standings}");
    let bouts = bout_ids(&env);
    assert_eq!(bouts.len(), 12);
    env.run(["verify"]).expect(0);
    let shown = env.run(["replay", &bouts[0], "--delay", "0s"]).expect(0);
    assert!(shown.stdout.contains("last stone"), "{}", shown.stdout);
    assert!(shown.stdout.contains("o o o o o"), "{}", shown.stdout);
    env.run(["rerun", &bouts[0]]).expect(0);
    env.run(["report", "--out", "site"]).expect(0);
    // Nothing is left to play until the rules change.
    assert_eq!(bouts_played(&run(&env).expect(0)), 0);
    env.write("nim/rules.md", "# Nim, in other words\n");
    assert_eq!(bouts_played(&run(&env).expect(0)), 0);
    env.write("nim/referee.py", &format!("{}\n# changed\n", GAME[1].1));
    env.run(["verify"]).expect(1);
    assert_eq!(bouts_played(&run(&env).expect(0)), 12);
    env.run(["verify"]).expect(0);
}

#[test]
fn fractions_of_points_are_kept_and_added_up() {
    let env = cup("tenths", "['bots/*.sh', 'bots/*.py']", 3);
    run(&env).expect(0);
    let standings = env.run(["standings", "--format", "json"]).expect(0).json();
    let rows = standings[0]["rows"].as_array().expect("a list");
    let won = |row: &Value| row["bouts"]["won"].as_u64().expect("a number");
    for row in rows {
        // A tenth for each bout, and one more for each that was won.
        let expected = (3 + won(row)) as f64 / 10.0;
        assert_eq!(row["score"].as_f64(), Some(expected), "{row}");
    }
    let csv = env.run(["standings", "--format", "csv"]).expect(0).stdout;
    let best = (3 + rows.iter().map(won).max().expect("two rows")) as f64 / 10.0;
    assert!(csv.contains(&format!(",{best},")), "{csv}");
    let bouts = env.run(["bouts", "--format", "json"]).expect(0).json();
    let mut scores: Vec<_> = bouts[0]["seats"].as_array().expect("a list").iter().collect();
    scores.sort_by_key(|seat| seat["rank"].as_u64());
    assert_eq!((&scores[0]["score"], &scores[1]["score"]), (&0.2.into(), &0.1.into()), "{bouts}");
    env.run(["verify"]).expect(0);
}

/// Returns the number of bouts that a run reports as played.
pub(crate) fn bouts_played(ran: &Ran) -> u64 {
    let told = ran.stderr.lines().find_map(|line| {
        let (_, after) = line.split_once(": done, ")?;
        after.split(' ').next()?.parse().ok()
    });
    told.unwrap_or_else(|| panic!("{}", ran.stderr))
}

#[test]
fn a_folder_with_a_game_needs_no_tournament() {
    let env = cup("well", "['bots/*']", 1);
    let rules = env.run(["rules", "nim/"]).expect(0);
    assert!(rules.stdout.contains("who takes the last one wins"), "{}", rules.stdout);
    let played = ["play", "nim/", "bots/perfect.py", "bots/one.sh", "--format", "json", "--turns"];
    let bout: Value = env.run(played).expect(0).json();
    assert_eq!((&bout["game"], &bout["ended"]), (&"nim".into(), &"last stone".into()), "{bout}");
    assert_eq!(bout["turns"][0]["action"].as_str().map(str::len), Some(1), "{bout}");
}

#[test]
fn bots_of_a_folder_s_game_are_made_checked_and_shown_samples() {
    let env = cup("well", "['bots/*']", 1);
    let hint = env.run(["bot", "new", "nim/", "python", "mine"]).expect(2).stderr;
    assert!(hint.contains("there is no starter bot for `nim`"), "{hint}");
    assert!(hint.contains("hint: ") && hint.contains("bots/first/bot.yaml"), "{hint}");
    env.write("nim/bots/one/bot.yaml", "name: one\nlanguage: python\nentry: main.py\nowner: x\n");
    env.write("nim/bots/one/main.py", "for line in iter(input, None):\n    print(1, flush=True)\n");
    let hint = env.run(["bot", "new", "nim/", "rust", "mine"]).expect(2).stderr;
    assert!(hint.contains("there are starter bots in: python"), "{hint}");
    let told = env.run(["bot", "new", "nim/", "python", "mine"]).expect(0).stderr;
    assert!(told.contains("joust bot check nim/ mine"), "{told}");
    let checked = env.run(["bot", "check", "nim/", "mine", "--format", "json"]).expect(0).json();
    assert_eq!(checked["bot"], "mine", "{checked}");
    env.run(["bot", "samples", "nim/", "samples"]).expect(0);
    let first = env.path().join("samples/numbers/00-seat-0.txt");
    let first = std::fs::read_to_string(first).expect("it was written");
    assert!(first.starts_with("stones "), "{first}");
    let schema = env.run(["config", "schema", "nim/"]).expect(0).stdout;
    assert!(schema.contains("Stones at the start"), "{schema}");
    let wrong = env.run(["config", "schema", "none"]).expect(2).stderr;
    assert!(wrong.contains("unknown game `none`"), "{wrong}");
    assert!(wrong.contains("the kinds are `tournament`, `bot`, `game`"), "{wrong}");
}

#[test]
#[ignore = "long: many starts of a referee"]
fn a_referee_that_fails_twice_costs_nobody_a_point_and_is_not_tried_again() {
    let rows = [
        ("die", "it was ended by signal 6"),
        ("exit", "the referee ended in the middle of the bout"),
        (
            "hang",
            "the referee is silent; it owes bout 1: `ask` or `end` after the answers to ask 3",
        ),
        ("flood", "is not JSON"),
        ("lie", "`ask` names seat 7, and the bout has 2"),
        ("blame", "`fault` says \"crash\" of an answer that came in time"),
        ("gibberish", "message"),
        ("babble", "the output ends in the middle of a line"),
    ];
    for (behave, reason) in rows {
        let env = cup(behave, "['bots/*.sh', 'bots/*.py']", 1);
        let ran = run(&env).expect(1);
        assert!(ran.stderr.contains("referee-error"), "{behave}: {}", ran.stderr);
        assert!(ran.stderr.contains(reason) || behave == "flood", "{behave}: {}", ran.stderr);
        assert!(!ran.stderr.contains("infrastructure"), "{behave}: {}", ran.stderr);
        assert!(!ran.stderr.contains("no such stone"), "{behave}: {}", ran.stderr);
        let again = run(&env).expect(1);
        assert_eq!(bouts_played(&again), 0, "{behave}: {}", again.stderr);
        env.run(["verify"]).expect(0);
    }
}

#[test]
fn a_bout_that_the_referee_could_not_finish_is_marked_and_told_whose_answer_it_was() {
    let env = cup("die", "['bots/*.sh', 'bots/*.py']", 1);
    env.write(
        "tournament.yaml",
        &(tournament("die", "['bots/*.sh', 'bots/*.py']", 1) + "report: { public: [verdicts] }\n"),
    );
    let ran = run(&env).expect(1);
    let (_, line) = ran.stderr.split_once("nim: bout ").expect("the bout is named");
    let bout: String = line.chars().take_while(char::is_ascii_hexdigit).collect();
    let standings = |format: &str| env.run(["standings", "--format", format]).expect(0).stdout;
    let mark = "of 1 bout, 1 ended as referee-error, without points";
    assert!(standings("text").contains(mark), "{}", standings("text"));
    assert!(standings("markdown").contains(mark), "{}", standings("markdown"));
    assert!(standings("csv").contains("event_referee_errors"), "{}", standings("csv"));
    let table: Value = env.run(["standings", "--format", "json"]).expect(0).json();
    assert_eq!((&table[0]["referee_errors"], &table[0]["bouts"]), (&1.into(), &0.into()));
    let line = env.run(["bouts", "--faults"]).expect(0).stdout;
    assert!(!line.contains(&bout), "no bot has earned a fault: {line}");
    let line = env.run(["bouts"]).expect(0).stdout;
    assert!(line.starts_with(&bout) && line.contains("no points, referee-error"), "{line}");
    let listed: Value = env.run(["bouts", "--format", "json"]).expect(0).json();
    assert_eq!(
        (&listed[0]["referee_error"], &listed[0]["bout"]),
        (&true.into(), &bout.as_str().into())
    );
    assert!(listed[0]["seats"][0]["score"].is_null(), "{listed}");
    // What the referee wrote for people is the organiser's.
    let history = env.run(["history", &bout]).expect(0).stdout;
    assert!(history.contains("the referee failed at this answer: round 3, seat 0"), "{history}");
    assert!(history.contains("the referee wrote: no such stone"), "{history}");
    env.run(["report", "--out", "site"]).expect(0);
    let site = all_text(&env.path().join("site"));
    assert!(site.contains("Referee errors:"), "no mark on the site");
    assert!(!site.contains("no such stone"), "the referee's own words are on the site");
}

/// Returns the texts of all pages of a site.
fn all_text(folder: &std::path::Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).expect("it is a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => text += &all_text(&path),
            path => text += &std::fs::read_to_string(path).unwrap_or_default(),
        }
    }
    text
}

#[test]
fn a_game_that_does_not_repeat_is_marked_on_every_table() {
    let env = cup("well", "['bots/*.sh', 'bots/*.py']", 1);
    for (name, text) in GAME {
        env.write(name, &text.replace("rejudge, ", "").replace("\"rejudge\", ", ""));
    }
    run(&env).expect(0);
    let standings = |format: &str| env.run(["standings", "--format", format]).expect(0).stdout;
    assert!(standings("text").contains(", not re-judgeable"), "{}", standings("text"));
    assert!(standings("markdown").contains(", not re-judgeable"), "{}", standings("markdown"));
    assert!(standings("csv").contains("event_rejudgeable"), "{}", standings("csv"));
    assert!(standings("json").contains("\"rejudgeable\": false"), "{}", standings("json"));
    env.run(["report", "--out", "site"]).expect(0);
    assert!(all_text(&env.path().join("site")).contains("Not re-judgeable:"));
    let said = "this bout cannot be judged again from its log";
    assert!(all_text(&env.path().join("site/nim/bouts")).contains(said));
    env.run(["replay", &bout_ids(&env)[0], "--html=bout.html"]).expect(0);
    let page = fs::read_to_string(env.path().join("bout.html")).expect("it was written");
    assert!(page.contains(said), "{page}");
    // Bouts that cannot be judged again are not reported as different.
    let judged = env.run(["verify"]).expect(0).stdout;
    assert!(judged.contains("of games that do not say that they repeat"), "{judged}");
    let shown = env.run(["replay", &bout_ids(&env)[0], "--delay", "0s"]).expect(0);
    assert!(shown.stderr.contains("does not say that it repeats"), "{}", shown.stderr);
}

#[test]
fn what_a_referee_says_of_a_bad_answer_is_shown_wherever_the_turn_is() {
    let env = cup("well", "['bots/*.sh', 'bots/*.py']", 1);
    env.write("bots/one.sh", "while read -r word stones; do echo nine; done\n");
    let said = "text=\"takes one stone\"";
    assert!(GAME[1].1.contains(said));
    let hostile = "text=\"takes one stone\\u001b[2J\" + \"x\" * 1000";
    env.write("nim/referee.py", &GAME[1].1.replace(said, hostile));
    run(&env).expect(0);
    let id = bout_ids(&env).remove(0);
    let why = "the referee says: takes one stone\\u{1b}[2Jxxx";
    let shown = env.run(["replay", &id, "--delay", "0s"]).expect(0).stdout;
    assert!(shown.contains(why) && !shown.contains("\u{1b}[2J"), "{shown}");
    let bout = env.run(["replay", &id, "--format", "json", "--turns"]).expect(0).json();
    let mut reasons = bout["turns"].as_array().expect("a list").iter();
    let reason = reasons.find_map(|turn| turn["reason"].as_str().filter(|it| !it.is_empty()));
    let reason = reason.expect("an answer was bad");
    assert!(reason.starts_with(&format!("got `nine`; {why}")) && reason.len() < 270, "{reason}");
    env.run(["report", "--out", "site"]).expect(0);
    let page = env.path().join(format!("site/nim/bouts/{id}.html"));
    let page = fs::read_to_string(page).expect("the bout has a page");
    assert!(page.contains(why), "{page}");
    env.run(["verify"]).expect(0);
}

/// A game for the referee of nim whose bots are one process for each answer.
fn process_for_a_turn(channel: &str, bots: [(&str, &str); 2]) -> TestEnv {
    let env = cup("well", "['bots/*.py']", 2);
    for (name, _) in BOTS {
        std::fs::remove_file(env.path().join(name)).expect("it was made");
    }
    bots.iter().for_each(|(name, text)| env.write(name, text));
    let yaml = GAME[0].1.replace("times: { move: 6s, first: 20s }", "times: { move: 20s }");
    env.write("nim/game.yaml", &format!("{yaml}{channel}\n"));
    env
}

#[test]
fn bots_of_ones_own_game_are_spoken_to_by_arguments_and_by_files() {
    let argv = process_for_a_turn(
        "channel: argv",
        [
            ("bots/one.py", "print(1)\n"),
            ("bots/best.py", "import sys\nprint(int(sys.argv[-1].split()[1]) % 4 or 1)\n"),
        ],
    );
    let folder = "import sys\nfolder = sys.argv[2]\n";
    let leave = "open(folder + '/move.txt', 'w').write(str(taken))\n";
    let best = "taken = int(open(folder + '/view.txt').read().split()[1]) % 4 or 1\n";
    let (one, best) = (format!("{folder}taken = 1\n{leave}"), format!("{folder}{best}{leave}"));
    let files = process_for_a_turn(
        "channel: files\nanswer: { files: [move.txt] }",
        [("bots/one.py", &one), ("bots/best.py", &best)],
    );
    let referee = GAME[1]
        .1
        .replace("answer[\"text\"]", "answer.get(\"files\", {}).get(\"move.txt\", \"none\")");
    files.write("nim/referee.py", &referee);
    for env in [argv, files] {
        run(&env).expect(0);
        let table = env.run(["standings", "--format", "json"]).expect(0).json();
        assert_eq!(table[0]["rows"][0]["bot"], "best", "{table}");
        assert_eq!(table[0]["rows"][0]["faults"], 0, "{table}");
        assert_eq!(table[0]["rows"][1]["faults"], 0, "{table}");
        env.run(["verify"]).expect(0);
    }
}

#[test]
fn a_referee_that_chats_starts_programs_and_looks_for_the_network_plays_on() {
    let env = cup("nosy", "['bots/*.sh', 'bots/*.py']", 1);
    let ran = run(&env).expect(0);
    assert_eq!(bouts_played(&ran), 1, "{}", ran.stderr);
    env.run(["verify"]).expect(0);
}

#[test]
fn a_referee_that_judges_otherwise_another_time_is_found_out() {
    let env = cup("moody", "['bots/*.sh', 'bots/*.py']", 1);
    run(&env).expect(0);
    let said = env.run(["verify"]).expect(1);
    assert!(said.stdout.contains("state hash"), "{}", said.stdout);
}

#[test]
fn a_referee_that_fails_once_is_brought_back_without_asking_a_bot() {
    let env = cup("once", "['bots/slow*.py']", 1);
    // A bot counts its questions, so that a repeated one would show.
    let slow = "import time\nn = 0\nfor line in iter(input, None):\n    n += 1\n    \
                time.sleep(2 if n == 2 else 0)\n    print(n if n < 4 else 1, flush=True)\n";
    env.write("bots/slow.py", slow);
    env.write("bots/slow-too.py", slow);
    run(&env).expect(0);
    let bouts = bout_ids(&env);
    let bout = env.run(["replay", &bouts[0], "--format", "json", "--turns"]).expect(0).json();
    assert_eq!(bout["ended"], "last stone", "{bout}");
    let turns = bout["turns"].as_array().expect("a list");
    let actions: Vec<_> = turns.iter().filter_map(|turn| turn["action"].as_str()).collect();
    assert_eq!(actions[..8], ["1", "1", "2", "2", "3", "3", "1", "1"], "{bout}");
    env.run(["verify"]).expect(0);
}

#[test]
#[ignore = "long: tests of killed runs show its parts"]
fn a_run_that_was_killed_goes_on_and_every_bout_is_sound() {
    let env = cup("well", "['bots/*']", 60);
    for pause in [1500, 700, 400] {
        let mut child = env.start(["run", "--quiet"]);
        thread::sleep(Duration::from_millis(pause));
        child.kill().expect("it is ours");
        child.wait().expect("it has ended");
    }
    run(&env).expect(0);
    assert_eq!(bout_ids(&env).len(), 180);
    env.run(["verify"]).expect(0);
}

/// Each keeps its process for its next bout, so there would soon be more of them than bots.
#[test]
#[ignore = "long: many starts of a referee"]
fn a_tournament_of_many_games_keeps_one_idle_referee_for_each_job() {
    let env = cup("well", "['bots/*']", 1);
    let ids = ["red", "green", "blue"];
    for id in ids {
        env.write(&format!("{id}/many.py"), &GAME[1].1.replace("\"nim\"", &format!("\"{id}\"")));
        env.write(&format!("{id}/rules.md"), GAME[2].1);
        env.write(&format!("{id}/game.yaml"), &GAME[0].1.replace("referee.py", "many.py"));
    }
    let games = ids.map(|id| format!("  {id}: {{ referee: {id} }}\n")).concat();
    let bots = "['bots/*.sh', 'bots/*.c']";
    let events = ids.map(|id| format!("  - {{ game: {id}, bots: {bots}, bouts: 4 }}\n")).concat();
    env.write("tournament.yaml", &format!("name: Many\ngames:\n{games}events:\n{events}"));
    let mut run = env.start(["run", "--quiet", "--jobs", "1"]);
    let mut most = 0;
    while run.try_wait().expect("it can be asked").is_none() {
        most = most.max(programs_with("many.pyc"));
        thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(bout_ids(&env).len(), 12);
    // The referee of the bout, and the referee of the game before while one takes over.
    assert!((1..=2).contains(&most), "{most} referees at once");
}

/// Returns the number of programs of this machine that have a word with this end.
fn programs_with(end: &str) -> usize {
    let words = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("cmdline")).ok();
    let all = fs::read_dir("/proc").expect("it can be listed").flatten().filter_map(words);
    all.filter(|words| words.split('\0').any(|word| word.ends_with(end))).count()
}

#[test]
fn what_is_wrong_with_a_game_is_said_with_its_place() {
    let env = cup("well", "['bots/*']", 1);
    let refused = |tournament: &str, expected: &[&str]| {
        env.write("tournament.yaml", tournament);
        let ran = run(&env).expect(2);
        for part in expected {
            assert!(ran.stderr.contains(part), "{part:?} in {}", ran.stderr);
        }
    };
    let with = |games: &str, rest: &str| {
        format!("games: {games}\nevents: [{{ game: nim, bots: ['bots/*']{rest} }}]\n")
    };
    refused(&with("{ nim: { referee: none } }", ""), &["there is no folder", "tournament.yaml:1:"]);
    refused(&with("{ nim: {} }", ""), &["missing key `referee`"]);
    refused(
        &with("{ battlebots: { referee: nim } }", ""),
        &["there is a game `battlebots` already"],
    );
    refused(&with("{ Nim: { referee: nim } }", ""), &["`Nim` is no id of a game"]);
    let options = ", options: { stones: 500 }";
    let told =
        ["expected a whole number from 1 to 100", "Stones at the start", "tournament.yaml:2:"];
    refused(&with("{ nim: { referee: nim } }", options), &told);
    env.write("nim/game.yaml", "seat: { min: 2 }\nanswer: { lines: 0 }\n");
    let told =
        ["unknown key `seat`", "did you mean `seats`?", "nim/game.yaml:1:", "nim/game.yaml:2:"];
    refused(&with("{ nim: { referee: nim } }", ""), &told);
    env.write("nim/game.yaml", "channel: files\n");
    let told = ["channel and answer do not fit", "`channel: files` goes with"];
    refused(&with("{ nim: { referee: nim } }", ""), &told);
    env.write("nim/game.yaml", "channel: files\nanswer: { files: [../x] }\n");
    refused(&with("{ nim: { referee: nim } }", ""), &["`../x` is no name of a file"]);
    env.write("nim/game.yaml", "entry: referee.none\n");
    env.write("tournament.yaml", &with("{ nim: { referee: nim } }", ""));
    let ran = run(&env).expect(1);
    assert!(ran.stderr.contains("the referee's language is not known"), "{}", ran.stderr);
}

#[test]
fn a_game_says_how_its_positions_are_drawn_and_its_results_stay() {
    let env = cup("well", "['bots/*.sh', 'bots/*.py']", 1);
    let of_state = GAME[1].1.replace(", scene=scene", "").replace(
        "return f\"{self.stones} {self.seat}{moody}\"",
        "return \"o\" * self.stones + \".\" * (30 - self.stones) + f\"\\nnext {self.seat}\"",
    );
    env.write("nim/referee.py", &of_state);
    run(&env).expect(0);
    let viewer = "viewer: { board: state, seats: [odd, even], legend: { o: { kind: disc, colour: bonus } } }\n";
    env.write("nim/game.yaml", &format!("{}{viewer}", GAME[0].1));
    assert_eq!(bouts_played(&run(&env).expect(0)), 0);
    let shown = env.run(["replay", &bout_ids(&env)[0], "--delay", "0s"]).expect(0).stdout;
    assert!(shown.contains("o o o o o") && shown.contains("  0 odd"), "{shown}");
    assert!(shown.contains("next 1") && !shown.contains("ooo"), "{shown}");
    env.run(["replay", &bout_ids(&env)[0], "--gif=bout.gif"]).expect(0);
    let wrong = "viewer: { board: stat, seats: [a=b], legend: { xx: {}, y: { kind: disk, colour: red } } }\n";
    env.write("nim/game.yaml", &format!("{}{wrong}", GAME[0].1));
    let told = run(&env).expect(2).stderr;
    for part in
        ["unknown board `stat`", "`a=b` is no name", "`xx` is no single", "`disk`", "colour `red`"]
    {
        assert!(told.contains(part), "{part} in {told}");
    }
}
