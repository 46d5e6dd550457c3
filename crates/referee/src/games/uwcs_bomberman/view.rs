//! Server messages, exactly the bytes that go over the wire, and players' names as they show them.

use std::fmt::Write;

use super::score::Score;
use super::{Action, DeadNames, GameState, IdleTurns, Player, Quirks, Turn};
use crate::Connection;

pub(super) const INIT: &str = "INIT";
pub(super) const END: &str = "END";
pub(super) const REGISTERED: &str = "REGISTERED";
pub(super) const NOT_INIT: &str = "E_NOT_INIT";
pub(super) const NO_NAME: &str = "E_NO_NAME";
pub(super) const NO_PASSWORD: &str = "E_NO_PASS";
pub(super) const WRONG_PASSWORD: &str = "E_WRONG_PASS";
pub(super) const NOT_PLAYING: &str = "E_NOT_PLAYING";
pub(super) const TOO_MANY_ACTIONS: &str = "E_TOO_MANY_ACTIONS";
pub(super) const INVALID_ACTION: &str = "E_INVALID_ACTION";

/// Lines to be sent together, each ended by `\n`.
#[derive(Debug, Default)]
pub(super) struct Text(Vec<u8>);

impl Text {
    pub(super) fn line(mut self, line: impl AsRef<str>) -> Self {
        self.0.extend_from_slice(line.as_ref().as_bytes());
        self.0.push(b'\n');
        self
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// `MAP <rows> <columns>` and the rows: digits parted by single spaces.
    pub(super) fn map(self, state: &GameState) -> Self {
        let mut text = self.line(format!("MAP {} {}", state.rows, state.columns));
        for row in state.map.cells().chunks(usize::from(state.columns)) {
            for (column, square) in row.iter().enumerate() {
                if column > 0 {
                    text.0.push(b' ');
                }
                text.0.push(square.digit());
            }
            text.0.push(b'\n');
        }
        text
    }

    /// `PLAYERS <n>` and `<name> <row> <column>` for each, in the order chosen.
    pub(super) fn players(self, state: &GameState, order: &[Connection]) -> Self {
        let head = self.line(format!("PLAYERS {}", order.len()));
        order
            .iter()
            .filter_map(|connection| player(state, *connection))
            .fold(head, |text, Player { shown, at, .. }| {
                text.line(format!("{shown} {} {}", at.y, at.x))
            })
    }

    /// `ACTIONS <n>` and `<name> <action>` for each.
    pub(super) fn actions(self, state: &GameState, turn: &Turn, quirks: &Quirks) -> Self {
        let taken = |(connection, action): &(Connection, Option<Action>)| {
            Some((player(state, *connection)?, (*action)?))
        };
        let taken: Vec<(&Player, Action)> = turn.acted.iter().filter_map(taken).collect();
        if taken.is_empty() && quirks.idle_turns == IdleTurns::Silent {
            return self;
        }
        let head = self.line(format!("ACTIONS {}", taken.len()));
        taken.into_iter().fold(head, |text, (player, action)| {
            text.line(format!("{} {}", player.shown, action.name()))
        })
    }

    /// Adds `DEAD <n>` and the names, if a player died.
    pub(super) fn dead(self, state: &GameState, turn: &Turn, quirks: &Quirks) -> Self {
        if turn.dead.is_empty() {
            return self;
        }
        let head = self.line(format!("DEAD {}", turn.dead.len()));
        turn.dead.iter().filter_map(|connection| player(state, *connection)).fold(
            head,
            |text, player| match quirks.dead_names {
                DeadNames::Escaped => text.line(&player.shown),
                DeadNames::AsGiven => text.line(&player.name),
            },
        )
    }

    /// `TICK <n>`.
    pub(super) fn tick(self, state: &GameState, quirks: &Quirks) -> Self {
        self.line(format!("TICK {}", state.turns + quirks.first_tick))
    }

    /// `END`, `SCORES <n>` and as many of the lines `<name> <points>` as are sent.
    pub(super) fn scores(self, listed: usize, sent: &[Score]) -> Self {
        let head = self.line(END).line(format!("SCORES {listed}"));
        sent.iter().fold(head, |text, score| text.line(format!("{} {}", score.shown, score.points)))
    }
}

fn player(state: &GameState, connection: Connection) -> Option<&Player> {
    state.players.iter().find(|player| player.connection == connection)
}

/// Property names of every JavaScript object, under Node 20.
///
/// The original server looks accounts up in such an object and finds these.
const PROPERTIES: [&str; 12] = [
    "constructor",
    "__defineGetter__",
    "__defineSetter__",
    "hasOwnProperty",
    "__lookupGetter__",
    "__lookupSetter__",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toString",
    "valueOf",
    "__proto__",
    "toLocaleString",
];

/// Returns whether every JavaScript object has a property of this name.
pub fn is_property_of_every_object(name: &str) -> bool {
    PROPERTIES.contains(&name)
}

/// Writes a name as JavaScript's `escape` does.
///
/// ASCII letters, digits and `@*_+-./` stay; other UTF-16 units up to U+00FF
/// become `%XX`, those above `%uXXXX`, in upper-case hexadecimal.
pub fn escape(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for unit in name.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b"@*_+-./".contains(&byte) => {
                shown.push(char::from(byte));
            }
            Ok(byte) => push(&mut shown, format_args!("%{byte:02X}")),
            Err(_) => push(&mut shown, format_args!("%u{unit:04X}")),
        }
    }
    shown
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_digits_and_seven_marks_stay() {
        assert_eq!(escape("aZ09@*_+-./"), "aZ09@*_+-./");
    }

    #[test]
    fn the_rest_is_percent_escaped_by_utf_16_unit() {
        assert_eq!(escape("b!b \u{e9}\u{20ac}\u{1f600}"), "b%21b%20%E9%u20AC%uD83D%uDE00");
    }
}
