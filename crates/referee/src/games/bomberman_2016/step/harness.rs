//! Idle rule of the original's harness.
//!
//! Source: [Order of a match](crate::docs::bomberman_2016#order-of-a-match).

use super::super::{Command, quirks};

/// Number of do-nothing commands in a row that a bot has given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Idleness {
    in_a_row: u32,
}

impl Idleness {
    /// Returns whether the bot is run no more: it triggers in every round.
    #[must_use]
    pub fn is_given_up(self) -> bool {
        quirks::is_run_no_more(self.in_a_row)
    }

    /// Counts the command a bot gave and returns the one that is submitted.
    ///
    /// A refused command is no do-nothing; a fault is one.
    pub fn submit(&mut self, given: Command) -> Command {
        if given != Command::Nothing {
            self.in_a_row = 0;
            return given;
        }
        self.in_a_row += 1;
        quirks::command_of_an_idle_bot(self.in_a_row)
    }

    /// Returns whether the last command given was replaced by a bomb. The original writes
    /// no log of such a turn.
    ///
    /// Source: [Replay folder](crate::docs::bomberman_2016#replay-folder).
    #[must_use]
    pub(in super::super) fn has_just_bombed(self) -> bool {
        quirks::command_of_an_idle_bot(self.in_a_row) == Command::Bomb
    }

    /// Returns the count, for the state's bytes.
    pub(in super::super) fn in_a_row(self) -> u32 {
        self.in_a_row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(commands: u32) -> Idleness {
        let mut idleness = Idleness::default();
        for _ in 0..commands {
            idleness.submit(Command::Nothing);
        }
        idleness
    }

    #[test]
    fn the_twentieth_nothing_becomes_a_bomb() {
        assert_eq!(after(18).submit(Command::Nothing), Command::Nothing);
        assert_eq!(after(19).submit(Command::Nothing), Command::Bomb);
        assert_eq!(after(20).submit(Command::Nothing), Command::Nothing);
    }

    #[test]
    fn a_bot_is_given_up_after_the_one_after_that() {
        assert!(!after(20).is_given_up());
        assert!(after(21).is_given_up());
    }

    #[test]
    fn any_other_command_starts_the_count_afresh() {
        let mut idleness = after(20);
        assert_eq!(idleness.submit(Command::Trigger), Command::Trigger);
        assert_eq!(idleness, Idleness::default());
    }
}
