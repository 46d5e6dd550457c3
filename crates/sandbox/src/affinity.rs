//! Processor affinity: which processors a thread may use.

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Returns the numbers of the processors the calling thread may use; empty when
/// the kernel does not say.
pub fn processors() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(Pid::from_raw(0)) else { return Vec::new() };
    (0..CpuSet::count()).filter(|number| set.is_set(*number).unwrap_or(false)).collect()
}

/// Lets the calling thread, and what it starts from now on, use only the
/// processors `numbers`.
///
/// # Errors
///
/// The kernel's, when there is no such processor.
pub fn pin_this_thread(numbers: &[usize]) -> Result<(), Errno> {
    let mut set = CpuSet::new();
    for number in numbers {
        set.set(*number)?;
    }
    sched_setaffinity(Pid::from_raw(0), &set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_has_the_processors_it_was_given() {
        std::thread::spawn(|| {
            let first = processors()[0];
            pin_this_thread(&[first]).expect("it is one of ours");
            assert_eq!(processors(), [first]);
        })
        .join()
        .expect("the thread does not panic");
    }
}
