//! Counters of the seat's control groups, read from files that stay open.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;
use nix::sys::uio::{pread, pwrite};
use serde_bytes::ByteBuf;

use super::super::set_up::path;
use crate::error::{SandboxError, Step};
use crate::wire::Counter;

/// The open files by [`Counter`]; a file is `None` if the host has no such group.
#[derive(Default)]
pub(crate) struct Counters([Option<OwnedFd>; Counter::Pressure as usize + 1]);

impl Counters {
    /// Opens the files of the host.
    pub(crate) fn open(files: &[(Counter, ByteBuf)]) -> Result<Self, SandboxError> {
        let mut counters = Self::default();
        for (counter, file) in files {
            counters.0[*counter as usize] = Some(open_counter(path(file))?);
        }
        // Before Linux 5.13 the kernel does not tell stalls from threads that keep each other
        // waiting.
        if counters.stall().is_none() {
            counters.0[Counter::Pressure as usize] = None;
        }
        Ok(counters)
    }

    fn file(&self, counter: Counter) -> Option<&OwnedFd> {
        self.0[counter as usize].as_ref()
    }

    /// Reads a file into `buffer`.
    fn text<'b>(&self, counter: Counter, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
        let count = pread(self.file(counter)?, buffer, 0).ok()?;
        Some(&buffer[..count])
    }

    /// Reads the number after `key`, from the start of the file when `key` is empty.
    fn number(&self, counter: Counter, key: &str) -> Option<u64> {
        number_after(self.text(counter, &mut [0; 512])?, key.as_bytes())
    }

    /// Returns whether the kernel enforces the memory limit.
    pub(crate) fn limits_memory(&self) -> bool {
        self.file(Counter::MemoryKills).is_some()
    }

    /// Returns the file to which a program writes `0` in order to be in the group whose memory is
    /// limited; `None` if it is there from its start.
    pub(crate) fn entry(&self) -> Option<BorrowedFd<'_>> {
        self.file(Counter::MemoryEntry).map(AsFd::as_fd)
    }

    /// Sets whether one kill by the memory limit kills all programs. That would include the
    /// launcher while it can be killed.
    pub(crate) fn kill_all_together(&self, together: bool) {
        if let Some(file) = self.file(Counter::MemoryKillsAll) {
            let _ = pwrite(file, if together { b"1" } else { b"0" }, 0);
        }
    }

    /// Returns whether a group counts the processor time of the whole tree.
    pub(crate) fn counts_cpu(&self) -> bool {
        let formats = [Counter::CpuNanoseconds, Counter::CpuStatistics];
        formats.into_iter().any(|counter| self.file(counter).is_some())
    }

    /// Returns whether groups count everything that a running program could use up.
    pub(crate) fn counts_everything(&self) -> bool {
        self.limits_memory() && self.counts_cpu() && self.file(Counter::Pressure).is_some()
    }

    /// Returns the processor time of all processes that ever were in the group.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        if self.file(Counter::CpuNanoseconds).is_some() {
            return self.number(Counter::CpuNanoseconds, "").map(Duration::from_nanos);
        }
        self.number(Counter::CpuStatistics, "usage_usec ").map(Duration::from_micros)
    }

    /// Returns the largest memory since [`Counters::take_peak`] last succeeded, in bytes.
    pub(crate) fn peak(&self) -> Option<u64> {
        Some(self.memory_peak()?.saturating_add(self.sockets()))
    }

    /// As [`Counters::peak`], without the memory that is counted separately.
    pub(crate) fn memory_peak(&self) -> Option<u64> {
        self.number(Counter::MemoryPeak, "")
    }

    /// Returns the largest memory of socket buffers since then, if it is counted separately.
    fn sockets(&self) -> u64 {
        self.number(Counter::SocketPeak, "").unwrap_or(0)
    }

    /// The memory now, in bytes.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.number(Counter::MemoryNow, "")
    }

    /// Returns the bytes of files that the kernel keeps in memory and charges to the group. It
    /// frees them on demand.
    pub(crate) fn file_pages(&self) -> Option<u64> {
        let mut buffer = [0; 4096];
        let text = self.text(Counter::MemoryStatistics, &mut buffer)?;
        let of = |key: &[u8]| number_after(text, key);
        Some(of(b"inactive_file ")?.saturating_add(of(b"active_file ")?))
    }

    /// As [`Counters::peak`], and starts a new peak. Version 2 of control groups cannot before Linux
    /// 6.12: then the second number is the old peak, and only larger peaks are visible; else it is 0.
    pub(crate) fn take_peak(&self) -> (Option<u64>, u64) {
        let sockets = self.sockets();
        if let Some(file) = self.file(Counter::SocketPeak).filter(|_| sockets > 0) {
            let _ = pwrite(file, b"0\n", 0);
        }
        let Some(file) = self.file(Counter::MemoryPeak) else { return (None, 0) };
        let peak = self.memory_peak().map(|peak| peak.saturating_add(sockets));
        match pwrite(file, b"0\n", 0) {
            Ok(_) => (peak, 0),
            Err(_) => (peak, peak.unwrap_or(0)),
        }
    }

    /// Returns how many programs of the group were killed so far for want of memory, in the group
    /// or around it, and how often the group's own limit was reached, if that is counted.
    pub(crate) fn memory_kills(&self) -> (u64, Option<u64>) {
        let mut buffer = [0; 512];
        let text = self.text(Counter::MemoryKills, &mut buffer).unwrap_or_default();
        (number_after(text, b"oom_kill ").unwrap_or(0), number_after(text, b"oom "))
    }

    /// Returns how many programs were killed so far for want of memory of the machine or the group
    /// around all seats, if no group of the seat counts its own.
    pub(crate) fn kills_outside(&self) -> u64 {
        if self.file(Counter::KillsOutside).is_none() {
            return 0;
        }
        let mut buffer = vec![0; 16 << 10];
        let text = self.text(Counter::KillsOutside, &mut buffer).unwrap_or_default();
        number_after(text, b"oom_kill ").unwrap_or(0)
    }

    /// Returns the number of refused forks so far.
    pub(crate) fn process_refusals(&self) -> u64 {
        self.number(Counter::ProcessRefusals, "max ").unwrap_or(0)
    }

    /// Time during which a thread of the group, including the launcher, waited for a processor and
    /// no thread of the group had one. Threads that keep each other waiting are no stall, for
    /// instance those of a Java runtime with one processor.
    pub(crate) fn stall(&self) -> Option<Duration> {
        let mut buffer = [0; 512];
        stall_in(self.text(Counter::Pressure, &mut buffer)?).map(Duration::from_micros)
    }
}

/// Returns the microseconds in a text such as `cpu.pressure`.
fn stall_in(text: &[u8]) -> Option<u64> {
    number_after(&text[key_at(text, b"full ")?..], b"total=")
}

pub(super) fn number_after(text: &[u8], key: &[u8]) -> Option<u64> {
    let start = match key.is_empty() {
        true => 0,
        false => key_at(text, key)? + key.len(),
    };
    let digits = text[start..].iter().take_while(|byte| byte.is_ascii_digit());
    let mut number: Option<u64> = None;
    for digit in digits {
        let so_far = number.unwrap_or(0);
        number = Some(so_far.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?);
    }
    number
}

/// Returns the position of `key` at the start of a word.
fn key_at(text: &[u8], key: &[u8]) -> Option<usize> {
    let words = text.iter().enumerate().filter(|(at, byte)| {
        Some(*byte) == key.first() && (*at == 0 || text[at - 1].is_ascii_whitespace())
    });
    words.map(|(at, _)| at).find(|at| text[*at..].starts_with(key))
}

/// Opens a counter, also for writing if the kernel allows it: a write resets a peak.
fn open_counter(file: &Path) -> Result<OwnedFd, SandboxError> {
    let open = |flags: OFlag| open(file, flags | OFlag::O_CLOEXEC, Mode::empty());
    open(OFlag::O_RDWR)
        .or_else(|_| open(OFlag::O_RDONLY))
        .step(&format!("open `{}`", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_number_is_read() {
        assert_eq!(number_after(b"12345\n", b""), Some(12_345));
    }

    #[test]
    fn a_number_is_found_after_its_own_key_only() {
        let text = b"oom_kill_disable 0\nunder_oom 0\noom_kill 3\n";
        assert_eq!(number_after(text, b"oom_kill "), Some(3));
    }

    #[test]
    fn a_key_inside_another_word_does_not_count() {
        assert_eq!(number_after(b"subtotal=1 total=2", b"total="), Some(2));
    }

    #[test]
    fn stall_is_when_nothing_of_the_group_runs() {
        let some = b"some avg10=0.00 avg60=0.00 avg300=0.00 total=17\n";
        let both = [&some[..], b"full avg10=0.00 avg60=0.00 avg300=0.00 total=4\n"].concat();
        assert_eq!((stall_in(&both), stall_in(some), stall_in(b"")), (Some(4), None, None));
    }

    #[test]
    fn what_is_not_there_is_none() {
        assert_eq!(number_after(b"max 1", b"oom_kill "), None);
        assert_eq!(number_after(b"max x", b"max "), None);
        assert_eq!(number_after(b"99999999999999999999999", b""), None);
    }
}
