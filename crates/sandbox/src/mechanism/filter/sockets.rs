//! Sockets: which can be made, and what can be done with them. A list of what is
//! allowed, by family, type and protocol; new protocols are refused unseen.
//!
//! | network | sockets | beside them |
//! |---|---|---|
//! | free, or the seat's own with somebody there | unix; TCP and UDP; questions to the kernel about interfaces | everything |
//! | the seat's own | unix; TCP and UDP | everything |
//! | the host's, with a door | TCP | `connect` is answered by the launcher; nothing can be offered |
//! | the host's, for servers | TCP | `connect` and `bind` are answered by the launcher, `listen` does nothing |
//! | the host's | none | nothing can be offered or reached |
//!
//! A pair of connected unix sockets can always be made; where the network is the host's not of
//! datagrams, which can be sent anywhere from either end. Questions about interfaces are for those
//! who need them, because some answers have counters of the whole machine.

use libc::{AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};
use libc::{IPPROTO_TCP, IPPROTO_UDP, NETLINK_ROUTE, SOCK_STREAM};
use seccompiler::{BpfProgram, sock_filter};

use super::{
    ALLOW, AND, HostNetwork, JUMP_EQUAL, LOAD, RETURN, argument, each_of, errno, for_call, jump,
    statement, without,
};

/// The bits of a type beside its flags.
const TYPE: u32 = 0xf;

/// Calls that send to an address, and where their flags stand.
const SENDING: [(i64, u32); 3] =
    [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)];

/// Options that show how many sockets, and how many networks, there were before: the kernel counts
/// them all.
/// `SO_COOKIE` and `SO_NETNS_COOKIE`.
const COOKIES: [i32; 2] = [57, 71];

/// Adds what holds for calls about sockets.
pub(super) fn add_checks(program: &mut BpfProgram, network: HostNetwork) {
    for_call(program, libc::SYS_getsockopt, &answers_of_sockets());
    match network {
        HostNetwork::Free | HostNetwork::Empty => {
            for_call(program, libc::SYS_socket, &any_socket(network));
            let pairs = [SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM];
            for_call(program, libc::SYS_socketpair, &unix_pair(&pairs));
            // A part of a datagram that waits for more is memory that is counted nowhere.
            add_plain_sending(program, libc::MSG_MORE);
        }
        HostNetwork::ConnectionsOnly => {
            for_call(program, libc::SYS_socket, &stream_socket());
            add_fences(program, &[libc::SYS_bind, libc::SYS_listen]);
        }
        HostNetwork::Servers => {
            for_call(program, libc::SYS_socket, &stream_socket());
            add_fences(program, &[]);
        }
        HostNetwork::Closed => {
            for_call(program, libc::SYS_socket, &[refuse(libc::ENOSYS)]);
            add_fences(program, &[libc::SYS_bind, libc::SYS_listen, libc::SYS_connect]);
        }
    }
}

/// Adds the refusals for calls that could reach others of the host.
fn add_fences(program: &mut BpfProgram, refused: &[i64]) {
    for_call(program, libc::SYS_socketpair, &unix_pair(&[SOCK_STREAM, SOCK_SEQPACKET]));
    for call in refused {
        for_call(program, *call, &[refuse(libc::EACCES)]);
    }
    // A first piece of data sent along connects.
    add_plain_sending(program, libc::MSG_FASTOPEN);
}

/// Adds the refusal of a flag for calls that send.
fn add_plain_sending(program: &mut BpfProgram, refused: i32) {
    for (call, flags) in SENDING {
        for_call(program, call, &without(flags, refused.unsigned_abs(), libc::EOPNOTSUPP));
    }
}

fn answers_of_sockets() -> Vec<sock_filter> {
    let cookies = each_of(&COOKIES, errno(libc::ENOPROTOOPT));
    let of_socket = [vec![statement(LOAD, argument(2))], cookies, vec![allow()]].concat();
    [vec![statement(LOAD, argument(1))], when(libc::SOL_SOCKET, &of_socket), vec![allow()]].concat()
}

fn any_socket(network: HostNetwork) -> Vec<sock_filter> {
    let types = each_of(&[SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM], ALLOW);
    let unix = of_type(&[types, vec![refuse(libc::EPERM)]]);
    let streams = when(SOCK_STREAM, &protocols(&[0, IPPROTO_TCP], libc::EPROTONOSUPPORT));
    let datagrams = when(SOCK_DGRAM, &protocols(&[0, IPPROTO_UDP], libc::EPROTONOSUPPORT));
    let inet = of_type(&[streams, datagrams, vec![refuse(libc::EPERM)]]);
    let allowed: &[i32] = if network == HostNetwork::Free { &[NETLINK_ROUTE] } else { &[] };
    let asked = protocols(allowed, libc::EAFNOSUPPORT);
    let kinds = [SOCK_RAW, SOCK_DGRAM].map(|kind| when(kind, &asked));
    let netlink = of_type(&[kinds.concat(), vec![refuse(libc::EPERM)]]);
    [
        vec![statement(LOAD, argument(0))],
        when(AF_UNIX, &unix),
        when(AF_INET, &inet),
        when(AF_INET6, &inet),
        when(AF_NETLINK, &netlink),
        vec![refuse(libc::EAFNOSUPPORT)],
    ]
    .concat()
}

fn stream_socket() -> Vec<sock_filter> {
    let tcp = protocols(&[0, IPPROTO_TCP], libc::EPROTONOSUPPORT);
    let streams = when(SOCK_STREAM, &tcp);
    let inet = of_type(&[streams, vec![refuse(libc::EAFNOSUPPORT)]]);
    [
        vec![statement(LOAD, argument(0))],
        when(AF_INET, &inet),
        when(AF_INET6, &inet),
        vec![refuse(libc::EAFNOSUPPORT)],
    ]
    .concat()
}

/// The kernel makes pairs of no other family.
fn unix_pair(types: &[i32]) -> Vec<sock_filter> {
    let unix = of_type(&[each_of(types, ALLOW), vec![refuse(libc::EPERM)]]);
    [vec![statement(LOAD, argument(0))], when(AF_UNIX, &unix), vec![refuse(libc::EAFNOSUPPORT)]]
        .concat()
}

fn protocols(allowed: &[i32], otherwise: i32) -> Vec<sock_filter> {
    let load = vec![statement(LOAD, argument(2))];
    [load, each_of(allowed, ALLOW), vec![refuse(otherwise)]].concat()
}

/// Returns the statements for that value; `body` never comes to its end.
fn when(value: i32, body: &[sock_filter]) -> Vec<sock_filter> {
    let length = u8::try_from(body.len()).expect("bodies are short");
    let head = jump(JUMP_EQUAL, value.unsigned_abs(), 0, length);
    std::iter::once(head).chain(body.iter().cloned()).collect()
}

/// Loads the type without its flags.
fn of_type(body: &[Vec<sock_filter>]) -> Vec<sock_filter> {
    let load = [statement(LOAD, argument(1)), statement(AND, TYPE)];
    load.into_iter().chain(body.concat()).collect()
}

fn allow() -> sock_filter {
    statement(RETURN, ALLOW)
}

fn refuse(number: i32) -> sock_filter {
    statement(RETURN, errno(number))
}
