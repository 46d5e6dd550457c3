//! Errors of a machine that cannot be made ready.

use std::io;
use std::path::PathBuf;

use joust_config::ConfigErrors;
use joust_sandbox::ProbeError;
use joust_toolchain::LanguageError;
use nix::sys::resource::{Resource, getrlimit};

/// Stack space that a program needs, bytes.
const LEAST_STACK: u64 = 1 << 20;

/// Reason why the machine cannot be made ready.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// There is no sandbox.
    #[error("this machine cannot hold a bot in a sandbox")]
    Sandbox(#[source] ProbeError),
    /// An event provides libraries for a language that has no library sets.
    #[error("{0}")]
    Provides(ConfigErrors),
    /// The tournament's `languages:` are wrong.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Languages(Vec<LanguageError>),
    /// A game's referee cannot be built.
    #[error("the referee of `{game}` in `{}` is not built: {reason}", folder.display())]
    Referee {
        /// The game.
        game: String,
        /// Folder of the referee.
        folder: PathBuf,
        /// Why.
        reason: String,
    },
    /// Builds cannot be kept.
    #[error("the folder for builds `{}` cannot be used", folder.display())]
    Cache {
        /// The folder.
        folder: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A signal stopped it.
    #[error("interrupted")]
    Interrupted,
    /// Bots inherit the stack that this process may have.
    #[error("only {0} KiB of stack are allowed, and bots inherit that: 1 MiB is needed")]
    Stack(u64),
    /// Builds are kept where bots cannot get at them.
    #[error(
        "bots are other users in tier C and cannot use builds in `{}`: `{}` is closed to other users",
        folder.display(), barrier.display()
    )]
    ClosedCache {
        /// The folder.
        folder: PathBuf,
        /// Folder on the way to it that keeps others out.
        barrier: PathBuf,
    },
}

/// Refuses to charge bots with a stack that is too small.
pub(super) fn check_stack() -> Result<(), MachineError> {
    let (soft, _) = getrlimit(Resource::RLIMIT_STACK).unwrap_or((LEAST_STACK, LEAST_STACK));
    if soft < LEAST_STACK { Err(MachineError::Stack(soft >> 10)) } else { Ok(()) }
}
