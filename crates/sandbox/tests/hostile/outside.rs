//! Outsiders: what the test does outside a seat while a program runs in it. It tries only the
//! suite's own loopback listeners, and sockets named after the run.

use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use joust_testkit::hostile::{Meanwhile, TestSite};

/// Two ports of loopback: one with a listener of the test, one without a listener.
pub(crate) struct OutsideListeners {
    open: TcpListener,
    free_port: u16,
}

impl OutsideListeners {
    pub(crate) fn open() -> io::Result<Self> {
        let listen = || TcpListener::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0));
        let free_port = listen()?.local_addr()?.port();
        Ok(Self { open: listen()?, free_port })
    }

    pub(crate) fn port(&self) -> u16 {
        self.open.local_addr().map_or(0, |address| address.port())
    }

    pub(crate) fn free_port(&self) -> u16 {
        self.free_port
    }
}

/// A result, and how often the test got through from outside meanwhile.
pub(crate) struct Tried<T> {
    pub(crate) result: T,
    pub(crate) reached: u32,
}

/// Does `work` while another thread repeats a try from outside, if there is anything to try.
pub(crate) fn try_while<T>(
    attempt: Option<impl Fn() -> bool + Send>,
    work: impl FnOnce() -> T,
) -> Tried<T> {
    let Some(attempt) = attempt else {
        return Tried { result: work(), reached: 0 };
    };
    let (done, reached) = (AtomicBool::new(false), AtomicU32::new(0));
    let result = std::thread::scope(|scope| {
        let (done, reached) = (&done, &reached);
        scope.spawn(move || {
            while !done.load(Ordering::Relaxed) {
                if attempt() {
                    reached.fetch_add(1, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    });
    Tried { result, reached: reached.into_inner() }
}

/// Tries it once; attempts that need a seat are made elsewhere.
pub(crate) fn gets_through(meanwhile: Meanwhile, place: &TestSite) -> bool {
    match meanwhile {
        Meanwhile::LockInterpreter => is_locked("/usr/bin/python3"),
        Meanwhile::ConnectPort => {
            TcpStream::connect(SocketAddrV4::new(Ipv4Addr::LOCALHOST, place.free_port)).is_ok()
        }
        Meanwhile::MakeSeat | Meanwhile::GetOneOfEach => false,
        Meanwhile::Overhear => is_whispered("/usr/bin/tsort"),
        Meanwhile::ConnectAbstract => SocketAddr::from_abstract_name(&place.run)
            .and_then(|address| UnixStream::connect_addr(&address))
            .is_ok(),
    }
}

/// Returns whether another process keeps us from locking a file.
fn is_locked(path: &str) -> bool {
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// Returns whether another process holds a lock on a part of a file.
fn is_whispered(path: &str) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let kind = libc::F_WRLCK as libc::c_short;
    let mut lock = libc::flock { l_type: kind, l_whence: 0, l_start: 0, l_len: 0, l_pid: 0 };
    let asked = nix::fcntl::fcntl(&file, nix::fcntl::FcntlArg::F_GETLK(&mut lock));
    asked.is_ok() && lock.l_type != libc::F_UNLCK as libc::c_short
}
