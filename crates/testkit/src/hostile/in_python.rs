//! Rows played by a Python interpreter, which loads the hostile program as a library and does what
//! it would do, so that the whole catalogue can be played by copies of a server.

use super::Row;
use super::row::Command;

/// The script that does it.
const SCRIPT: &str = "behave.py";

const OWN_SIGNALS: &str = "an interpreter has signals and variables of its own";

/// Rows that are not about what an interpreter can do.
const LEFT_OUT: [(&str, &str); 7] = [
    ("A05-low-priority", OWN_SIGNALS),
    ("A05-odd-process", OWN_SIGNALS),
    ("A05-plain-process", OWN_SIGNALS),
    ("M01", "what a server has in memory counts towards the limit, and in no turn's peak"),
    ("P01", "what copies share is counted in each of them where memory is sampled"),
    ("R02", OWN_SIGNALS),
    ("T10", "it starts its own file again, which is the interpreter's"),
];

impl Row {
    /// Makes an interpreter do what the hostile program does, except for programs that stay.
    ///
    /// # Errors
    ///
    /// The reason why it cannot.
    pub fn in_python(mut self) -> Result<Self, &'static str> {
        if let Some((_, reason)) = LEFT_OUT.iter().find(|(id, _)| *id == self.id) {
            return Err(reason);
        }
        for turn in self.turns.iter_mut().filter(|turn| turn.talk.is_none()) {
            if let Command::Behaviour(name, arguments) = &turn.command {
                let arguments = std::iter::once((*name).to_owned()).chain(arguments.clone());
                turn.command = Command::Script(SCRIPT, arguments.collect());
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hostile::rows;

    #[test]
    fn rows_that_are_left_out_are_there() {
        let rows = rows::all();
        assert!(LEFT_OUT.iter().all(|(id, _)| rows.iter().any(|row| row.id == *id)));
    }

    #[test]
    fn programs_that_stay_are_themselves() {
        let is_talk = |row: &Row| row.turns.iter().all(|turn| turn.talk.is_some());
        let row = rows::all().into_iter().find(is_talk).expect("there are some");
        let played = row.in_python().expect("it is not left out");
        let is_script = |command: &Command| matches!(command, Command::Script(SCRIPT, _));
        assert!(played.turns.iter().all(|turn| !is_script(&turn.command)));
    }
}
