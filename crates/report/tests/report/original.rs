//! Replay folders as the originals' programs left them: every folder that was recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use joust_model::{
    BoutId, BoutPlan, BuildHash, Exit, FoldError, GameOptions, Limits, Occupant, Round, SeatPlan,
    Setting, TurnRecord,
};
use joust_referee::{
    Catalogue, Input, LimitSet, Part, Parts, PlayerInfo, RequestId, Seat, Seed, Verdict,
};
use joust_report::OriginalReplay;
use serde_json::Value;

/// The files that a seat answers with.
type Answer<'a> = Vec<(&'a str, Vec<u8>)>;

/// A match being played into a replay folder; the answers are those of a recording.
struct Replay {
    replay: OriginalReplay,
    /// Contents written to each path, in order.
    written: BTreeMap<String, Vec<Vec<u8>>>,
    next_request: u32,
}

impl Replay {
    fn begin(game: &str, options: &[(&str, Setting)], players: Vec<PlayerInfo>) -> Self {
        let plan = plan(game, options, &players);
        let games = Catalogue::built_in();
        let replay = OriginalReplay::new(&games, &plan, players, 1_479_635_214_047);
        let replay = replay.expect("the game has replay folders");
        let mut own = Self { replay, written: BTreeMap::new(), next_request: 0 };
        let Self { replay, written, .. } = &mut own;
        replay.begin::<FoldError>(&mut |path, bytes| put(written, path, bytes)).expect("it begins");
        own
    }

    /// Plays a round in which the seats of `answers` are asked.
    fn round(&mut self, round: u32, answers: &[(u8, Answer<'_>)]) {
        let Self { replay, written, next_request } = self;
        for (seat, files) in answers {
            let part = |(name, bytes): &(&str, Vec<u8>)| Part {
                name: (*name).to_owned().into(),
                bytes: bytes.clone().into(),
            };
            let input = Input::Answer {
                seat: Seat(*seat),
                request: RequestId(*next_request),
                parts: Parts(files.iter().map(part).collect()),
                verdict: Verdict::Ok,
            };
            *next_request += 1;
            replay
                .input::<FoldError>(&input, &mut |path, bytes| put(written, path, bytes))
                .unwrap();
        }
        for (seat, _) in answers {
            let turn = turn(round, *seat);
            replay.turn::<FoldError>(&turn, &mut |path, bytes| put(written, path, bytes)).unwrap();
        }
    }

    /// Returns the names in a folder that was made, not those in folders of it.
    fn files(&self, folder: &str) -> Option<BTreeSet<&str>> {
        let start = format!("{folder}/");
        let names = self.written.keys().filter_map(|path| path.strip_prefix(&start));
        let names: Vec<&str> = names.collect();
        let files = names.iter().copied().filter(|name| !name.is_empty() && !name.contains('/'));
        (!names.is_empty()).then(|| files.collect())
    }

    fn first(&self, path: &str) -> &[u8] {
        self.written.get(path).and_then(|all| all.first()).unwrap_or_else(|| panic!("no {path}"))
    }

    fn last(&self, path: &str) -> &[u8] {
        self.written.get(path).and_then(|all| all.last()).unwrap_or_else(|| panic!("no {path}"))
    }
}

#[expect(clippy::unnecessary_wraps, reason = "what a replay writes to may fail")]
fn put(
    written: &mut BTreeMap<String, Vec<Vec<u8>>>,
    path: &str,
    bytes: &[u8],
) -> Result<(), FoldError> {
    written.entry(path.to_owned()).or_default().push(bytes.to_vec());
    Ok(())
}

fn plan(game: &str, options: &[(&str, Setting)], players: &[PlayerInfo]) -> BoutPlan {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let seat = |player: &PlayerInfo| SeatPlan {
        bot: player.nick_name.clone(),
        occupant: Occupant::Build(BuildHash([7; 32])),
    };
    BoutPlan {
        bout: BoutId([1; 8]),
        event: game.to_owned(),
        game: game.to_owned(),
        revision: 1,
        referee: None,
        rules: "original".to_owned(),
        options: GameOptions(options.collect()).into(),
        seed: Seed(1),
        match_number: 0,
        number: 0,
        seats: players.iter().map(seat).collect(),
        limits: Limits::default().into(),
        clock: None,
    }
}

fn turn(round: u32, seat: u8) -> TurnRecord {
    TurnRecord {
        round: Round(round),
        seat,
        verdict: Verdict::Ok.code(),
        limits_hit: LimitSet::default(),
        wall_us: 198_000,
        cpu_us: 100_000,
        cpu_partial: false,
        stall_us: 0,
        peak_memory_bytes: 1,
        exit: Exit::Status(0),
        action: String::new(),
        output: Vec::new(),
        stderr: Vec::new(),
        reason: String::new(),
    }
}

fn recordings(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../referee/tests/conformance").join(game)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a recording")).expect("it is JSON")
}

/// Returns every file beneath `folder`, by its path.
fn recorded(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut left) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(path).expect("a folder").map(|entry| entry.unwrap().path()));
        } else {
            let name = path.strip_prefix(folder).expect("beneath").to_string_lossy().into_owned();
            found.insert(name, fs::read(&path).expect("a file"));
        }
    }
    found
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A log without its times.
fn timeless(log: &[u8]) -> Vec<String> {
    let log = text(log);
    log.split('\n').map(|line| line.get(23..).unwrap_or(line).to_owned()).collect()
}

fn player_of(path: &Path) -> PlayerInfo {
    let manifest = json(path);
    let field = |name: &str| manifest[name].as_str().unwrap_or_default().to_owned();
    PlayerInfo {
        author: field("Author"),
        nick_name: field("NickName"),
        email: field("Email"),
        bot_type: field("BotType"),
    }
}

#[test]
fn the_idle_match_of_bomberman_leaves_the_folders_that_the_original_left() {
    let folder = recordings("bomberman-2016/harness");
    let players = ["bot-A.json", "bot-B.json"].map(|name| player_of(&folder.join(name)));
    let folder = folder.join("idle-match");
    let recording = json(&folder.join("commands.json"));
    let seed = Setting::Int(recording["seed"].as_i64().expect("a seed"));
    let mut replay = Replay::begin("bomberman-2016", &[("map_seed", seed)], players.into());
    let rounds = recording["rounds"].as_array().expect("a list");
    for (number, round) in (0..).zip(rounds) {
        let step = match round["commands"]["A"].as_str() {
            Some("right") => "3",
            Some("left") => "2",
            other => panic!("{other:?}"),
        };
        let mut answers = vec![(0, vec![("move.txt", step.as_bytes().to_vec())])];
        if round["bot_B_was_run"] == true {
            answers.push((1, vec![("move.txt", b"0".to_vec())]));
        }
        replay.round(number, &answers);
    }
    for (number, round) in rounds.iter().enumerate() {
        let list = round["files_B"].as_array().expect("a list");
        let expected = list.iter().filter_map(Value::as_str).collect();
        assert_eq!(replay.files(&format!("{number}/B")), Some(expected), "round {number}");
    }
    assert_eq!(replay.files("23/B"), None, "nobody enters the closing folder");
    for (name, number, bytes) in recorded(&folder).iter().filter_map(|(name, bytes)| {
        let (stem, ending) = name.split_once('.')?;
        let (stem, number) = stem.split_once('-')?;
        Some((format!("{stem}.{ending}"), number, bytes))
    }) {
        let path = format!("{number}/{name}");
        assert_eq!(text(replay.last(&path)), text(bytes), "{path}");
    }
}

#[test]
fn the_recorded_replay_of_battleships_is_written_file_by_file() {
    let folder = recordings("battleships-2017/replay-sample");
    let player = |number: u8| PlayerInfo {
        author: format!("A{number}"),
        nick_name: format!("Bot{number}"),
        email: format!("a{number}@example.com"),
        bot_type: "Rust".to_owned(),
    };
    let recorded = recorded(&folder);
    let small = Setting::Text("small".to_owned());
    let mut replay =
        Replay::begin("battleships-2017", &[("map_size", small)], vec![player(1), player(2)]);
    // Both fire at every cell, row after row, from the top right corner.
    for round in 0..=49_u32 {
        let answer = |key: &str| match round {
            0 => {
                vec![("place.txt", recorded[&format!("Phase 1 - Round 0/{key}/place.txt")].clone())]
            }
            _ => {
                vec![("command.txt", format!("1,{},{}", (49 - round) % 7, (49 - round) / 7).into())]
            }
        };
        replay.round(round, &[(0, answer("A")), (1, answer("B"))]);
    }
    for folder in
        ["Phase 1 - Round 0", "Phase 2 - Round 1", "Phase 2 - Round 49", "Phase 2 - Round 50"]
    {
        for folder in [folder.to_owned(), format!("{folder}/A"), format!("{folder}/B")] {
            let start = format!("{folder}/");
            let kept = recorded.keys().filter_map(|path| path.strip_prefix(&start));
            let kept: BTreeSet<&str> = kept.filter(|name| !name.contains('/')).collect();
            let mut files = replay.files(&folder).unwrap_or_default();
            // The recording is without the logs that tell of the machine it was made on.
            files.remove("log.txt");
            if folder == "Phase 1 - Round 0" {
                files.remove("engine.log");
            }
            assert_eq!(files, kept, "{folder}");
        }
    }
    for (path, bytes) in &recorded {
        if path.ends_with("engine.log") {
            assert_eq!(timeless(replay.last(path)), timeless(bytes), "{path}");
        } else {
            assert_eq!(text(replay.last(path)), text(bytes), "{path}");
        }
    }
}

fn lines(path: &Path) -> Vec<Value> {
    let file = fs::File::open(path).expect("a recording");
    let text = std::io::read_to_string(flate2::read::MultiGzDecoder::new(file)).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

/// Plays a recorded match; returns it with the folder of each round.
fn fleet(path: &Path) -> (Replay, Vec<String>) {
    let lines = lines(path);
    let name = |player: &Value| PlayerInfo::named(player["name"].as_str().expect("a name"));
    let players = lines[0]["players"].as_array().expect("a list").iter().map(name).collect();
    let size =
        ["small", "medium", "large"][lines[0]["size"].as_u64().expect("a size") as usize - 1];
    let size = Setting::Text(size.to_owned());
    let mut replay = Replay::begin("battleships-2017", &[("map_size", size)], players);
    let mut folders = Vec::new();
    for (round, line) in (0..).zip(lines.iter().filter(|line| line.get("round").is_some())) {
        let answer = |key: &str| {
            let files = [("place.txt", "place"), ("command.txt", "command")];
            let left = &line["commands"][key];
            let file = |(file, name): (&'static str, &str)| {
                left[name].as_str().map(|text| (file, text.as_bytes().to_vec()))
            };
            files.into_iter().filter_map(file).collect::<Vec<_>>()
        };
        replay.round(round, &[(0, answer("A")), (1, answer("B"))]);
        folders.push(format!("Phase {} - Round {round}", line["phase"]));
    }
    let last = lines.iter().rev().find(|line| line.get("state").is_some()).expect("a round");
    let next = &last["state"];
    folders.push(format!("Phase {} - Round {}", next["next_phase"], next["next_round"]));
    (replay, folders)
}

#[test]
fn files_kept_of_battleships_matches_are_those_of_their_replay_folders() {
    let folder = recordings("battleships-2017");
    let mut compared = 0;
    for entry in fs::read_dir(&folder).expect("recordings") {
        let kept = entry.expect("an entry").path();
        if kept.extension().is_none_or(|extension| extension != "files") {
            continue;
        }
        let (replay, folders) = fleet(&kept.with_extension("jsonl.gz"));
        for (path, bytes) in recorded(&kept) {
            let (round, name) = path.split_once('/').expect("files lie in folders");
            let here = match round.strip_prefix("round-") {
                Some(round) => {
                    let round: usize = round.parse().expect("a number");
                    replay.first(&format!("{}/{name}", folders[round]))
                }
                None => replay.last(&format!("{}/{name}", folders[folders.len() - 2])),
            };
            assert_eq!(text(here), text(&bytes), "{}: {path}", kept.display());
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} files were compared");
}
