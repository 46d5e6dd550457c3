//! Start of the process: the stack, the descriptors and the threads it needs of the machine.
//!
//! A machine that cannot give them is reported here, in words, and not by a panic in
//! the middle of the work.

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use joust_toolchain::threads;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};
use tokio::runtime::{Builder, Runtime};

use crate::error::{Failure, Status};

/// Usual stack of a program, bytes: our own thread, and every bot after us.
const STACK: usize = 8 << 20;

/// Descriptors that even the smallest command needs.
const FEWEST_DESCRIPTORS: u64 = 64;

/// Descriptors that are enough for many bouts at once.
const DESCRIPTORS: u64 = 8192;

/// Threads that every command needs at once: the runtime's, its helper's, the database's.
const THREADS: usize = 4;

/// Address space that a command needs, bytes; bots need more, and they inherit the limit.
const LEAST_ADDRESS_SPACE: u64 = 1 << 30;

/// Longest time that a new thread may take to do nothing.
const PATIENCE: Duration = Duration::from_secs(20);

/// Calls `work` in a thread whose stack does not depend on how we were started.
pub(crate) fn with_enough_stack(work: fn() -> ExitCode) -> ExitCode {
    raise(Resource::RLIMIT_STACK, STACK as u64);
    if let Err(failure) = check_address_space() {
        return report_failure(&failure);
    }
    let started = thread::Builder::new().name("joust".to_owned()).stack_size(STACK).spawn(work);
    match started.map(thread::JoinHandle::join) {
        Ok(Ok(status)) => status,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => report_failure(&no_thread(&error)),
    }
}

/// Reports a failure that happens before the program's own output is set up.
fn report_failure(failure: &Failure) -> ExitCode {
    let _ = std::io::stderr().write_all(failure.render().as_bytes());
    failure.status.into()
}

fn check_address_space() -> Result<(), Failure> {
    raise(Resource::RLIMIT_AS, RLIM_INFINITY);
    let (soft, _) = getrlimit(Resource::RLIMIT_AS).unwrap_or((RLIM_INFINITY, RLIM_INFINITY));
    if soft >= LEAST_ADDRESS_SPACE {
        return Ok(());
    }
    let message = format!("only {} KiB of address space are allowed: 1 GiB is needed", soft >> 10);
    Err(Failure::new(Status::Machine, message).hint(
        "`ulimit -v unlimited` in the same shell takes the limit away, if it is not a hard one",
    ))
}

/// Makes the runtime that commands share. They block their thread while they build and play; a
/// second thread handles signals meanwhile, and a third one runs blocking calls.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    raise(Resource::RLIMIT_NOFILE, DESCRIPTORS);
    let (soft, _) = getrlimit(Resource::RLIMIT_NOFILE).unwrap_or((RLIM_INFINITY, RLIM_INFINITY));
    if soft < FEWEST_DESCRIPTORS {
        let message =
            format!("only {soft} files may be open at once: {FEWEST_DESCRIPTORS} are needed");
        return Err(Failure::new(Status::Machine, message)
            .hint("`ulimit -n 1024` in the same shell allows what is usual"));
    }
    threads::try_to_have(THREADS).map_err(|error| no_thread(&error))?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        // The helper stays, so that its work never waits for a thread that cannot be made.
        .thread_keep_alive(Duration::MAX)
        .enable_all()
        .build()
        .map_err(|error| Failure::machine(&error))?;
    let helped = async { tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(|| ())).await };
    match runtime.block_on(helped) {
        Ok(_) => Ok(runtime),
        Err(_) => Err(no_thread(&io::ErrorKind::WouldBlock.into())),
    }
}

/// Raises a soft limit to `wanted` where that is allowed, for us and those we start.
fn raise(resource: Resource, wanted: u64) {
    let Ok((soft, hard)) = getrlimit(resource) else { return };
    if soft < wanted && setrlimit(resource, wanted, wanted.max(hard)).is_err() {
        let _ = setrlimit(resource, wanted.min(hard), hard);
    }
}

fn no_thread(error: &io::Error) -> Failure {
    Failure::new(Status::Machine, format!("no thread can be started: {error}")).hint(
        "raise the limit of processes (`ulimit -u`, a container's `pids` limit) or of memory (`ulimit -v`)",
    )
}
