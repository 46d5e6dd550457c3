//! Commands: what is refused, and how accepted moves are resolved.
//!
//! Source: [Commands](crate::docs::bomberman_2016#commands).

use super::super::{
    Bomb, Chance, Command, CommandResult, Event, GameState, Ground, Heading, MAX_PLAYERS, Report,
    Square, bomb_timer,
};
use crate::Seat;

/// An accepted move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AcceptedMove {
    seat: Seat,
    target: Square,
}

/// The accepted moves of a round, in order of submission.
#[derive(Clone, Copy, Debug)]
struct MoveList {
    moves: [AcceptedMove; MAX_PLAYERS],
    length: usize,
}

impl MoveList {
    fn new() -> Self {
        let none = AcceptedMove { seat: Seat(0), target: Square(0) };
        Self { moves: [none; MAX_PLAYERS], length: 0 }
    }

    fn push(&mut self, accepted: AcceptedMove) {
        self.moves[self.length] = accepted;
        self.length += 1;
    }

    fn as_slice(&self) -> &[AcceptedMove] {
        &self.moves[..self.length]
    }

    fn remove(&mut self, index: usize) -> AcceptedMove {
        let removed = self.moves[index];
        self.moves.copy_within(index + 1..self.length, index);
        self.length -= 1;
        removed
    }
}

/// Carries out all commands, except of players killed at the start of the round.
pub(super) fn carry_out(
    state: &mut GameState,
    commands: &[Option<Command>],
    chance: &mut Chance,
    report: &mut Report,
) {
    let mut moves = MoveList::new();
    for (index, command) in commands.iter().enumerate().take(state.players.len()) {
        let (seat, Some(command)) = (Seat(index as u8), *command) else { continue };
        let fate = if state.players[index].is_alive() {
            obey(state, seat, command, &mut moves)
        } else {
            CommandResult::Dead
        };
        report.decide(seat, fate);
        if fate == CommandResult::Rejected {
            report.note(Event::Refused { seat, command });
        }
    }
    discard_losers(&mut moves, chance, report);
    move_players(state, &mut moves, report);
}

fn obey(
    state: &mut GameState,
    seat: Seat,
    command: Command,
    moves: &mut MoveList,
) -> CommandResult {
    let accepted = match command {
        Command::Nothing => true,
        Command::Bomb => plant(state, seat),
        Command::Trigger => trigger(state, seat),
        Command::Move(heading) => want(state, seat, heading, moves),
    };
    if accepted { CommandResult::Done } else { CommandResult::Rejected }
}

/// Returns why a command would be refused in this position, which is used up.
pub(in super::super) fn refusal(
    mut state: GameState,
    seat: Seat,
    command: Command,
) -> Option<&'static str> {
    let fate = obey(&mut state, seat, command, &mut MoveList::new());
    let reason = match command {
        Command::Nothing => return None,
        Command::Bomb => "no bomb is left in your bag, or one lies here already",
        Command::Trigger => "you have no bomb to trigger",
        Command::Move(_) => "a wall or a bomb is in the way",
    };
    (fate == CommandResult::Rejected).then_some(reason)
}

/// Exploding bombs still count until the end of the round.
fn plant(state: &mut GameState, seat: Seat) -> bool {
    let player = &state.players[seat.index()];
    if player.bag == state.bombs_of(seat) || state.bomb_on(player.at).is_some() {
        return false;
    }
    let bomb = Bomb::new(player.at, seat, bomb_timer(player.bag), player.radius);
    state.bombs.push(bomb);
    true
}

/// Sets the own bomb with the lowest timer, the first one row by row, to 1.
fn trigger(state: &mut GameState, seat: Seat) -> bool {
    let own = state.bombs.iter_mut().filter(|bomb| bomb.owner == seat && !bomb.exploding);
    let next = own.min_by_key(|bomb| (bomb.timer, bomb.at));
    next.map(|bomb| bomb.timer = 1).is_some()
}

/// Puts a move on the list unless a wall, a pillar or a bomb is in the way.
fn want(state: &GameState, seat: Seat, heading: Heading, moves: &mut MoveList) -> bool {
    let Some(target) = neighbour(state, state.players[seat.index()].at, heading) else {
        return false;
    };
    if state.block(target).ground != Ground::Free || state.bomb_on(target).is_some() {
        return false;
    }
    moves.push(AcceptedMove { seat, target });
    true
}

fn neighbour(state: &GameState, from: Square, heading: Heading) -> Option<Square> {
    let (x, y) = state.coordinates(from);
    let (x, y) = match heading {
        Heading::Up => (x, y.checked_sub(1)?),
        Heading::Left => (x.checked_sub(1)?, y),
        Heading::Right => (x + 1, y),
        Heading::Down => (x, y + 1),
    };
    let on_map = 1..=state.side;
    (on_map.contains(&x) && on_map.contains(&y)).then(|| state.square(x, y))
}

/// Discards one move per pass until no two share a target.
fn discard_losers(moves: &mut MoveList, chance: &mut Chance, report: &mut Report) {
    loop {
        let rivals = rivals(moves.as_slice());
        if rivals.length == 0 {
            return;
        }
        let loser = loser(rivals.as_slice(), chance, report);
        let is_losers = |one: &AcceptedMove| one.seat == loser;
        if let Some(index) = moves.as_slice().iter().position(is_losers) {
            moves.remove(index);
        }
        report.decide(loser, CommandResult::Lost);
        report.note(Event::Lost(loser));
    }
}

/// Returns the moves that share a target: groups in the order in which their
/// target first appears, inside a group in list order.
fn rivals(moves: &[AcceptedMove]) -> MoveList {
    let mut rivals = MoveList::new();
    for (index, first) in moves.iter().enumerate() {
        let same = |other: &&AcceptedMove| other.target == first.target;
        let is_new = !moves[..index].iter().any(|earlier| same(&earlier));
        if is_new && moves[index + 1..].iter().any(|later| same(&later)) {
            moves[index..].iter().filter(same).for_each(|rival| rivals.push(*rival));
        }
    }
    rivals
}

/// Lets every rival roll; the lowest number loses, of equal ones the earlier.
fn loser(rivals: &[AcceptedMove], chance: &mut Chance, report: &mut Report) -> Seat {
    let is_rival = |seat: &Seat| rivals.iter().any(|rival| rival.seat == *seat);
    if let Some(forced) = chance.forced_loser().filter(is_rival) {
        return forced;
    }
    let mut lowest = (u8::MAX, rivals[0].seat);
    for rival in rivals {
        let (seat, number) = (rival.seat, chance.roll());
        report.note(Event::Rolled { seat, number });
        if number < lowest.0 {
            lowest = (number, seat);
        }
    }
    lowest.1
}

/// Carries out the moves: always the first one whose target is free, else the
/// first one of all, which fails.
fn move_players(state: &mut GameState, moves: &mut MoveList, report: &mut Report) {
    while moves.length > 0 {
        let is_free = |one: &AcceptedMove| !state.has_entity(one.target);
        let free = moves.as_slice().iter().position(is_free);
        let AcceptedMove { seat, target } = moves.remove(free.unwrap_or(0));
        if free.is_some() {
            state.players[seat.index()].at = target;
            state.touch(seat, target);
        } else {
            report.decide(seat, CommandResult::Blocked);
            report.note(Event::Blocked(seat));
        }
    }
}
