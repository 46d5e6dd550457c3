//! Breach: what a referee said that the protocol does not allow, and where. Misuse: what a runner
//! must not send.

use std::fmt;

/// A breach of the protocol by a referee.
///
/// The bout is void. Nothing that the referee says after it is listened to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Number of the referee's message, from 1; the one that is missing where
    /// it ended or fell silent.
    pub message: u64,
    /// The bout that it was about, where that is known.
    pub bout: Option<u32>,
    /// The byte of the line, from 1, where that is known.
    pub column: Option<usize>,
    /// The mistake: a lower-case fragment.
    pub text: String,
    /// Advice for the author.
    pub hint: Option<String>,
    /// The beginning of the message, for people.
    pub shown: String,
    /// Reason that the referee itself gives, on one line. It is a program's own text and
    /// must not be published.
    pub said: Option<Box<str>>,
}

impl Breach {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            message: 0,
            bout: None,
            column: None,
            text: text.into(),
            hint: None,
            shown: String::new(),
            said: None,
        }
    }

    pub(crate) fn said(mut self, text: &str) -> Self {
        let start: String = text.chars().take(SAID_CHARACTERS).collect();
        self.said = Some(on_one_line(&start).into());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn column(mut self, column: usize) -> Self {
        self.column = Some(column);
        self
    }

    pub(crate) fn of_bout(mut self, bout: u32) -> Self {
        self.bout.get_or_insert(bout);
        self
    }

    pub(crate) fn of_message(mut self, message: u64, line: &[u8]) -> Self {
        self.message = message;
        self.shown = shown(line);
        self
    }
}

/// The most bytes of a message that are shown.
const SHOWN_BYTES: usize = 160;

/// The most characters of a reason that are kept.
const SAID_CHARACTERS: usize = 400;

/// Returns a text in which nothing is hidden and nothing moves a terminal.
fn on_one_line(text: &str) -> String {
    text.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'")
}

fn shown(line: &[u8]) -> String {
    let start = &line[..line.len().min(SHOWN_BYTES)];
    let text = on_one_line(&String::from_utf8_lossy(start));
    if start.len() < line.len() { format!("{text}…") } else { text }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}", self.message)?;
        if let Some(bout) = self.bout {
            write!(f, " (bout {bout})")?;
        }
        if let Some(column) = self.column {
            write!(f, ", byte {column}")?;
        }
        write!(f, ": {}", self.text)?;
        self.hint.iter().try_for_each(|hint| write!(f, " ({hint})"))?;
        self.said.iter().try_for_each(|said| write!(f, ": {said}"))
    }
}

impl std::error::Error for Breach {}

/// Reason why a runner may not send a message now. A mistake in Joust, never the referee's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// The first message is `hello`, and it is said once.
    Hello,
    /// The referee has not said which game it is.
    NotReady,
    /// This bout's number was used already.
    BoutAgain(u32),
    /// The referee plays one bout in a process.
    OneBoutOnly,
    /// There is no bout of this number under way.
    NoBout(u32),
    /// The bout waits for something else than these answers.
    Answers(u32),
    /// The referee broke the protocol, as reported; nothing is said to it any more.
    Broken(Box<Breach>),
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello => f.write_str("`hello` is the first message, and is said once"),
            Self::NotReady => f.write_str("the referee has not said which game it is"),
            Self::BoutAgain(bout) => write!(f, "bout {bout} was started before"),
            Self::OneBoutOnly => f.write_str("the referee plays one bout in a process"),
            Self::NoBout(bout) => write!(f, "bout {bout} is not under way"),
            Self::Answers(bout) => write!(f, "these answers are not what bout {bout} waits for"),
            Self::Broken(breach) => breach.fmt(f),
        }
    }
}

impl std::error::Error for Misuse {}
