//! Seat: many turns in one ready-made sandbox.

mod check;
mod copy_in;
mod copy_out;
mod doors;
mod folder;
mod live;
mod numbers;
mod offer;
mod scratch;
mod stopper;
mod translate;
mod work_folder;

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use copy_in::Import;
pub use copy_out::{Export, ExportRefused, Exported};
pub(crate) use folder::{clear_folder, usage};
pub use live::{Arrived, Live};
pub use stopper::Stopper;
pub use work_folder::WorkFolder;

use crate::error::{SandboxError, Step, TurnError};
use crate::host::{Fresh, Promise, Shared};
use crate::link::Broken;
use crate::mechanism::cgroup::SeatGroup;
use crate::mechanism::memory::{kills, kills_file};
use crate::wire::{Counter, Done, Identity, Mode, Reply, SetUp, TurnRequest};
use crate::{
    Children, Host, LimitHit, Network, PutFile, ScratchUse, SeatSpec, TakeFile, Taken, Turn,
    TurnReport,
};
use check::{check_command, check_spec};
use numbers::{LookScope, Numbers};
use scratch::{Full, Scratch};
use translate::Translation;

/// How much longer than the `kill` limit a launcher may take to answer, with a
/// busy machine and thousands of processes to bury.
const GRACE: Duration = Duration::from_secs(30);

/// A sandbox that stands, with its launcher. Everything in it ends when it is
/// dropped.
pub struct Seat {
    // Dropped in this order: the launcher ends before its groups are removed.
    fresh: Fresh,
    scratch: Scratch,
    shared: Arc<Shared>,
    promise: Option<Promise>,
    /// Programs killed for want of memory before it was made, where no group counts its own.
    kills_before: u64,
    user: Option<u32>,
    host_scratch: Option<PathBuf>,
    translation: Translation,
    spec: SeatSpec,
    shortfalls: Vec<(String, String)>,
    listeners: Vec<TcpListener>,
    patience: Duration,
    /// What the scratch had given out when this was last looked at.
    numbers: Option<Numbers>,
    /// Where another launcher comes from.
    host: Option<Host>,
}

impl Seat {
    /// Makes a sandbox.
    ///
    /// # Errors
    ///
    /// [`SandboxError`] with the step that failed: a folder that does not
    /// exist, a path that is not absolute, a host that refuses.
    pub fn start(host: &Host, spec: &SeatSpec) -> Result<Self, SandboxError> {
        check_spec(spec)?;
        let fresh = host.fresh_launcher(spec.network)?;
        let mut seat = Self::from_launcher(Arc::clone(host.shared()), fresh, spec, None)?;
        seat.host = Some(host.clone());
        Ok(seat)
    }

    /// Sets a launcher up; `user` is that of its programs if they are to have a certain one.
    pub(crate) fn from_launcher(
        shared: Arc<Shared>,
        mut fresh: Fresh,
        spec: &SeatSpec,
        user: Option<u32>,
    ) -> Result<Self, SandboxError> {
        let taken = || shared.users.as_ref().map(|users| users.take()).transpose();
        let user = user.map_or_else(taken, |user| Ok(Some(user)))?;
        let user = UserGuard { shared: &shared, user };
        let host_scratch = HostScratch::make(shared.mode, user.user)?;
        let translation = host_scratch.path.as_deref();
        let translation =
            translation.map_or_else(Translation::default, |p| Translation::new(spec, p));
        if let Some(group) = &fresh.group {
            group.limit(&spec.limits)?;
        }
        let counters = fresh.group.as_ref().map_or_else(counters_outside, SeatGroup::counters);
        let request = SetUp {
            identity: Identity {
                mode: shared.mode,
                user: user.user.unwrap_or_else(|| nix::unistd::geteuid().as_raw()),
            },
            folders: spec.folders.iter().map(|folder| bytes(&folder.inside)).collect(),
            host_folders: spec.folders.iter().map(|folder| bytes(&folder.host)).collect(),
            environment: [environment(spec, &translation), doors::variables(&spec.doors)].concat(),
            scratch: bytes(&spec.scratch),
            host_scratch: host_scratch.path.as_deref().map(bytes).unwrap_or_default(),
            limits: spec.limits.clone(),
            network: u8::from(spec.network == Network::Host),
            children: u8::from(spec.children == Children::Refused),
            cores: spec.cores.iter().filter_map(|core| u32::try_from(*core).ok()).collect(),
            counters: counters.iter().map(|(counter, file)| (*counter, bytes(file))).collect(),
            ports: spec.doors.listen.iter().map(|listen| listen.port).collect(),
            hosts: spec.doors.hosts.iter().map(|name| name.as_bytes().to_vec()).collect(),
        };
        // A launcher that failed earlier is gone, but has said why.
        let _ = fresh.link.send(&request.encode(), &[]);
        let (shortfalls, writable, listeners) = receive_ready(&mut fresh)?;
        fresh.leave_memory_group()?;
        let listeners = doors::take_over(&spec.doors, shared.mode, listeners)?;
        let scratch = Scratch::new(writable, user.user)?;
        let kills_before = if fresh.group.is_none() { kills() } else { 0 };
        Ok(Self {
            numbers: scratch.numbers(LookScope::Places)?,
            host: None,
            scratch,
            fresh,
            user: user.keep(),
            host_scratch: host_scratch.keep(),
            translation,
            kills_before,
            promise: Some(shared.promises.promise(spec.limits.memory)),
            shared,
            spec: spec.clone(),
            shortfalls,
            listeners,
            patience: Duration::ZERO,
        })
    }

    /// Returns, once, the sockets that listen on the ports of
    /// [`Doors::listen`](crate::Doors::listen), in that order; they do not block. None
    /// where seats have no network of their own: [`Live::arrived`] gives what comes in.
    pub fn listeners(&mut self) -> Vec<TcpListener> {
        std::mem::take(&mut self.listeners)
    }

    /// Features that this seat has in part only: name and reason.
    #[must_use]
    pub fn shortfalls(&self) -> &[(String, String)] {
        &self.shortfalls
    }

    /// Runs one program to its end or its first limit. When this returns, no
    /// process of it is left, and a scratch that is new each turn is empty.
    ///
    /// # Errors
    ///
    /// [`TurnError`]; a program that started and failed is no error.
    pub fn turn(&mut self, turn: &Turn<'_>) -> Result<TurnReport, TurnError> {
        check_command(turn.command)?;
        self.scratch.put(turn.put, turn.take)?;
        self.note_put_files(turn.put)?;
        if self.spec.scratch_use == ScratchUse::FreshEachTurn {
            self.scratch.forget_times()?;
        }
        self.wait_no_longer_than(turn.limits.kill.max(turn.limits.turn) + GRACE)?;
        let request = self.encode(turn);
        self.fresh.link.send(&request, &[]).map_err(|broken| self.lost(broken))?;
        let answer = self.fresh.link.receive().map_err(|broken| self.lost(broken))?;
        let done = match Reply::decode(&answer) {
            Ok(Reply::Done(done)) => done,
            Ok(Reply::Failed(failure)) => return Err(SandboxError::from(failure).into()),
            Ok(_) | Err(_) => return Err(self.lost(Broken::Malformed)),
        };
        let made_objects = done.made_objects;
        let report = self.finish(turn.take, done)?;
        if self.spec.scratch_use == ScratchUse::FreshEachTurn {
            let used_numbers = self.has_used_numbers(turn, &report)?;
            if made_objects || used_numbers {
                self.replace()?;
            }
        }
        Ok(report)
    }

    fn note_put_files(&mut self, put: &[PutFile]) -> Result<(), SandboxError> {
        if !put.is_empty()
            && let Some(before) = self.numbers
        {
            self.numbers =
                self.scratch.numbers(LookScope::Files)?.map(|later| before.updated(later));
        }
        Ok(())
    }

    /// Whether more was made in the scratch than what was put there and the answer: the numbers
    /// that the kernel gives out next would tell.
    fn has_used_numbers(
        &mut self,
        turn: &Turn<'_>,
        report: &TurnReport,
    ) -> Result<bool, SandboxError> {
        let Some(before) = self.numbers else { return Ok(false) };
        let plain = turn.put.is_empty() && turn.take.is_empty();
        let look = if plain { LookScope::Files } else { LookScope::Places };
        let Some(now) = self.scratch.numbers(look)? else { return Ok(false) };
        self.numbers = Some(before.updated(now));
        let put: BTreeSet<&str> = turn.put.iter().map(|file| top(&file.path)).collect();
        let answers = report.files.iter().filter(|file| file.taken != Taken::Missing);
        let answers = answers.filter(|file| turn.put.iter().all(|put| put.path != file.path));
        let answers: Vec<&str> = answers.map(|file| top(&file.path)).collect();
        let tops: BTreeSet<&str> = put.iter().chain(&answers).copied().collect();
        let places = i64::try_from(tops.len()).unwrap_or(i64::MAX);
        Ok(!now.follow(before, answers.len() as u64, places))
    }

    /// Makes the whole sandbox anew, for the same user, because the kernel goes on counting in the
    /// old one.
    fn replace(&mut self) -> Result<(), SandboxError> {
        let Some(host) = self.host.clone() else { return Ok(()) };
        if self.host_scratch.is_some() || !self.spec.doors.listen.is_empty() {
            return Ok(());
        }
        let fresh = host.fresh_launcher(self.spec.network)?;
        let user = self.user.take();
        self.end();
        let mut seat = Self::from_launcher(Arc::clone(&self.shared), fresh, &self.spec, user)?;
        seat.host = Some(host);
        *self = seat;
        Ok(())
    }

    fn encode(&self, turn: &Turn<'_>) -> Vec<u8> {
        if self.host_scratch.is_none() {
            let command = turn.command.iter().map(|argument| argument.as_bytes());
            return TurnRequest::encode(command, turn.folder.as_os_str().as_bytes(), &turn.limits);
        }
        let command: Vec<_> = turn.command.iter().map(|a| self.translation.text(a)).collect();
        let folder = self.translation.path(turn.folder);
        let command = command.iter().map(|argument| argument.as_bytes());
        TurnRequest::encode(command, folder.as_os_str().as_bytes(), &turn.limits)
    }

    fn finish(&mut self, take: &[TakeFile], done: Done) -> Result<TurnReport, TurnError> {
        let files = self.scratch.take(take)?;
        let room = self.scratch.room()?;
        let full = self.scratch.is_full(room, &self.spec.limits)?;
        if self.spec.scratch_use == ScratchUse::FreshEachTurn {
            self.scratch.renew(room)?;
        }
        if done.killed_outside {
            self.excuse_kill()?;
        }
        Ok(report(done, files, full))
    }

    /// A program that the machine killed for want of memory below its own limit lost nothing,
    /// where that cannot be its own doing: where a group counts all it uses, or where more was
    /// promised to the seats than there is. Without a group it may use more than is seen.
    fn excuse_kill(&self) -> Result<(), TurnError> {
        if self.fresh.group.is_none() && !self.shared.promises.exceed_the_room() {
            return Ok(());
        }
        let reason = "the machine, or the control group around all bots, ran out of memory and \
                      ended it below its own limit";
        let hint = "lower `memory` under `limits` or play fewer bouts at once (`--jobs`); \
                    `joust doctor` tells what there is";
        Err(SandboxError::because("run a program", reason).with_hint(hint).into())
    }

    /// Copies a folder of the host into the scratch.
    ///
    /// # Errors
    ///
    /// [`SandboxError`] when the folder cannot be read or does not fit.
    pub fn import(&mut self, import: &Import) -> Result<(), SandboxError> {
        copy_in::copy(import, &self.scratch)
    }

    /// Lays a folder that the tree can read into the scratch, so that it can be
    /// written to there. The scratch must be new.
    ///
    /// # Errors
    ///
    /// [`SandboxError`] when the folder cannot be read, or its name is taken.
    pub fn lay(&mut self, work: &WorkFolder) -> Result<(), SandboxError> {
        let shown = self.translation.path(&work.shown);
        work_folder::lay(work, &shown, &self.scratch, &self.spec.limits)
    }

    /// Copies a folder of the scratch out to the host. To be called between
    /// turns, when no process is there that could change it meanwhile.
    ///
    /// # Errors
    ///
    /// The outer error is ours, the inner says what about the folder is refused.
    pub fn export(
        &mut self,
        export: &Export,
    ) -> Result<Result<Exported, ExportRefused>, SandboxError> {
        copy_out::copy(export, &self.scratch)
    }

    /// Returns what ends the seat's turns from another thread.
    ///
    /// # Errors
    ///
    /// [`SandboxError`] when no descriptor is free.
    pub fn stopper(&self) -> Result<Stopper, SandboxError> {
        let socket = self.fresh.link.socket().try_clone_to_owned();
        let step = "make a way to stop the seat";
        Ok(Stopper { socket: socket.map_err(|error| SandboxError::io(step, &error))? })
    }

    /// Ends everything in the seat and removes what it consisted of.
    ///
    /// # Errors
    ///
    /// None today; kept so that a removal that can fail is not ignored.
    pub fn stop(mut self) -> Result<(), SandboxError> {
        self.end();
        Ok(())
    }

    fn end(&mut self) {
        self.fresh.process.end();
        if let Some(group) = self.fresh.group.take() {
            self.shared.stock.bury(group);
        }
        self.promise = None;
        let alone = self.shared.mode == Mode::Container;
        if let Some(user) = self.user.take() {
            if alone {
                crate::sys::kill_user(user);
            }
            if let Some(users) = &self.shared.users {
                users.give_back(user);
            }
        }
        if let Some(folder) = self.host_scratch.take()
            && let Err(error) = crate::host::remove_folder(&folder)
        {
            tracing::warn!(path = %folder.display(), %error, "a scratch could not be removed");
        }
    }

    fn wait_no_longer_than(&mut self, limit: Duration) -> Result<(), SandboxError> {
        if self.patience != limit {
            self.fresh.link.set_patience(limit).step("bound the wait for the launcher")?;
            self.patience = limit;
        }
        Ok(())
    }

    /// A launcher may have been killed for want of memory, which a program can bring about.
    fn excuse_lost_launcher(&self) -> Option<TurnError> {
        let limit = self.spec.limits.memory;
        let (own, outside) = match &self.fresh.group {
            Some(group) => (group.reached_limit(limit), false),
            None => (false, kills() > self.kills_before),
        };
        if own {
            return None;
        }
        if outside {
            return self.excuse_kill().err();
        }
        let reason = "somebody outside the sandbox killed its launcher";
        Some(SandboxError::because("run a program", reason).into())
    }

    /// The launcher is gone or silent, which only what runs in the seat can have caused, unless
    /// it was killed and no program of that tier can send it a signal: as first process of its
    /// name space, or as another user.
    fn lost(&self, broken: Broken) -> TurnError {
        let gone = matches!(broken, Broken::Closed | Broken::Errno(_));
        if gone
            && self.shared.mode != Mode::Plain
            && self.fresh.process.was_killed()
            && let Some(excuse) = self.excuse_lost_launcher()
        {
            return excuse;
        }
        let reason = match broken {
            Broken::Closed => "its launcher is gone".to_owned(),
            Broken::Silent => "its launcher does not answer".to_owned(),
            Broken::Malformed => "its launcher talks nonsense".to_owned(),
            Broken::Errno(errno) => format!("its launcher cannot be reached: {errno}"),
        };
        TurnError::SeatLost { reason }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.end();
    }
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Gives a user id back unless the seat came to be.
struct UserGuard<'a> {
    shared: &'a Shared,
    user: Option<u32>,
}

impl UserGuard<'_> {
    fn keep(mut self) -> Option<u32> {
        self.user.take()
    }
}

impl Drop for UserGuard<'_> {
    fn drop(&mut self) {
        if let (Some(user), Some(users)) = (self.user, &self.shared.users) {
            users.give_back(user);
        }
    }
}

/// A scratch on the host's disk, removed unless the seat came to be.
struct HostScratch {
    path: Option<PathBuf>,
}

impl HostScratch {
    fn make(mode: Mode, user: Option<u32>) -> Result<Self, SandboxError> {
        let path = match mode {
            Mode::Root | Mode::UserNameSpace => None,
            Mode::Container | Mode::Plain => Some(scratch::make_on_host(user)?),
        };
        Ok(Self { path })
    }

    fn keep(mut self) -> Option<PathBuf> {
        self.path.take()
    }
}

impl Drop for HostScratch {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = crate::host::remove_folder(path);
        }
    }
}

/// The first name of a path.
fn top(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

/// What is counted of a seat without groups.
fn counters_outside() -> Vec<(Counter, PathBuf)> {
    kills_file().map(|path| (Counter::KillsOutside, path)).into_iter().collect()
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

fn environment(spec: &SeatSpec, translation: &Translation) -> Vec<Vec<u8>> {
    let entry = |(name, value): &(std::ffi::OsString, std::ffi::OsString)| {
        [name.as_bytes(), b"=", translation.text(value).as_bytes()].concat()
    };
    spec.environment.iter().map(entry).collect()
}

/// What a launcher that is ready hands out: its shortfalls, the writable folder, the listeners.
type HandedOut = (Vec<(String, String)>, OwnedFd, Vec<OwnedFd>);

fn receive_ready(fresh: &mut Fresh) -> Result<HandedOut, SandboxError> {
    let descriptors = match offer::take(fresh).map_err(no_answer)? {
        Ok(descriptors) => descriptors,
        Err(Reply::Failed(failure)) => return Err(failure.into()),
        Err(_) => return Err(no_answer(Broken::Malformed)),
    };
    let message = fresh.link.receive().map_err(no_answer)?;
    let Ok(Reply::Ready(ready)) = Reply::decode(&message) else {
        return Err(no_answer(Broken::Malformed));
    };
    let mut descriptors = descriptors.into_iter();
    let writable = descriptors.next().ok_or_else(|| no_answer(Broken::Malformed))?;
    Ok((ready.shortfalls, writable, descriptors.collect()))
}

pub(crate) fn no_answer(broken: Broken) -> SandboxError {
    let hint = "the launcher's program must call `launcher::main_if_seat` first";
    SandboxError::because("set the launcher up", format!("{broken:?}").to_lowercase())
        .with_hint(hint)
}

fn report(done: Done, files: Vec<crate::TakenFile>, full: Full) -> TurnReport {
    let mut hits = done.hits;
    let too_long = files.iter().any(|file| file.taken == crate::Taken::TooLong);
    for (hit, happened) in [
        (LimitHit::AnswerFile, too_long),
        (LimitHit::Disk, full.bytes),
        (LimitHit::Files, full.files),
    ] {
        if happened {
            hits.insert(hit);
        }
    }
    TurnReport {
        ending: done.ending,
        stdout: done.stdout,
        stdout_seen: done.stdout_seen,
        stderr: done.stderr,
        stderr_seen: done.stderr_seen,
        wall: done.wall,
        cpu: done.cpu,
        cpu_complete: done.cpu_complete,
        stall: done.stall,
        peak_memory: done.peak,
        limits_hit: hits,
        files,
        children_refused: done.children_refused,
        left_over_processes: done.left_over,
    }
}
