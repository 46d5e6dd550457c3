//! Stock of free processors. It ensures that no more bots think than there are cores for them,
//! across all processes of Joust on the machine.
//!
//! A borrowed core is claimed with an abstract socket named after it, which the kernel removes with
//! the process. If other processes hold all cores for long, the cores are shared.

use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::{Duration, Instant};

use crate::channel::affinity;
use parking_lot::{Condvar, Mutex};

/// Time to wait for a core of another process, and the time between attempts.
const PATIENCE: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_millis(1);

/// Processors that bouts borrow.
#[derive(Debug)]
pub struct Cores {
    stock: Mutex<CoreStock>,
    returned: Condvar,
    total: usize,
    claim_mode: ClaimMode,
}

#[derive(Debug)]
struct CoreStock {
    free: Vec<usize>,
    /// Time that the next loan may wait for other processes.
    patience: Duration,
}

/// Mode in which the cores of a stock are claimed on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClaimMode {
    ForEachLoan,
    /// The claims are held outside, for the lifetime of the stock.
    Held,
}

/// Error for a bout that needs more cores than the machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a bout needs {needed} cores and this machine has {there}")]
pub struct NotEnoughCores {
    /// Number of cores that it needs.
    pub needed: usize,
    /// Number of cores of the machine.
    pub there: usize,
}

/// Claim on a core. While it exists, no other process of Joust on this machine uses the core.
#[derive(Debug)]
pub struct CoreClaim {
    /// `None` where the machine does not support claims.
    _socket: Option<UnixDatagram>,
}

impl CoreClaim {
    /// Claims a core; `None` while another process has it.
    pub fn take(number: usize) -> Option<Self> {
        let name = format!("joust-core-{number}");
        let bound = SocketAddr::from_abstract_name(name)
            .and_then(|address| UnixDatagram::bind_addr(&address));
        match bound {
            Ok(socket) => Some(Self { _socket: Some(socket) }),
            Err(error) if error.kind() == ErrorKind::AddrInUse => None,
            Err(_) => Some(Self { _socket: None }),
        }
    }
}

/// Borrowed cores; dropping the value returns them.
#[derive(Debug)]
pub struct CorePermit<'a> {
    cores: &'a Cores,
    lent: Vec<usize>,
    claims: Vec<CoreClaim>,
}

impl Cores {
    /// Makes a stock of processors that other processes may use, too.
    pub fn new(processors: Vec<usize>) -> Self {
        Self::with(processors, ClaimMode::ForEachLoan)
    }

    /// Makes a stock of processors that the caller has claimed.
    pub fn claimed(processors: Vec<usize>) -> Self {
        Self::with(processors, ClaimMode::Held)
    }

    fn with(free: Vec<usize>, claim_mode: ClaimMode) -> Self {
        let total = free.len();
        let stock = Mutex::new(CoreStock { free, patience: PATIENCE });
        Self { stock, returned: Condvar::new(), total, claim_mode }
    }

    /// Returns the total number of processors.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Waits for `needed` processors and borrows them.
    ///
    /// # Errors
    ///
    /// [`NotEnoughCores`] when the stock has fewer in total.
    pub fn take(&self, needed: usize) -> Result<CorePermit<'_>, NotEnoughCores> {
        if needed > self.total {
            return Err(NotEnoughCores { needed, there: self.total });
        }
        let mut stock = self.stock.lock();
        let mut until = None;
        loop {
            if stock.free.len() < needed {
                self.returned.wait(&mut stock);
                continue;
            }
            let is_late = Instant::now() >= *until.get_or_insert(Instant::now() + stock.patience);
            if let Some((lent, claims)) = self.choose(&stock.free, needed, is_late) {
                stock.free.retain(|number| !lent.contains(number));
                stock.patience = if is_late { Duration::ZERO } else { PATIENCE };
                return Ok(CorePermit { cores: self, lent, claims });
            }
            self.returned.wait_for(&mut stock, RETRY);
        }
    }

    /// Chooses free processors that no other process has, or any after the patience has run out.
    fn choose(
        &self,
        free: &[usize],
        needed: usize,
        is_late: bool,
    ) -> Option<(Vec<usize>, Vec<CoreClaim>)> {
        let last = || free.iter().rev().copied();
        if self.claim_mode == ClaimMode::Held {
            return Some((last().take(needed).collect(), Vec::new()));
        }
        let claim = |number| Some((number, CoreClaim::take(number)?));
        let (mut lent, claims): (Vec<usize>, Vec<CoreClaim>) =
            last().filter_map(claim).take(needed).unzip();
        if is_late {
            let rest: Vec<usize> = last().filter(|number| !lent.contains(number)).collect();
            lent.extend(rest.into_iter().take(needed - lent.len()));
        }
        (lent.len() == needed).then_some((lent, claims))
    }
}

impl CorePermit<'_> {
    /// Returns the processors' numbers.
    pub fn numbers(&self) -> &[usize] {
        &self.lent
    }
}

impl Drop for CorePermit<'_> {
    fn drop(&mut self) {
        self.claims.clear();
        let mut stock = self.cores.stock.lock();
        stock.free.append(&mut self.lent);
        self.cores.returned.notify_all();
    }
}

/// Returns the processors that this process may use.
pub fn available() -> Vec<usize> {
    let processors = affinity::processors();
    if processors.is_empty() { vec![0] } else { processors }
}

/// Busy time and total time of the processors since the machine was started.
#[derive(Clone, Debug, Default)]
pub struct CoreLoad(Vec<CoreTimes>);

/// Times of one processor, in ticks of the kernel.
#[derive(Clone, Copy, Debug)]
struct CoreTimes {
    number: usize,
    worked: u64,
    all: u64,
}

/// Share of a core's time used by others from which it counts as shared, in percent.
const SHARED_PERCENT: u64 = 50;

impl CoreLoad {
    /// Reads the load of all processors; empty if the kernel does not report it.
    pub fn look() -> Self {
        Self::read(&std::fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    fn read(text: &str) -> Self {
        let times = |line: &str| {
            let (number, times) = line.strip_prefix("cpu")?.split_once(' ')?;
            let times = times.split_whitespace().take(8);
            let times: Vec<u64> = times.map(|time| time.parse().unwrap_or(0)).collect();
            let idle = times.get(3)? + times.get(4)?;
            let all: u64 = times.iter().sum();
            let worked = all.saturating_sub(idle);
            Some(CoreTimes { number: number.parse().ok()?, worked, all })
        };
        Self(text.lines().filter_map(times).collect())
    }

    /// Returns those of `processors` that others used for at least half of the time since `before`.
    /// This process must have been idle meanwhile.
    pub fn shared_since(&self, before: &Self, processors: &[usize]) -> Vec<usize> {
        let shared = |(now, before): (&CoreTimes, &CoreTimes)| {
            let worked = now.worked.saturating_sub(before.worked);
            let all = now.all.saturating_sub(before.all);
            let is_shared = all > 0 && worked * 100 >= all * SHARED_PERCENT;
            (is_shared && processors.contains(&now.number)).then_some(now.number)
        };
        self.0.iter().zip(&before.0).filter_map(shared).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of processors that no machine has, unique to the test.
    fn unknown(count: usize) -> Vec<usize> {
        let first = 1_000_000 + 64 * std::process::id() as usize;
        (first..first + count).collect()
    }

    #[test]
    fn cores_on_loan_come_back() {
        let cores = Cores::claimed(vec![0, 1]);
        let first = cores.take(1).expect("there are two");
        let second = cores.take(1).expect("there is one left");
        assert_ne!(first.numbers(), second.numbers());
        drop((first, second));
        assert_eq!(cores.take(2).expect("both are back").numbers().len(), 2);
    }

    #[test]
    fn more_cores_than_there_are_is_an_error() {
        let cores = Cores::new(vec![0, 1]);
        let error = cores.take(3).expect_err("there are two");
        assert_eq!(error, NotEnoughCores { needed: 3, there: 2 });
    }

    #[test]
    fn two_runs_of_one_bout_at_a_time_have_different_cores() {
        let [one, other] = [unknown(2), unknown(2)].map(Cores::new);
        let (first, second) = (one.take(1).expect("two"), other.take(1).expect("one is free"));
        assert_ne!(first.numbers(), second.numbers());
        let began = Instant::now();
        let third = one.take(1).expect("they are shared after a while");
        assert!(began.elapsed() >= PATIENCE);
        assert_eq!(third.numbers(), second.numbers());
        drop((first, second, third));
        assert_eq!(other.take(2).expect("both are free").numbers().len(), 2);
    }

    #[test]
    fn cores_on_which_others_work_are_named() {
        let later = CoreLoad::read("cpu0 10 0 40 1950 10 0 0 0 0 0\ncpu1 51 0 0 1049 0 0 0 0\n");
        let before = CoreLoad::read("cpu0 10 0 10 1880 0 0 0 0 0 0\ncpu1 0 0 0 1000 0 0 0 0\n");
        assert_eq!(later.shared_since(&before, &[0, 1]), [1]);
        assert!(later.shared_since(&before, &[0]).is_empty());
        assert!(later.shared_since(&CoreLoad::default(), &[0, 1]).is_empty());
    }
}
