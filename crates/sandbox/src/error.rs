//! Errors that are not the program's doing, always with the step that failed and what the kernel
//! said.

use std::fmt;

use nix::errno::Errno;

use crate::Tier;

/// Beginning of the steps that make a process: with them the kernel's `EAGAIN` has one meaning.
const MAKE_A_PROCESS: &str = "make a process";

/// A step of making, using or removing a sandbox failed.
///
/// Reads as "step: reason"; [`SandboxError::hint`] says what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxError {
    step: String,
    errno: Option<i32>,
    reason: Option<String>,
    hint: Option<String>,
}

impl SandboxError {
    pub(crate) fn new(step: impl Into<String>, errno: Errno) -> Self {
        Self { step: step.into(), errno: Some(errno as i32), reason: None, hint: None }
    }

    pub(crate) fn because(step: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { step: step.into(), errno: None, reason: Some(reason.into()), hint: None }
    }

    pub(crate) fn io(step: impl Into<String>, error: &std::io::Error) -> Self {
        match error.raw_os_error() {
            Some(errno) => Self::new(step, Errno::from_raw(errno)),
            None => Self::because(step, error.to_string()),
        }
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The step that failed, for instance "mount the scratch".
    pub fn step(&self) -> &str {
        &self.step
    }

    /// The error number of the kernel, when it was the kernel that refused.
    pub fn errno(&self) -> Option<i32> {
        self.errno
    }

    /// Returns what a person can do about it, when that is known.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the reason without the step.
    pub(crate) fn reason(&self) -> String {
        match (self.errno.map(Errno::from_raw), &self.reason) {
            (Some(Errno::EAGAIN), None) if self.step.starts_with(MAKE_A_PROCESS) => {
                "no thread could be started, the limit of processes is reached (`EAGAIN`)"
                    .to_owned()
            }
            (Some(errno), None) => {
                format!("{} (`{errno:?}`)", errno.desc().to_lowercase())
            }
            (_, Some(reason)) => reason.clone(),
            (None, None) => "unknown reason".to_owned(),
        }
    }
}

impl fmt::Display for SandboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.step, self.reason())
    }
}

impl std::error::Error for SandboxError {}

/// Adds the step to an error of the kernel.
pub(crate) trait Step<T> {
    /// Names what was being done.
    fn step(self, step: &str) -> Result<T, SandboxError>;
}

impl<T> Step<T> for Result<T, Errno> {
    fn step(self, step: &str) -> Result<T, SandboxError> {
        self.map_err(|errno| SandboxError::new(step, errno))
    }
}

impl<T> Step<T> for rustix::io::Result<T> {
    fn step(self, step: &str) -> Result<T, SandboxError> {
        self.map_err(|errno| SandboxError::new(step, Errno::from_raw(errno.raw_os_error())))
    }
}

impl<T> Step<T> for std::io::Result<T> {
    fn step(self, step: &str) -> Result<T, SandboxError> {
        self.map_err(|error| SandboxError::io(step, &error))
    }
}

/// A turn that gave no report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// The host, or what it was asked to do, is at fault; never charged to a bot.
    #[error("{0}")]
    Infrastructure(SandboxError),
    /// The seat's launcher is gone or silent. Only what runs in the seat could
    /// have damaged it, so this counts as that program's crash. The seat is dead.
    #[error("the seat was lost: {reason}")]
    SeatLost {
        /// Observation that shows the loss.
        reason: String,
    },
}

impl From<SandboxError> for TurnError {
    fn from(error: SandboxError) -> Self {
        Self::Infrastructure(error)
    }
}

/// A tier that does not work on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedTier {
    /// The tier.
    pub tier: Tier,
    /// The first step that failed.
    pub error: SandboxError,
}

/// No tier that was allowed works on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeError {
    /// Each tier tried, best first.
    pub tried: Vec<RefusedTier>,
    /// Advice for a person, when that is known.
    pub hint: Option<String>,
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this host offers no isolation")?;
        for RefusedTier { tier, error } in &self.tried {
            write!(f, "; tier {tier}: {error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ProbeError {}
