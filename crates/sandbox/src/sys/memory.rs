//! Memory of this process: the size of a page, and what is freed and goes back to the system.

/// The smallest block that is one mapping of its own, bytes.
#[cfg(target_env = "gnu")]
const LARGE: libc::c_int = 1 << 20;

/// Lets every freed block of a mebibyte and more go back to the system at once, in a process that
/// runs for days.
///
/// The C library of GNU has large blocks as mappings of their own, but each that is freed teaches
/// it to take such ones of its pools, and every thread has a pool of its own: a program whose
/// threads do the same work by turns grows with each of them. Other libraries do not learn.
///
/// Source: `mallopt(3)`, `M_MMAP_THRESHOLD`.
pub fn return_large_blocks() {
    #[cfg(target_env = "gnu")]
    // SAFETY: two numbers; the library locks what it sets.
    let is_set = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
    #[cfg(target_env = "gnu")]
    debug_assert_eq!(is_set, 1, "the threshold is below the largest one");
}

/// Returns the size of a page, bytes.
pub(crate) fn page_size() -> u64 {
    // SAFETY: it only returns a number.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: usize = 24 << 20;

    /// Returns how much memory this process has in use, bytes.
    fn resident() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        let kib: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kib << 10
    }

    #[test]
    fn a_large_block_goes_back_also_after_others_of_its_size() {
        return_large_blocks();
        let before = resident();
        for _ in 0..3 {
            let block = std::hint::black_box(vec![1_u8; BLOCK]);
            assert!(resident() >= before + BLOCK / 2, "{} bytes are in use", block.len());
        }
        let kept = resident().saturating_sub(before);
        assert!(kept < BLOCK / 2, "{kept} bytes are still in use");
    }
}
