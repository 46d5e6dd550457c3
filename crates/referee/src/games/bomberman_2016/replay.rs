//! Replay folder: its root files, and the facts of `engine.log`.
//!
//! Source: [`roundInfo.json`](crate::docs::bomberman_2016#roundinfojson) and
//! [Replay folder](crate::docs::bomberman_2016#replay-folder).

use std::cmp::Ordering;

use super::view::key;
use super::{Command, Event, GameState, Heading, Player, PowerUp, Report, Square, leader_board};
use crate::games::entelect;
use crate::{LogLine, PlayerInfo, Seat};

/// Returns `roundInfo.json`. `players` are in seat order, one for each.
pub fn round_info(state: &GameState, players: &[PlayerInfo]) -> Vec<u8> {
    let head = format!("{{\"MapSeed\":{},\"Round\":{}", state.seed, state.round);
    entelect::round_info(head, players, &leader_board(state), |seat| Some(key(seat).to_string()))
}

/// Returns the players that were dead when `round` began and come before (`Less`) or after
/// (`Greater`) the last living one. The original makes the folders of those before in each round and
/// empties them; it gets to those after when the game is over, and writes the end for them.
pub(super) fn dead_beside_the_living(
    state: &GameState,
    round: u32,
    side: Ordering,
) -> impl Iterator<Item = Seat> + '_ {
    let last = last_of_the_living(state, round);
    let players = (0..).map(Seat).zip(&state.players);
    let dead = players.filter(move |(_, player)| !lived(player, round)).map(|(seat, _)| seat);
    dead.filter(move |seat| Some(*seat).cmp(&last) == side)
}

fn last_of_the_living(state: &GameState, round: u32) -> Option<Seat> {
    let players = (0..).map(Seat).zip(&state.players);
    players.filter(|(_, player)| lived(player, round)).map(|(seat, _)| seat).last()
}

fn lived(player: &Player, round: u32) -> bool {
    player.killed_round.is_none_or(|killed| killed >= round)
}

/// Returns the facts of the round processed last, in order: the commands, what
/// exploded and collided, the points of each player, the coverage of the living.
pub fn engine_log(state: &GameState, report: &Report) -> Vec<LogLine> {
    let mut lines: Vec<LogLine> = report.events.iter().map(|event| line(state, *event)).collect();
    for (seat, player) in (0..).map(Seat).zip(&state.players) {
        if player.is_alive() {
            let part = f64::from(player.touched) / f64::from(state.usable) * 100.0;
            let player = entity(state, seat, player.at);
            lines.push(LogLine::info(format!(
                "Player {player} has a movement coverage of {part:.2}% for the map"
            )));
        }
    }
    lines
}

/// Returns why the command of `seat` was not carried out, if it was not.
pub(super) fn refused(report: &Report, seat: Seat) -> Option<String> {
    let refused = report.events.iter().find_map(|event| match event {
        Event::Refused { seat: whose, command } if *whose == seat => Some(name(*command)),
        _ => None,
    });
    refused.map(|command| format!("Command {command} was not carried out"))
}

fn line(state: &GameState, event: Event) -> LogLine {
    match event {
        Event::Submitted { .. } => LogLine::info(text(state, event)),
        _ => LogLine::debug(text(state, event)),
    }
}

fn text(state: &GameState, event: Event) -> String {
    match event {
        Event::Submitted { seat, at, command } => {
            format!("Added Command {} for Player {}", name(command), entity(state, seat, at))
        }
        Event::Detonated(bomb) => {
            let (x, y) = state.coordinates(bomb.at);
            let (radius, timer, owner) = (bomb.radius, bomb.timer, key(bomb.owner));
            format!(
                "Detonating Bomb BombEntity(X:{x}, Y:{y}, Radius:{radius}, Timer:{timer}, \
                 Owner:{owner})"
            )
        }
        Event::Refused { seat, command } => {
            format!("Refused Command {} of player {}", name(command), key(seat))
        }
        Event::Rolled { seat, number } => {
            let key = key(seat);
            format!(
                "Player collision detected, player {key} rolled {number} to execute the command"
            )
        }
        Event::Lost(seat) => format!("Player {} lost the collision and does not move", key(seat)),
        Event::Blocked(seat) => format!("Player {} found its way blocked", key(seat)),
        Event::Took { seat, power_up } => {
            let what = match power_up {
                PowerUp::Bag => "a bomb bag",
                PowerUp::Radius => "a bomb radius",
                PowerUp::Super => "the super",
            };
            format!("Player {} took {what} power-up", key(seat))
        }
        Event::WallDestroyed(at) => {
            let (x, y) = state.coordinates(at);
            format!("Destroyed Entity DestructibleWallEntity(X:{x}, Y:{y})")
        }
        Event::PlayerKilled { seat, at } => format!("Destroyed Entity {}", entity(state, seat, at)),
        Event::Scored { seat, points } => format!("Player {} earned {points} points", key(seat)),
    }
}

fn entity(state: &GameState, seat: Seat, at: Square) -> String {
    let (x, y) = state.coordinates(at);
    format!("PlayerEntity(X:{x}, Y:{y}, Key:{})", key(seat))
}

fn name(command: Command) -> &'static str {
    match command {
        Command::Nothing => "DoNothingCommand",
        Command::Move(Heading::Up) => "MovementCommand(Up)",
        Command::Move(Heading::Left) => "MovementCommand(Left)",
        Command::Move(Heading::Right) => "MovementCommand(Right)",
        Command::Move(Heading::Down) => "MovementCommand(Down)",
        Command::Bomb => "PlaceBombCommand",
        Command::Trigger => "GameEngine.Commands.PlayerCommands.TriggerBombCommand",
    }
}
