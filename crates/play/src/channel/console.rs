//! Console of a person in a seat, at this keyboard or over a connection.
//!
//! [`joust_referee::People::typed`] converts input into an answer; invalid input is asked for
//! again. People have no limits and no calibration. A person who has left gives no more answers,
//! and the bout continues.

use std::sync::Arc;

use joust_referee::{Game, KeyboardAnswer, Parts, Scene};

use super::{Answered, Channel, ChannelError, Refusal, Request};
use joust_model::{escaped, escaped_bytes};

/// Function that paints a scene for a terminal.
pub type Paint = Arc<dyn Fn(&Scene) -> String + Send + Sync>;

/// A person who plays at a terminal.
pub trait Person: Send {
    /// Shows complete lines of text, in which names and answers of others are escaped.
    fn show(&mut self, text: &str);

    /// Asks a question and waits for a line.
    fn ask(&mut self, question: &str) -> Reply;
}

/// Reply of a person to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A line, without its end.
    Line(String),
    /// The person took too long: this turn passes without an answer.
    Skipped,
    /// The person left for good.
    Gone,
}

/// Channel to a person at a console.
pub struct Console {
    game: Game,
    name: String,
    person: Box<dyn Person>,
    paint: Paint,
    is_here: bool,
}

impl Console {
    /// Seats `person`, who has the name `name`, at a bout of `game`.
    pub fn new(game: Game, name: &str, person: Box<dyn Person>, paint: Paint) -> Self {
        Self { game, name: name.to_owned(), person, paint, is_here: true }
    }

    /// Asks until there is an answer that the rules accept.
    fn answer(&mut self, view: &Parts, refusal: Refusal<'_>) -> Result<Parts, NoReply> {
        self.person.show(&self.picture(view));
        let mut lines = Vec::new();
        loop {
            match self.game.typed(view, &lines) {
                KeyboardAnswer::Answer(parts) => match refusal(&parts) {
                    None => return Ok(parts),
                    Some(reason) => {
                        self.person.show(&format!("not possible: {}\n", escaped(&reason)));
                        lines.clear();
                    }
                },
                KeyboardAnswer::More(question) => lines.push(self.ask_line(&question)?),
                KeyboardAnswer::Again(hint) => {
                    self.person.show(&format!("{hint}\n"));
                    lines.pop();
                }
            }
        }
    }

    /// Asks for a line. The question's last line begins with the person's name; lines above it are
    /// shown without the name.
    fn ask_line(&mut self, question: &str) -> Result<String, NoReply> {
        let (above, question) = match question.rsplit_once('\n') {
            Some((above, question)) => (format!("{above}\n"), question),
            None => (String::new(), question),
        };
        self.person.show(&above);
        match self.person.ask(&format!("{}, {question}", escaped(&self.name))) {
            Reply::Line(line) => Ok(line),
            Reply::Skipped => Err(NoReply::Skipped),
            Reply::Gone => Err(NoReply::Left),
        }
    }

    fn picture(&self, view: &Parts) -> String {
        match self.game.picture(view) {
            Some(scene) => (self.paint)(&scene),
            None => text(view),
        }
    }
}

/// Reason why a person gives no answer.
enum NoReply {
    Skipped,
    Left,
}

impl Channel for Console {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        self.ask_until_legal(request, &|_| None)
    }

    fn ask_until_legal(
        &mut self,
        request: &Request<'_>,
        refusal: Refusal<'_>,
    ) -> Result<Answered, ChannelError> {
        let answer =
            if self.is_here { self.answer(request.view, refusal) } else { Err(NoReply::Left) };
        let (parts, reason) = match answer {
            Ok(parts) => (parts, ""),
            Err(NoReply::Skipped) => (Parts::none(), "the person was skipped"),
            Err(NoReply::Left) => {
                self.is_here = false;
                (Parts::none(), "the person has left")
            }
        };
        Ok(Answered { reason: reason.to_owned(), ..Answered::with(parts) })
    }

    fn is_person(&self) -> bool {
        true
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        Ok(())
    }
}

/// Returns the displayable text of a view, escaped.
fn text(view: &Parts) -> String {
    let first = || view.0.first().map(|part| &*part.bytes);
    let bytes = view.get("").or_else(|| view.get("map.txt")).or_else(first).unwrap_or_default();
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n');
    let line = |line: &[u8]| escaped_bytes(line.strip_suffix(b"\r").unwrap_or(line)) + "\n";
    lines.map(line).collect()
}
