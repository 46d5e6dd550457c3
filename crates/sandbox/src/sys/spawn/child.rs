//! Child that shares its parent's memory: its stack, its start, and what can fail.

use std::ffi::CString;
use std::os::fd::RawFd;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use nix::errno::Errno;

const STACK_BYTES: usize = 64 * 1024;

/// A stack for the moments between `clone` and `exec`.
pub(crate) struct ChildStack(Box<[u8]>);

impl ChildStack {
    /// Makes one.
    pub(crate) fn new() -> Self {
        Self(vec![0; STACK_BYTES].into())
    }

    /// The highest address, from which the stack grows down, aligned as the ABI demands.
    pub(super) fn top(&mut self) -> *mut libc::c_void {
        let end = self.0.as_mut_ptr().wrapping_add(STACK_BYTES);
        end.wrapping_sub(end.addr() % 16).cast()
    }
}

/// A process that could not be made, or could not become its program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StartFailure {
    /// There is no child.
    Clone(Errno),
    /// The child failed in this step and has ended. It is still to be reaped.
    Child(&'static str, Errno),
}

/// Failed step of a child and the kernel's reason, as its parent finds them.
#[derive(Default)]
pub(super) struct FailedStep {
    step: AtomicUsize,
    /// 0 until a step has failed.
    errno: AtomicI32,
}

impl FailedStep {
    /// Ends the calling process, in which the step of this number has failed just now.
    ///
    /// # Safety
    ///
    /// Only in a child made by [`clone_and_wait`].
    pub(super) unsafe fn end_child(&self, step: usize) -> ! {
        self.step.store(step, Ordering::Relaxed);
        self.errno.store(Errno::last_raw().max(1), Ordering::Relaxed);
        // SAFETY: it runs no handlers of the shared memory.
        unsafe { libc::_exit(127) }
    }

    /// Returns the reason if the child has failed.
    pub(super) fn errno(&self) -> Option<Errno> {
        Some(self.errno.load(Ordering::Relaxed)).filter(|errno| *errno != 0).map(Errno::from_raw)
    }

    /// Returns the failure if the child has failed in one of `steps`.
    pub(super) fn failure(&self, steps: &[&'static str]) -> Option<StartFailure> {
        let step = self.step.load(Ordering::Relaxed).min(steps.len() - 1);
        self.errno().map(|errno| StartFailure::Child(steps[step], errno))
    }
}

/// Runs `child` in a new process that shares our memory and returns when it
/// has ended or become another program.
pub(super) fn clone_and_wait<T>(
    stack: &mut ChildStack,
    flags: libc::c_int,
    child: extern "C" fn(*mut libc::c_void) -> libc::c_int,
    argument: &T,
    process: Option<&mut RawFd>,
) -> Result<libc::pid_t, Errno> {
    let argument = ptr::from_ref(argument).cast_mut().cast();
    let process = match process {
        Some(process) => ptr::from_mut(process),
        // Without a flag that asks for it the kernel stores nothing: a filter reads the mark.
        None => ptr::without_provenance_mut(crate::sys::notify::token() as usize),
    };
    // SAFETY: the stack is ours alone, large enough and alive until the child no longer runs on
    // it, because CLONE_VFORK stops us until then; so is the argument. The child functions in
    // this folder only make system calls and store to atomics in the argument.
    let pid = unsafe {
        libc::clone(
            child,
            stack.top(),
            flags | libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
            argument,
            process,
            ptr::null_mut::<libc::c_void>(),
            ptr::null_mut::<libc::c_void>(),
        )
    };
    Errno::result(pid)
}

/// Pointers to strings as `execve` takes them: null at the end.
pub(super) fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

/// Runs `body` with every signal blocked, so that no handler of ours can run in
/// a child that shares our memory.
pub(super) fn with_signals_blocked<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: sigset_t is plain data; the calls only write to the two sets, which live here.
    let before = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, &raw mut before);
        before
    };
    let result = body();
    // SAFETY: `before` was filled in above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
    result
}
