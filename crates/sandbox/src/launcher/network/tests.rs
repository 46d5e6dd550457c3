//! The rules hold for the thread that asks for them, so each test has one of its own.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, UnixAddr, sendto, socket};

use super::*;
use crate::mechanism::filter::{self, HostNetwork};

fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

fn connect(port: u16) -> Result<TcpStream, ErrorKind> {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).map_err(|error| error.kind())
}

/// Sends a byte without connecting first; it is refused before the address is read.
fn send_at_once() -> Result<usize, Errno> {
    let none = SockFlag::empty();
    let socket = socket(AddressFamily::Inet, SockType::Stream, none, None)?;
    let address = UnixAddr::new("/nowhere")?;
    let fast = MsgFlags::from_bits_retain(libc::MSG_FASTOPEN);
    sendto(socket.as_raw_fd(), b"x", &address, fast)
}

/// Does `work` in a thread that may connect to `port` only; skips it, with a message, if the
/// kernel has no such rules.
fn restricted<T: Send + 'static>(
    port: u16,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let thread = std::thread::spawn(move || match landlock::restrict_connections(&[port]) {
        Ok(()) => Some(work()),
        Err(reason) => {
            assert!(reason.contains("Landlock"), "{reason}");
            None
        }
    });
    thread.join().unwrap()
}

#[test]
fn only_its_own_port_can_be_connected_to() {
    let ((_own, own), (_other, other)) = (listen(), listen());
    assert!(connect(other).is_ok(), "without the rules it can be reached");
    let tried = restricted(own, move || (connect(own).is_ok(), connect(other).err()));
    assert!(matches!(tried, None | Some((true, Some(ErrorKind::PermissionDenied)))), "{tried:?}");
}

#[test]
fn no_port_can_be_offered() {
    let (_own, own) = listen();
    let offer = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| error.kind()).err();
    let tried = restricted(own, offer);
    assert!(matches!(tried, None | Some(Some(ErrorKind::PermissionDenied))), "{tried:?}");
}

#[test]
fn files_move_between_folders_all_the_same() {
    let (_own, own) = listen();
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a"), folder.path().join("b"));
    std::fs::create_dir(&to).unwrap();
    std::fs::write(&from, "text").unwrap();
    let moved = restricted(own, move || std::fs::rename(from, to.join("moved")));
    assert!(matches!(moved, None | Some(Ok(()))), "{moved:?}");
}

#[test]
fn with_the_filter_nothing_but_a_connection_can_be_made() {
    let (_own, own) = listen();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let work = move || {
        let network = HostNetwork::ConnectionsOnly;
        let lacking = filter::FilterOptions {
            memory_group: false,
            server: false,
            name_spaces: true,
            network,
        };
        filter::install(lacking).unwrap();
        (
            connect(own).is_ok(),
            send_at_once().err(),
            UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).err().and_then(|error| error.raw_os_error()),
            UnixListener::bind(path).err().and_then(|error| error.raw_os_error()),
        )
    };
    // The filter alone, with or without Landlock.
    let filtered = std::thread::spawn(work).join().unwrap();
    let family = Some(libc::EAFNOSUPPORT);
    assert_eq!(filtered, (true, Some(Errno::EOPNOTSUPP), family, family));
}
