//! Session with one referee process: the order of messages, over all of its bouts.

use std::collections::{BTreeMap, BTreeSet};

use crate::bout::{BoutState, DeclaredCapabilities, Numbers, gives_up};
use crate::parse::parse;
use crate::{
    Breach, Capability, FromReferee, GameMessage, LINE_BYTES, Misuse, PROTOCOL, ToReferee,
};

/// The most that a referee may say between two messages of the runner, bytes. A text for several
/// seats counts for each of them.
pub const STEP_BYTES: usize = 16 << 20;

/// Bytes for which a number counts.
const NUMBER_BYTES: usize = 200;

/// Number of bytes that a seat of an ask counts for: its answer is kept until the bout ends, and
/// recorded.
const ANSWER_BYTES: usize = 200;

/// The most that it may say in one bout, bytes.
pub const BOUT_BYTES: usize = 256 << 20;

/// Game that the referee must play: the one in `game.yaml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedGame {
    /// The id in the file.
    pub id: String,
    /// The game's own version.
    pub version: String,
    /// Capabilities of the referee.
    pub can: Vec<Capability>,
}

/// The conversation with one process.
///
/// Every message to the referee goes through [`Session::send`], every line of it through
/// [`Session::accept_line`]. After a [`Breach`] nothing more is sent or taken.
#[derive(Clone, Debug)]
pub struct Session {
    game: ExpectedGame,
    stage: SessionState,
    bouts: BTreeMap<u32, BoutState>,
    dropped: BTreeSet<u32>,
    newest: Option<u32>,
    /// Bytes received since the runner spoke last.
    step_bytes: usize,
    taken: u64,
    /// First breach of the protocol.
    broken: Option<Breach>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionState {
    New,
    Greeted,
    Ready,
}

impl Session {
    /// Begins a conversation with the referee of a game.
    pub fn new(game: ExpectedGame) -> Self {
        Self {
            game,
            stage: SessionState::New,
            bouts: BTreeMap::new(),
            dropped: BTreeSet::new(),
            newest: None,
            step_bytes: 0,
            taken: 0,
            broken: None,
        }
    }

    /// Returns the line that says `message`, with its end.
    ///
    /// # Errors
    ///
    /// [`Misuse`] when it is not the runner's turn to say this; nothing has changed then.
    pub fn send(&mut self, message: &ToReferee) -> Result<String, Misuse> {
        if let Some(breach) = &self.broken {
            return Err(Misuse::Broken(Box::new(breach.clone())));
        }
        match (self.stage, message) {
            (SessionState::New, ToReferee::Hello(_)) => self.stage = SessionState::Greeted,
            (_, ToReferee::Hello(_)) | (SessionState::New, _) => return Err(Misuse::Hello),
            (SessionState::Greeted, _) => return Err(Misuse::NotReady),
            (SessionState::Ready, ToReferee::Start(start)) => self.start(start.b, start.seats)?,
            (SessionState::Ready, ToReferee::Answers(answers)) => {
                let bout = self.bouts.get_mut(&answers.b);
                bout.ok_or(Misuse::NoBout(answers.b))?.accept_answers(answers)?;
            }
            (SessionState::Ready, ToReferee::Drop(drop)) => {
                self.bouts.remove(&drop.b).ok_or(Misuse::NoBout(drop.b))?;
                self.dropped.insert(drop.b);
            }
        }
        self.step_bytes = 0;
        Ok(message.to_line())
    }

    fn start(&mut self, bout: u32, seats: u8) -> Result<(), Misuse> {
        match self.newest {
            Some(newest) if newest >= bout => return Err(Misuse::BoutAgain(bout)),
            Some(_) if !self.game.can.contains(&Capability::Bouts) => {
                return Err(Misuse::OneBoutOnly);
            }
            _ => {}
        }
        self.newest = Some(bout);
        self.bouts.insert(bout, BoutState::new(seats, DeclaredCapabilities::of(&self.game.can)));
        Ok(())
    }

    /// Takes a line of the referee, without its end. `None` for what needs no attention:
    /// words about a bout that was dropped.
    ///
    /// # Errors
    ///
    /// [`Breach`] says what is wrong and where. The referee has then failed.
    pub fn accept_line(&mut self, line: &[u8]) -> Result<Option<FromReferee>, Breach> {
        self.taken += 1;
        if let Some(breach) = &self.broken {
            return Err(breach.clone());
        }
        let taken = self.read_line(line);
        taken.map_err(|breach| self.break_off(breach.of_message(self.taken, line)))
    }

    /// Ends the session: nothing is sent or read from here on.
    fn break_off(&mut self, breach: Breach) -> Breach {
        self.broken = Some(breach.clone());
        breach
    }

    fn read_line(&mut self, line: &[u8]) -> Result<Option<FromReferee>, Breach> {
        if line.len() > LINE_BYTES {
            return Err(Breach::new(format!("a line of more than {LINE_BYTES} bytes")));
        }
        let message = parse(line)?;
        let bytes = line.len() + more_bytes(&message);
        self.step_bytes += bytes;
        if self.step_bytes > STEP_BYTES {
            return Err(Breach::new(format!(
                "the referee says more than {STEP_BYTES} bytes without an answer"
            ))
            .hint("does it repeat itself without end?"));
        }
        match (&message, message.bout()) {
            (FromReferee::Game(game), _) => self.accept_game(game)?,
            (FromReferee::Error(note), None) => return Err(gives_up(&note.text)),
            (FromReferee::Log(_), None) => {}
            (_, None) => {
                let breach = Breach::new("the message names no bout");
                return Err(breach.hint("`b` is the number of the bout in `start`"));
            }
            (_, Some(bout)) => {
                let taken = self.accept_of_bout(bout, &message, bytes);
                if !taken.map_err(|breach| breach.of_bout(bout))? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(message))
    }

    /// Takes a message about a bout; returns whether it is still wanted.
    fn accept_of_bout(
        &mut self,
        number: u32,
        message: &FromReferee,
        bytes: usize,
    ) -> Result<bool, Breach> {
        let Some(bout) = self.bouts.get_mut(&number) else {
            return self.check_absent(number, message);
        };
        bout.bytes += bytes;
        if bout.bytes > BOUT_BYTES {
            return Err(Breach::new(format!("the bout has more than {BOUT_BYTES} bytes"))
                .hint("a game ends by itself: does this one?"));
        }
        bout.accept_message(message)?;
        if let FromReferee::End(_) = message {
            self.bouts.remove(&number);
        }
        Ok(true)
    }

    fn check_absent(&self, number: u32, message: &FromReferee) -> Result<bool, Breach> {
        if self.dropped.contains(&number) {
            return Ok(false);
        }
        let is_over = self.newest.is_some_and(|newest| newest >= number);
        match message {
            FromReferee::Log(_) => Ok(true),
            _ if is_over => Err(Breach::new(format!("`{}` comes after the end", message.word()))
                .hint("`end` is the last word about a bout, and is said once")),
            _ => {
                let text = format!("`{}` names a bout that was never started", message.word());
                Err(Breach::new(text).hint("`b` is the number of the bout in `start`"))
            }
        }
    }

    fn accept_game(&mut self, game: &GameMessage) -> Result<(), Breach> {
        match self.stage {
            SessionState::Greeted => {}
            SessionState::New => {
                return Err(Breach::new("`game` comes before `hello`").hint("read a line first"));
            }
            SessionState::Ready => {
                let breach = Breach::new("`game` is said twice");
                return Err(breach.hint("it answers `hello`, which comes once for each process"));
            }
        }
        if game.protocol != PROTOCOL {
            return Err(Breach::new(format!(
                "the referee speaks version {} of the protocol, and Joust version {PROTOCOL}",
                game.protocol
            ))
            .hint("say the version whose page the referee was written after; a newer Joust may know more"));
        }
        let expected = &self.game;
        check_equal("id", &game.id, &expected.id)?;
        check_equal("version", &game.version, &expected.version)?;
        check_equal("can", &names(&game.can), &names(&expected.can))?;
        self.stage = SessionState::Ready;
        Ok(())
    }

    /// Returns what the referee owes, for people: the message it has to send before the runner can
    /// speak. `None` when it owes nothing, and so cannot be too slow.
    pub fn waits_for(&self) -> Option<String> {
        match self.stage {
            SessionState::Greeted => Some("`game` after `hello`".to_owned()),
            SessionState::New => None,
            SessionState::Ready => {
                let owed = |(number, bout): (&u32, &BoutState)| {
                    Some(format!("bout {number}: {}", bout.waits_for()?))
                };
                self.bouts.iter().find_map(owed)
            }
        }
    }

    /// Takes the end of the referee's output. It is in order when no bout is under way.
    ///
    /// # Errors
    ///
    /// [`Breach`] says what was still to come, whatever the program's exit status is.
    pub fn finish(&mut self) -> Result<(), Breach> {
        let open = self.bouts.keys().next().copied();
        if let Some(breach) = &self.broken {
            return Err(breach.clone());
        }
        let breach = match (self.stage, open) {
            (SessionState::New, _) | (SessionState::Ready, None) => return Ok(()),
            (SessionState::Greeted, _) => Breach::new("the referee ended before it said `game`")
                .hint("run it by hand: it reads a line from standard input and writes one"),
            (SessionState::Ready, Some(bout)) => {
                Breach::new("the referee ended in the middle of the bout")
                    .hint("it ends when standard input does, and says `end` before")
                    .of_bout(bout)
            }
        };
        Err(self.break_off(breach.of_message(self.taken + 1, b"")))
    }

    /// Ends the conversation because the referee did not say what it owes for too long;
    /// returns the words for it.
    pub fn fail_for_silence(&mut self) -> Breach {
        let owed = self.waits_for().unwrap_or_else(|| "nothing".to_owned());
        let how = if self.step_bytes > 0 { "says other things" } else { "is silent" };
        let breach = Breach::new(format!("the referee {how}; it owes {owed}"));
        let breach = breach.hint("is every message flushed, with `\\n` at its end?");
        self.break_off(breach.of_message(self.taken + 1, b""))
    }
}

fn check_equal(key: &str, said: &str, expected: &str) -> Result<(), Breach> {
    if said == expected {
        return Ok(());
    }
    let breach = Breach::new(format!("`game` says {key} {said:.100?}, and game.yaml {expected:?}"));
    Err(breach.hint("program and file must agree; change one of them"))
}

fn names(can: &[Capability]) -> String {
    let names: BTreeSet<&str> = can.iter().map(|capability| capability.name()).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns the bytes that a message takes beside its line: texts are kept for each seat, numbers
/// with their names, and answers.
fn more_bytes(message: &FromReferee) -> usize {
    match message {
        FromReferee::Tell(tell) => tell.text.len() * tell.to.len().saturating_sub(1),
        FromReferee::Ask(ask) => of_numbers(&ask.numbers) + ask.to.len() * ANSWER_BYTES,
        FromReferee::End(end) => of_numbers(&end.numbers),
        _ => 0,
    }
}

fn of_numbers(numbers: &Numbers) -> usize {
    numbers.values().flatten().flatten().count() * NUMBER_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_an_answer_count_for_the_memory_that_they_take() {
        let ask =
            br#"{"t":"ask","b":1,"n":1,"to":[{"seat":0,"text":""}],"numbers":{"x":[1,null,3]}}"#;
        let ask = parse(ask).expect("it is a message");
        assert_eq!(more_bytes(&ask), 2 * NUMBER_BYTES + ANSWER_BYTES);
    }
}
