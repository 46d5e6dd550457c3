//! Behaviour of the original's harness with move files and with an idle bot.

use std::collections::BTreeMap;
use std::path::Path;

use joust_referee::games::bomberman_2016::{Bout, Event, key, read};
use joust_referee::{
    Input, Judge, OptionValue, Options, Output, Outputs, Part, Parts, PlayerInfo, ReplayFolder,
    RequestId, Seat, Seed, Setup, Verdict,
};
use serde::Deserialize;

use super::{command, same};
use crate::files::{self, Failure};
use crate::tally::Tally;

/// Compares everything in the folder `harness`, if it is there.
pub(super) fn play(folder: &Path) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    if !folder.is_dir() {
        return Ok(tally);
    }
    for path in files::with_ending(folder, &["cases.json"])? {
        tally.facts += read_move_files(&path)?;
    }
    for path in files::with_ending(folder, &[""])? {
        if path.join("commands.json").is_file() {
            tally.add(play_idle_match(&path)?);
        }
    }
    Ok(tally)
}

#[derive(Deserialize)]
struct MoveFile {
    move_txt_hex: Option<String>,
    note: String,
    command: String,
}

fn read_move_files(path: &Path) -> Result<u32, Failure> {
    let cases: Vec<MoveFile> =
        serde_json::from_str(&files::text(path)?).map_err(|error| Failure::new(path, error))?;
    for case in &cases {
        let place = |problem: String| Failure::new(path, format_args!("{}: {problem}", case.note));
        let bytes = case.move_txt_hex.as_deref().map(bytes).transpose().map_err(place)?;
        let here = read(bytes.as_deref()).command;
        same("command", &command(&case.command).map_err(place)?, &here).map_err(place)?;
    }
    Ok(u32::try_from(cases.len()).expect("there are few cases"))
}

fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let pair = |start: usize| {
        let digits = hex.get(start..start + 2).ok_or("half a byte")?;
        u8::from_str_radix(digits, 16).map_err(|_| format!("`{digits}` is no byte"))
    };
    (0..hex.len()).step_by(2).map(pair).collect()
}

#[derive(Deserialize)]
struct IdleMatch {
    seed: i64,
    rounds: Vec<IdleRound>,
}

#[derive(Deserialize)]
struct IdleRound {
    round: u32,
    commands: BTreeMap<char, String>,
    #[serde(rename = "bot_B_was_run")]
    was_run: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct BotJson {
    author: String,
    email: String,
    nick_name: String,
    bot_type: String,
}

/// Plays the match of a bot that is given its recorded commands (A) and one that
/// writes `0` whenever it is run (B).
fn play_idle_match(folder: &Path) -> Result<Tally, Failure> {
    let path = folder.join("commands.json");
    let recorded: IdleMatch =
        serde_json::from_str(&files::text(&path)?).map_err(|error| Failure::new(&path, error))?;
    let place = |problem: String| Failure::new(&path, problem);
    let players = [player(folder, "bot-A.json")?, player(folder, "bot-B.json")?];
    let mut table = Table::start(recorded.seed, &players).map_err(place)?;
    let mut tally = Tally { bouts: 1, ..Tally::default() };
    for round in &recorded.rounds {
        tally.files += table.check_files(folder, &players).map_err(place)?;
        let at = |problem: String| place(format!("round {}: {problem}", round.round));
        table.play_round(round).map_err(at)?;
        tally.rounds += 1;
    }
    tally.files += table.check_files(folder, &players).map_err(place)?;
    same("is over", &true, &table.bout.outcome().is_some()).map_err(place)?;
    Ok(tally)
}

fn player(folder: &Path, name: &str) -> Result<PlayerInfo, Failure> {
    let path = folder.parent().unwrap_or(folder).join(name);
    let bot: BotJson =
        serde_json::from_str(&files::text(&path)?).map_err(|error| Failure::new(&path, error))?;
    let BotJson { author, email, nick_name, bot_type } = bot;
    Ok(PlayerInfo { author, nick_name, email, bot_type })
}

struct Table {
    bout: Bout,
    open: Vec<(Seat, RequestId)>,
}

impl Table {
    fn start(seed: i64, players: &[PlayerInfo]) -> Result<Self, String> {
        let options: Options =
            [("map_seed".to_owned(), OptionValue::Int(seed))].into_iter().collect();
        let names: Vec<String> = players.iter().map(|player| player.nick_name.clone()).collect();
        let (seed, options) = (Seed(1), &options);
        let setup = Setup { rules: "original", options, seed, seats: 2, names: &names };
        let mut out = Outputs::new();
        let bout = Bout::start(&setup, &mut out).map_err(|error| error.to_string())?;
        let mut table = Self { bout, open: Vec::new() };
        table.collect(&mut out);
        Ok(table)
    }

    fn collect(&mut self, out: &mut Outputs) {
        for output in out.drain() {
            if let Output::Ask { seat, request, .. } = output {
                self.open.push((seat, request));
            }
        }
    }

    fn play_round(&mut self, round: &IdleRound) -> Result<(), String> {
        same("number", &round.round, &self.bout.rounds())?;
        let is_run = self.open.iter().any(|(seat, _)| *seat == Seat(1));
        same("bot B was run", &round.was_run, &is_run)?;
        let mut out = Outputs::new();
        for (seat, request) in std::mem::take(&mut self.open) {
            let word = &round.commands[&key(seat)];
            let bytes = if seat == Seat(0) { super::move_file(word)? } else { b"0".to_vec() };
            let parts = Parts(vec![Part { name: "move.txt".into(), bytes: bytes.into() }]);
            let input = Input::Answer { seat, request, parts, verdict: Verdict::Ok };
            self.bout.next(&input, &mut out).expect("the referee cannot fail");
        }
        self.collect(&mut out);
        let submitted = self.bout.report().events.iter().filter_map(|event| match event {
            Event::Submitted { seat, command, .. } => Some((key(*seat), command.word().to_owned())),
            _ => None,
        });
        same("commands", &round.commands, &submitted.collect())
    }

    /// Compares the recorded root files of the round asked for now, if any;
    /// returns how many there were.
    fn check_files(&self, folder: &Path, players: &[PlayerInfo]) -> Result<u32, String> {
        let round = self.bout.round(players);
        same("folder", &self.bout.rounds().to_string(), &round.folder)?;
        let mut compared = 0;
        for file in &round.files {
            let (stem, ending) = file.name.split_once('.').expect("files have endings");
            let path = folder.join(format!("{stem}-{}.{ending}", round.folder));
            if path.is_file() {
                let recorded = files::text(&path).map_err(|failure| failure.to_string())?;
                let here = String::from_utf8_lossy(&file.bytes).into_owned();
                same(&path.display().to_string(), &recorded, &here)?;
                compared += 1;
            }
        }
        Ok(compared)
    }
}
