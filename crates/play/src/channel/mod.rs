//! Channels to bots, each with a file and an entry in [`ALL`].
//!
//! A channel passes a view to one seat's bot and returns the answer, or the verdict that explains
//! its absence. It handles processes and bytes; the referee decides whether the bytes are an
//! action.

mod argv;
mod classify;
mod console;
mod files;
pub(crate) mod http;
mod lines;
pub mod live;
mod lobby;
mod once;
mod pondering;
mod resident;
mod spec;
pub(crate) mod stall;
mod turn_seat;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use joust_model::{Calibration, Exit, Limits};
use joust_referee::{Files, Game, LimitSet, Parts, Verdict};
use joust_sandbox::{ResourceUsage, SandboxError, SeatSpec};

use argv::Argv;
use files::FilesChannel;
use http::Http;
use lines::Lines;
use live::PollTarget;

pub use console::{Console, Paint, Person, Reply};
pub use files::files_folder;
pub use http::test_server;
pub use joust_sandbox::{Host, affinity, poll};
pub use lobby::{
    Admission, Client, ClientLobby, GatheredGuests, Host as LobbyHost, HostCommand, HostDisplay,
    HostWait, Lobby, LobbyEvent, Participants, StopCheck,
};
pub use once::ask_once;
pub use spec::{
    ALL, CalibrationMethod, ChannelSpec, Open, Port, ProcessLifetime, find, open, open_live,
};

/// Mode of the time limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitMode {
    /// As configured, with calibration.
    Configured,
    /// No limits on time, for debugging a bot.
    NoTime,
}

/// Longer than any wait, and short enough for every clock.
pub(crate) const NO_LIMIT: Duration = Duration::from_secs(365 * 24 * 3600);

impl LimitMode {
    /// Returns the time limit in this mode for a configured one.
    pub(crate) fn within(self, configured: Duration) -> Duration {
        match self {
            Self::Configured => configured,
            Self::NoTime => NO_LIMIT,
        }
    }
}

/// Settings of a channel to a seat's bot.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The game.
    pub game: Game,
    /// The machine's sandbox.
    pub host: Host,
    /// The sandbox to make.
    pub spec: SeatSpec,
    /// The program and its arguments, with paths inside the sandbox.
    pub command: Vec<OsString>,
    /// Arguments after the game's own, for channels whose games allow them.
    pub trailing: Vec<OsString>,
    /// Folder in which it starts, inside the sandbox.
    pub folder: PathBuf,
    /// Its seat, from 0, for channels that pass it to the bot.
    pub seat: u8,
    /// Its limits, as configured.
    pub limits: Limits,
    /// Addition to these limits.
    pub calibration: Calibration,
    /// Mode of the time limits.
    pub limit_mode: LimitMode,
}

/// Resources that a request used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Wall clock.
    pub wall: Duration,
    /// Processor time of the whole tree.
    pub cpu: Duration,
    /// True if `cpu` may lack processes whose exit was not collected.
    pub cpu_partial: bool,
    /// Time for which it was runnable but had no processor.
    pub stall: Duration,
    /// Largest memory, bytes.
    pub peak_memory_bytes: u64,
    /// True if it started a new process although its seat keeps an interpreter ready.
    pub is_cold_start: bool,
}

impl Usage {
    /// Returns what was used since `before`; the memory is that of the whole time.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            wall: self.wall.saturating_sub(before.wall),
            cpu: self.cpu.saturating_sub(before.cpu),
            stall: self.stall.saturating_sub(before.stall),
            ..self
        }
    }
}

impl From<ResourceUsage> for Usage {
    fn from(used: ResourceUsage) -> Self {
        Self {
            wall: used.wall,
            cpu: used.cpu,
            cpu_partial: !used.cpu_complete,
            stall: used.stall,
            peak_memory_bytes: used.peak_memory.0,
            is_cold_start: false,
        }
    }
}

/// Request to a bot.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The view for the bot.
    pub view: &'a Parts,
    /// Time limit of the answer of a bot that stays for its bout. A bot that is started for the
    /// request has the limits of a turn instead.
    pub within: Duration,
    /// Files of the view and the answer; `None` for games without files.
    pub files: Option<&'a Files>,
    /// The seats that are not asked and must not think meanwhile; `None` where they may.
    pub idle_seats: Option<IdleSeats<'a>>,
}

/// The other seats during a request.
#[derive(Clone, Copy)]
pub struct IdleSeats<'a>(pub &'a dyn Fn() -> Result<(), ChannelError>);

impl IdleSeats<'_> {
    /// Freezes the bots that think.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn look(&self) -> Result<(), ChannelError> {
        (self.0)()
    }
}

impl fmt::Debug for IdleSeats<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Others")
    }
}

/// Function that returns the reason why the rules refuse an answer; `None` for a legal one.
pub type Refusal<'a> = &'a dyn Fn(&Parts) -> Option<String>;

/// Reason why a request could not be made. It is never the bot's fault.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// The sandbox failed.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The view is too long for this channel.
    #[error("a view of {bytes} bytes does not fit into one argument (at most {most} bytes)")]
    ViewTooLong {
        /// Its length.
        bytes: usize,
        /// The longest view.
        most: usize,
    },
    /// The view has a zero byte, which would end an argument.
    #[error("a view with a zero byte does not fit into an argument")]
    ZeroByte,
    /// The view is no request to a web server.
    #[error("a view that is no request: {0}")]
    NoRequest(&'static str),
    /// The game does not define the files of the view and the answer.
    #[error("the referee asks for files without saying where they lie")]
    NoFiles,
    /// The command names no module of the bot.
    #[error("the command of the bot names no module beneath its folder")]
    NoModule,
    /// Bots of this channel play games with a clock.
    #[error("a bot of channel `{0}` plays on a clock")]
    OnTheClock(String),
    /// Bots of this channel play turn-based games.
    #[error("a bot of channel `{0}` plays without a clock")]
    IsAsked(String),
    /// The game does not define a port for its clients.
    #[error("`{0}` names no port for its clients")]
    NoPort(String),
    /// The game does not define a module for agents.
    #[error("`{0}` has no module for agents")]
    NoAgentModule(String),
    /// No channel has this name.
    #[error("there is no channel `{0}`")]
    Unknown(String),
}

/// Channel to one seat's bot.
pub trait Channel: Send {
    /// Passes a view to the bot and waits for its answer or its limit.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed; never because of the bot.
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError>;

    /// As [`Channel::ask`]; a person is shown why the rules refuse an answer, and is asked again.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn ask_until_legal(
        &mut self,
        request: &Request<'_>,
        _refusal: Refusal<'_>,
    ) -> Result<Answered, ChannelError> {
        self.ask(request)
    }

    /// Sends a request to a bot. Its answer is fetched with [`Channel::fetch`], while the caller
    /// waits for other bots too. Returns `false` if the bot can only be asked alone; then nothing
    /// was sent.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn put(&mut self, _request: &Request<'_>) -> Result<bool, ChannelError> {
        Ok(false)
    }

    /// Returns the answer to the request that was sent, once it has arrived or cannot arrive any
    /// more. Data that is readable counts as arrived at `seen`, when the caller woke. Never waits
    /// for the bot.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn fetch(&mut self, _seen: Instant) -> Result<Option<Answered>, ChannelError> {
        Ok(None)
    }

    /// Appends the descriptors to poll before the next [`Channel::fetch`], and returns the latest
    /// time for that call.
    fn awaits<'a>(&'a self, _wanted: &mut Vec<PollTarget<'a>>) -> Instant {
        Instant::now()
    }

    /// Ends a bot that stays for its bout and returns its end, its total usage and its output;
    /// `None` for one that is started for every request.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn finish(&mut self) -> Result<Option<Answered>, ChannelError> {
        Ok(None)
    }

    /// Ends the bout of a bot that stays for its match, and returns its usage so far; `None` for
    /// one that does not stay, because it has ended or is started for every request.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn keep(&mut self) -> Result<Option<Usage>, ChannelError> {
        Ok(None)
    }

    /// Checks a bot that is not asked; if it thinks, freezes it until its next request.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn look(&mut self) -> Result<(), ChannelError> {
        Ok(())
    }

    /// Returns whether the occupant is a person.
    fn is_person(&self) -> bool {
        false
    }

    /// Ends the bot and removes its sandbox.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when a part of the sandbox could not be removed.
    fn close(self: Box<Self>) -> Result<(), ChannelError>;
}

/// Result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The raw answer; empty unless `verdict` is `ok`, or the bot left files before it exited.
    pub parts: Parts,
    /// `ok` if the machine has found no fault, or the fault.
    pub verdict: Verdict,
    /// Limits touched.
    pub limits_hit: LimitSet,
    /// Resources that it used.
    pub usage: Usage,
    /// Exit of the main process.
    pub exit: Exit,
    /// Standard output, truncated to its limit, even if it does not count as an answer.
    pub output: Vec<u8>,
    /// The first part of standard error.
    pub stderr: Vec<u8>,
    /// A short reason if the verdict is not specific enough.
    pub reason: String,
    /// Number of lines that came before the request and were dropped.
    pub unasked: u32,
    /// True if it waited for a processor for so long that it is unknown whether it would have been
    /// in time.
    pub is_starved: bool,
}

impl Answered {
    /// Makes the answer of a program that has ended well, or of a person, without measurements.
    pub fn with(parts: Parts) -> Self {
        Self { parts, ..Self::without(Verdict::Ok, Exit::Status(0)) }
    }

    /// Makes a fault that ended the bot.
    pub fn fault(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::without(verdict, Exit::Killed) }
    }

    /// Makes a fault after which the bot plays on.
    pub fn passing_fault(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::without(verdict, Exit::Running) }
    }

    /// Makes the final report of an occupant who stayed to the end and whose process, if any, was
    /// not measured here.
    pub fn still_there() -> Self {
        Self::without(Verdict::Ok, Exit::Running)
    }

    fn without(verdict: Verdict, exit: Exit) -> Self {
        Self {
            parts: Parts::none(),
            verdict,
            limits_hit: LimitSet::default(),
            usage: Usage::default(),
            exit,
            output: Vec::new(),
            stderr: Vec::new(),
            reason: String::new(),
            unasked: 0,
            is_starved: false,
        }
    }

    /// Returns the answer to a later request to an occupant that has ended.
    pub fn again(&self) -> Self {
        Self {
            usage: Usage::default(),
            output: Vec::new(),
            stderr: Vec::new(),
            reason: "the program has ended before".to_owned(),
            ..self.clone()
        }
    }

    /// Adds a limit that was touched.
    #[must_use]
    pub fn hitting(mut self, limit: joust_referee::Limit) -> Self {
        self.limits_hit.insert(limit);
        self
    }
}
