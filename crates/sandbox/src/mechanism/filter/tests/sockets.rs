//! Tests of calls about sockets.

use super::*;

fn with_connections_only() {
    let network = HostNetwork::ConnectionsOnly;
    LACKING.set(FilterOptions { memory_group: false, server: false, name_spaces: true, network });
}

#[test]
fn where_only_connections_are_left_sockets_are_streams_of_the_internet() {
    with_connections_only();
    let stream = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    for family in [libc::AF_INET, libc::AF_INET6] {
        assert_eq!(call(libc::SYS_socket, family, stream), ALLOW);
        assert_eq!(socket(family, stream, libc::IPPROTO_TCP), ALLOW);
        for other in [libc::IPPROTO_MPTCP, libc::IPPROTO_SCTP, 255, -1] {
            assert_eq!(socket(family, stream, other), errno(libc::EPROTONOSUPPORT));
        }
        for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_SEQPACKET, libc::SOCK_DCCP] {
            assert_eq!(call(libc::SYS_socket, family, kind), errno(libc::EAFNOSUPPORT));
        }
    }
    no_pair_can_send_elsewhere();
    for refused in [libc::SYS_bind, libc::SYS_listen] {
        assert_eq!(call(refused, 3, 0), errno(libc::EACCES), "nothing is offered");
    }
    for family in [libc::AF_UNIX, libc::AF_NETLINK, libc::AF_PACKET, libc::AF_VSOCK] {
        assert_eq!(call(libc::SYS_socket, family, stream), errno(libc::EAFNOSUPPORT));
    }
    assert_eq!(call(libc::SYS_connect, 3, 0), ALLOW);
}

#[test]
fn servers_of_the_host_s_network_have_streams_alone() {
    let network = HostNetwork::Servers;
    LACKING.set(FilterOptions { memory_group: false, server: false, name_spaces: true, network });
    assert_eq!(call(libc::SYS_socket, libc::AF_INET6, libc::SOCK_STREAM), ALLOW);
    assert_eq!(call(libc::SYS_socket, libc::AF_INET, libc::SOCK_DGRAM), errno(libc::EAFNOSUPPORT));
    assert_eq!(call(libc::SYS_socket, libc::AF_UNIX, libc::SOCK_STREAM), errno(libc::EAFNOSUPPORT));
    no_pair_can_send_elsewhere();
    for handed in [libc::SYS_bind, libc::SYS_listen, libc::SYS_connect] {
        assert_eq!(call(handed, 3, 0), ALLOW, "the other filter decides");
    }
}

#[test]
fn where_only_connections_are_left_none_is_made_by_sending() {
    with_connections_only();
    let (plain, fast) = (libc::MSG_NOSIGNAL, libc::MSG_NOSIGNAL | libc::MSG_FASTOPEN);
    for (call, at) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        for (flags, wanted) in [(plain, ALLOW), (fast, errno(libc::EOPNOTSUPP))] {
            let mut arguments = [0; 4];
            arguments[at] = flags.cast_unsigned();
            assert_eq!(answer(NATIVE, number(call), arguments), wanted, "call {call}");
        }
    }
    LACKING.set(FilterOptions::default());
    let anywhere = [0, 0, 0, fast.cast_unsigned()];
    assert_eq!(answer(NATIVE, number(libc::SYS_sendto), anywhere), ALLOW, "in its own network");
}

#[test]
fn no_part_of_a_datagram_waits_for_more() {
    let flags = libc::MSG_NOSIGNAL | libc::MSG_MORE;
    for network in [HostNetwork::Free, HostNetwork::Empty] {
        LACKING.set(FilterOptions { network, ..FilterOptions::default() });
        for (call, at) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
            let mut arguments = [0; 4];
            arguments[at] = flags.cast_unsigned();
            assert_eq!(answer(NATIVE, number(call), arguments), errno(libc::EOPNOTSUPP));
        }
    }
}

#[test]
fn only_plain_sockets_may_be_made() {
    let stream = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    assert_eq!(call(libc::SYS_socket, libc::AF_UNIX, stream), ALLOW);
    assert_eq!(call(libc::SYS_socket, libc::AF_INET6, libc::SOCK_DGRAM), ALLOW);
    assert_eq!(call(libc::SYS_socket, libc::AF_INET, libc::SOCK_RAW), errno(libc::EPERM));
    assert_eq!(call(libc::SYS_socket, libc::AF_INET, 10), errno(libc::EPERM));
    const AF_SMC: i32 = 43;
    for family in [libc::AF_PACKET, libc::AF_VSOCK, libc::AF_ALG, libc::AF_XDP, AF_SMC] {
        assert_eq!(call(libc::SYS_socket, family, stream), errno(libc::EAFNOSUPPORT));
    }
}

#[test]
fn no_socket_tells_how_many_there_were() {
    let ask = |level, option| answer(NATIVE, number(libc::SYS_getsockopt), [3, level, option, 0]);
    let socket = libc::SOL_SOCKET.unsigned_abs();
    assert_eq!([57, 71].map(|option| ask(socket, option)), [errno(libc::ENOPROTOOPT); 2]);
    assert_eq!(ask(socket, libc::SO_ERROR.unsigned_abs()), ALLOW);
    assert_eq!(ask(libc::IPPROTO_TCP.unsigned_abs(), 57), ALLOW);
}

#[test]
fn only_tcp_and_udp_are_spoken() {
    for family in [libc::AF_INET, libc::AF_INET6] {
        for (kind, protocol, answer) in [
            (libc::SOCK_STREAM, libc::IPPROTO_TCP, ALLOW),
            (libc::SOCK_DGRAM, libc::IPPROTO_UDP, ALLOW),
            (libc::SOCK_STREAM, libc::IPPROTO_MPTCP, errno(libc::EPROTONOSUPPORT)),
            (libc::SOCK_STREAM, libc::IPPROTO_SCTP, errno(libc::EPROTONOSUPPORT)),
            (libc::SOCK_DGRAM, libc::IPPROTO_UDPLITE, errno(libc::EPROTONOSUPPORT)),
            (libc::SOCK_DGRAM, libc::IPPROTO_ICMP, errno(libc::EPROTONOSUPPORT)),
            (libc::SOCK_SEQPACKET, libc::IPPROTO_SCTP, errno(libc::EPERM)),
            (libc::SOCK_DCCP, libc::IPPROTO_DCCP, errno(libc::EPERM)),
        ] {
            assert_eq!(socket(family, kind, protocol), answer, "{family} {kind} {protocol}");
        }
    }
}

#[test]
fn the_kernel_may_be_asked_about_interfaces_by_those_with_ports_and_about_nothing_else() {
    for kind in [libc::SOCK_RAW, libc::SOCK_DGRAM] {
        let kind = kind | libc::SOCK_CLOEXEC;
        assert_eq!(socket(libc::AF_NETLINK, kind, libc::NETLINK_ROUTE), ALLOW);
        for other in 1..23 {
            assert_eq!(socket(libc::AF_NETLINK, kind, other), errno(libc::EAFNOSUPPORT));
        }
    }
    let stream = socket(libc::AF_NETLINK, libc::SOCK_STREAM, libc::NETLINK_ROUTE);
    assert_eq!(stream, errno(libc::EPERM));
    LACKING.set(FilterOptions { network: HostNetwork::Empty, ..FilterOptions::default() });
    let raw = socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE);
    assert_eq!(raw, errno(libc::EAFNOSUPPORT), "some answers count what the whole machine does");
    assert_eq!(socket(libc::AF_INET, libc::SOCK_DGRAM, 0), ALLOW);
}

#[test]
fn buffers_of_sockets_do_not_grow() {
    LACKING.set(FilterOptions::default());
    let set = |level: i32, option: i32| {
        answer(NATIVE, number(libc::SYS_setsockopt), [3, level as u32, option as u32, 0])
    };
    assert_eq!(set(libc::SOL_SOCKET, libc::SO_RCVBUF), DONE);
    assert_eq!(set(libc::SOL_SOCKET, libc::SO_SNDBUFFORCE), DONE);
    assert_eq!(set(libc::SOL_SOCKET, libc::SO_REUSEADDR), ALLOW);
    assert_eq!(set(libc::IPPROTO_TCP, libc::SO_SNDBUF), ALLOW);
    assert_eq!(set(libc::IPPROTO_TCP, libc::TCP_LINGER2), errno(libc::ENOPROTOOPT));
    for program in [26, 50, 51, 52] {
        assert_eq!(set(libc::SOL_SOCKET, program), errno(libc::EPERM));
    }
    for key in [libc::TCP_MD5SIG, 32, 38] {
        assert_eq!(set(libc::IPPROTO_TCP, key), errno(libc::EPERM));
    }
}

#[test]
fn options_of_protocols_are_those_that_servers_and_clients_need() {
    LACKING.set(FilterOptions::default());
    let set = |level: i32, option: i32| {
        answer(NATIVE, number(libc::SYS_setsockopt), [3, level as u32, option as u32, 0])
    };
    for (level, option) in [
        (libc::IPPROTO_TCP, libc::TCP_NODELAY),
        (libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT),
        (libc::IPPROTO_IP, libc::IP_TOS),
        (libc::IPPROTO_IPV6, libc::IPV6_V6ONLY),
        (libc::IPPROTO_IPV6, libc::IPV6_TCLASS),
    ] {
        assert_eq!(set(level, option), ALLOW, "{level} {option}");
    }
    let unknown = errno(libc::ENOPROTOOPT);
    for (level, option) in [
        (libc::IPPROTO_TCP, libc::TCP_ULP),
        (libc::IPPROTO_TCP, libc::TCP_CONGESTION),
        (libc::IPPROTO_IP, libc::IP_ADD_MEMBERSHIP),
        (libc::IPPROTO_IPV6, libc::IPV6_FLOWLABEL_MGR),
        (libc::IPPROTO_UDP, 103),
        (libc::SOL_TLS, 1),
        (libc::SOL_NETLINK, libc::NETLINK_ADD_MEMBERSHIP),
    ] {
        assert_eq!(set(level, option), unknown, "{level} {option}");
    }
}
