//! Allow lists of `ioctl`, `prctl` and `setsockopt`, calls whose requests are calls of their own.
//!
//! Made of what Python, Node, Java, Go, Mono, .NET, Ruby, Rust, C, their compilers and the usual
//! shell tools ask for. What is not listed gets the answer of a kernel that does not know it, with
//! which they carry on.

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

/// Options of `setsockopt` by level, which affect only one socket. Others load modules of the
/// kernel, or take what the kernel counts once for the whole computer, such as labels of flows, so
/// that every seat sees how many another one has. `TCP_LINGER2` keeps connections that a program
/// has closed for a minute: the computer has a largest number of them, above which it resets those
/// of others.
pub(super) const SOCKET_OPTIONS: &[(i32, &[i32])] = &[
    (
        libc::IPPROTO_TCP,
        &[
            libc::TCP_NODELAY,
            libc::TCP_MAXSEG,
            libc::TCP_CORK,
            libc::TCP_KEEPIDLE,
            libc::TCP_KEEPINTVL,
            libc::TCP_KEEPCNT,
            libc::TCP_SYNCNT,
            libc::TCP_DEFER_ACCEPT,
            libc::TCP_WINDOW_CLAMP,
            libc::TCP_QUICKACK,
            libc::TCP_USER_TIMEOUT,
            libc::TCP_FASTOPEN,
            libc::TCP_NOTSENT_LOWAT,
        ],
    ),
    (
        libc::IPPROTO_IP,
        &[
            libc::IP_TOS,
            libc::IP_TTL,
            libc::IP_PKTINFO,
            libc::IP_MTU_DISCOVER,
            libc::IP_RECVERR,
            libc::IP_RECVTTL,
            libc::IP_RECVTOS,
            libc::IP_BIND_ADDRESS_NO_PORT,
            libc::IP_MULTICAST_IF,
            libc::IP_MULTICAST_TTL,
            libc::IP_MULTICAST_LOOP,
            libc::IP_MULTICAST_ALL,
        ],
    ),
    (
        libc::IPPROTO_IPV6,
        &[
            libc::IPV6_UNICAST_HOPS,
            libc::IPV6_MULTICAST_IF,
            libc::IPV6_MULTICAST_HOPS,
            libc::IPV6_MULTICAST_LOOP,
            libc::IPV6_MTU_DISCOVER,
            libc::IPV6_RECVERR,
            libc::IPV6_V6ONLY,
            libc::IPV6_MULTICAST_ALL,
            libc::IPV6_RECVPKTINFO,
            libc::IPV6_RECVHOPLIMIT,
            libc::IPV6_RECVTCLASS,
            libc::IPV6_TCLASS,
        ],
    ),
];

/// Requests of `ioctl` about open files, sockets and the seat's own network. Programs ask a
/// terminal much more, and have none.
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
