//! Stock of free processors: never more bots think than there are cores set
//! aside for them.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::channel::affinity;

/// Processors handed out to bouts.
#[derive(Debug)]
pub struct Cores {
    free: Mutex<Vec<usize>>,
    returned: Condvar,
    total: usize,
}

/// A bout needs more cores than the machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a bout needs {needed} cores and this machine has {there}")]
pub struct NotEnoughCores {
    /// How many it needs.
    pub needed: usize,
    /// How many there are.
    pub there: usize,
}

/// Cores on loan; dropping it gives them back.
#[derive(Debug)]
pub struct Loan<'a> {
    cores: &'a Cores,
    lent: Vec<usize>,
}

impl Cores {
    /// Makes a stock of processors.
    #[must_use]
    pub fn new(processors: Vec<usize>) -> Self {
        let total = processors.len();
        Self { free: Mutex::new(processors), returned: Condvar::new(), total }
    }

    /// Returns how many processors there are in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }

    /// Waits for `needed` processors and takes them.
    ///
    /// # Errors
    ///
    /// [`NotEnoughCores`] when there never can be so many.
    pub fn take(&self, needed: usize) -> Result<Loan<'_>, NotEnoughCores> {
        if needed > self.total {
            return Err(NotEnoughCores { needed, there: self.total });
        }
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while free.len() < needed {
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        let keep = free.len() - needed;
        let lent = free.split_off(keep);
        Ok(Loan { cores: self, lent })
    }
}

impl Loan<'_> {
    /// Returns the processors' numbers.
    #[must_use]
    pub fn numbers(&self) -> &[usize] {
        &self.lent
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut free = self.cores.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.append(&mut self.lent);
        self.cores.returned.notify_all();
    }
}

/// Returns the processors this process may use.
#[must_use]
pub fn available() -> Vec<usize> {
    let processors = affinity::processors();
    if processors.is_empty() { vec![0] } else { processors }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_on_loan_come_back() {
        let cores = Cores::new(vec![0, 1]);
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
}
