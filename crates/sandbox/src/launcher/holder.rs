//! Holder of a seat's name spaces: their first process, which has one launcher after the other.
//!
//! Making name spaces, groups and the common part of the view takes many times as long as the rest
//! of a seat. So they are held here, with all privileges, and each seat gets a launcher that is a
//! copy of this process in a mount name space of its own. The holder does nothing while there is a
//! launcher; when it ends, so does everything in the seat.

use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, CpuSet, sched_setaffinity, unshare};
use nix::sys::signal::{Signal, kill};
use nix::sys::uio::pwrite;
use nix::unistd::Pid;

use super::set_up::PreparedLauncher;
use super::{ServeError, network, refuse, serve_seat, unexpected};
use crate::error::{SandboxError, Step};
use crate::link::{Link, LinkError};
use crate::sys::{self, Exit, Fork};
use crate::wire::{Reply, Request, Traces};

/// The process id before a launcher's, far from the ids of programs.
const NUMBER_BEFORE: &[u8] = b"31997";
/// Time that a launcher whose socket is closed may take to end.
const ENDING: Duration = Duration::from_secs(2);

/// A process that holds name spaces.
struct Holder {
    launcher: Option<i32>,
}

/// Answers requests until the socket closes.
pub(super) fn serve(mut link: Link, prepared: PreparedLauncher) -> Result<(), ServeError> {
    let mut holder = Holder { launcher: None };
    loop {
        let reply = match link.receive_with_descriptors() {
            Err(LinkError::Closed) => return Ok(()),
            Ok((Request::SetUp(request), sockets)) => match holder.fork(&prepared) {
                Ok(Fork::Parent(process)) => {
                    holder.launcher = Some(process);
                    continue;
                }
                Ok(Fork::Child) => {
                    drop(link);
                    return serve_seat(*request, sockets, prepared);
                }
                Err(error) => return Err(refuse(&link, &error)),
            },
            Ok((Request::End { traces }, _)) => {
                holder.end_launcher();
                match traces {
                    Traces::None => Reply::Ended,
                    _ => network::renew()
                        .map_or_else(|error| Reply::Failed(error.into()), |()| Reply::Ended),
                }
            }
            Ok((Request::Pin(cores), _)) => match holder.pin(&cores) {
                Ok(()) => Reply::Pinned,
                Err(error) => Reply::Failed(error.into()),
            },
            Ok((Request::WhyGone, _)) => Reply::Gone(holder.was_launcher_killed()),
            other => {
                let other = other.map(|(request, _)| request);
                return Err(unexpected(&link, other, "read a request to the holder"));
            }
        };
        link.send(&reply, &[])?;
    }
}

impl Holder {
    /// Ends the launcher with everything that it left. When this returns the kernel has freed all
    /// of it.
    fn end_launcher(&mut self) {
        let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
        while sys::reap_one(-1).is_ok() {}
        self.launcher = None;
    }

    fn fork(&mut self, prepared: &PreparedLauncher) -> Result<Fork, SandboxError> {
        self.end_launcher();
        if let Some(file) = &prepared.last_process {
            let _ = pwrite(file, NUMBER_BEFORE, 0);
        }
        let fork = sys::fork().step("make a process for a launcher")?;
        if matches!(fork, Fork::Child) {
            unshare(CloneFlags::CLONE_NEWNS).step("make a mount name space")?;
        }
        Ok(fork)
    }

    fn pin(&self, cores: &[u32]) -> Result<(), SandboxError> {
        let mut set = CpuSet::new();
        let launcher = Pid::from_raw(self.launcher.unwrap_or(0));
        cores
            .iter()
            .try_for_each(|core| set.set(*core as usize))
            .and_then(|()| sched_setaffinity(launcher, &set))
            .step("move the launcher to other processors")
    }

    /// Waits for the end of a launcher, and returns whether it was killed.
    fn was_launcher_killed(&mut self) -> bool {
        let end = Instant::now() + ENDING;
        while Instant::now() < end {
            match sys::reap_any() {
                Ok(Some(reaped)) if Some(reaped.pid) == self.launcher => {
                    return sys::exited(reaped.status) == Exit::Signal(Signal::SIGKILL as i32);
                }
                Ok(Some(_)) => {}
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                Err(_) => return false,
            }
        }
        false
    }
}
