//! A person in a seat: at this keyboard, or at the other end of a connection.
//!
//! What is typed becomes an answer by [`GameKind::keyboard`]; what is no answer
//! is asked for again. People have no limits and no calibration. Who has left
//! answers nothing from then on, and the bout goes on.

use joust_referee::{GameKind, LimitSet, Parts, Scene, Typed, Verdict};

use super::{Answered, Channel, ChannelError, Request, Usage};
use crate::model::{Exit, escaped_bytes};

/// Turns a picture into what a terminal shows.
pub type Paint = fn(&Scene) -> String;

/// Somebody who looks and types.
pub trait Person: Send {
    /// Shows a text, in which names and answers of others are escaped.
    fn show(&mut self, text: &str);

    /// Waits for the next line, without its end; `None` when the person is gone.
    fn line(&mut self) -> Option<String>;
}

/// A person's way into a bout.
pub struct Console {
    game: &'static dyn GameKind,
    name: String,
    person: Box<dyn Person>,
    paint: Paint,
    is_here: bool,
}

impl Console {
    /// Seats `person`, who is called `name`, at a bout of `game`.
    #[must_use]
    pub fn new(
        game: &'static dyn GameKind,
        name: &str,
        person: Box<dyn Person>,
        paint: Paint,
    ) -> Self {
        Self { game, name: name.to_owned(), person, paint, is_here: true }
    }

    /// Returns what was answered; `None` when the person is gone.
    fn answer(&mut self, view: &Parts) -> Option<Parts> {
        self.person.show(&self.picture(view));
        let mut lines = Vec::new();
        loop {
            match self.game.keyboard(view, &lines) {
                Typed::Answer(parts) => return Some(parts),
                Typed::More(prompt) => {
                    self.person.show(&format!("{}, {prompt}", self.name));
                    lines.push(self.person.line()?);
                }
                Typed::Again(hint) => {
                    self.person.show(&format!("{hint}\n"));
                    lines.pop();
                }
            }
        }
    }

    fn picture(&self, view: &Parts) -> String {
        match self.game.picture(view) {
            Some(scene) => (self.paint)(&scene),
            None => text(view),
        }
    }
}

impl Channel for Console {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        let answer = if self.is_here { self.answer(request.view) } else { None };
        self.is_here = answer.is_some();
        let reason = if self.is_here { "" } else { "the person has left" };
        Ok(Answered {
            parts: answer.unwrap_or_default(),
            verdict: Verdict::Ok,
            limits_hit: LimitSet::default(),
            usage: Usage::default(),
            exit: Exit::Status(0),
            output: Vec::new(),
            stderr: Vec::new(),
            reason: reason.to_owned(),
        })
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
