//! One round, in the order of the original.
//!
//! Source: [Order of events](crate::docs::battleships_2017#order-of-events).

mod fire;
pub(super) mod place;
mod shield;
pub(super) mod turn;

use std::fmt;

use super::{BoutOptions, Command, GameState, KILL_POINTS, Phase, ShipKind};
use crate::Seat;

/// The seats, `A` first.
pub(super) const SEATS: [Seat; 2] = [Seat(0), Seat(1)];

/// Results of the commands of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Report {
    /// Reasons of refused commands, by seat.
    pub refusals: [Option<Refusal>; 2],
    /// Seats that were killed in this round.
    pub killed: [bool; 2],
}

/// Why a command was not carried out; the turn is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Phase 1 takes placements only.
    NotAPlacement,
    /// Phase 2 takes no placement here.
    PlacementInPhase2,
    /// The first cell of a ship lies off the map.
    StartsOutside,
    /// A ship goes off the map.
    LeavesTheMap,
    /// A ship is named twice.
    PlacedTwice,
    /// Two ships share a cell.
    Overlaps,
    /// The ship with the weapon is destroyed.
    WeaponLost,
    /// Not all ships are on the map.
    FleetNotPlaced,
    /// The energy does not suffice.
    TooLittleEnergy,
    /// The cell to be struck lies off the map.
    TargetOutside,
    /// The shield is up already.
    ShieldActive,
    /// The shield has no charge.
    NoCharge,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAPlacement => "ships must be placed first",
            Self::PlacementInPhase2 => "ships cannot be moved in phase 2",
            Self::StartsOutside => "a ship starts off the map",
            Self::LeavesTheMap => "a ship leaves the map",
            Self::PlacedTwice => "a ship is placed twice",
            Self::Overlaps => "two ships overlap",
            Self::WeaponLost => "no ship with this weapon is left",
            Self::FleetNotPlaced => "not all ships are placed",
            Self::TooLittleEnergy => "too little energy",
            Self::TargetOutside => "the target lies off the map",
            Self::ShieldActive => "the shield is active",
            Self::NoCharge => "the shield has no charge",
        })
    }
}

/// Plays one round.
///
/// `None` is a seat that was not asked. If the harness kills a player, its
/// command is counted and not carried out.
pub fn advance(
    state: &mut GameState,
    options: &BoutOptions,
    commands: [Option<&Command>; 2],
) -> Report {
    let was_killed = state.players.each_ref().map(|player| player.killed);
    begin(state, options, commands);
    let sent_off = state.players.each_ref().map(|player| player.killed);
    let living = SEATS.map(|seat| commands[seat.index()].filter(|_| !sent_off[seat.index()]));
    let mut report = Report::default();
    let is_done = match state.phase {
        Phase::Placing => place_ships(state, options, living, &mut report),
        Phase::Shooting => shoot(state, options, living, &mut report),
    };
    if is_done {
        sink_ships(state, options, sent_off);
    }
    if state.phase == Phase::Shooting || !options.rules.placing_brings_no_energy() {
        pay_energy(state, options);
    }
    if state.phase == Phase::Shooting {
        charge_shields(state, options);
    }
    if is_done {
        kill_the_shipless(state, options, sent_off);
        state.phase = Phase::Shooting;
    }
    for seat in SEATS {
        let index = seat.index();
        report.killed[index] = state.players[index].killed && !was_killed[index];
    }
    state.round += 1;
    report
}

/// Plays a round up to the point where the original's later releases crash when
/// the harness has killed a player: kills, the count of do-nothings, and the
/// draining of shields.
pub fn begin(state: &mut GameState, options: &BoutOptions, commands: [Option<&Command>; 2]) {
    for (player, command) in state.players.iter_mut().zip(commands) {
        if player.is_doomed() {
            player.kill();
        }
        match command {
            None => {}
            Some(Command::Nothing) => player.do_nothings += 1,
            Some(_) => player.do_nothings = 0,
        }
    }
    if state.phase == Phase::Shooting {
        let round = state.round;
        state.players.iter_mut().for_each(|player| shield::drain(player, options, round));
    }
}

/// Carries out placements; returns whether all living players have placed their ships.
fn place_ships(
    state: &mut GameState,
    options: &BoutOptions,
    commands: [Option<&Command>; 2],
    report: &mut Report,
) -> bool {
    let mut failures = 0;
    for seat in order(commands) {
        let Some(command) = commands[seat.index()] else { continue };
        let refused = carry_out(state, options, seat, command).err();
        report.refusals[seat.index()] = refused;
        if refused.is_none() {
            continue;
        }
        state.players[seat.index()].failed_placements += 1;
        failures += 1;
        if options.rules.one_failure_spoils_the_round() {
            state.players.iter_mut().for_each(place::clear);
            return false;
        }
        place::clear(&mut state.players[seat.index()]);
    }
    failures == 0
}

fn shoot(
    state: &mut GameState,
    options: &BoutOptions,
    commands: [Option<&Command>; 2],
    report: &mut Report,
) -> bool {
    for seat in order(commands) {
        if let Some(command) = commands[seat.index()] {
            report.refusals[seat.index()] = carry_out(state, options, seat, command).err();
        }
    }
    true
}

/// A shield goes first, else `A`.
///
/// Source: [Command order](crate::docs::battleships_2017#command-order).
fn order(commands: [Option<&Command>; 2]) -> [Seat; 2] {
    let [a, b] = commands.map(|command| matches!(command, Some(Command::Shield { .. })));
    if b && !a { [Seat(1), Seat(0)] } else { SEATS }
}

/// Notes the command and carries it out.
fn carry_out(
    state: &mut GameState,
    options: &BoutOptions,
    seat: Seat,
    command: &Command,
) -> Result<(), Refusal> {
    let last = &mut state.players[seat.index()].last;
    last.name = Some(command.name());
    last.centre = command.centre().unwrap_or(last.centre);
    if let Command::Place(placements) = command {
        last.placement = Some(placements.lines.clone());
    }
    let result = execute(state, options, seat, command);
    state.players[seat.index()].last.succeeded = result.is_ok();
    result
}

fn execute(
    state: &mut GameState,
    options: &BoutOptions,
    seat: Seat,
    command: &Command,
) -> Result<(), Refusal> {
    let player = &mut state.players[seat.index()];
    match (state.phase, command) {
        (Phase::Placing, Command::Place(placements)) => place::place_all(player, &placements.ships),
        (Phase::Placing, _) => Err(Refusal::NotAPlacement),
        (Phase::Shooting, Command::Nothing) => Ok(()),
        (Phase::Shooting, Command::Place(_)) if !options.moves_fleet_in_phase_2 => {
            Err(Refusal::PlacementInPhase2)
        }
        (Phase::Shooting, Command::Place(placements)) => {
            place::place_all(player, &placements.ships)
        }
        (Phase::Shooting, Command::Fire { shot, at }) => {
            fire::fire(state, options, seat, (*shot, *at))
        }
        (Phase::Shooting, Command::Shield { at }) => shield::place(player, *at, state.round),
    }
}

/// Finds out which ships are destroyed, from scratch.
fn sink_ships(state: &mut GameState, options: &BoutOptions, sent_off: [bool; 2]) {
    for (player, sent_off) in state.players.iter_mut().zip(sent_off) {
        for kind in ShipKind::ALL {
            let is_lost = sent_off && !options.rules.harness_kill_pays();
            player.ships[kind.index()].destroyed = is_lost || player.is_all_hit(kind);
        }
    }
}

fn pay_energy(state: &mut GameState, options: &BoutOptions) {
    for player in &mut state.players {
        player.energy += options.energy_per_round();
    }
}

fn charge_shields(state: &mut GameState, options: &BoutOptions) {
    let round = state.round;
    state.players.iter_mut().for_each(|player| shield::charge(player, options, round));
}

fn kill_the_shipless(state: &mut GameState, options: &BoutOptions, sent_off: [bool; 2]) {
    for seat in SEATS {
        let (player, opponent) = state.pair_mut(seat);
        if player.ships_remaining() > 0 {
            continue;
        }
        if !sent_off[seat.index()] || options.rules.harness_kill_pays() {
            opponent.points += KILL_POINTS;
        }
        player.killed = true;
    }
}
