//! Failures of the tournament's errors: exit status and hint of each.

use joust_bots::{BotProblem, FaultParty};
use joust_cluster::transport::TransportError;
use joust_config::{ConfigErrors, did_you_mean};
use joust_orchestrator::machine::MachineError;
use joust_orchestrator::pipeline::RunError;

use crate::error::{Failure, Status};

/// Advice on a machine without isolation.
pub(super) const NO_SANDBOX: &str = "run as root, or allow user name spaces with `sysctl -w \
    user.max_user_namespaces=15000`; `--unsafe` plays without isolation and marks the results";

/// Advice after a fault of the machine.
pub(super) const TRY_AGAIN: &str =
    "no bot has lost anything: fix the machine (see `joust doctor`), then run the same command";

impl From<&RunError> for Failure {
    fn from(error: &RunError) -> Self {
        match error {
        RunError::Store(error) => Failure::from(error),
        RunError::NotReady(error) => Failure::from(error),
        RunError::Calibrate { .. } | RunError::Trial(_) => {
            Failure::machine(error)
        }
        RunError::Workers(error) => server_failure(error),
        RunError::Builds(_) | RunError::Watch(_) => Failure::machine(error),
        RunError::Machine(_) => Failure::machine(error).hint(TRY_AGAIN),
        RunError::Interrupted => interrupted(),
        RunError::SeedOfShards => Failure::from_error(Status::Usage, error).hint(
            "write a number, such as `seed: 2026`, or begin each shard with a copy of a database for which \
             the seed was drawn",
        ),
        RunError::NotBuilt(_) => Failure::from_error(Status::Failed, error)
            .hint("without --strict these bots are left out and the others play"),
        RunError::Discover(problems) => bot_problems(problems),
        RunError::NoSuchEvent { wanted, known } => Failure::from_error(Status::Usage, error)
            .hint(there_are("events", wanted, known)),
        RunError::NoSuchBot { wanted, known } => {
            Failure::from_error(Status::Usage, error).hint(there_are("bots", wanted, known))
        }
    }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self::from(&error)
    }
}

impl From<&MachineError> for Failure {
    fn from(error: &MachineError) -> Self {
        match error {
            MachineError::Sandbox(_) => Failure::machine(error).hint(NO_SANDBOX),
            MachineError::Provides(errors) => Failure::usage(errors.to_string()),
            MachineError::Referee { .. } => Failure::from_error(Status::Failed, error)
                .hint("`joust docs games` shows how a referee is described and built"),
            MachineError::Stack(_) => Failure::machine(error)
                .hint("`ulimit -s 8192` in the same shell allows what is usual"),
            MachineError::Interrupted => interrupted(),
            MachineError::Languages(_) => Failure::from_error(Status::Usage, error),
            MachineError::Cache { .. } => {
                Failure::machine(error).hint("JOUST_CACHE names another folder")
            }
            MachineError::ClosedCache { .. } => Failure::machine(error).hint(
                "JOUST_CACHE names another folder, for instance JOUST_CACHE=/var/cache/joust",
            ),
        }
    }
}

impl From<MachineError> for Failure {
    fn from(error: MachineError) -> Self {
        Self::from(&error)
    }
}

/// Makes the failure for a server that cannot be used.
pub(super) fn server_failure(error: &TransportError) -> Failure {
    let failure = Failure::machine(error);
    match server_hint(&failure.message) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Returns a hint for this error message of a server, if there is one.
pub(super) fn server_hint(said: &str) -> Option<&'static str> {
    let says = |words: &[&str]| words.iter().any(|it| said.contains(it));
    let is_there = says(&["authorization", "nonce", "credentials"]);
    match () {
        () if says(&["certificate", "TLS", "InvalidContentType"]) => Some(
            "the server is there: its certificate has to be one that this machine trusts \
             (`SSL_CERT_FILE=FILE` names one of your own), and `tls://` a server that has one",
        ),
        () if is_there => Some(
            "the server is there and lets nobody in without a key that it knows: `--credentials` \
             (`--credentials` of `run`) names the file that `joust workers invite` wrote, and \
             `nats-server --signal reload` has the server read its list again",
        ),
        () if said.starts_with("no server") => {
            Some("`nats-server --jetstream` starts a server, on this machine or another")
        }
        () => None,
    }
}

/// Returns the failure of a command that was stopped before it was done.
pub(super) fn interrupted() -> Failure {
    Failure::new(Status::Interrupted, "interrupted").hint("run the same command to continue")
}

/// Largest number of problems that are shown. Each keeps its line, and a file may have 500,000
/// patterns in one line.
const MOST_SHOWN: usize = 200;

/// Makes a failure of the problems with bots' files and with the patterns that select them, each
/// with its line.
pub(super) fn bot_problems(problems: &[BotProblem]) -> Failure {
    let shown =
        problems.iter().take(MOST_SHOWN).cloned().map(joust_config::Problem::from).collect();
    let is_of_machine = problems.iter().any(|problem| problem.fault == FaultParty::Machine);
    let status = if is_of_machine { Status::Machine } else { Status::Usage };
    let mut text = ConfigErrors(shown).to_string();
    if let Some(more) = problems.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
        text.push_str(&format!("\nand {more} further problems"));
    }
    Failure::new(status, text)
}

/// Returns a hint for an unknown name: a similar known name, or all known names.
pub(super) fn there_are(what: &str, wanted: &str, known: &[impl AsRef<str>]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    did_you_mean(wanted, &known, &format!("the {what} are"))
}
