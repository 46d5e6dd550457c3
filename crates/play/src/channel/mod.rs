//! Channels to bots: one file each, one entry in [`ALL`].
//!
//! A channel carries a view to one seat's bot and brings back the answer, or
//! the verdict why there is none. It knows processes and bytes; whether the
//! bytes are an action is for the referee to say.

mod answered;
mod argv;
mod classify;
mod console;
mod files;
mod lines;
pub mod live;
mod lobby;
mod once;
mod spec;
pub(crate) mod stall;
mod turn_seat;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use joust_referee::{Files, Game, Parts};
use joust_sandbox::{SandboxError, SeatSpec};

use joust_model::{Calibration, Limits};

use argv::Argv;
use files::FilesChannel;
use lines::Lines;
use live::PollTarget;

pub use answered::Answered;
pub use console::{Console, Paint, Person, Reply};
pub use files::files_folder;
pub use joust_sandbox::{Host, affinity, poll};
pub use lobby::{
    Admission, Client, ClientLobby, GatheredGuests, Host as LobbyHost, HostCommand, HostDisplay,
    HostWait, Lobby, LobbyEvent, Participants, StopCheck,
};
pub use once::ask_once;
pub use spec::{
    ALL, CalibrationMethod, ChannelSpec, Open, Port, ProcessLifetime, find, open, open_live,
};

/// State of the configured limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitMode {
    /// As configured, with calibration.
    Configured,
    /// No limits on time; for people who debug a bot.
    NoTime,
}

/// Settings with which a channel runs a seat's bot.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The game.
    pub game: Game,
    /// The machine's sandbox.
    pub host: Host,
    /// The sandbox to make.
    pub spec: SeatSpec,
    /// The program and its arguments, as paths inside.
    pub command: Vec<OsString>,
    /// Arguments after those of the game, for channels whose games allow them.
    pub trailing: Vec<OsString>,
    /// Folder in which it starts, inside.
    pub folder: PathBuf,
    /// Its seat, from 0, for channels that tell the bot.
    pub seat: u8,
    /// Its limits, as configured.
    pub limits: Limits,
    /// Addition to these limits.
    pub calibration: Calibration,
    /// State of the limits on time.
    pub limit_mode: LimitMode,
}

/// Resources that a request used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Wall clock.
    pub wall: Duration,
    /// Processor time of the whole tree.
    pub cpu: Duration,
    /// True if `cpu` may lack processes that nobody waited for.
    pub cpu_partial: bool,
    /// Runnable without a processor.
    pub stall: Duration,
    /// Largest memory, bytes.
    pub peak_memory_bytes: u64,
    /// True if it started from nothing though its seat keeps its language ready.
    pub is_cold_start: bool,
}

/// Request to a bot.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// View that it is shown.
    pub view: &'a Parts,
    /// Time that a bot that stays for its bout has for its answer; one that is started for it has
    /// the limits of a turn.
    pub within: Duration,
    /// Files of view and answer; `None` for games that have none.
    pub files: Option<&'a Files>,
    /// The seats that are not asked and may not think meanwhile; `None` where they may.
    pub idle_seats: Option<IdleSeats<'a>>,
}

/// The seats that are not asked while one is.
#[derive(Clone, Copy)]
pub struct IdleSeats<'a>(pub &'a dyn Fn() -> Result<(), ChannelError>);

impl IdleSeats<'_> {
    /// Freezes those that think.
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

/// Returns the reason why the rules would refuse an answer.
pub type Refusal<'a> = &'a dyn Fn(&Parts) -> Option<String>;

/// Why a request could not be made. Never the bot's fault.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// The sandbox failed.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The view does not fit the way this channel carries it.
    #[error("a view of {bytes} bytes does not fit into one argument (at most {most} bytes)")]
    ViewTooLong {
        /// Its length.
        bytes: usize,
        /// Size that fits.
        most: usize,
    },
    /// The view has a byte that ends an argument.
    #[error("a view with a zero byte does not fit into an argument")]
    ZeroByte,
    /// The game did not say how view and answer lie in files.
    #[error("the referee asks for files without saying where they lie")]
    NoFiles,
    /// The command names no module of the bot to import.
    #[error("the command of the bot names no module beneath its folder")]
    NoModule,
    /// A bot of this channel is not waited for.
    #[error("a bot of channel `{0}` plays on a clock")]
    OnTheClock(String),
    /// A bot of this channel is waited for.
    #[error("a bot of channel `{0}` plays without a clock")]
    IsAsked(String),
    /// The game does not say where its clients connect.
    #[error("`{0}` names no port for its clients")]
    NoPort(String),
    /// The game has no module that agents import.
    #[error("`{0}` has no module for agents")]
    NoAgentModule(String),
    /// No channel has this name.
    #[error("there is no channel `{0}`")]
    Unknown(String),
}

/// A way to speak to one seat's bot.
pub trait Channel: Send {
    /// Shows a view to the bot and waits for its answer or its limit.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed; never because of the bot.
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError>;

    /// Asks as [`Channel::ask`] does; a person is shown why the
    /// rules refuse an answer, and asked again.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn ask_until_legal(
        &mut self,
        request: &Request<'_>,
        refusal: Refusal<'_>,
    ) -> Result<Answered, ChannelError> {
        let _ = refusal;
        self.ask(request)
    }

    /// Puts a request to a bot, whose answer is fetched with [`Channel::fetch`] while
    /// others are waited for too; `false` where it can only be asked alone, and was not
    /// asked.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn put(&mut self, request: &Request<'_>) -> Result<bool, ChannelError> {
        let _ = request;
        Ok(false)
    }

    /// Returns the answer to what was put, once it is there or will not come. What is there
    /// came by `seen`, when the caller was woken. Never waits for the bot.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn fetch(&mut self, seen: Instant) -> Result<Option<Answered>, ChannelError> {
        let _ = seen;
        Ok(None)
    }

    /// Appends what to poll before [`Channel::fetch`] is called again, and returns when
    /// it is called at the latest.
    fn awaits<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) -> Instant {
        let _ = wanted;
        Instant::now()
    }

    /// Ends a bot that stays for its bout and says how it ended, what it used in all
    /// and what it wrote; `None` for one that is started for every request.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn finish(&mut self) -> Result<Option<Answered>, ChannelError> {
        Ok(None)
    }

    /// Ends the bout of a bot that stays for its match, and returns what it has used so far; `None`
    /// for one that does not continue: it has ended, or is started for every request.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn keep(&mut self) -> Result<Option<Usage>, ChannelError> {
        Ok(None)
    }

    /// Checks a bot that is not asked, and freezes one that thinks meanwhile until it is asked
    /// again.
    ///
    /// # Errors
    ///
    /// As [`Channel::ask`].
    fn look(&mut self) -> Result<(), ChannelError> {
        Ok(())
    }

    /// Returns whether a person sits here.
    fn is_person(&self) -> bool {
        false
    }

    /// Ends the bot and removes everything of it.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when something of it could not be removed.
    fn close(self: Box<Self>) -> Result<(), ChannelError>;
}
