//! Console of a person in a seat: at this keyboard, or at the other end of a connection.
//!
//! What is typed becomes an answer by [`joust_referee::People::typed`]; what is no answer
//! is asked for again. People have no limits and no calibration. Who has left
//! answers nothing from then on, and the bout continues.

use std::sync::Arc;

use joust_referee::{Game, KeyboardAnswer, Parts, Scene};

use super::{Answered, Channel, ChannelError, Refusal, Request};
use joust_model::{escaped, escaped_bytes};

/// Turns a picture into what a terminal shows.
pub type Paint = Arc<dyn Fn(&Scene) -> String + Send + Sync>;

/// Somebody who looks and types.
pub trait Person: Send {
    /// Shows a text of whole lines, in which names and answers of others are escaped.
    fn show(&mut self, text: &str);

    /// Asks a question and waits for a line.
    fn ask(&mut self, question: &str) -> Reply;
}

/// Reply of a person who was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Types a line, without its end.
    Line(String),
    /// Takes too long: this turn goes by without an answer.
    Skipped,
    /// Leaves, for good.
    Gone,
}

/// A person's way into a bout.
pub struct Console {
    game: Game,
    name: String,
    person: Box<dyn Person>,
    paint: Paint,
    is_here: bool,
}

impl Console {
    /// Seats `person`, who is called `name`, at a bout of `game`.
    #[must_use]
    pub fn new(game: Game, name: &str, person: Box<dyn Person>, paint: Paint) -> Self {
        Self { game, name: name.to_owned(), person, paint, is_here: true }
    }

    /// Asks until there is an answer that the rules do not refuse.
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

    /// Asks for a line; what stands above the question has no name before it.
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

/// Why somebody gives no answer.
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

/// Returns the text of a view that is meant for eyes, safe to show.
fn text(view: &Parts) -> String {
    let first = || view.0.first().map(|part| &*part.bytes);
    let bytes = view.get("").or_else(|| view.get("map.txt")).or_else(first).unwrap_or_default();
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n');
    let line = |line: &[u8]| escaped_bytes(line.strip_suffix(b"\r").unwrap_or(line)) + "\n";
    lines.map(line).collect()
}
