//! Turn of a seat: files in, one program to its end, files out, everything else removed.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::check::check_command;
use super::scratch::{ReachedLimits, ReadScope};
use super::{GRACE, Seat};
use crate::error::{SandboxError, Step, TurnError};
use crate::limits::longest_extension;
use crate::link::LinkError;
use crate::wire::{Reply, Request, Traces, TurnRequest, TurnResult, strings};
use crate::{
    FileOutcome, LimitHit, OutputFile, ProgramLimits, PutFile, ScratchUse, TakeFile, Turn,
    TurnReport,
};

impl Seat {
    /// Runs one program to its end or its first limit. When this returns, no
    /// process of it is left, and a scratch that is new each turn is empty.
    ///
    /// # Errors
    ///
    /// [`TurnError`]; a program that started and failed is no error.
    pub fn turn(&mut self, turn: &Turn<'_>) -> Result<TurnReport, TurnError> {
        check_command(turn.command)?;
        self.reuse.is_clean = false;
        let before = self.note_start();
        self.scratch.put_files(turn.put, turn.take)?;
        self.note_put(top_names(turn.put).len())?;
        self.forget_times()?;
        let cold = self.spec.warm.as_ref().map_or(Duration::ZERO, |warm| warm.cold.wall);
        let limit = turn.limits.wall + cold;
        self.wait_no_longer_than(limit + longest_extension(limit) + GRACE)?;
        let request = Request::Turn(self.turn_request(turn.command, turn.folder, turn.limits));
        self.link.send(&request, &[]).map_err(|broken| self.lost(broken))?;
        let done = match self.link.receive().map_err(|broken| self.lost(broken))? {
            Reply::Done(done) => done,
            Reply::Failed(failure) => return Err(SandboxError::from(failure).into()),
            _ => return Err(self.lost(LinkError::Malformed)),
        };
        let traces = done.traces;
        self.note_end(before, traces);
        let is_untouched = self.is_scratch_untouched(turn);
        let report = match is_untouched {
            true => self.excused(*done)?,
            false => self.finish(turn.take, *done)?,
        };
        if self.spec.scratch_use == ScratchUse::FreshEachTurn {
            let used_numbers = !is_untouched && self.has_used_numbers(turn, &report)?;
            if traces != Traces::None || used_numbers || self.scratch.is_written()? {
                self.replace()?;
            }
        }
        self.reuse.is_clean = true;
        Ok(report)
    }

    /// Lets a scratch that is new each turn look new, last before a program starts.
    pub(super) fn forget_times(&self) -> Result<(), SandboxError> {
        match self.spec.scratch_use {
            ScratchUse::FreshEachTurn => self.scratch.forget_times(),
            _ => Ok(()),
        }
    }

    /// Returns whether the kernel's next number shows that nothing was made in an empty scratch of
    /// the seat's own: then it takes no room and has nothing to remove. A full one, or one whose
    /// owner can close it, has no such number.
    fn is_scratch_untouched(&mut self, turn: &Turn<'_>) -> bool {
        let is_plain = turn.put.is_empty() && turn.take.is_empty() && self.reuse.names_put == 0;
        if !is_plain || self.spec.scratch_use != ScratchUse::FreshEachTurn {
            return false;
        }
        let (Some(before), Some(_)) = (self.reuse.numbers, self.scratch.owner) else {
            return false;
        };
        let Ok(Some(now)) = self.scratch.numbers(ReadScope::Files) else { return false };
        let is_next = now.follow(before, 0, 0);
        if is_next {
            self.reuse.numbers = Some(before.updated(now));
        }
        is_next
    }

    /// Returns whether the turn made more in the scratch than the files put there and the answer:
    /// the kernel's next numbers would show it.
    fn has_used_numbers(
        &mut self,
        turn: &Turn<'_>,
        report: &TurnReport,
    ) -> Result<bool, SandboxError> {
        let put_names = std::mem::take(&mut self.reuse.names_put);
        let Some(before) = self.reuse.numbers else { return Ok(false) };
        let plain = turn.put.is_empty() && turn.take.is_empty();
        let look = if plain { ReadScope::Files } else { ReadScope::Places };
        let Some(now) = self.scratch.numbers(look)? else { return Ok(false) };
        self.reuse.numbers = Some(before.updated(now));
        let answers = report.files.iter().filter(|file| file.outcome != FileOutcome::Missing);
        let answers = answers.filter(|file| turn.put.iter().all(|put| put.path != file.path));
        let answers: Vec<&str> = answers.map(|file| top(&file.path)).collect();
        let names: BTreeSet<&str> = answers.iter().copied().collect();
        let names = put_names + names.difference(&top_names(turn.put)).count();
        Ok(!now.follow(before, answers.len() as u64, names))
    }

    /// Replaces the whole sandbox, for the same user, because the kernel would continue its counts
    /// in the old one.
    fn replace(&mut self) -> Result<(), SandboxError> {
        let Some(store) = self.reuse.store.clone() else { return Ok(()) };
        if self.claims.host_scratch.is_some() || !self.spec.host_sockets.listen.is_empty() {
            return Ok(());
        }
        let (user, after_use) = (self.claims.user.take(), self.reuse.after_use);
        self.end();
        let first = store.take_launcher(self.spec.network)?;
        let machine = Arc::clone(&self.claims.machine);
        let mut seat = Self::from_launcher(machine, first, &self.spec, user)?;
        seat.reuse.store = Some(store);
        seat.reuse.after_use = after_use;
        *self = seat;
        Ok(())
    }

    pub(super) fn turn_request(
        &self,
        command: &[OsString],
        folder: &Path,
        limits: ProgramLimits,
    ) -> TurnRequest {
        let folder = self.translation.path(folder).into_os_string().into_vec();
        let command = command.iter().map(|argument| self.translation.text(argument).into_vec());
        TurnRequest { command: strings(command), folder: folder.into(), limits }
    }

    pub(super) fn finish(
        &mut self,
        take: &[TakeFile],
        done: TurnResult,
    ) -> Result<TurnReport, TurnError> {
        let files = self.scratch.take_files(take)?;
        let room = self.scratch.free_space()?;
        let full = self.scratch.is_full(room, &self.spec.limits)?;
        if self.spec.scratch_use == ScratchUse::FreshEachTurn {
            self.scratch.clear(room)?;
        }
        Ok(with_files(self.excused(done)?, files, full))
    }

    /// Returns the report of a turn that the machine has not ended.
    fn excused(&self, done: TurnResult) -> Result<TurnReport, TurnError> {
        if done.killed_outside {
            self.excuse_kill()?;
        }
        Ok(done.report)
    }

    pub(super) fn wait_no_longer_than(&mut self, limit: Duration) -> Result<(), SandboxError> {
        if self.patience != limit {
            self.link.set_patience(limit).step("bound the wait for the launcher")?;
            self.patience = limit;
        }
        Ok(())
    }
}

/// Returns the names that files take in the folder of the scratch.
pub(super) fn top_names(put: &[PutFile]) -> BTreeSet<&str> {
    put.iter().map(|file| top(&file.path)).collect()
}

/// The first name of a path.
fn top(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

fn with_files(mut report: TurnReport, files: Vec<OutputFile>, full: ReachedLimits) -> TurnReport {
    let too_long = files.iter().any(|file| file.outcome == FileOutcome::TooLong);
    for (hit, happened) in [
        (LimitHit::AnswerFile, too_long),
        (LimitHit::Disk, full.bytes),
        (LimitHit::Files, full.files),
    ] {
        if happened {
            report.usage.limits_hit.insert(hit);
        }
    }
    report.files = files;
    report
}
