//! One recorded match: header, rounds, result. Played through a bout, with the
//! digits of the commands as move files.

use std::path::{Path, PathBuf};

use joust_referee::games::bomberman_2016::{
    Bomberman2016, Bout, Chance, GameState, LOSER_DRAW, ROLL_DRAW, Report, advance, key,
    leader_board,
};
use joust_referee::{
    Input, Judge, OptionValue, Options, Output, Outputs, Part, Parts, Referee, ReplayFolder,
    RequestId, Seat, Seed, Setup, Verdict,
};

use super::record::{Header, MatchResult, Placed, Position, Round, seat};
use super::{move_file, same};
use crate::files::{self, Failure};
use crate::tally::Tally;

/// Plays one file; `folder` is the one with `files` in it.
pub(super) fn play(folder: &Path, path: &Path, lines: &[String]) -> Result<Tally, Failure> {
    let at = |index: usize| move |problem: String| Failure::at_line(path, index + 1, problem);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or_default();
    let files = folder.join("files").join(name);
    let mut recording = Recording::open(&lines[0], files).map_err(at(0))?;
    let mut is_closed = false;
    for (index, line) in lines.iter().enumerate().skip(1).filter(|(_, line)| !line.is_empty()) {
        if is_closed {
            return Err(at(index)("something follows the result".to_owned()));
        }
        is_closed = recording.take(line).map_err(at(index))?;
    }
    if !is_closed {
        return Err(at(lines.len() - 1)("the recording ends without a result".to_owned()));
    }
    recording.check_all_files_were_met().map_err(at(lines.len() - 1))?;
    Ok(recording.tally)
}

struct Recording {
    bout: Bout,
    out: Outputs,
    open: Vec<(Seat, RequestId)>,
    /// The files shown in the round that is asked for.
    shown: Parts,
    files: PathBuf,
    tally: Tally,
}

impl Recording {
    fn open(line: &str, files: PathBuf) -> Result<Self, String> {
        let header: Header = serde_json::from_str(line).map_err(|error| error.to_string())?;
        same("format", &1, &header.format)?;
        same("game", &Bomberman2016.spec().id.as_str(), &header.game.as_str())?;
        let mut out = Outputs::new();
        let bout = start(&header, &mut out)?;
        let (open, shown) = (Vec::new(), Parts::none());
        let tally = Tally { matches: 1, bouts: 1, ..Tally::default() };
        let mut recording = Self { bout, out, open, shown, files, tally };
        let state = recording.bout.state();
        same("side", &(header.width, header.height), &(state.side, state.side))?;
        same("bounty", &header.bounty, &state.bounty)?;
        recording.collect();
        let keys: Vec<char> = header.players.iter().map(|player| player.key).collect();
        same("keys", &keys, &recording.open.iter().map(|(seat, _)| key(*seat)).collect())?;
        recording.check_position(&header.map)?;
        Ok(recording)
    }

    /// Takes a line; says whether it was the result.
    fn take(&mut self, line: &str) -> Result<bool, String> {
        if line.starts_with("{\"result\":") {
            let result: MatchResult =
                serde_json::from_str(line).map_err(|error| error.to_string())?;
            return self.check_result(&result).map(|()| true);
        }
        let round: Round = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let place = |problem: String| format!("round {}: {problem}", round.round);
        self.play_round(&round).map_err(place)?;
        self.tally.rounds += 1;
        Ok(false)
    }

    fn play_round(&mut self, round: &Round) -> Result<(), String> {
        same("number", &round.round, &self.bout.rounds())?;
        let alone = self.played_with_forced_losers(round)?;
        let forced = Input::Resolved { draw: ROLL_DRAW.to_owned(), values: round.rolls() };
        self.bout.next(&forced, &mut self.out).expect("the referee cannot fail");
        let asked: Vec<char> = self.open.iter().map(|(seat, _)| key(*seat)).collect();
        same("players asked", &round.commands.keys().copied().collect(), &asked)?;
        for (seat, request) in std::mem::take(&mut self.open) {
            let bytes = move_file(&round.commands[&key(seat)])?;
            let parts = Parts(vec![Part { name: "move.txt".into(), bytes: bytes.into() }]);
            let input = Input::Answer { seat, request, parts, verdict: Verdict::Ok };
            self.bout.next(&input, &mut self.out).expect("the referee cannot fail");
        }
        self.collect();
        round.check_report(self.bout.report())?;
        same("state with forced losers", &alone.blocks, &self.bout.state().blocks)?;
        same("players with forced losers", &alone.players, &self.bout.state().players)?;
        self.check_position(&round.state)
    }

    /// Plays the round beside the bout, with the losers given instead of the
    /// numbers rolled.
    fn played_with_forced_losers(&self, round: &Round) -> Result<GameState, String> {
        let mut state = self.bout.state().clone();
        let commands = round.commands_by_seat(state.players.len())?;
        let mut chance = Chance::new(Seed(0));
        chance.force(LOSER_DRAW, &round.losers());
        advance(&mut state, &commands, &mut chance, &mut Report::new());
        Ok(state)
    }

    fn collect(&mut self) {
        self.shown = Parts::none();
        for output in self.out.drain() {
            if let Output::Ask { seat, request, parts, .. } = output {
                self.open.push((seat, request));
                self.shown = parts;
            }
        }
        if self.shown.0.is_empty() {
            let closing = self.bout.round(&[]);
            self.shown = Parts(closing.files);
        }
    }

    fn check_position(&mut self, position: &Position) -> Result<(), String> {
        position.check(self.bout.state())?;
        let file = |name| self.shown.get(name).expect("the game shows two files");
        position.check_files(file("map.txt"), file("state.json"))?;
        let folder = self.files.join(format!("round-{}", self.bout.rounds()));
        for name in ["map.txt", "state.json"] {
            let path = folder.join(name);
            if path.is_file() {
                let recorded = files::text(&path).map_err(|failure| failure.to_string())?;
                let here = String::from_utf8_lossy(file(name)).into_owned();
                same(&path.display().to_string(), &recorded, &here)?;
                self.tally.files += 1;
            }
        }
        Ok(())
    }

    fn check_result(&self, recorded: &MatchResult) -> Result<(), String> {
        let outcome = self.bout.outcome().ok_or("the bout is not over")?;
        same("end", &recorded.end.replace('_', "-"), &outcome.ended.to_string())?;
        same("rounds played", &recorded.rounds_played, &outcome.rounds)?;
        let state = self.bout.state();
        let board = leader_board(state).into_iter().map(|seat| {
            let player = &state.players[seat.index()];
            let killed_round = player.killed_round;
            let points = player.total_points();
            Placed { key: key(seat), points, killed: !player.is_alive(), killed_round }
        });
        same("result", &recorded.result, &board.collect())?;
        for (rank, placed) in (1..).zip(&recorded.result) {
            let here = outcome.seats[seat(placed.key)];
            same("rank and score", &(rank, placed.points.into()), &(here.rank, here.score))?;
        }
        Ok(())
    }

    fn check_all_files_were_met(&self) -> Result<(), String> {
        let mut there = 0;
        if self.files.is_dir() {
            let rounds = files::with_ending(&self.files, &[""]);
            for round in rounds.map_err(|failure| failure.to_string())? {
                let files = files::with_ending(&round, &[""]);
                there += files.map_err(|failure| failure.to_string())?.len();
            }
        }
        same("files of the match", &there, &(self.tally.files as usize))
    }
}

/// Starts the recorded match; its players were scripts, without the idle rule.
fn start(header: &Header, out: &mut Outputs) -> Result<Bout, String> {
    let names: Vec<String> = header.players.iter().map(|player| player.name.clone()).collect();
    let map_seed = OptionValue::Int(i64::from(header.seed));
    let options: Options = [("map_seed".to_owned(), map_seed)].into_iter().collect();
    let setup = Setup {
        rules: "original",
        options: &options,
        seed: Seed(1),
        seats: u8::try_from(names.len()).map_err(|_| "too many players".to_owned())?,
        names: &names,
    };
    let mut bout = Bout::start(&setup, out).map_err(|error| error.to_string())?;
    (0..setup.seats).for_each(|seat| bout.exempt_from_idle_rule(Seat(seat)));
    Ok(bout)
}
