//! Answers of a trial, drawn from a seed.

use joust_referee::rng::ChaCha8;
use joust_referee::{AnswerForm, Game, Input, Part, Parts, Verdict, http};

use super::{Asked, Trial};

/// The most lines of an answer, if their number is free.
const MOST_LINES: u32 = 4;

/// Kind of answers that the seats of a trial give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answering {
    /// Arbitrary bytes.
    Bytes,
    /// Words of their views.
    Words,
    /// Small numbers.
    Numbers,
    /// Small numbers; every other answer is late.
    Late,
    /// Small numbers, until one seat after the other dies.
    Dying,
}

impl Answering {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Bytes, Self::Words, Self::Numbers, Self::Late, Self::Dying];

    /// Returns a description for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "random bytes",
            Self::Words => "words of the view",
            Self::Numbers => "numbers",
            Self::Late => "late answers",
            Self::Dying => "bots that die",
        }
    }
}

/// The answers of one bout.
pub(super) struct Answers {
    answering: Answering,
    form: AnswerForm,
    chance: ChaCha8,
    /// Verdict with which each seat ended.
    dead: Vec<Option<Verdict>>,
}

impl Answers {
    pub(super) fn new(trial: &Trial, game: &Game) -> Self {
        let external = game.spec().external.as_ref();
        Self {
            answering: trial.answering,
            form: external.map_or(AnswerForm::Lines(1), |external| external.answer.clone()),
            chance: ChaCha8::from_seed(trial.seed),
            dead: vec![None; usize::from(trial.seats)],
        }
    }

    pub(super) fn next(&mut self, ask: Asked) -> Input {
        let verdict = self.verdict(ask.seat.index());
        let parts = match verdict {
            Verdict::Ok => self.parts(&ask),
            _ => Parts::none(),
        };
        Input::Answer { seat: ask.seat, request: ask.request, parts, verdict }
    }

    fn verdict(&mut self, seat: usize) -> Verdict {
        match self.answering {
            Answering::Late if self.chance.below(2) == 0 => Verdict::Timeout,
            Answering::Dying => self.end_of(seat).unwrap_or(Verdict::Ok),
            _ => Verdict::Ok,
        }
    }

    /// Returns the verdict of a dead bot, which stays dead.
    fn end_of(&mut self, seat: usize) -> Option<Verdict> {
        let ends = [Verdict::Crash, Verdict::ExitNonzero, Verdict::NoOutput, Verdict::MemoryLimit];
        let drawn = ends[self.chance.below(4) as usize];
        let dies = self.chance.below(4) == 0;
        let dead = self.dead.get_mut(seat)?;
        if dies {
            dead.get_or_insert(drawn);
        }
        *dead
    }

    /// Returns an answer in the form that a channel returns: with the required number of lines or
    /// files; files may be missing.
    fn parts(&mut self, ask: &Asked) -> Parts {
        match self.form.clone() {
            AnswerForm::Lines(lines) => Parts::single(self.lines(ask, lines.into())),
            AnswerForm::Until(_) => {
                let lines = self.chance.below(MOST_LINES + 1);
                Parts::single(self.lines(ask, lines))
            }
            AnswerForm::Prefix(_) => Parts::single(self.line(ask)),
            AnswerForm::Response => {
                let status = [&b"200"[..], b"204", b"500"][self.chance.below(3) as usize];
                let (name, bytes) = (http::STATUS.into(), status.into());
                let body = Part { name: http::BODY.into(), bytes: self.line(ask).into() };
                Parts(vec![body, Part { name, bytes }])
            }
            AnswerForm::Files(names) => {
                let left: Vec<_> = names.into_iter().filter(|_| self.chance.below(8) > 0).collect();
                let part = |name: String| Part { name: name.into(), bytes: self.line(ask).into() };
                Parts(left.into_iter().map(part).collect())
            }
        }
    }

    fn lines(&mut self, ask: &Asked, count: u32) -> Vec<u8> {
        let lines: Vec<_> = (0..count).map(|_| self.line(ask)).collect();
        lines.join(&b'\n')
    }

    fn line(&mut self, ask: &Asked) -> Vec<u8> {
        match self.answering {
            Answering::Bytes => {
                let length = self.chance.below(40);
                // A line end would end the answer.
                let byte = |byte: u32| if byte == 10 { b'x' } else { byte as u8 };
                (0..length).map(|_| byte(self.chance.below(256))).collect()
            }
            Answering::Words => self.word(&ask.view),
            _ => self.chance.below(12).to_string().into_bytes(),
        }
    }

    fn word(&mut self, view: &Parts) -> Vec<u8> {
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || b",;[]\"".contains(byte);
        let words = view.0.iter().flat_map(|part| part.bytes.split(is_between));
        let words = words.filter(|word| !word.is_empty());
        let words: Vec<&[u8]> = words.take(10_000).collect();
        match u32::try_from(words.len()) {
            Ok(0) | Err(_) => Vec::new(),
            Ok(count) => words[self.chance.below(count) as usize].to_vec(),
        }
    }
}
