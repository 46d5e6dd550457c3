//! Replay folder: the files of a round that no bot is given.
//!
//! Source: [Folders](crate::docs::battleships_2017#folders),
//! [`roundInfo.json`](crate::docs::battleships_2017#roundinfojson),
//! [`roundCommand.json`](crate::docs::battleships_2017#roundcommandjson).

use super::score::ranking;
use super::view::push;
use super::{Frame, GameState, KEYS, Phase, Player, Report};
use crate::bytes::push_json_string;
use crate::games::entelect;
use crate::{LogLine, Part, PlayerInfo, Seat};

/// Returns the name of a round's folder.
pub(super) fn folder(phase: Phase, round: u32) -> String {
    format!("Phase {} - Round {round}", phase.number())
}

/// Returns the files directly in a round's folder.
pub(super) fn root_files(frame: &Frame<'_>, players: &[PlayerInfo]) -> Vec<Part> {
    let part = |name: &str, write: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        write(&mut bytes);
        Part { name: name.into(), bytes: bytes.into() }
    };
    vec![
        part("A - map.txt", &|out| frame.write_map_txt(Seat(0), out)),
        part("B - map.txt", &|out| frame.write_map_txt(Seat(1), out)),
        part("state.json", &|out| frame.write_root_state_json(out)),
        part("roundInfo.json", &|out| out.extend(round_info(frame, players))),
        part("roundCommand.json", &|out| write_round_command(frame.state, out)),
    ]
}

/// Returns the files of a seat.
pub(super) fn seat_files(frame: &Frame<'_>, seat: Seat, scratch: &mut Vec<u8>) -> Vec<Part> {
    let mut part = |name: &str, write: &dyn Fn(&mut Vec<u8>)| {
        scratch.clear();
        write(scratch);
        Part { name: name.into(), bytes: scratch.as_slice().into() }
    };
    vec![
        part("state.json", &|out| frame.write_state_json(seat, out)),
        part("map.txt", &|out| frame.write_map_txt(seat, out)),
    ]
}

fn round_info(frame: &Frame<'_>, players: &[PlayerInfo]) -> Vec<u8> {
    let (size, round) = (frame.options.size.side(), frame.state.round);
    let head = format!("{{\"MapSize\":{size},\"Round\":{round}");
    entelect::round_info(head, players, &ranking(frame.state), |_| None)
}

/// Appends `roundCommand.json`: what both players did in the round before.
fn write_round_command(state: &GameState, out: &mut Vec<u8>) {
    let [first, second] = &state.players;
    push!(out, "{\"Player1Move\":");
    write_move(first, out);
    push!(out, ",\"Player2Move\":");
    write_move(second, out);
    push!(out, "}");
}

fn write_move(player: &Player, out: &mut Vec<u8>) {
    let last = &player.last;
    push!(out, "{\"SuccessfulMove\":", last.succeeded, ",\"CommandIssued\":");
    write_text(last.name, out);
    push!(out, ",\"CenterPoint\":\"", last.centre.x, ", ", last.centre.y, "\"");
    push!(out, ",\"ShieldRadius\":", player.shield.radius, ",\"PlaceShipString\":");
    write_text(last.placement.as_deref(), out);
    push!(out, ",\"Energy\":", player.energy);
    push!(out, ",\"RemainingShieldTurns\":", player.shield.charges, "}");
}

fn write_text(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        Some(text) => push_json_string(out, text),
        None => push!(out, "null"),
    }
}

/// The round played last.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastRound {
    /// Its number.
    pub(super) round: u32,
    /// The phase it was played in.
    pub(super) phase: Phase,
    /// The names of the commands; none for a seat that was not asked.
    pub(super) commands: [Option<&'static str>; 2],
    /// Results of the commands.
    pub(super) report: Report,
}

impl LastRound {
    /// Returns what `engine.log` tells of the round. The wording is the
    /// original's where a recording shows it, else Joust's.
    pub(super) fn log_lines(&self, names: &[String; 2]) -> Vec<LogLine> {
        let added = |(name, command): (&String, Option<&str>)| {
            command.map(|it| LogLine::info(format!("Added Command {it}Command for Player {name}")))
        };
        let processed = self.processing(names).into_iter().map(LogLine::debug);
        names.iter().zip(self.commands).filter_map(added).chain(processed).collect()
    }

    fn processing(&self, names: &[String; 2]) -> Vec<String> {
        let mut lines = vec!["Beginning round processing".to_owned()];
        lines.push("Processing Player Commands".to_owned());
        for (name, refusal) in names.iter().zip(self.report.refusals) {
            lines.extend(refusal.map(|why| format!("Command of player {name} failed: {why}")));
        }
        lines.push("Killing off players who have no ships left".to_owned());
        for (name, killed) in names.iter().zip(self.report.killed) {
            lines.extend(killed.then(|| format!("Killed player {name}")));
        }
        lines.push("Round processing complete".to_owned());
        lines
    }
}

/// Returns the folder of a seat in the round to be played.
pub(super) fn seat_folder(state: &GameState, seat: Seat) -> String {
    format!("{}/{}", folder(state.phase, state.round), KEYS[seat.index()])
}
