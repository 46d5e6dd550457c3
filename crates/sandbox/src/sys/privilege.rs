//! Capabilities and secure bits.

use nix::errno::Errno;

/// The header of `capset`, version 3: 64 capability bits in two words.
#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: libc::c_int,
}

/// One half of the capability sets.
#[repr(C)]
#[derive(Clone, Copy)]
struct CapabilityWord {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

const VERSION_3: u32 = 0x2008_0522;
const HIGHEST_CAPABILITY: libc::c_ulong = 63;
/// NOROOT, NO_SETUID_FIXUP left alone, KEEP_CAPS off and locked, NO_CAP_AMBIENT_RAISE; all locked.
const SECURE_BITS: libc::c_ulong = 0x1 | 0x2 | 0x20 | 0x40 | 0x80;

/// Removes every capability from the bounding set, so that no `exec` gives any back.
pub(crate) fn drop_bounding_set() -> Result<(), Errno> {
    for capability in 0..=HIGHEST_CAPABILITY {
        // SAFETY: PR_CAPBSET_DROP takes a number and no pointer.
        let result = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
        match Errno::result(result) {
            Ok(_) => {}
            Err(Errno::EINVAL) => break,
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Makes user 0 an ordinary user for `exec` and forbids ambient capabilities, both permanently.
pub(crate) fn lock_securebits() -> Result<(), Errno> {
    // SAFETY: PR_SET_SECUREBITS takes a number and no pointer.
    Errno::result(unsafe { libc::prctl(libc::PR_SET_SECUREBITS, SECURE_BITS, 0, 0, 0) }).map(drop)
}

/// The capabilities this process may use.
fn permitted() -> Result<u64, Errno> {
    let header = CapabilityHeader { version: VERSION_3, pid: 0 };
    let mut words = [CapabilityWord { effective: 0, permitted: 0, inheritable: 0 }; 2];
    // SAFETY: version 3 reads one header and writes two words, and both live through the call.
    let result = unsafe { libc::syscall(libc::SYS_capget, &raw const header, words.as_mut_ptr()) };
    Errno::result(result)?;
    Ok(u64::from(words[0].permitted) | u64::from(words[1].permitted) << 32)
}

/// Keeps at most the capabilities whose bits are set in `wanted`, none of them
/// inheritable. Gives the process no capability that it does not have.
pub(crate) fn keep_capabilities(wanted: u64) -> Result<(), Errno> {
    let header = CapabilityHeader { version: VERSION_3, pid: 0 };
    let kept = wanted & permitted()?;
    let word = |bits: u64| {
        let bits = (bits & u64::from(u32::MAX)) as u32;
        CapabilityWord { effective: bits, permitted: bits, inheritable: 0 }
    };
    let words = [word(kept), word(kept >> 32)];
    // SAFETY: version 3 reads one header and two words, and both live through the call.
    let result = unsafe { libc::syscall(libc::SYS_capset, &raw const header, words.as_ptr()) };
    Errno::result(result).map(drop)
}
