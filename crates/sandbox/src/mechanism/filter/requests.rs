//! Allow lists of `ioctl` and `prctl`, calls whose requests are calls of their own.
//!
//! Made of what Python, Node, Java, Go, Mono, .NET, Ruby, Rust, C, their compilers and the usual shell tools
//! ask for. What is not listed gets the answer of a kernel that does not know it, with which they carry on.

/// `PR_SET_PTRACER`, which crash handlers call, and `PR_GET_AUXV`.
const SET_TRACER: u32 = 0x5961_6d61;
const GET_AUXILIARY: u32 = 0x4155_5856;
/// `PR_GET_SPECULATION_CTRL`, which `libc` does not know on each architecture.
const GET_SPECULATION: u32 = 52;
/// `PR_SET_MDWE` and `PR_GET_MDWE`.
const DENY_WRITTEN_CODE: [u32; 2] = [65, 66];

/// Options of `prctl` that affect only the caller and end with it. Names of memory (`PR_SET_VMA`)
/// are not among them: the kernel charges their memory to no process.
pub(super) const OPTIONS: &[u32] = &[
    libc::PR_SET_PDEATHSIG.unsigned_abs(),
    libc::PR_GET_PDEATHSIG.unsigned_abs(),
    libc::PR_GET_DUMPABLE.unsigned_abs(),
    libc::PR_SET_DUMPABLE.unsigned_abs(),
    libc::PR_GET_KEEPCAPS.unsigned_abs(),
    libc::PR_GET_TIMING.unsigned_abs(),
    libc::PR_SET_NAME.unsigned_abs(),
    libc::PR_GET_NAME.unsigned_abs(),
    libc::PR_GET_SECCOMP.unsigned_abs(),
    libc::PR_CAPBSET_READ.unsigned_abs(),
    libc::PR_GET_SECUREBITS.unsigned_abs(),
    libc::PR_SET_TIMERSLACK.unsigned_abs(),
    libc::PR_GET_TIMERSLACK.unsigned_abs(),
    libc::PR_SET_CHILD_SUBREAPER.unsigned_abs(),
    libc::PR_GET_CHILD_SUBREAPER.unsigned_abs(),
    libc::PR_SET_NO_NEW_PRIVS.unsigned_abs(),
    libc::PR_GET_NO_NEW_PRIVS.unsigned_abs(),
    libc::PR_GET_TID_ADDRESS.unsigned_abs(),
    libc::PR_SET_THP_DISABLE.unsigned_abs(),
    libc::PR_GET_THP_DISABLE.unsigned_abs(),
    GET_SPECULATION,
    DENY_WRITTEN_CODE[0],
    DENY_WRITTEN_CODE[1],
    SET_TRACER,
    GET_AUXILIARY,
    #[cfg(target_arch = "aarch64")]
    VECTOR_LENGTH,
];

/// `PR_SVE_GET_VL`.
#[cfg(target_arch = "aarch64")]
const VECTOR_LENGTH: u32 = 51;

/// Requests of `ioctl` about open files, sockets and the seat's own network. Programs ask a terminal much
/// more, and have none.
pub(super) const REQUESTS: &[u32] = &[
    0x541b, // FIONREAD
    0x5421, // FIONBIO
    0x5450, // FIONCLEX
    0x5451, // FIOCLEX
    0x5411, // SIOCOUTQ
    0x8905, // SIOCATMARK
    0x8910, // SIOCGIFNAME
    0x8912, // SIOCGIFCONF
    0x8913, // SIOCGIFFLAGS
    0x8915, // SIOCGIFADDR
    0x8917, // SIOCGIFDSTADDR
    0x8919, // SIOCGIFBRDADDR
    0x891b, // SIOCGIFNETMASK
    0x891d, // SIOCGIFMETRIC
    0x8921, // SIOCGIFMTU
    0x8927, // SIOCGIFHWADDR
    0x8933, // SIOCGIFINDEX
    // Of the launcher: only it has the descriptor that knows them.
    0xc050_2100, // SECCOMP_IOCTL_NOTIF_RECV
    0xc018_2101, // SECCOMP_IOCTL_NOTIF_SEND
    0x4008_2102, // SECCOMP_IOCTL_NOTIF_ID_VALID
    0x4018_2103, // SECCOMP_IOCTL_NOTIF_ADDFD
];
