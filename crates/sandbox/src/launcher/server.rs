//! Server of warm starts: a program of the seat that stops at the end of its own start and is
//! copied for every turn.
//!
//! It is started inside the finished seat, outside every clock, and runs nothing of a bot. The
//! launcher asks for a copy with one byte and four descriptors: the copy's descriptors 0, 1 and 2,
//! and a socket with the folder and the arguments, which only the copy reads. `CLONE_PARENT` makes
//! the copy the launcher's child, so that the launcher watches, ends and accounts for a turn as
//! usual.
//!
//! A seat's programs and their server have the same user. Two measures protect the server: the copy
//! enters a Landlock domain of its own, from which no signal reaches a process outside and nothing
//! outside can be traced or seen in `/proc`, and installs a filter that refuses the few calls that
//! would change how the server is scheduled ([`filter::keep_from`]). Both are tried before a server
//! is used. Processes left over from a turn are killed together with the server. A new server then
//! replaces it, at no program's expense, but only [`MOST_LOST`] times: after that the seat starts
//! programs cold.

use std::borrow::Cow;
use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::IoSlice;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{ControlMessage, MsgFlags, SockType, recv, send, sendmsg};
use nix::unistd::Pid;
use serde_bytes::ByteBuf;

use super::capture::Capture;
use super::inner_seat::InnerSeat;
use super::programs::ScoreOwner;
use crate::mechanism::filter;
use crate::sys::{self, TurnStart};
use crate::wire::{Mode, TurnRequest};
use crate::{StartKind, WarmServer};

/// Number of times that a lost server is replaced.
const MOST_LOST: u32 = 3;
/// Time that a server may take to start.
const PATIENCE: Duration = Duration::from_secs(10);
/// The process id before a server's, far from the ids of programs.
const NUMBER_BEFORE: &[u8] = b"31999";
/// Largest size of one argument that the kernel takes, bytes; at a cold start it refuses a longer
/// one.
const LONGEST_ARGUMENT: usize = 128 * 1024;
/// Largest size of all arguments, bytes; below the kernel's own limit.
const LONGEST_ARGUMENTS: usize = 1024 * 1024;

/// The server of a seat, or the reason why the seat has none.
#[derive(Default)]
pub(super) struct WarmStarts {
    wanted: Option<WarmServer>,
    running: Option<Server>,
    lost: u32,
    /// Reason why programs are started cold from now on.
    refused: Option<String>,
    /// The kernel's list of the launcher's children.
    children: Option<File>,
}

struct Server {
    process: i32,
    socket: OwnedFd,
    /// Number of unix sockets that are there because of it.
    sockets: usize,
    /// Our ends of the server's own output streams.
    streams: [Capture; 2],
}

impl WarmStarts {
    /// Notes the program to keep warm, if any.
    pub(super) fn new(wanted: Option<WarmServer>, mode: Mode) -> Self {
        let mut starts = Self { wanted, ..Self::default() };
        if starts.wanted.is_some() && !mode.has_name_spaces() {
            starts.refused = Some("this tier has no process id name spaces".to_owned());
        }
        if starts.wanted.is_some() && starts.refused.is_none() {
            starts.children = File::open("/proc/thread-self/children").ok();
            if starts.children.is_none() {
                starts.refused = Some("the kernel lists no children of a process".to_owned());
            }
        }
        starts
    }

    /// The server's process.
    pub(super) fn process(&self) -> Option<i32> {
        self.running.as_ref().map(|server| server.process)
    }

    /// Returns the number of unix sockets that are there because of the server.
    pub(super) fn sockets(&self) -> usize {
        self.running.as_ref().map_or(0, |server| server.sockets)
    }

    /// Returns the start of a program: `warm` is its process if it is a copy.
    pub(super) fn start(&self, warm: Option<i32>) -> StartKind {
        match (&self.wanted, warm, &self.refused) {
            (None, _, _) => StartKind::Cold,
            (Some(_), Some(_), _) => StartKind::Warm,
            (Some(_), None, Some(reason)) => StartKind::ColdBecause(reason.clone()),
            (Some(_), None, None) => StartKind::ColdBecause("no copy could be made".to_owned()),
        }
    }

    /// Returns the limits of a turn; they include the extra cost of a cold start if one happened.
    pub(super) fn extend_limits<'a>(
        &self,
        request: &'a TurnRequest,
        start: &StartKind,
    ) -> Cow<'a, TurnRequest> {
        let (Some(wanted), StartKind::ColdBecause(_)) = (&self.wanted, start) else {
            return Cow::Borrowed(request);
        };
        let mut request = request.clone();
        request.limits.cpu += wanted.cold.cpu;
        request.limits.wall += wanted.cold.wall;
        Cow::Owned(request)
    }

    /// Returns whether this reaped child was the server, and forgets the server then.
    pub(super) fn note_reaped(&mut self, process: i32) -> bool {
        let was_server = self.process() == Some(process);
        if was_server {
            self.running = None;
            self.lost += 1;
        }
        was_server
    }

    /// Returns whether the launcher has no other child than the server.
    pub(super) fn is_only_child(&self) -> bool {
        let (Some(file), Some(server)) = (&self.children, self.process()) else { return false };
        let mut list = [0; 32];
        let Ok(length) = file.read_at(&mut list, 0) else { return false };
        list[..length].trim_ascii() == server.to_string().as_bytes()
    }

    fn is_wanted_for(&self, request: &TurnRequest) -> bool {
        let Some(wanted) = &self.wanted else { return false };
        let arguments = request.command.get(wanted.stem.len()..);
        let mut stem = wanted.stem.iter().map(|word| word.as_bytes()).zip(&request.command);
        arguments.is_some_and(can_be_passed) && stem.all(|(word, given)| word == given.as_slice())
    }
}

fn can_be_passed(arguments: &[ByteBuf]) -> bool {
    arguments.iter().all(|one| one.len() < LONGEST_ARGUMENT && !one.contains(&0))
        && arguments.iter().map(|one| one.len() + 1).sum::<usize>() < LONGEST_ARGUMENTS
}

impl InnerSeat {
    /// Makes the server for a program if the seat should have one and has none; called before the
    /// program's clock starts.
    pub(super) fn prepare_warm(&mut self, request: &TurnRequest) {
        if self.warm.refused.is_some() || !self.warm.is_wanted_for(request) {
            return;
        }
        if self.warm.running.is_none() {
            if self.warm.lost > MOST_LOST {
                self.warm.refused = Some(format!("its server was lost {} times", self.warm.lost));
            } else if let Err(reason) = self.make_server(request) {
                self.warm.refused = Some(reason);
            }
            self.restart_counts();
        }
    }

    /// Ends the server; that is no fault of a program.
    pub(super) fn end_server(&mut self) {
        if let Some(server) = self.warm.running.take() {
            kill_and_reap(server.process);
            self.restart_counts();
        }
    }

    /// Forgets the servers lost so far, for a new environment.
    pub(super) fn renew_warm(&mut self) {
        self.end_server();
        if self.warm.lost > MOST_LOST {
            self.warm.refused = None;
        }
        self.warm.lost = 0;
    }

    fn make_server(&mut self, request: &TurnRequest) -> Result<(), String> {
        let said = |errno: Errno| format!("its server cannot be made: {errno}");
        self.programs.enter(&request.folder).map_err(said)?;
        let (socket, theirs) = sockets().map_err(said)?;
        let (stdout, stderr, streams) =
            self.open_streams(self.limits.stdout.0, None).map_err(said)?;
        let wanted = self.warm.wanted.as_ref().ok_or("nothing is to be warm")?;
        let command = strings(wanted.stem.iter().map(|word| word.as_bytes()))?;
        let environment = self.server_environment(&wanted.variables)?;
        self.programs.restart_ids(NUMBER_BEFORE);
        self.set_score(ScoreOwner::Programs);
        let (server, environment) = (Some(theirs.as_fd()), environment.as_slice());
        let start = TurnStart { server, environment, ..self.start_of(&command, &streams) };
        let process = match self.programs.start(&start) {
            Ok(process) => process,
            Err((child, failure)) => {
                child.into_iter().for_each(kill_and_reap);
                return Err(format!("its server cannot be started: {failure:?}"));
            }
        };
        drop((streams, theirs));
        let mut server = Server { process, socket, sockets: 0, streams: [stdout, stderr] };
        self.send_greeting(&mut server).inspect_err(|_| kill_and_reap(process))?;
        server.sockets = self.calls.unix_sockets();
        self.warm.running = Some(server);
        Ok(())
    }

    /// Sends a server its settings, and waits until it is ready.
    fn send_greeting(&mut self, server: &mut Server) -> Result<(), String> {
        let wanted = self.warm.wanted.as_ref().ok_or("nothing is to be warm")?;
        let greeting = greeting(server.process, wanted);
        send(server.socket.as_raw_fd(), &greeting, MsgFlags::MSG_NOSIGNAL)
            .map_err(|errno| format!("its server does not listen: {errno}"))?;
        let mut answer = [0; 4096];
        let length = self.receive_message(server, &mut answer).unwrap_or(0);
        match &answer[..length] {
            b"ready" => Ok(()),
            [b'n', b'o', b' ', reason @ ..] => Err(String::from_utf8_lossy(reason).into_owned()),
            _ => {
                let [_, stderr] = &mut server.streams;
                kill_and_reap(server.process);
                stderr.drain(&mut self.buffer);
                let said = String::from_utf8_lossy(&stderr.kept);
                let last = said.trim().lines().next_back().unwrap_or("nothing").to_owned();
                Err(format!("its server ended or was silent, and said: {last}"))
            }
        }
    }

    /// Receives a message of a server. If the seat refuses new processes, the server's own are
    /// allowed meanwhile, because nothing else of the seat runs.
    fn receive_message(&self, server: &Server, message: &mut [u8]) -> Result<usize, Errno> {
        let until = Instant::now() + PATIENCE;
        loop {
            let asked = self.calls.listener().unwrap_or(server.socket.as_fd());
            let mut polled = [server.socket.as_fd(), asked]
                .map(|descriptor| PollFd::new(descriptor, PollFlags::POLLIN));
            let left = until.saturating_duration_since(Instant::now());
            let left = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
            match poll(&mut polled, left) {
                Ok(0) => return Err(Errno::ETIMEDOUT),
                Ok(_) => {}
                Err(Errno::EINTR) => continue,
                Err(errno) => return Err(errno),
            }
            let is_ready = |one: &PollFd<'_>| one.revents().is_some_and(|what| !what.is_empty());
            if is_ready(&polled[0]) {
                return recv(server.socket.as_raw_fd(), message, MsgFlags::MSG_DONTWAIT);
            }
            if is_ready(&polled[1])
                && let Some(call) = sys::next_call(asked)
            {
                match i64::from(server.process) == i64::from(call.thread) {
                    true => sys::let_call(asked, &call),
                    false => drop(sys::answer_call(asked, &call, Err(Errno::EPERM))),
                }
            }
        }
    }

    /// Starts a program as a copy of the server; `None` if the seat starts it cold, or that failed.
    pub(super) fn start_warm(
        &mut self,
        request: &TurnRequest,
        streams: &[OwnedFd; 3],
    ) -> Option<i32> {
        if self.warm.running.is_none() || !self.warm.is_wanted_for(request) {
            return None;
        }
        let server = self.warm.running.take()?;
        match self.copy(&server, request, streams) {
            Ok(process) if process > 0 => {
                self.warm.running = Some(server);
                Some(process)
            }
            _ => {
                kill_and_reap(server.process);
                self.warm.lost += 1;
                None
            }
        }
    }

    fn copy(
        &self,
        server: &Server,
        request: &TurnRequest,
        streams: &[OwnedFd; 3],
    ) -> Result<i32, Errno> {
        let (ours, theirs) = pair(SockType::Stream)?;
        let [stdin, stdout, stderr] = streams.each_ref().map(AsRawFd::as_raw_fd);
        let passed = [stdin, stdout, stderr, theirs.as_raw_fd()];
        let control = [ControlMessage::ScmRights(&passed)];
        let flags = MsgFlags::MSG_NOSIGNAL;
        sendmsg::<()>(server.socket.as_raw_fd(), &[IoSlice::new(b"+")], &control, flags, None)?;
        drop(theirs);
        let mut number = [0; 4];
        let process = match self.receive_message(server, &mut number)? {
            4 => i32::from_le_bytes(number),
            _ => return Err(Errno::EPROTO),
        };
        let arguments = self.arguments(request);
        let mut left = arguments.as_slice();
        while process > 0 && !left.is_empty() {
            // A copy that was killed meanwhile reads nothing more; its end is noticed elsewhere.
            let Ok(sent) = send(ours.as_raw_fd(), left, flags) else { break };
            left = &left[sent..];
        }
        Ok(process)
    }

    /// The folder, which may be another one of the same name by now, and the arguments after the
    /// server's own command, each ended by a zero byte.
    fn arguments(&self, request: &TurnRequest) -> Vec<u8> {
        let own = self.warm.wanted.as_ref().map_or(0, |wanted| wanted.stem.len());
        let arguments = std::iter::once(&request.folder).chain(request.command.iter().skip(own));
        arguments.flat_map(|argument| argument.iter().copied().chain([0])).collect()
    }

    fn server_environment(
        &self,
        variables: &[(OsString, OsString)],
    ) -> Result<Vec<CString>, String> {
        let is_replaced = |entry: &CString| {
            let name = entry.as_bytes().split(|byte| *byte == b'=').next();
            variables.iter().any(|(replaced, _)| name == Some(replaced.as_bytes()))
        };
        let kept = self.programs.environment.iter().filter(|entry| !is_replaced(entry));
        let entry = |(name, value): &(OsString, OsString)| {
            [name.as_bytes(), b"=", value.as_bytes()].concat()
        };
        Ok(kept.cloned().chain(strings(variables.iter().map(entry))?).collect())
    }
}

/// Kills a child of this process and waits for it.
fn kill_and_reap(process: i32) {
    let _ = kill(Pid::from_raw(process), Signal::SIGKILL);
    let _ = sys::reap_one(process);
    // Takes the signal about this end, so that a turn does not see it.
    sys::wait_child_signal(Duration::ZERO);
}

fn strings<S: Into<Vec<u8>>>(entries: impl Iterator<Item = S>) -> Result<Vec<CString>, String> {
    entries.map(CString::new).collect::<Result<_, _>>().map_err(|error| error.to_string())
}

/// Makes our end and the server's; the server's has a number that is no standard stream's.
fn sockets() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (ours, theirs) = pair(SockType::SeqPacket)?;
    let high = fcntl(theirs.as_fd(), FcntlArg::F_DUPFD_CLOEXEC(sys::FIRST_FREE))?;
    Ok((ours, sys::adopt(high)?))
}

fn pair(kind: SockType) -> Result<(OwnedFd, OwnedFd), Errno> {
    sys::socket_pair_marked(kind as i32)
}

/// Makes the first message to a server: the numbers of the system calls it makes, the filter of its
/// copies, the way they end, and what it loads first.
fn greeting(server: i32, wanted: &WarmServer) -> Vec<u8> {
    let calls = [
        libc::SYS_clone,
        libc::SYS_landlock_create_ruleset,
        libc::SYS_landlock_add_rule,
        libc::SYS_landlock_restrict_self,
        libc::SYS_prctl,
        libc::SYS_recvmsg,
        libc::SYS_dup3,
        libc::SYS_close,
        libc::SYS_lseek,
        libc::SYS_wait4,
    ];
    let filter = filter::keep_from(server.unsigned_abs());
    let filter: String = filter.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut fields: Vec<Vec<u8>> = calls.iter().map(|call| call.to_string().into_bytes()).collect();
    fields.push(filter.into_bytes());
    fields.extend(wanted.words.iter().map(|word| word.clone().into_bytes()));
    fields.join(&0)
}
