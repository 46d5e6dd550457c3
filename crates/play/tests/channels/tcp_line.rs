//! Clients over TCP in a long-lived process.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_model::Exit;
use joust_play::channel::live::{
    ConnectOutcome, Event, LiveChannel, News, SeatConnection, needs_connection_test, open_live,
    test_connection,
};
use joust_play::channel::poll::{Interest, Poll};
use joust_play::channel::{Answered, Opening};
use joust_referee::Verdict;
use joust_testkit::time_scale::scaled;

use crate::fixture::{host, opening};
use joust_testkit::suite::Test;

pub(crate) const TESTS: &[Test] = &[
    ("a_client_is_ready_when_it_has_connected", ready),
    ("a_client_may_come_late_and_is_ready_then", late),
    ("the_known_name_and_port_lead_to_the_game_where_seats_have_networks", known_place),
    ("host_and_port_stand_in_the_arguments_if_asked_for", arguments),
    ("two_commands_in_one_packet_come_as_they_are", one_packet),
    ("bytes_without_a_line_end_are_followed_by_word_of_the_quiet", quiet),
    ("a_line_in_pieces_comes_in_pieces_and_says_nothing_of_quiet", pieces),
    ("two_connections_of_a_seat_are_told_apart", two_connections),
    ("who_drops_its_connection_can_come_back", comes_back),
    ("who_closes_its_sending_side_still_listens", half_closed),
    ("who_does_not_read_is_cut_off_and_was_warned_by_nobody", slow_reader),
    ("who_sends_more_than_is_taken_is_cut_off", flood),
    ("connections_above_the_cap_are_one_violation_and_the_first_goes_on", crowd),
    ("a_connection_that_the_game_closes_is_closed", disconnected),
    ("what_was_said_before_the_end_is_heard_before_it", last_words),
    ("a_client_that_cannot_be_started_is_told_of_at_once", cannot_start),
    ("a_client_may_write_beside_its_files_and_they_stay_what_they_were", writes),
    ("a_client_that_cannot_reach_its_server_stays_away_where_seats_have_no_network", stays_away),
    ("whatever_a_client_does_at_other_doors_its_opponent_hears_nothing_of_it", other_doors),
];

const PRELUDE: &str = "import os, socket, sys, time\n\
    def connect():\n    \
    return socket.create_connection((os.environ['JOUST_HOST'], int(os.environ['JOUST_PORT'])))\n";

/// A running client and what it did.
struct Client {
    channel: Box<dyn LiveChannel>,
    news: Vec<News>,
    program: tempfile::TempDir,
}

/// A folder with the program `bot.py`.
fn program(source: &str) -> tempfile::TempDir {
    let program = tempfile::tempdir().expect("a folder can be made");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(program.path(), mode).expect("it is ours");
    fs::write(program.path().join("bot.py"), format!("{PRELUDE}{source}\n"))
        .expect("a file can be written");
    program
}

impl Client {
    fn start(source: &str) -> Self {
        Self::start_with(source, |_| {})
    }

    fn start_with(source: &str, change: impl FnOnce(&mut Opening)) -> Self {
        let program = program(source);
        let mut opening = opening(&program, &[]);
        opening.game = joust_testkit::game("uwcs-bomberman");
        change(&mut opening);
        let mut channel = open_live("tcp-line", opening).expect("the channel opens");
        channel.start().expect("the machine is well");
        Self { channel, news: Vec::new(), program }
    }

    /// Takes what it does until that moment; says whether it did anything.
    fn wait(&mut self, until: Instant) -> bool {
        while self.news.is_empty() && Instant::now() < until {
            let mut wanted = Vec::new();
            self.channel.descriptors(&mut wanted);
            let mut poll = Poll::default();
            for it in &wanted {
                let interest = if it.for_writing { Interest::Write } else { Interest::Read };
                poll.add(it.descriptor, interest);
            }
            let wake = self.channel.wake_at().map_or(until, |at| at.min(until));
            poll.wait(Some(wake)).expect("the machine is well");
            drop(poll);
            self.channel.receive(&mut self.news).expect("the machine is well");
        }
        !self.news.is_empty()
    }

    /// Waits for the next thing it does.
    fn next(&mut self) -> News {
        let until = Instant::now() + scaled(Duration::from_secs(20));
        assert!(self.wait(until), "nothing happens");
        self.news.remove(0)
    }

    fn expect_opened(&mut self, number: u32) {
        let event = self.next().event;
        let it = SeatConnection(number);
        assert!(matches!(event, Event::Opened(opened) if opened == it), "{event:?}");
    }

    fn expect_closed(&mut self, number: u32) {
        let event = self.next().event;
        let it = SeatConnection(number);
        assert!(matches!(event, Event::Closed(closed) if closed == it), "{event:?}");
    }

    fn expect_ready(&mut self) {
        let event = self.next().event;
        assert!(matches!(event, Event::Ready), "{event:?}");
    }

    fn expect_fault(&mut self, expected: Verdict) {
        let event = self.next().event;
        let is_it = matches!(event, Event::Fault { verdict, .. } if verdict == expected);
        assert!(is_it, "{event:?}");
    }

    /// Its first connection.
    fn connected(mut self) -> Self {
        self.expect_opened(0);
        self.expect_ready();
        self
    }

    /// Returns its next message, with the connection and the time at which it was seen.
    fn message(&mut self) -> (u32, Vec<u8>, Instant) {
        let News { at, event } = self.next();
        match event {
            Event::Message { connection, bytes } => (connection.0, bytes.to_vec(), at),
            other => panic!("no message but {other:?}"),
        }
    }

    /// Returns its messages on its first connection, up to a number of bytes.
    fn said(&mut self, length: usize) -> Vec<u8> {
        let mut said = Vec::new();
        while said.len() < length {
            said.extend(self.message().1);
        }
        said
    }

    fn ended(&mut self) -> Answered {
        match self.next().event {
            Event::Ended(answered) => *answered,
            other => panic!("no end but {other:?}"),
        }
    }

    fn send(&mut self, number: u32, text: &[u8]) {
        let bytes = Arc::from(text);
        self.channel.send(SeatConnection(number), &bytes).expect("the machine is well");
    }

    fn close(mut self) -> Answered {
        let answered = self.channel.end().expect("the machine is well");
        self.channel.close().expect("it can be closed");
        answered
    }
}

fn ready() {
    let mut client = Client::start("s = connect(); s.sendall(s.recv(99).upper())\ns.recv(1)");
    client.expect_opened(0);
    client.expect_ready();
    client.send(0, b"init\n");
    assert_eq!(client.said(5), b"INIT\n");
    let usage = client.channel.usage().expect("the machine is well");
    assert!(usage.cpu > Duration::ZERO, "{usage:?}");
    assert_eq!(client.close().verdict, Verdict::Ok);
}

fn late() {
    let source = "time.sleep(0.4)\ns = connect(); s.sendall(b'here\\n'); s.recv(1)";
    let began = Instant::now();
    let mut client = Client::start(source).connected();
    assert!(began.elapsed() >= Duration::from_millis(400), "it was asleep");
    assert_eq!(client.said(5), b"here\n");
    client.close();
}

fn known_place() {
    let source = "try:\n s = socket.create_connection(('uwcs.co.uk', 8037)); s.recv(1)\n\
                  except OSError as error:\n print('refused'); sys.exit(7)";
    let mut client = Client::start(source);
    if needs_connection_test(host().tier()) {
        let ended = client.ended();
        assert_eq!((ended.exit, &*ended.output), (Exit::Status(7), &b"refused\n"[..]));
        return;
    }
    client.connected().close();
}

fn arguments() {
    let source = "host, port = sys.argv[2].split(':')\n\
                  assert port == os.environ['JOUST_PORT'] and sys.argv[1] == '{name}'\n\
                  s = socket.create_connection((host, int(port))); s.recv(1)";
    let words = ["{name}", "{host}:{port}"];
    let add = |opening: &mut Opening| opening.command.extend(words.map(Into::into));
    Client::start_with(source, add).connected().close();
}

fn one_packet() {
    let source = "s = connect(); s.sendall(b'ACTION UP\\nACTION DOWN\\n'); s.recv(1)";
    let mut client = Client::start(source).connected();
    let (connection, bytes, _) = client.message();
    assert_eq!((connection, &*bytes), (0, &b"ACTION UP\nACTION DOWN\n"[..]));
    let soon = Instant::now() + Duration::from_millis(50);
    assert!(!client.wait(soon), "{:?}", client.news);
    client.close();
}

fn cannot_start() {
    for program in ["/bot/no-such-program", "/bot/bot.py"] {
        let began = Instant::now();
        let replace = |opening: &mut Opening| opening.command = vec![program.into()];
        let mut client = Client::start_with("print('no program')", replace);
        let ended = client.ended();
        assert_eq!(ended.verdict, Verdict::Crash, "{ended:?}");
        assert!(matches!(ended.exit, Exit::NotStarted(_)), "{ended:?}");
        assert!(ended.reason.starts_with("the program could not be started: "), "{ended:?}");
        assert!(began.elapsed() < scaled(Duration::from_secs(5)), "{:?}", began.elapsed());
        client.close();
    }
}

fn writes() {
    let source = "open('client.log', 'w').write('x')\n\
                  open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'own.log'), 'w')\n\
                  open(__file__, 'a').write('#')\n\
                  try: open('/bot/other.log', 'w')\n\
                  except OSError: print('refused')\n\
                  print(*sorted(os.listdir('.')), flush=True)\nconnect().recv(1)";
    let client = Client::start(source).connected();
    let built = fs::read_to_string(client.program.path().join("bot.py")).expect("it is there");
    assert_eq!(built, format!("{PRELUDE}{source}\n"));
    assert_eq!(fs::read_dir(client.program.path()).expect("it is there").count(), 1);
    let output = client.close().output;
    assert_eq!(String::from_utf8_lossy(&output), "refused\nbot.py client.log own.log\n");
}

fn quiet() {
    let source = "s = connect(); s.sendall(b'ACTION UP'); s.recv(1)";
    let mut client = Client::start(source).connected();
    let (_, bytes, said_at) = client.message();
    assert_eq!(bytes, b"ACTION UP");
    let (_, nothing, quiet_at) = client.message();
    assert_eq!(nothing, b"");
    assert!(quiet_at - said_at >= Duration::from_millis(10), "{:?}", quiet_at - said_at);
    let soon = Instant::now() + Duration::from_millis(50);
    assert!(!client.wait(soon), "said once: {:?}", client.news);
    client.close();
}

fn pieces() {
    // The second piece is sent when the first was seen, so that there are two.
    let source = "s = connect(); s.sendall(b'ACT')\ns.recv(1)\ns.sendall(b'ION UP\\n'); s.recv(1)";
    let mut client = Client::start(source).connected();
    assert_eq!(client.message().1, b"ACT");
    client.send(0, b".");
    let mut rest = client.message().1;
    if rest.is_empty() {
        // The client was slow, and the quiet was reported meanwhile.
        rest = client.message().1;
    }
    assert_eq!(rest, b"ION UP\n");
    let soon = Instant::now() + Duration::from_millis(50);
    assert!(!client.wait(soon), "{:?}", client.news);
    client.close();
}

fn two_connections() {
    let source = "one = connect(); one.sendall(b'one\\n'); one.recv(1)\n\
                  two = connect(); two.sendall(b'two\\n'); two.recv(1)\n\
                  one.sendall(b'one again\\n'); two.recv(1)";
    let mut client = Client::start(source).connected();
    let said = |client: &mut Client| {
        let (number, bytes, _) = client.message();
        (number, String::from_utf8_lossy(&bytes).into_owned())
    };
    assert_eq!(said(&mut client), (0, "one\n".to_owned()));
    client.send(0, b".");
    // It is ready once.
    client.expect_opened(1);
    assert_eq!(said(&mut client), (1, "two\n".to_owned()));
    client.send(1, b".");
    assert_eq!(said(&mut client), (0, "one again\n".to_owned()));
    client.close();
}

fn comes_back() {
    let source = "one = connect(); one.sendall(b'one\\n'); one.recv(1); one.close()\n\
                  two = connect(); two.sendall(b'two\\n'); two.recv(1)";
    let mut client = Client::start(source).connected();
    assert_eq!(client.message().1, b"one\n");
    client.send(0, b".");
    client.expect_opened(1);
    assert_eq!(client.message().0, 1);
    // A closed connection is noticed when sending fails.
    let until = Instant::now() + scaled(Duration::from_secs(10));
    while client.news.is_empty() && Instant::now() < until {
        client.send(0, b"TICK 1\n");
        client.wait(Instant::now() + Duration::from_millis(5));
    }
    client.expect_closed(0);
    client.close();
}

fn half_closed() {
    let source = "s = connect(); s.sendall(b'REGISTER half pw'); s.shutdown(socket.SHUT_WR)\n\
                  heard = s.makefile('r'); print(heard.readline() + heard.readline(), end='')\n\
                  s.close()";
    let mut client = Client::start(source).connected();
    assert_eq!(client.message().1, b"REGISTER half pw");
    assert_eq!(client.message().1, b"", "no more can come: it is whole");
    client.send(0, b"REGISTERED\n");
    client.send(0, b"TICK 1\n");
    client.expect_closed(0);
    assert_eq!(client.ended().output, b"REGISTERED\nTICK 1\n");
}

fn slow_reader() {
    let mut client = Client::start("s = connect(); time.sleep(1000)").connected();
    let line = vec![b'x'; 32 * 1024];
    let mut sent = 0;
    while client.news.is_empty() {
        client.send(0, &line);
        sent += line.len();
        assert!(sent < 64 << 20, "nobody keeps so much");
        client.channel.receive(&mut client.news).expect("the machine is well");
    }
    client.expect_fault(Verdict::OutputLimit);
    client.expect_closed(0);
    assert_eq!(client.close().verdict, Verdict::Ok, "it goes on without a connection");
}

fn flood() {
    let source = "s = connect()\ntry:\n while True: s.sendall(b'ACTION UP\\n' * 10000)\n\
                  except OSError: time.sleep(1000)";
    let mut client = Client::start(source).connected();
    let mut taken = 0;
    let fault = loop {
        match client.next().event {
            Event::Message { bytes, .. } => taken += bytes.len(),
            other => break other,
        }
    };
    let is_it = matches!(fault, Event::Fault { verdict: Verdict::OutputLimit, .. });
    assert!(is_it, "{fault:?}");
    assert!((512 * 1024..4 << 20).contains(&taken), "{taken} bytes");
    client.expect_closed(0);
    client.close();
}

fn crowd() {
    let source = "all = [connect() for _ in range(80)]\n\
                  all[0].sendall(b'still here\\n'); time.sleep(1000)";
    let mut client = Client::start(source);
    let (mut opened, mut faults, mut said) = (0, Vec::new(), Vec::new());
    // Its connections are accepted while it speaks.
    while said.is_empty() || faults.is_empty() {
        match client.next().event {
            Event::Opened(_) => opened += 1,
            Event::Fault { verdict, .. } => faults.push(verdict),
            Event::Message { connection, bytes } => said.push((connection.0, bytes.to_vec())),
            Event::Ready => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((opened, faults), (64, vec![Verdict::ProtocolViolation]));
    assert_eq!(said, [(0, b"still here\n".to_vec())]);
    client.close();
}

fn disconnected() {
    let source = "s = connect(); print(s.recv(9)); sys.stdout.flush(); time.sleep(0.05)";
    let mut client = Client::start(source).connected();
    let now = Instant::now();
    client.channel.disconnect(SeatConnection(0)).expect("the machine is well");
    assert!(client.channel.wake_at().is_some_and(|at| at <= now), "whoever polls is to look");
    client.expect_closed(0);
    assert_eq!(client.ended().output, b"b''\n");
}

fn last_words() {
    let mut client = Client::start("s = connect(); s.sendall(b'bye\\n')").connected();
    assert_eq!(client.message().1, b"bye\n");
    client.expect_closed(0);
    let ended = client.ended();
    assert_eq!((ended.verdict, ended.exit), (Verdict::ProtocolViolation, Exit::Status(0)));
    // Bots that continue are not affected.
    client.send(0, b"TICK 1\n");
    client.close();
}

/// Connects to every port of loopback with a listener, and to the ports in its arguments, in every
/// possible way, and reports the number of successes.
const TRESPASSER: &str = "import ctypes\n\
    def ports():\n \
    found = {int(port) for port in sys.argv[1:]}\n \
    for table in '/proc/net/tcp', '/proc/net/tcp6':\n  \
    try: lines = open(table).read().splitlines()[1:]\n  \
    except OSError: lines = []\n  \
    for line in lines:\n   \
    words = line.split()\n   \
    if words[3] == '0A': found.add(int(words[1].split(':')[1], 16))\n \
    return found - {8037}\n\
    def reached(family, kind, protocol, host, port, fast):\n \
    try:\n  \
    s = socket.socket(family, kind, protocol); s.settimeout(1)\n  \
    if fast: s.sendto(b'x', 0x20000000, (host, port))\n  \
    else: s.connect((host, port))\n  \
    kept.append(s)\n  \
    return kind != socket.SOCK_DGRAM\n \
    except OSError: return False\n\
    kept = []; got = 0\n\
    v4, v6, tcp = socket.AF_INET, socket.AF_INET6, socket.SOCK_STREAM\n\
    for port in ports():\n \
    for _ in range(70): got += reached(v4, tcp, 0, '127.0.0.1', port, False)\n \
    got += reached(v4, tcp, 262, '127.0.0.1', port, False)\n \
    got += reached(v6, tcp, 262, '::ffff:127.0.0.1', port, False)\n \
    got += reached(v6, tcp, 0, '::ffff:127.0.0.1', port, False)\n \
    got += reached(v6, tcp, 0, '::1', port, False)\n \
    got += reached(v4, tcp, 0, '127.0.0.1', port, True)\n \
    got += reached(v4, socket.SOCK_SEQPACKET, 132, '127.0.0.1', port, False)\n\
    print(got, flush=True)\n";

/// Two tame clients, or a tame one beside one that tries every attack: the events of the tame one
/// are the same.
fn other_doors() {
    let honest = "s = connect(); s.sendall(b'REGISTER tame pw\\n'); s.recv(99)\n\
                  s.sendall(b'ACTION UP\\n'); s.recv(1)";
    let plays = |other: &str, arguments: Vec<std::ffi::OsString>| {
        let mut opponent = Client::start(honest).connected();
        let mut heard = opponent.said(17);
        let add = |opening: &mut Opening| opening.command.extend(arguments);
        let mut other = Client::start_with(other, add);
        let did = other.ended();
        opponent.send(0, b"TICK 1\n");
        heard.extend(opponent.said(10));
        let soon = Instant::now() + Duration::from_millis(50);
        assert!(!opponent.wait(soon), "nothing but what it did: {:?}", opponent.news);
        let verdict = opponent.close().verdict;
        other.close();
        (heard, verdict, String::from_utf8_lossy(&did.output).into_owned())
    };
    let host_s = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    host_s.set_nonblocking(true).expect("it is ours");
    let port = host_s.local_addr().expect("it has one").port().to_string();
    let (heard, verdict, _) = plays("print(0)", vec![]);
    let beside = plays(TRESPASSER, vec![port.into()]);
    assert_eq!(beside, (heard, verdict, "0\n".to_owned()));
    assert!(host_s.accept().is_err(), "nobody came to the host's own port");
}

fn stays_away() {
    let tries = |source: &str| {
        let program = program(source);
        let mut opening = opening(&program, &[]);
        opening.game = joust_testkit::game("uwcs-bomberman");
        opening.limits.start = scaled(Duration::from_secs(2));
        test_connection("tcp-line", opening, &|| false).expect("the machine is well")
    };
    assert_eq!(tries("connect().recv(1)"), ConnectOutcome::Connected);
    assert_eq!(
        tries("socket.create_connection(('127.0.0.1', 8037)).recv(1)"),
        ConnectOutcome::Connected
    );
    assert_eq!(
        tries("socket.create_connection(('localhost', 8037)).recv(1)"),
        ConnectOutcome::Connected
    );
    let ConnectOutcome::NotConnected { reason } =
        tries("socket.create_connection(('127.0.0.1', 8038))")
    else {
        panic!("it cannot come")
    };
    assert!(reason.ours.contains("ended with status 1"), "{reason}");
    assert!(!reason.ours.contains("ConnectionRefusedError"), "{reason}");
    assert!(reason.stderr.contains("ConnectionRefusedError"), "{reason}");
    let ConnectOutcome::NotConnected { reason } = tries("time.sleep(1000)") else {
        panic!("it cannot come")
    };
    assert!(reason.ours.contains("did not within"), "{reason}");
}
