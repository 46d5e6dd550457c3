//! A filter holds for the thread that asks for it, so each program is one; what it asks for is
//! answered by the thread that started it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::mpsc;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    SockFlag, SockType, SockaddrIn, SockaddrStorage, UnixAddr, connect, socket,
};

use super::*;
use crate::mechanism::notify::{self, NotifiedCalls};

const PORT: u16 = 8037;

/// Runs `program` in a thread whose connections are made for it; gives what it returned and what
/// arrived.
fn play<T: Send + 'static>(
    forwards: Vec<PortForward>,
    program: impl FnOnce() -> T + Send + 'static,
) -> (T, Vec<TcpStream>) {
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let listener =
            notify::hand_over(NotifiedCalls { connections: true, ..NotifiedCalls::default() });
        sender.send(listener.expect("the kernel hands calls over").expect("some are")).unwrap();
        program()
    });
    let listener = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
    let mut connections = Connections::new(forwards, ProgramUser::Same);
    while !thread.is_finished() {
        let mut asked = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
        poll(&mut asked, PollTimeout::from(5_u8)).unwrap();
        if asked[0].revents().is_some_and(|events| events.contains(PollFlags::POLLIN)) {
            let call = sys::next_call(listener.as_fd()).expect("somebody asks");
            assert_eq!(call.number, libc::SYS_connect);
            connections.answer(listener.as_fd(), &call);
        }
    }
    let taken = std::iter::from_fn(|| {
        connections.is_on_the_way = false;
        connections.take_accepted()
    });
    (thread.join().unwrap(), taken.map(TcpStream::from).collect())
}

fn game() -> Vec<PortForward> {
    PortForward::open(&[PORT]).unwrap()
}

fn stream(family: AddressFamily, flags: SockFlag) -> OwnedFd {
    socket(family, SockType::Stream, flags, None).unwrap()
}

fn call(socket: RawFd, address: &str) -> Result<(), Errno> {
    let address: SocketAddr = address.parse().unwrap();
    connect(socket, &SockaddrStorage::from(address))
}

#[test]
fn both_ends_of_a_connection_to_the_own_port_are_joined() {
    let (heard, mut arrived) = play(game(), || {
        let mut stream = TcpStream::connect(("127.0.0.1", PORT)).unwrap();
        stream.write_all(b"here").unwrap();
        stream
    });
    let mut said = [0; 4];
    arrived[0].read_exact(&mut said).unwrap();
    assert_eq!((&said, arrived.len()), (b"here", 1));
    assert_eq!(heard.peer_addr().unwrap(), arrived[0].local_addr().unwrap());
}

#[test]
fn ipv6_sockets_come_by_the_address_that_stands_for_ipv4() {
    let (result, arrived) = play(game(), || {
        let socket = stream(AddressFamily::Inet6, SockFlag::empty());
        (
            call(socket.as_raw_fd(), "[::1]:8037"),
            call(socket.as_raw_fd(), "[::ffff:127.0.0.1]:8037"),
        )
    });
    assert_eq!((result, arrived.len()), ((Err(Errno::ECONNREFUSED), Ok(())), 1));
}

#[test]
fn no_other_address_and_no_other_port_is_reached() {
    let other = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = other.local_addr().unwrap().port();
    let (results, arrived) = play(game(), move || {
        let tries = [
            format!("127.0.0.1:{port}"),
            format!("0.0.0.0:{port}"),
            format!("[::ffff:127.0.0.1]:{port}"),
            "127.0.0.2:8037".to_owned(),
            // Documentation addresses; nothing is sent to them.
            "192.0.2.1:8037".to_owned(),
            "[2001:db8::1]:8037".to_owned(),
        ];
        tries.map(|address| {
            let is_v6 = address.starts_with('[');
            let family = if is_v6 { AddressFamily::Inet6 } else { AddressFamily::Inet };
            call(stream(family, SockFlag::empty()).as_raw_fd(), &address)
        })
    });
    let (refused, nowhere) = (Err(Errno::ECONNREFUSED), Err(Errno::ENETUNREACH));
    assert_eq!(results, [refused, refused, refused, refused, nowhere, nowhere]);
    assert!(arrived.is_empty());
    other.set_nonblocking(true).unwrap();
    assert!(other.accept().is_err(), "nobody came");
}

#[test]
fn what_is_no_connection_is_an_error_as_the_kernel_has_it() {
    let (results, arrived) = play(game(), || {
        let tcp = stream(AddressFamily::Inet, SockFlag::empty());
        let file = File::open("/dev/null").unwrap();
        let nowhere = UnixAddr::new("/nowhere").unwrap();
        let game = SockaddrIn::new(127, 0, 0, 1, PORT);
        [
            connect(tcp.as_raw_fd(), &nowhere),
            connect(file.as_raw_fd(), &game),
            connect(9_999, &game),
            connect(tcp.as_raw_fd(), &game),
            connect(tcp.as_raw_fd(), &game),
        ]
    });
    let errors = [Errno::EAFNOSUPPORT, Errno::ENOTSOCK, Errno::EBADF];
    assert_eq!(results[..3], errors.map(Err));
    assert_eq!(results[3..], [Ok(()), Err(Errno::EISCONN)]);
    assert_eq!(arrived.len(), 1);
}

#[test]
fn a_socket_stays_one_that_does_not_block_and_is_closed_at_exec() {
    let (kept, _) = play(game(), || {
        let flags = [SockFlag::empty(), SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC];
        flags.map(|flags| {
            let socket = stream(AddressFamily::Inet, flags);
            call(socket.as_raw_fd(), "127.0.0.1:8037").unwrap();
            let flags = fcntl(&socket, FcntlArg::F_GETFL).unwrap();
            let own = fcntl(&socket, FcntlArg::F_GETFD).unwrap();
            (flags & libc::O_NONBLOCK != 0, own & libc::FD_CLOEXEC != 0)
        })
    });
    assert_eq!(kept, [(false, false), (true, true)]);
}

#[test]
fn strangers_at_the_launcher_s_own_port_are_not_handed_on() {
    let forwards = game();
    let stranger = TcpStream::connect(forwards[0].address().unwrap()).unwrap();
    let (own, arrived) = play(forwards, || TcpStream::connect(("127.0.0.1", PORT)).unwrap());
    assert_eq!(arrived.len(), 1);
    assert_eq!(arrived[0].peer_addr().unwrap(), own.local_addr().unwrap());
    assert_ne!(own.local_addr().unwrap(), stranger.local_addr().unwrap());
}

#[test]
fn connections_are_refused_above_what_can_be_told_at_once() {
    let (made, arrived) = play(game(), || {
        let streams = (0..140).map(|_| TcpStream::connect(("127.0.0.1", PORT)));
        streams.map_while(Result::ok).count()
    });
    assert_eq!((made, arrived.len()), (MOST, MOST));
}
