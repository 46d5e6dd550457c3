//! Hostile web servers: lines H01 to H15 of the catalogue, each a program in Python with the
//! verdicts of its first answers.
//!
//! The program follows [`PRELUDE`]. It gets requests with the bodies `1`, `2` and so on, with a
//! pause between them, beside an honest server. `{port}` in its text stands for a port of the host
//! at which nobody may be seen.

use joust_referee::Verdict::{self, Ok as Answered, OutputLimit, ProtocolViolation, Timeout};

/// Functions that the programs use.
pub const PRELUDE: &str = r#"
import os, signal, socket, sys, threading, time

def listen(port=None, backlog=16):
    return socket.create_server(('0.0.0.0', int(port or os.environ['PORT'])), backlog=backlog)

def request(connection):
    data = b''
    while b'\r\n\r\n' not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    head, body = data.split(b'\r\n\r\n', 1)
    lines = head.decode().split('\r\n')
    length = sum(int(line.split(':')[1]) for line in lines if line.startswith('Content-Length:'))
    while len(body) < length:
        body += connection.recv(65536)
    return lines, body.decode()

def answer(body, lines='', status='200 OK'):
    return f'HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{lines}\r\n{body}'.encode()

def connections(server):
    while True:
        yield server.accept()[0]

def serve(reply, server=None):
    """Answers each request by what `reply(connection, body)` sends, until it returns `close`."""
    for connection in connections(server or listen()):
        try:
            while (asked := request(connection)) is not None:
                if reply(connection, asked[1]) == 'close':
                    break
        except OSError:
            pass
        connection.close()

def after_first(misbehave, server=None):
    """Answers the request `1` well, and all others by `misbehave(connection)`."""
    def reply(connection, body):
        if body == '1':
            connection.sendall(answer(body))
        else:
            return misbehave(connection)
    serve(reply, server)
"#;

/// A hostile server.
#[derive(Clone, Copy, Debug)]
pub struct WebServer {
    /// Id of its line, and what tells it from others of that line.
    pub id: &'static str,
    /// The program, without the prelude.
    pub source: &'static str,
    /// The verdicts of its answers, in order.
    pub earns: &'static [Verdict],
    /// Bodies of the answers that count.
    pub says: &'static [&'static str],
}

/// Every hostile server.
pub const ALL: &[WebServer] = &[
    WebServer {
        id: "H01",
        source: "server = listen(backlog=0); time.sleep(1000)",
        earns: &[Timeout, Timeout, Timeout],
        says: &[],
    },
    WebServer {
        id: "H01-stopped",
        source: "server = listen(); os.kill(os.getpid(), signal.SIGSTOP)",
        earns: &[Timeout, Timeout],
        says: &[],
    },
    WebServer {
        id: "H02",
        source: "kept = [accepted for accepted in connections(listen())]",
        earns: &[Timeout, Timeout],
        says: &[],
    },
    WebServer {
        id: "H03",
        source: r"
def drip(connection):
    for byte in answer('2'):
        connection.sendall(bytes([byte]))
        time.sleep(1)
after_first(drip)",
        earns: &[Answered, Timeout],
        says: &["1"],
    },
    WebServer {
        id: "H04",
        source: r"
def flood(connection):
    connection.sendall(b'HTTP/1.1 200 OK\r\n')
    while True:
        connection.sendall(b'a: b\r\n' * 1000)
after_first(flood)",
        earns: &[Answered, OutputLimit],
        says: &["1"],
    },
    WebServer {
        id: "H04-informed",
        source: r"
def flood(connection):
    while True:
        connection.sendall(b'HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n' * 100)
after_first(flood)",
        earns: &[Answered, OutputLimit],
        says: &["1"],
    },
    WebServer {
        id: "H04-folded",
        source: r"
after_first(lambda connection: connection.sendall(answer('2', 'a: b\r\n c\r\n')))",
        earns: &[Answered, ProtocolViolation],
        says: &["1"],
    },
    WebServer {
        id: "H04-upgrade",
        source: r"
line = 'Connection: upgrade\r\nUpgrade: websocket\r\n'
after_first(lambda connection: connection.sendall(answer('2', line, '101 Switching Protocols')))",
        earns: &[Answered, ProtocolViolation],
        says: &["1"],
    },
    WebServer {
        id: "H05",
        source: r"
def flood(connection):
    connection.sendall(b'HTTP/1.1 200 OK\r\n\r\n')
    while True:
        connection.sendall(b'x' * 65536)
after_first(flood)",
        earns: &[Answered, OutputLimit],
        says: &["1"],
    },
    WebServer {
        id: "H05-chunks",
        source: r"
def flood(connection):
    connection.sendall(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    while True:
        connection.sendall(b'1\r\nx\r\n' * 1000)
after_first(flood)",
        earns: &[Answered, OutputLimit],
        says: &["1"],
    },
    WebServer {
        id: "H05-size",
        source: r"
def reply(connection):
    connection.sendall(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n2')
after_first(reply)",
        earns: &[Answered, ProtocolViolation],
        says: &["1"],
    },
    WebServer {
        id: "H05-trailer",
        source: r"
def flood(connection):
    connection.sendall(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n')
    while True:
        connection.sendall(b'a: b\r\n' * 1000)
after_first(flood)",
        earns: &[Answered, OutputLimit],
        says: &["1"],
    },
    WebServer {
        id: "H06",
        source: r"
def reply(connection, body):
    connection.sendall(answer(body))
    connection.sendall(answer(str(int(body) + 1)))
serve(reply)",
        earns: &[Answered, ProtocolViolation, Answered],
        says: &["1", "3"],
    },
    WebServer {
        id: "H07",
        source: "serve(lambda connection, body: connection.sendall(answer(body) * 2))",
        earns: &[Answered, ProtocolViolation, Answered],
        says: &["1", "3"],
    },
    WebServer {
        id: "H08-short",
        source: r"
after_first(lambda connection: connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2345'))",
        earns: &[Answered, Answered, ProtocolViolation],
        says: &["1", "2"],
    },
    WebServer {
        id: "H08-long",
        source: r"
after_first(lambda connection: connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n2'))",
        earns: &[Answered, Timeout],
        says: &["1"],
    },
    WebServer {
        id: "H09",
        source: r"
def half(connection):
    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')
    return 'close'
after_first(half)",
        earns: &[Answered, ProtocolViolation],
        says: &["1"],
    },
    WebServer {
        id: "H09-reset",
        source: r"
def reset(connection):
    connection.sendall(b'HTTP/1.1 200 OK\r\n\r\nhalf')
    time.sleep(0.1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0' + b'\0' * 4)
    return 'close'
after_first(reset)",
        earns: &[Answered, ProtocolViolation],
        says: &["1"],
    },
    WebServer {
        id: "H09-child",
        source: r"
server = listen()
wait, tell = os.pipe()
if os.fork():
    os.read(wait, 1); os._exit(3)
def stay(connection):
    os.write(tell, b'x')
    time.sleep(0.3)
    connection.sendall(answer('2'))
after_first(stay, server)",
        earns: &[Answered, Verdict::ExitNonzero, Verdict::ExitNonzero],
        says: &["1"],
    },
    WebServer {
        id: "H09-half",
        source: r"
def half_close(connection, body):
    connection.sendall(answer(body))
    connection.shutdown(socket.SHUT_WR)
serve(half_close)",
        earns: &[Answered, Answered, Answered],
        says: &["1", "2", "3"],
    },
    WebServer {
        id: "H09-dies",
        source: "after_first(lambda connection: os.kill(os.getpid(), signal.SIGKILL))",
        earns: &[Answered, Verdict::Crash, Verdict::Crash],
        says: &["1"],
    },
    WebServer {
        id: "H10",
        source: r"
line = 'Location: http://127.0.0.1:{port}/\r\n'
serve(lambda connection, body: connection.sendall(answer(body, line, '307 Elsewhere')))",
        earns: &[Answered, Answered],
        says: &["1", "2"],
    },
    WebServer {
        id: "H11",
        source: r"
line = 'Content-Encoding: gzip\r\n'
serve(lambda connection, body: connection.sendall(answer('no gzip', line)))",
        earns: &[Answered, Answered],
        says: &["no gzip", "no gzip"],
    },
    WebServer {
        id: "H12",
        source: r"
more = []
for port in [*range(8001, 8021), {port}]:
    try:
        more.append(listen(port))
    except OSError:
        pass
serve(lambda connection, body: connection.sendall(answer(body)))",
        earns: &[Answered, Answered],
        says: &["1", "2"],
    },
    WebServer {
        id: "H12-many",
        source: r"
more = []
for first in range(10000, 10200, 25):
    if os.fork() == 0:
        for port in range(first, first + 25):
            try:
                more.append(socket.create_server(('127.0.0.1', port)))
            except OSError:
                pass
        time.sleep(1000)
time.sleep(0.5)
serve(lambda connection, body: connection.sendall(answer(body)))",
        earns: &[Answered, Answered],
        says: &["1", "2"],
    },
    WebServer {
        id: "H12-again",
        source: r"
more = []
def again(connection, body):
    connection.sendall(answer(body))
    for _ in range(200):
        try:
            more.append(socket.create_server(('127.0.0.1', 8000), reuse_port=True))
        except OSError:
            pass
serve(again)",
        earns: &[Answered, Answered, Answered],
        says: &["1", "2", "3"],
    },
    WebServer {
        id: "H13",
        source: r"
def strike():
    while True:
        for host in ['127.0.0.1', '::1']:
            for port in [{port}, 8000, 8001]:
                try:
                    socket.create_connection((host, port), 0.1).sendall(answer('mine'))
                except OSError:
                    pass
        time.sleep(0.01)
threading.Thread(target=strike, daemon=True).start()
def careful(server):
    # Its own connections to itself are not the referee's.
    for connection in connections(server):
        threading.Thread(target=converse, args=[connection], daemon=True).start()
def converse(connection):
    try:
        while (asked := request(connection)) is not None and asked[0][0].startswith('POST'):
            connection.sendall(answer(asked[1]))
    except (OSError, IndexError, ValueError):
        pass
careful(listen())",
        earns: &[Answered, Answered],
        says: &["1", "2"],
    },
    WebServer {
        id: "H14",
        source: r"
server = listen(backlog=4096)
kept = []
try:
    for _ in range(5000):
        kept.append(socket.create_connection(('127.0.0.1', int(os.environ['PORT'])), 0.1))
except OSError:
    pass
time.sleep(0.2)
kept.clear()
serve(lambda connection, body: connection.sendall(answer(body)), server)",
        earns: &[Answered, Answered],
        says: &["1", "2"],
    },
    WebServer {
        id: "H15",
        source: r"
def later(connection):
    time.sleep(5)
    while True:
        connection.sendall(answer('late'))
after_first(later)",
        earns: &[Answered, Timeout],
        says: &["1"],
    },
    WebServer {
        id: "H15-urgent",
        source: r"
def urge(connection):
    while True:
        connection.send(b'x', socket.MSG_OOB)
        time.sleep(0.001)
after_first(urge)",
        earns: &[Answered, ProtocolViolation],
        says: &["1"],
    },
];

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::*;

    #[test]
    fn every_server_belongs_to_a_line_and_every_line_of_servers_has_one() {
        let lines: Vec<_> = catalogue::lines().iter().map(|line| line.id).collect();
        let line = |server: &WebServer| server.id.split('-').next();
        assert!(ALL.iter().all(|server| line(server).is_some_and(|id| lines.contains(&id))));
        for id in lines.iter().filter(|id| id.starts_with('H')) {
            assert!(ALL.iter().any(|server| line(server) == Some(*id)), "{id}");
        }
    }
}
