//! One recorded game: header, the idle game before, window, turns, result, and
//! all that went over each connection.

use std::path::Path;

use joust_referee::games::uwcs_bomberman::{GameOptions, quirks_of};

use super::host::Host;
use super::record::{
    Evaluated, GameResult, Header, Line, Phase, Position, Sent, Turn, Wire, bombs_of, map_draws,
    map_of,
};
use super::same;
use crate::files::{self, Failure};
use crate::tally::Tally;

/// Plays one file.
pub(crate) fn play(path: &Path) -> Result<Tally, Failure> {
    let mut recording: Option<Recording> = None;
    let mut last = 0;
    for (number, line) in (1..).zip(files::lines(path)?) {
        let place = |problem: String| Failure::at_line(path, number, problem);
        match &mut recording {
            None => recording = Some(Recording::open(&line).map_err(place)?),
            Some(recording) => recording.take(&line).map_err(place)?,
        }
        last = number;
    }
    let place = |problem: String| Failure::at_line(path, last, problem);
    let recording = recording.ok_or_else(|| Failure::new(path, "the recording is empty"))?;
    recording.close().map_err(place)
}

/// A recording that is being played.
struct Recording {
    header: Header,
    host: Host,
    wires: Vec<Wire>,
    turns: u32,
    has_result: bool,
}

impl Recording {
    fn open(line: &str) -> Result<Self, String> {
        let header: Header = serde_json::from_str(line).map_err(|error| error.to_string())?;
        same("format", &1, &header.format)?;
        same("game", &"uwcs-bomberman", &header.game.as_str())?;
        let quirks = quirks_of(&header.rules)
            .ok_or_else(|| format!("unknown rule set `{}`", header.rules))?;
        let Settings { rows, columns, turns } = Settings::of(&header);
        let options = GameOptions { rows, columns, turns, ..GameOptions::new(quirks) };
        let mut host = Host::start(options);
        let early = header.clients.iter().filter(|client| client.join_tick.is_none());
        host.join(&early.map(|client| client.client).collect::<Vec<_>>());
        Ok(Self { header, host, wires: Vec::new(), turns: 0, has_result: false })
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        match serde_json::from_str(line).map_err(|error| error.to_string())? {
            Line::Wire { wire } => {
                self.wires.push(wire);
                Ok(())
            }
            Line::Result { result } => self.check_result(&result),
            Line::Phase(phase) if phase.phase == "idle" => self.play_idle(&phase),
            Line::Phase(phase) => self.play_window(&phase),
            Line::Turn(turn) => {
                let place = |problem: String| format!("turn {}: {problem}", turn.tick);
                self.play_turn(&turn).map_err(place)
            }
        }
    }

    fn play_idle(&mut self, idle: &Phase) -> Result<(), String> {
        let rows = 1 + usize::from(self.header.settings.rows);
        let map = idle.broadcast.get(1..rows).ok_or("the idle game has no map")?;
        self.host.resolve("map", map_draws(map));
        let mut seen = self.host.strike();
        seen.extend(self.host.strike());
        same("broadcast", &idle.broadcast, &seen)
    }

    fn play_window(&mut self, window: &Phase) -> Result<(), String> {
        self.say(&window.commands)?;
        let players = &self.header.players;
        self.host.resolve("map", map_draws(&self.header.map_generated));
        let clients = players.iter().map(|player| i64::from(player.client));
        self.host.resolve("players", clients.collect());
        let starts = players.iter().flat_map(|player| [player.row, player.col]);
        self.host.resolve("starts", starts.collect());
        same("broadcast", &window.broadcast, &self.host.strike())?;
        same("map", &self.header.map, &map_of(self.host.server.state()))?;
        let announced = players.iter().map(|p| format!("{} {} {}", p.name, p.row, p.col));
        let lines = &window.broadcast[window.broadcast.len() - 1 - players.len()..];
        let announced: Vec<String> = announced.collect();
        same("players", &announced, &lines[..players.len()].to_vec())
    }

    fn say(&mut self, commands: &[Sent]) -> Result<(), String> {
        for Sent { client, data, reply } in commands {
            let here = self.host.say(*client, data)?;
            same(&format!("reply to client {client}, {data:?}"), reply, &here)?;
        }
        Ok(())
    }

    fn play_turn(&mut self, turn: &Turn) -> Result<(), String> {
        self.host.join(&turn.joins);
        self.host.leave(&turn.leaves);
        self.say(&turn.commands)?;
        same("broadcast", &turn.broadcast, &self.host.strike())?;
        self.turns += 1;
        same("number of the turn", &turn.tick, &self.turns)?;
        match &turn.evaluated {
            Some(evaluated) => self.check_turn(evaluated),
            None => same("server stuck", &Some("stuck"), &self.ended()),
        }
    }

    fn check_turn(&self, recorded: &Evaluated) -> Result<(), String> {
        let turn = self.host.last_turn.as_ref().ok_or("no turn was evaluated")?;
        let acted = turn.acted.iter().filter_map(|(connection, action)| {
            Some((connection.0.to_string(), action.as_ref()?.name().to_owned()))
        });
        same("actions", &recorded.actions, &acted.collect())?;
        let state = self.host.server.state();
        let blast = state.blast.iter().map(|at| (at.y, at.x)).collect();
        same("blast", &recorded.blast, &blast)?;
        let dead = turn.dead.iter().map(|connection| connection.0).collect();
        same("dead", &recorded.dead, &dead)?;
        let bombs = bombs_of(state);
        let here = Position { players: self.host.connected(), bombs, map: map_of(state) };
        same("state", &recorded.state, &here)
    }

    fn ended(&self) -> Option<&str> {
        self.host.last_report.as_ref().map(|report| report.ended)
    }

    fn check_result(&mut self, recorded: &GameResult) -> Result<(), String> {
        self.host.join(&recorded.joins);
        self.host.leave(&recorded.leaves);
        self.say(&recorded.commands)?;
        same("broadcast", &recorded.broadcast, &self.host.strike())?;
        same("turns", &recorded.ticks, &self.turns)?;
        same("reason", &Some(&*recorded.reason), &self.ended())?;
        let report = self.host.last_report.as_ref().ok_or("the game is not over")?;
        let mut scores: Vec<(String, i64)> =
            report.scores.iter().map(|score| (score.shown.clone(), score.points)).collect();
        scores.truncate(recorded.broadcast.iter().filter(|line| *line != "INIT").count() - 2);
        same("scores", &recorded.scores, &scores)?;
        same("accounts", &recorded.auth, &self.host.accounts())?;
        self.has_result = true;
        Ok(())
    }

    fn close(self) -> Result<Tally, String> {
        if !self.has_result {
            return Err("the recording ends without a result".to_owned());
        }
        if self.wires.is_empty() {
            return Err("no connection was recorded".to_owned());
        }
        for Wire { client, transcript } in &self.wires {
            let here = self.host.transcripts.get(client).map(Vec::as_slice).unwrap_or_default();
            check_transcript(transcript, here)
                .map_err(|problem| format!("connection {client}: {problem}"))?;
        }
        let connections = u32::try_from(self.wires.len()).expect("there are few");
        Ok(Tally { matches: 1, bouts: 1, rounds: self.turns, connections, ..Tally::default() })
    }
}

fn check_transcript(
    recorded: &[(String, String)],
    here: &[(String, String)],
) -> Result<(), String> {
    for (index, (recorded, here)) in recorded.iter().zip(here).enumerate() {
        same(&format!("message {index}"), recorded, here)?;
    }
    same("messages", &recorded.len(), &here.len())
}

/// The numbers in force.
struct Settings {
    rows: u16,
    columns: u16,
    turns: u32,
}

impl Settings {
    fn of(header: &Header) -> Self {
        let settings = &header.settings;
        Self { rows: settings.rows, columns: settings.cols, turns: settings.max_game_length }
    }
}
