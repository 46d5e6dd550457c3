//! Replay folders in the layout of the originals.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use joust_testkit::env::TestEnv;
use joust_testkit::league::{bot, bout_ids};

use super::{env, small};

/// A bot of the Entelect Challenge of 2017 that places its ships and shoots,
/// without a process of its own for anything.
const GUNNER: &str = r#"
echo "playing $1"
while IFS= read -r line; do
    case "$line" in 'Phase : 1'*) placing=yes ;; esac
done < "$2/map.txt"
if [ "$placing" ]; then
    printf '%s\n' 'Carrier 0 0 north' 'Battleship 2 0 north' 'Cruiser 4 0 north' \
        'Submarine 6 0 north' 'Destroyer 2 5 east' > "$2/place.txt"
else
    echo '1,0,0' > "$2/command.txt"
fi"#;

const LEAGUE: &str = "\
name: Fleet
database: results.db
defaults:
  calibration: { runs: 1 }
events:
  - id: fleet
    game: battleships-2017
    bots: [bots/*]
    bouts: 1
    options: { map_size: small }
";

fn fleet() -> TestEnv {
    let env = env();
    env.write("tournament.yaml", LEAGUE);
    bot(&env, "gunner", GUNNER);
    bot(&env, "twin", GUNNER);
    env
}

/// Returns every file beneath `folder` by its path.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut left) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                fs::read_dir(path).expect("a folder").map(|entry| entry.expect("it").path()),
            );
        } else {
            let name = path.strip_prefix(folder).expect("beneath").to_string_lossy().into_owned();
            found.insert(name, fs::read(&path).expect("a file"));
        }
    }
    found
}

fn names_beneath<'a>(files: &'a BTreeMap<String, Vec<u8>>, folder: &str) -> Vec<&'a str> {
    files.keys().filter_map(|name| name.strip_prefix(folder)).collect()
}

#[test]
fn a_recorded_bout_is_exported_as_its_original_laid_it_out() {
    let env = fleet();
    env.run(["run"]).expect(0);
    let bout = bout_ids(&env).remove(0);
    let export = ["replay", &bout, "--export", "entelect", "out"];
    env.run(export).expect(0);
    let files = files(&env.path().join("out"));
    let root = [
        "A - map.txt",
        "A/log.txt",
        "A/map.txt",
        "A/place.txt",
        "A/state.json",
        "B - map.txt",
        "B/log.txt",
        "B/map.txt",
        "B/place.txt",
        "B/state.json",
        "engine.log",
        "roundCommand.json",
        "roundInfo.json",
        "state.json",
    ];
    assert_eq!(names_beneath(&files, "Phase 1 - Round 0/"), root);
    // Ships at the same squares and one shot at one of them, until the round limit.
    let played = [
        "A - map.txt",
        "A/command.txt",
        "A/log.txt",
        "A/map.txt",
        "A/state.json",
        "B - map.txt",
        "B/command.txt",
        "B/log.txt",
        "B/map.txt",
        "B/state.json",
        "engine.log",
        "roundCommand.json",
        "roundInfo.json",
        "state.json",
    ];
    assert_eq!(names_beneath(&files, "Phase 2 - Round 54/"), played);
    let closing =
        ["A - map.txt", "B - map.txt", "roundCommand.json", "roundInfo.json", "state.json"];
    assert_eq!(names_beneath(&files, "Phase 2 - Round 55/"), closing);
    let text = |name: &str| String::from_utf8(files[name].clone()).expect("text");
    assert_eq!(text("Phase 2 - Round 1/A/command.txt"), "1,0,0\n");
    // The last view of a player is written again at the end.
    assert_eq!(text("Phase 2 - Round 54/A/map.txt"), text("Phase 2 - Round 55/A - map.txt"));
    assert_eq!(text("Phase 2 - Round 53/A/map.txt"), text("Phase 2 - Round 53/A - map.txt"));
    let log = text("Phase 2 - Round 1/A/log.txt");
    assert!(log.starts_with('\n') && log.contains(" - I: \tOutput from bot: playing A"), "{log}");
    assert!(log.contains("Your bots total execution time was 00:00:0"), "{log}");
    let engine = text("Phase 2 - Round 1/engine.log");
    assert!(engine.contains(" - I: \tAdded Command FireSingleShotCommand for Player"), "{engine}");
    let info = text("Phase 2 - Round 1/roundInfo.json");
    assert!(info.contains("\"Email\":\"\""), "addresses stay out: {info}");
}

#[test]
fn an_export_replaces_only_folders_that_joust_made() {
    let env = fleet();
    env.run(["run"]).expect(0);
    let bout = bout_ids(&env).remove(0);
    let export = ["replay", &bout, "--export", "entelect", "out"];
    env.run(export).expect(0);
    let refused = env.run(export).expect(2);
    assert!(refused.stderr.contains("`out` already exists"), "{}", refused.stderr);
    env.write("out/more.txt", "of before");
    env.run(export.into_iter().chain(["--force"])).expect(0);
    assert!(!env.path().join("out/more.txt").exists());
    env.write("mine/photo.jpg", "precious");
    let mine = ["replay", &bout, "--export", "entelect", "mine", "--force"];
    let refused = env.run(mine).expect(2);
    assert!(refused.stderr.contains("was not made by joust"), "{}", refused.stderr);
    assert!(env.path().join("mine/photo.jpg").exists());
    let unknown = env.run(["replay", &bout, "--export", "pdf", "new"]).expect(2);
    assert!(unknown.stderr.contains("the layouts are: entelect"), "{}", unknown.stderr);
}

#[test]
fn a_game_without_such_an_original_is_not_exported() {
    let env = small();
    env.run(["run"]).expect(0);
    let bout = bout_ids(&env).remove(0);
    let refused = env.run(["replay", &bout, "--export", "entelect", "out"]).expect(2);
    let text = "the original of `battlebots` writes no replay folder";
    assert!(refused.stderr.contains(text), "{}", refused.stderr);
    assert!(!env.path().join("out").exists());
}

#[test]
fn what_play_logs_is_what_is_exported() {
    let env = fleet();
    env.run(["run"]).expect(0);
    let bout = bout_ids(&env).remove(0);
    env.run(["replay", &bout, "--export", "entelect", "exported"]).expect(0);
    let seats = env.run(["replay", &bout, "--format", "json"]).expect(0).json();
    let seat =
        |seat: usize| format!("bots/{}", seats["seats"][seat]["bot"].as_str().expect("a name"));
    let (first, second) = (seat(0), seat(1));
    let play = ["play", "battleships-2017", &first, &second, "-o", "map_size=small"];
    env.run(play.into_iter().chain(["--log", "logged"])).expect(0);
    let (exported, logged) =
        (files(&env.path().join("exported")), files(&env.path().join("logged")));
    assert!(exported.keys().eq(logged.keys()));
    // Logs tell times.
    for (name, bytes) in exported.iter().filter(|(name, _)| !name.ends_with(".log")) {
        if !name.ends_with("log.txt") {
            assert_eq!(bytes, &logged[name], "{name}");
        }
    }
}

/// Four bots of the Entelect Challenge of 2016: three blow themselves up.
fn arena() -> TestEnv {
    let env = env();
    env.write(
        "tournament.yaml",
        "database: results.db\ndefaults: { calibration: { runs: 1 } }\nevents:\n  - { id: arena, game: \
         bomberman-2016, bots: [bots/*], players_per_match: 3 }\n",
    );
    for name in ["ann", "bob", "cid"] {
        bot(&env, name, "echo 5 > \"$2/move.txt\"");
    }
    bot(&env, "dan", "echo 1 > \"$2/move.txt\"");
    env
}

#[test]
fn groups_of_three_meet_with_all_rotations_and_are_ranked_by_points() {
    let env = arena();
    let dry = env.run(["run", "--dry-run"]).expect(0);
    assert!(dry.stdout.contains("arena: 12 bouts to play"), "{}", dry.stdout);
    env.run(["run"]).expect(0);
    let events = env.run(["standings", "--format", "json"]).expect(0).json();
    let event = &events[0];
    assert_eq!((&event["bouts"], &event["expected"]), (&12.into(), &12.into()));
    let first = &event["rows"][0];
    assert_eq!((&first["bot"], &first["rank"]), (&"dan".into(), &1.into()), "{event}");
    assert_eq!(first["points"], 18, "9 bouts, two opponents behind in each: {event}");
    assert_eq!(event["tie_breaks"][0], "points");
    env.run(["verify"]).expect(0);
}

#[test]
fn a_bout_of_bomberman_is_exported_as_its_original_laid_it_out() {
    let env = arena();
    let bots = ["bots/ann", "bots/dan"];
    env.run(["play", "bomberman-2016"].into_iter().chain(bots).chain(["--log", "out"])).expect(0);
    let files = files(&env.path().join("out"));
    let first = ["A/log.txt", "A/move.txt", "B/log.txt", "B/move.txt"];
    let root = ["engine.log", "map.txt", "roundInfo.json", "state.json"];
    assert_eq!(names_beneath(&files, "0/"), [&first[..], &root].concat());
    let last = files.keys().filter_map(|name| name.split('/').next()?.parse::<u32>().ok()).max();
    let last = last.expect("folders are called by their rounds");
    let closing = names_beneath(&files, &format!("{last}/"));
    assert_eq!(closing, ["map.txt", "roundInfo.json", "state.json"]);
    // The players' own files are written once more, with the end, where they were last.
    for key in ["A", "B"] {
        for name in ["map.txt", "state.json"] {
            let own = &files[&format!("{}/{key}/{name}", last - 1)];
            assert_eq!(own, &files[&format!("{last}/{name}")], "{key} {name}");
        }
    }
    assert_eq!(files["0/A/move.txt"], b"5\n");
    let engine = String::from_utf8_lossy(&files["0/engine.log"]).into_owned();
    assert!(
        engine.contains("Added Command PlaceBombCommand for Player PlayerEntity(X:2, Y:2, Key:A)"),
        "{engine}"
    );
}

#[test]
fn the_log_of_a_forced_bomb_stands_in_the_next_one() {
    let env = arena();
    bot(&env, "eve", "echo 3 > \"$2/move.txt\"");
    bot(&env, "fay", ":");
    let play = ["play", "bomberman-2016", "bots/eve", "bots/fay", "-o", "max_rounds=22"];
    env.run(play.into_iter().chain(["--log", "out"])).expect(0);
    let files = files(&env.path().join("out"));
    let logs = |round: u32| {
        let log = files.get(&format!("{round}/B/log.txt"))?;
        Some(String::from_utf8_lossy(log).matches("total execution time").count())
    };
    assert_eq!([18, 19, 20, 21].map(logs), [Some(1), None, Some(2), None]);
    assert!(files.contains_key("19/A/log.txt"));
}

#[test]
fn a_person_plays_bomberman_with_six_keys_before_a_coloured_map() {
    let env = arena();
    let mut command = env.command(["play", "bomberman-2016", "--human", "bots/ann", "bots/bob"]);
    command.args(["--turn-log", "bout.jsonl", "--color", "always"]);
    fs::write(env.path().join("typed"), "w\nz\nnonsense\n").expect("it can be written");
    command.stdin(fs::File::open(env.path().join("typed")).expect("it is there"));
    let output = command.output().expect("it starts");
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("Player 1, w up, s down"), "{shown}");
    assert!(shown.contains("\u{1b}[1;36mA\u{1b}[0m"), "the map is coloured: {shown}");
    assert!(shown.contains("Player Name: Player 1"), "sections stand beside it: {shown}");
    let recorded = fs::read_to_string(env.path().join("bout.jsonl")).expect("it is written");
    let own: Vec<&str> = recorded.lines().filter(|line| line.contains("\"seat\":0")).collect();
    assert!(own.len() >= 3 && !own[2].contains("\"verdict\":\"timeout\""), "{own:?}");
}

#[test]
fn addresses_of_authors_are_not_written() {
    let env = fleet();
    env.write("bots/snake/main.py", "");
    let manifest = r#"{ "Author": "Ann", "Email": "ann@example.org", "NickName": "Snake",
        "BotType": "Python3", "ProjectLocation": "", "RunFile": "main.py" }"#;
    env.write("bots/snake/bot.json", manifest);
    let play = ["play", "battleships-2017", "bots/snake", "bots/gunner", "-o", "map_size=small"];
    env.run(play.into_iter().chain(["--log", "log"])).expect(0);
    let path = env.path().join("log/Phase 1 - Round 0/roundInfo.json");
    let info = fs::read_to_string(path).expect("it is written");
    let player = r#"{"Author":"Ann","NickName":"Snake","Email":"","BotType":"Python3""#;
    assert!(info.contains(player), "{info}");
}

#[test]
fn a_person_places_ships_and_shoots() {
    let env = fleet();
    let mut command = env.command(["play", "battleships-2017", "--human", "bots/gunner"]);
    command.args(["-o", "map_size=small", "--turn-log", "bout.jsonl"]);
    let typed = "Carrier 0 0 north\nCarrier 1 0 north\nbattleship 2 0 north\nCruiser 4 0 \
                 north\nSubmarine 6 0 north\nDestroyer 2 5 east\nfire\n1,0,0\n";
    fs::write(env.path().join("typed"), typed).expect("it can be written");
    command.stdin(fs::File::open(env.path().join("typed")).expect("it is there"));
    let output = command.output().expect("it starts");
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("the Carrier has its place already"), "{shown}");
    assert!(shown.contains("type <code>,<x>,<y>"), "{shown}");
    assert!(shown.contains("Phase : 1") && shown.contains("Phase : 2"), "{shown}");
    let recorded = fs::read_to_string(env.path().join("bout.jsonl")).expect("it is written");
    assert!(recorded.contains("\"action\":\"1,0,0\""), "{recorded}");
    // The person has left; the game ends by its round limit, not by the idle rule.
    assert!(recorded.lines().last().expect("a result").contains("\"rounds\":55"), "{recorded}");
}
