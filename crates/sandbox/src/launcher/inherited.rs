//! Inherited process state: everything that a program would inherit from the parent of Joust, and
//! the way it is reset.
//!
//! A turn must not depend on the shell, service manager, container or scheduler from which Joust
//! was started. The launcher is between the two, so a reset in the launcher holds for every
//! program that it starts, and costs a turn nothing.
//!
//! | inherited | what a program has | where it is done |
//! |---|---|---|
//! | signal dispositions | all default; SIGXFSZ ignored where only its length limits a file (tiers C, D) | `sys::start_launcher` for all, [`reset`] for SIGPIPE, which the Rust runtime ignores |
//! | signal mask | empty | `sys::start_turn` |
//! | pending signals, timers, alarms, robust futexes, parent-death signal, child subreaper | none | the kernel, at every `fork` |
//! | registered stack, thread pointers, restartable sequences, dumpable, kept capabilities, handlers | new | the kernel, at every `exec` |
//! | file mode mask | 022 | `set_up::settle` |
//! | niceness, scheduling class, slice, utilisation | 0, ordinary | [`reset`]; an ordinary user's niceness stays, and is reported |
//! | autogroup, session, process group, controlling terminal | new, none | `set_up::isolate`, a new session |
//! | io priority | none, so it follows the niceness | [`reset`] |
//! | resource limits | all of them fixed, see [`rlimit`](crate::mechanism::rlimit); a lower hard limit stays where it may not be raised, and is reported | `rlimit::apply` |
//! | personality, timer slack, transparent huge pages, merged pages, machine checks, speculation, time stamps | the kernel's defaults | [`reset`] |
//! | which memory a core dump would have | the kernel's default | [`reset`] |
//! | NUMA policy | local | [`reset`] |
//! | processors | those of the seat, chosen from those that Joust was given | `set_up::pin` |
//! | out-of-memory score | 800 | `Programs::set_score` |
//! | no new privileges, secure bits, capabilities | set, locked, none | `identity::assume` |
//! | user, groups | the seat's; an ordinary user's own where the kernel lets it have no other | `identity::assume` |
//! | session keyring | new and empty; where a container refuses calls about keys it stays, and that is reported | [`reset`] |
//! | host name, domain name | `joust`, none | `set_up::isolate` |
//! | environment, and the locale in it | the seat's, nothing else | `sys::start_launcher` empties it |
//! | working folder, root | of the turn, of the seat | `InnerSeat::start`, `view` |
//! | descriptors | 0, 1, 2, and 3 and 4 of a program that stays | `sys::start_launcher`, which marks all others |
//! | system call filters, memory that may not become code, security label | stay: the kernel never takes them back; what breaks runtimes is reported | [`reset`] |
//! | control groups | the seat's where there are any | `machine::first_process` |

use nix::errno::Errno;

use crate::sys;
use crate::wire::SetUpReport;

/// Core dump filter that the kernel gives a process by default.
const CORE_FILTER: &str = "0x33";

/// Resets everything that is not reset elsewhere, and reports what stays. Must be called before the
/// launcher drops its privileges.
pub(super) fn reset(ready: &mut SetUpReport) {
    sys::restore_pipe_signal();
    // First the class: a process of the real-time classes has no timer slack, and can be given none.
    if let Err(errno) = sys::plain_schedule() {
        ready.lacks("niceness", format!("that of whoever started Joust stays: {errno}"));
    }
    sys::plain_settings();
    let _ = std::fs::write("/proc/self/coredump_filter", CORE_FILTER);
    match sys::join_new_keyring() {
        Ok(()) | Err(Errno::ENOSYS) => {}
        Err(errno) => {
            let reason = format!("that of whoever started Joust stays, and can be seen: {errno}");
            ready.lacks("session keyring", reason);
        }
    }
    if sys::denies_written_code() {
        let reason = "memory that was written never becomes code, as whoever started Joust asked \
                      for: runtimes that compile as they run may fail";
        ready.lacks("executable memory", reason);
    }
}
