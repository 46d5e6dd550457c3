//! Rows whose program stays: what it is asked, and how.
//!
//! It is asked on descriptor 3 and answers on descriptor 4. Its first line is
//! `ready`. A request is `NUMBER MILLISECONDS FILLING`, where the milliseconds
//! are the limit of the turn; its answer is `NUMBER ACTION`. An answer to an
//! earlier request is thrown away, one to a request that was not made yet breaks
//! what was agreed on.

use std::ffi::OsString;
use std::time::Duration;

use joust_referee::Verdict;

use super::{TestSite, Turn};

/// The port a program with a door finds its game at.
pub const GAME_PORT: u16 = 8037;
/// The variable that tells it.
pub const GAME_VARIABLE: &str = "GAME_PORT";

/// Time of an answer in a control.
const CONTROL_LIMIT: Duration = Duration::from_millis(200);
/// The control ends soon; more than this is not asked there.
const CONTROL_REQUESTS: u32 = 100;
const CONTROL_PAUSE: Duration = Duration::from_millis(300);

/// Dialogue with a program that stays.
#[derive(Clone, Debug)]
pub struct Dialogue {
    /// Number of requests while it lives.
    pub requests: u32,
    /// Bytes a request is filled up with.
    pub filling: usize,
    /// Between a request's end and the next: the others' turns.
    pub pause: Duration,
    /// Time until it must be ready.
    pub start: Duration,
    /// Processor time it may use in all.
    pub cpu: Duration,
    /// It can connect to a port of its own.
    pub has_door: bool,
    /// The verdict of each request; any when empty.
    pub answers: Vec<Verdict>,
}

/// Makes a dialogue of `requests` requests.
pub fn asked(requests: u32) -> Dialogue {
    Dialogue {
        requests,
        filling: 0,
        pause: Duration::ZERO,
        start: Duration::from_secs(10),
        cpu: Duration::from_secs(5),
        has_door: false,
        answers: vec![],
    }
}

impl Dialogue {
    /// Fills requests up.
    #[must_use]
    pub fn filled(mut self, bytes: usize) -> Self {
        self.filling = bytes;
        self
    }

    /// Waits after each request.
    #[must_use]
    pub fn pausing(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Limits its start.
    #[must_use]
    pub fn ready_within(mut self, start: Duration) -> Self {
        self.start = start;
        self
    }

    /// Limits its processor time.
    #[must_use]
    pub fn burning_at_most(mut self, cpu: Duration) -> Self {
        self.cpu = cpu;
        self
    }

    /// Gives it a port to connect to.
    #[must_use]
    pub fn with_door(mut self) -> Self {
        self.has_door = true;
        self
    }

    /// Requires a verdict for each request.
    #[must_use]
    pub fn earning(mut self, answers: &[Verdict]) -> Self {
        self.answers = answers.to_vec();
        self
    }

    /// Returns the words before its command that ask the program in its control.
    pub(super) fn control_words(&self, place: &TestSite) -> Vec<OsString> {
        let requests = self.requests.min(CONTROL_REQUESTS).to_string();
        let limit = CONTROL_LIMIT.as_millis().to_string();
        let pause = self.pause.min(CONTROL_PAUSE).as_millis().to_string();
        let asker = [place.program.join("hostile").into_os_string(), "referee".into()];
        let figures = [requests, limit, self.filling.to_string(), pause, "--".to_owned()];
        asker.into_iter().chain(figures.map(OsString::from)).collect()
    }
}

impl Turn {
    /// Has the program stay and be asked.
    #[must_use]
    pub fn with_dialogue(mut self, talk: Dialogue) -> Self {
        self.talk = Some(talk);
        self
    }
}
