//! As in the tests of connections, each program is a thread.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{Backlog, SockFlag, SockType, SockaddrIn, accept, bind, listen, socket};

use super::*;
use crate::mechanism::notify::{self, NotifiedCalls};

const PORT: u16 = 8080;

/// A program whose `bind` is answered, with its servers.
struct Program<T> {
    thread: std::thread::JoinHandle<T>,
    servers: Servers,
    listener: OwnedFd,
}

impl<T: Send + 'static> Program<T> {
    fn start(program: impl FnOnce() -> T + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let calls =
                NotifiedCalls { connections: true, servers: true, ..NotifiedCalls::default() };
            let listener = notify::hand_over(calls).expect("the kernel hands calls over");
            sender.send(listener.expect("some are")).unwrap();
            program()
        });
        let listener = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        Self { thread, servers: Servers::OfHost(BoundPorts::new()), listener }
    }

    fn answer_calls(&mut self) {
        let mut asked = [PollFd::new(self.listener.as_fd(), PollFlags::POLLIN)];
        poll(&mut asked, PollTimeout::from(5_u8)).unwrap();
        if asked[0].revents().is_some_and(|events| events.contains(PollFlags::POLLIN)) {
            let call = sys::next_call(self.listener.as_fd()).expect("somebody asks");
            assert_eq!(call.number, libc::SYS_bind);
            self.servers.answer(self.listener.as_fd(), &call);
        }
    }

    /// Connects once the program listens.
    fn connect(&mut self, port: u16) -> TcpStream {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            self.answer_calls();
            if let Some(socket) = self.servers.connect(port).unwrap() {
                let stream = TcpStream::from(socket);
                stream.set_nonblocking(false).unwrap();
                return stream;
            }
            assert!(Instant::now() < until, "it never listens");
        }
    }

    fn end(mut self) -> T {
        while !self.thread.is_finished() {
            self.answer_calls();
        }
        self.thread.join().unwrap()
    }
}

/// Sends its name to the first that comes.
fn server(address: &'static str, name: &'static [u8]) -> Program<SocketAddr> {
    Program::start(move || {
        let listener = TcpListener::bind(address).unwrap();
        listener.accept().unwrap().0.write_all(name).unwrap();
        listener.local_addr().unwrap()
    })
}

fn heard(mut stream: TcpStream) -> Vec<u8> {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap();
    text
}

#[test]
fn programs_with_the_same_port_listen_on_this_computer_alone() {
    let mut programs = [server("0.0.0.0:8080", b"one"), server("0.0.0.0:8080", b"two")];
    let streams = programs.each_mut().map(|program| program.connect(PORT));
    assert_eq!(streams.map(heard), [b"one", b"two"]);
    for address in programs.map(Program::end) {
        assert!(address.ip().is_loopback(), "{address}");
    }
}

#[test]
fn sockets_for_ipv6_are_reached() {
    let mut program = server("[::]:8000", b"six");
    assert_eq!(heard(program.connect(8000)), b"six");
    program.end();
}

#[test]
fn a_port_that_the_program_does_not_choose_is_not_named() {
    let (done, wait) = mpsc::channel::<()>();
    let mut program = Program::start(move || {
        let listeners = [0, 8000].map(|port| TcpListener::bind(("127.0.0.1", port)).unwrap());
        let _ = wait.recv();
        drop(listeners);
    });
    program.connect(8000);
    assert!(program.servers.connect(PORT).unwrap().is_none());
    assert_eq!(program.servers.ports(), [8000]);
    drop(done);
    program.end();
}

#[test]
fn the_other_ports_are_named() {
    let (done, wait) = mpsc::channel::<()>();
    let mut program = Program::start(move || {
        let listeners = [8000, 8001].map(|port| TcpListener::bind(("127.0.0.1", port)).unwrap());
        let _ = wait.recv();
        drop(listeners);
    });
    while program.servers.ports() != [8000, 8001] {
        program.answer_calls();
    }
    assert!(program.servers.connect(PORT).unwrap().is_none());
    drop(done);
    program.end();
}

#[test]
fn a_port_that_the_program_has_closed_goes_to_nobody_else() {
    let mut program = Program::start(|| {
        TcpListener::bind(("127.0.0.1", PORT)).and_then(|listener| listener.local_addr()).unwrap()
    });
    while !program.thread.is_finished() {
        program.answer_calls();
    }
    let SocketAddr::V4(address) = program.thread.join().unwrap() else { panic!("it is IPv4") };
    assert!(program.servers.connect(PORT).unwrap().is_none());
    let other = socket(AddressFamily::Inet, SockType::Stream, SockFlag::empty(), None).unwrap();
    assert_eq!(bind(other.as_raw_fd(), &SockaddrIn::from(address)), Err(Errno::EADDRINUSE));
    program.servers.begin_turn();
    assert_eq!(bind(other.as_raw_fd(), &SockaddrIn::from(address)), Ok(()));
}

#[test]
fn the_buffers_of_both_ends_of_a_connection_are_bounded() {
    fn sizes(socket: &impl AsFd) -> [usize; 2] {
        [getsockopt(socket, sockopt::RcvBuf), getsockopt(socket, sockopt::SndBuf)]
            .map(Result::unwrap)
    }
    let mut program = Program::start(|| {
        let listener = TcpListener::bind(("127.0.0.1", PORT)).unwrap();
        sizes(&listener.accept().unwrap().0)
    });
    let stream = program.connect(PORT);
    assert_eq!((sizes(&stream), program.end()), ([128 << 10; 2], [128 << 10; 2]));
}

#[test]
fn a_socket_without_an_address_and_one_of_another_interface_do_not_listen() {
    let program = Program::start(|| {
        let foreign = TcpListener::bind("192.0.2.1:8080").map(drop).unwrap_err();
        let unbound =
            socket(AddressFamily::Inet, SockType::Stream, SockFlag::empty(), None).unwrap();
        listen(&unbound, Backlog::new(1).unwrap()).unwrap();
        (foreign.raw_os_error(), accept(unbound.as_raw_fd()))
    });
    assert_eq!(program.end(), (Some(libc::EADDRNOTAVAIL), Err(Errno::EINVAL)));
}

#[test]
fn one_program_takes_few_ports_of_this_computer() {
    let program = Program::start(|| {
        let bind = |_| TcpListener::bind("127.0.0.1:0");
        let sockets: Vec<_> = (0..=MOST_BOUND).map(bind).collect();
        let bound = sockets.iter().take_while(|socket| socket.is_ok()).count();
        (bound, sockets[MOST_BOUND].as_ref().map(drop).map_err(std::io::Error::raw_os_error))
    });
    assert_eq!(program.end(), (MOST_BOUND, Err(Some(libc::ENOBUFS))));
}

#[test]
fn a_socket_that_connects_to_itself_is_refused() {
    let own = socket(AddressFamily::Inet, SockType::Stream, SockFlag::empty(), None).unwrap();
    bind(own.as_raw_fd(), &SockaddrIn::new(127, 0, 0, 1, 0)).unwrap();
    let address: SockaddrIn = getsockname(own.as_raw_fd()).unwrap();
    let address = SocketAddr::from((address.ip(), address.port()));
    assert_eq!(connect_socket(&own, address), Err(Errno::ECONNREFUSED));
}
