//! One recorded match: header, rounds, result.

use std::path::Path;

use joust_referee::games::battleships_2017::{GameState, KEYS, begin, ranking, read};
use joust_referee::{Judge, Outcome, Verdict};

use super::kept::Kept;
use super::record::{Header, Left, Line, MatchResult, Position, Round};
use super::{Player, same};
use crate::files::{self, Failure};
use crate::tally::Tally;

/// Plays one file.
pub(crate) fn play(path: &Path) -> Result<Tally, Failure> {
    let lines = files::lines(path)?;
    let mut recording: Option<Recording> = None;
    let mut is_closed = false;
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = |problem: String| Failure::at_line(path, index + 1, problem);
        if is_closed {
            return Err(at("something follows the result".to_owned()));
        }
        match &mut recording {
            None => recording = Some(Recording::open(line, Kept::beside(path)?).map_err(at)?),
            Some(recording) => is_closed = recording.take(line).map_err(at)?,
        }
    }
    let last = |problem: String| Failure::at_line(path, lines.len(), problem);
    let recording = recording.ok_or_else(|| last("the recording is empty".to_owned()))?;
    if !is_closed {
        return Err(last("the recording ends without a result".to_owned()));
    }
    recording.kept.check_all_compared().map_err(last)?;
    let files = recording.kept.compared();
    Ok(Tally { files, ..recording.tally })
}

struct Recording {
    player: Player,
    kept: Kept,
    /// State in which the original crashed, in a match that was aborted.
    crashed: Option<GameState>,
    tally: Tally,
}

impl Recording {
    fn open(line: &str, kept: Kept) -> Result<Self, String> {
        let header: Header = serde_json::from_str(line).map_err(|error| error.to_string())?;
        same("format", &1, &header.format)?;
        same("game", &"battleships-2017", &header.game.as_str())?;
        let names = header.players.map(|player| player.name);
        Ok(Self {
            player: Player::start(header.size, &names)?,
            kept,
            crashed: None,
            tally: Tally { matches: 1, bouts: 1, ..Tally::default() },
        })
    }

    /// Takes a line; returns whether it was the result.
    fn take(&mut self, line: &str) -> Result<bool, String> {
        match Line::read(line).map_err(|error| error.to_string())? {
            Line::Result(result) => self.check_result(&result).map(|()| true),
            Line::Round(round) => {
                let place = |problem: String| format!("round {}: {problem}", round.round);
                self.play_round(&round).map_err(place).map(|()| false)
            }
        }
    }

    fn play_round(&mut self, round: &Round) -> Result<(), String> {
        let state = self.player.bout.state();
        same("number of the round", &round.round, &state.round)?;
        same("phase", &round.phase, &state.phase.number())?;
        self.kept.check_round(&self.player, round.round)?;
        let left = [&round.commands.a, &round.commands.b].map(|left| Left::parts(left.as_ref()));
        let options = *self.player.bout.options();
        let [a, b] = left.each_ref().map(|parts| read(&options, parts));
        same("command of A", &round.parsed.a.as_str(), &a.command.name())?;
        same("command of B", &round.parsed.b.as_str(), &b.command.name())?;
        if round.aborted {
            let mut state = state.clone();
            begin(&mut state, &options, [Some(&a.command), Some(&b.command)]);
            self.check_position(&round.state, &state)?;
            self.crashed = Some(state);
        }
        let verdicts: Vec<Verdict> = vec![a.verdict, b.verdict];
        self.player.answer(left)?;
        same("verdicts", &verdicts, &self.player.judged)?;
        self.tally.rounds += 1;
        if round.aborted {
            return Ok(());
        }
        self.check_position(&round.state, self.player.bout.state())
    }

    fn check_position(&self, recorded: &Position, state: &GameState) -> Result<(), String> {
        let here = Position::of(state, self.player.bout.options().size.max_shield_radius());
        same("state of A", &recorded.players.a, &here.players.a)?;
        same("state of B", &recorded.players.b, &here.players.b)?;
        same("state", recorded, &here)
    }

    fn check_result(&mut self, recorded: &MatchResult) -> Result<(), String> {
        let bout = &self.player.bout;
        let outcome = bout.outcome().ok_or("result: the bout is not over here")?;
        let ended = match recorded.reason.as_str() {
            "elimination" => "elimination",
            "both eliminated" => "double-elimination",
            "round limit" => "round-limit",
            "player killed by the harness" => "harness-kill",
            other => return Err(format!("result: unknown reason `{other}`")),
        };
        same("result: end", &ended, &&*outcome.ended)?;
        same("result: rounds", &recorded.rounds_played, &outcome.rounds)?;
        let is_aborted = recorded.kind == "aborted";
        same("result: aborted", &is_aborted, &self.crashed.is_some())?;
        check_board(recorded, self.crashed.as_ref().unwrap_or(bout.state()))?;
        if is_aborted {
            same("result: winner of an aborted match", &None, &recorded.winner)?;
            return check_survivor(recorded, outcome);
        }
        same("result: winner", &recorded.winner.as_deref(), &winner(outcome))?;
        self.kept.check_final(&self.player)
    }
}

/// Compares leader board, killed players and points with a position.
fn check_board(recorded: &MatchResult, state: &GameState) -> Result<(), String> {
    let leaders = ranking(state).map(|seat| KEYS[seat.index()].to_owned());
    same("result: leader board", &recorded.leaderboard, &leaders)?;
    let players = &state.players;
    let killed: Vec<String> =
        (0..2).filter(|seat| players[*seat].killed).map(|seat| KEYS[seat].to_owned()).collect();
    same("result: killed", &recorded.killed, &killed)?;
    same("result: points", &recorded.points, &players.each_ref().map(|player| player.points))
}

/// Joust plays the round in which the original crashed, and whoever survives it
/// has won.
fn check_survivor(recorded: &MatchResult, outcome: &Outcome) -> Result<(), String> {
    let is_killed = |key: &&str| recorded.killed.iter().any(|killed| killed == key);
    let survivor = KEYS.into_iter().find(|key| !is_killed(key));
    match survivor {
        None => Ok(()),
        Some(_) => same("result: survivor", &survivor, &winner(outcome)),
    }
}

fn winner(outcome: &Outcome) -> Option<&'static str> {
    let first = outcome.seats.iter().find(|(_, result)| result.rank == 1);
    first.map(|(seat, _)| KEYS[seat.index()])
}
