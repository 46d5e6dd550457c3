//! Parts of a view or an answer: a list of named byte strings.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// One named piece of a view or an answer.
///
/// The empty name stands for the only piece there is (an argument, a line);
/// other names are file names such as `state.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The piece's name; empty for argv, pipes and lines.
    pub name: Arc<str>,
    /// The raw bytes, shared by all seats that see the same.
    pub bytes: Arc<[u8]>,
}

/// The name of the part of an answer that says what it took: microseconds, in digits.
const TOOK: &str = "took_us";

impl Part {
    /// Makes the part of an answer that says how long the bot took for it.
    pub fn took(duration: Duration) -> Self {
        static NAME: LazyLock<Arc<str>> = LazyLock::new(|| TOOK.into());
        Self { name: NAME.clone(), bytes: duration.as_micros().to_string().as_bytes().into() }
    }
}

/// A view or an answer.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Parts(pub Vec<Part>);

impl Parts {
    /// Makes the single unnamed part that argv, pipes and lines carry.
    pub fn single(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self(vec![Part { name: Arc::default(), bytes: bytes.into() }])
    }

    /// Makes the answer of a seat that gave none.
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns how long the bot took for this answer, where that is recorded.
    pub fn took(&self) -> Duration {
        let digits = self.get(TOOK).and_then(|bytes| std::str::from_utf8(bytes).ok());
        Duration::from_micros(digits.and_then(|digits| digits.parse().ok()).unwrap_or_default())
    }

    /// Returns the answer without what it took: what is compared where a bout is played
    /// again.
    pub fn untimed(&self) -> Self {
        Self(self.0.iter().filter(|part| &*part.name != TOOK).cloned().collect())
    }

    /// Returns the bytes of the part called `name`, if there is one.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        // Most answers have one part without a name, and judging compares them millions of times.
        let is_it = |part: &&Part| match name {
            "" => part.name.is_empty(),
            name => *part.name == *name,
        };
        self.0.iter().find(is_it).map(|part| &*part.bytes)
    }
}
