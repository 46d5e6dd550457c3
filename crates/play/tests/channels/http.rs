//! Bots that are web servers.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use joust_model::Exit;
use joust_play::channel::live::{ConnectOutcome, PollTarget, needs_connection_test};
use joust_play::channel::poll::{Interest, Poll};
use joust_play::channel::{self, Answered, Channel, Opening, Request};
use joust_referee::{Limit, Parts, Verdict, http};
use joust_testkit::hostile::web_servers::{self, PRELUDE};
use joust_testkit::suite::Test;
use joust_testkit::time_scale::scaled;

use crate::fixture::{host, opening, part};

pub(crate) const TESTS: &[Test] = &[
    ("a_server_keeps_its_connection_and_what_it_knows", keeps),
    ("a_request_and_its_response_arrive_as_they_are", parts),
    ("a_server_at_another_port_is_found", fixed_port),
    ("the_given_port_wins_over_one_that_opened_earlier", debugger),
    ("port_and_prefix_of_a_manifest_hold", manifest),
    ("a_server_that_listens_for_ipv6_is_reached", ipv6),
    ("the_start_is_not_on_the_clock_of_the_request", slow_start),
    ("a_server_that_closes_without_notice_loses_no_request", silent_close),
    ("a_server_that_closes_each_connection_is_asked_over_new_ones", closes),
    ("a_late_answer_is_never_taken_for_the_next_one", late),
    ("a_late_server_is_asked_again_at_once", late_again),
    ("hostile_servers_earn_their_verdicts_and_disturb_nobody", hostile),
    ("what_is_no_http_and_what_ends_breaks_the_protocol", violations),
    ("a_server_that_listens_no_more_breaks_the_protocol_each_time", refuses),
    ("unasked_bytes_cost_the_next_request_and_no_other", unasked),
    ("a_server_that_does_not_listen_is_out", never_listens),
    ("a_server_at_several_other_ports_is_out_and_they_are_named", several_ports),
    ("a_server_that_cannot_listen_is_told_apart_before_it_plays", start_test),
    ("a_server_that_ends_earns_the_same_verdict_again", stays_dead),
    ("an_answer_before_the_end_of_the_program_counts", last_words),
    ("servers_are_asked_together_and_each_has_its_own_deadline", together),
    ("a_large_request_and_many_lines_of_log_stall_nobody", large),
];

fn second() -> Duration {
    scaled(Duration::from_secs(1))
}

/// A Python server in its seat.
struct Bot {
    channel: Box<dyn Channel>,
    _program: tempfile::TempDir,
}

fn program(source: &str) -> tempfile::TempDir {
    let program = tempfile::tempdir().expect("a folder can be made");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(program.path(), mode).expect("it is ours");
    let file = program.path().join("bot.py");
    fs::write(file, format!("{PRELUDE}\n{source}\n")).expect("a file can be written");
    program
}

fn view(body: &str) -> Parts {
    let [method, path] = [(http::METHOD, "POST"), (http::PATH, "/move")];
    let body = (http::BODY, body);
    Parts([method, path, body].map(|(name, text)| part(name, text)).to_vec())
}

fn request(view: &Parts, within: Duration) -> Request<'_> {
    Request { view, within, files: None, idle_seats: None }
}

impl Bot {
    fn new(source: &str) -> Self {
        Self::with(source, |_| {})
    }

    fn with(source: &str, change: impl FnOnce(&mut Opening)) -> Self {
        let program = program(source);
        let mut opening = opening(&program, &[]);
        opening.limits.start = 20 * second();
        change(&mut opening);
        let channel = channel::open("http", opening).expect("the channel opens");
        Self { channel, _program: program }
    }

    fn ask_within(&mut self, body: &str, within: Duration) -> Answered {
        let view = view(body);
        self.channel.ask(&request(&view, within)).expect("the machine is well")
    }

    fn ask(&mut self, body: &str) -> Answered {
        self.ask_within(body, 20 * second())
    }

    #[track_caller]
    fn assert_answers(&mut self, body: &str, expected: &str) {
        let answered = self.ask(body);
        assert_eq!(answered.verdict, Verdict::Ok, "{answered:?}");
        assert_eq!(text(&answered, http::BODY), expected);
    }

    fn close(self) {
        self.channel.close().expect("it can be closed");
    }
}

fn text(answered: &Answered, name: &str) -> String {
    String::from_utf8_lossy(answered.parts.get(name).unwrap_or_default()).into_owned()
}

const COUNTS: &str = r"
count = made = 0
for connection in connections(listen()):
    made += 1
    while (asked := request(connection)) is not None:
        count += 1
        connection.sendall(answer(f'{made} {count} {asked[1]}'))
";

fn keeps() {
    let mut bot = Bot::new(COUNTS);
    bot.assert_answers("one", "1 1 one");
    bot.assert_answers("two", "1 2 two");
    bot.assert_answers("", "1 3 ");
    bot.close();
}

fn parts() {
    let mut bot = Bot::new(
        r#"
connection = listen().accept()[0]
lines, body = request(connection)
text = '|'.join([lines[0], *sorted(lines[1:]), body])
connection.sendall(f'HTTP/1.1 418 Short\r\nContent-Type: a/b\r\nContent-Length: {len(text)}\r\n\r\n{text}'.encode())
time.sleep(1000)"#,
    );
    let mut view = view("{}");
    view.0.push(part(http::CONTENT_TYPE, "application/json"));
    let answered = bot.channel.ask(&request(&view, 20 * second())).expect("the machine is well");
    assert_eq!(answered.verdict, Verdict::Ok, "{answered:?}");
    assert_eq!(text(&answered, http::STATUS), "418");
    assert_eq!(text(&answered, http::CONTENT_TYPE), "a/b");
    let expected = format!(
        "POST /move HTTP/1.1|Content-Length: 2|Content-Type: application/json|\
         Host: 127.0.0.1:8000|User-Agent: Joust/{}|{{}}",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(text(&answered, http::BODY), expected);
}

fn fixed_port() {
    let mut bot = Bot::new("serve(lambda c, body: c.sendall(answer(body)), listen(8080))");
    bot.assert_answers("found", "found");
    bot.assert_answers("again", "again");
}

fn debugger() {
    let mut bot = Bot::new(
        r"
c = listen(9229).accept()[0]
request(c)
app = listen()
c.sendall(b'HTTP/1.1 400 No\r\nConnection: close\r\n\r\ndebugger')
c.close()
serve(lambda c, body: c.sendall(answer(body)), app)",
    );
    bot.assert_answers("first", "debugger");
    bot.assert_answers("second", "second");
}

fn manifest() {
    let mut bot = Bot::with(
        "port = sys.argv[1]; assert port == os.environ['PORT'] == os.environ['EXTRA'][3:]\n\
         connection = listen(port).accept()[0]; lines, body = request(connection)\n\
         connection.sendall(answer(lines[0] + lines[1])); time.sleep(1000)",
        |opening| {
            opening.command.push("$PORT".into());
            let variables = [("PORT", "5000"), ("EXTRA", "-p=$PORT"), ("JOUST_PATH", "/snake/")];
            let variables = variables.map(|(name, value)| (name.into(), value.into()));
            opening.spec.environment.extend(variables);
        },
    );
    bot.assert_answers("", "POST /snake/move HTTP/1.1Host: 127.0.0.1:5000");
}

fn ipv6() {
    let mut bot = Bot::new(
        "server = socket.create_server(('::1', 8080), family=socket.AF_INET6)\n\
         serve(lambda c, body: c.sendall(answer(body)), server)",
    );
    bot.assert_answers("found", "found");
}

fn slow_start() {
    let mut bot = Bot::new("time.sleep(0.5); serve(lambda c, body: c.sendall(answer(body)))");
    let answered = bot.ask_within("", 20 * second());
    assert_eq!(answered.verdict, Verdict::Ok, "{answered:?}");
    assert!(answered.usage.wall < Duration::from_millis(500), "{answered:?}");
}

fn silent_close() {
    let mut bot = Bot::new(
        r"
count = made = 0
for connection in connections(listen()):
    made += 1
    if (asked := request(connection)) is not None:
        count += 1
        connection.sendall(answer(f'{count} {asked[1]}'))
        if made == 1:
            # The next request is under way when this end closes.
            connection.recv(1, socket.MSG_PEEK)
    connection.close()",
    );
    bot.assert_answers("one", "1 one");
    bot.assert_answers("two", "2 two");
    bot.assert_answers("three", "3 three");
}

fn closes() {
    for line in ["HTTP/1.0 200 OK", "HTTP/1.1 200 OK\\r\\nConnection: close"] {
        let source = format!(
            "count = 0\n\
             for connection in connections(listen()):\n    \
             count += 1; asked = request(connection)\n    \
             connection.sendall(f'{line}\\r\\n\\r\\n{{count}} {{asked[1]}}'.encode())\n    \
             connection.close()"
        );
        let mut bot = Bot::new(&source);
        bot.assert_answers("one", "1 one");
        bot.assert_answers("two", "2 two");
    }
}

fn late() {
    let mut bot = Bot::new(
        r"
def reply(connection, body):
    if body == 'slow':
        connection.recv(1, socket.MSG_PEEK)
    connection.sendall(answer(body))
serve(reply)",
    );
    bot.assert_answers("quick", "quick");
    let answered = bot.ask_within("slow", Duration::from_millis(100));
    assert_eq!(answered.verdict, Verdict::Timeout, "{answered:?}");
    assert!(answered.limits_hit.contains(Limit::Wall));
    assert_eq!((answered.exit, &answered.parts), (Exit::Running, &Parts::none()));
    bot.assert_answers("next", "next");
}

fn late_again() {
    let mut bot = Bot::new("server = listen(); time.sleep(1000)");
    for _ in 0..3 {
        let answered = bot.ask_within("", Duration::from_millis(20));
        assert_eq!(answered.verdict, Verdict::Timeout, "{answered:?}");
    }
}

fn hostile() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    port.set_nonblocking(true).expect("it is ours");
    let number = port.local_addr().expect("it has one").port().to_string();
    let mut honest = Bot::new(COUNTS);
    for (row, number_of_row) in web_servers::ALL.iter().zip(1..) {
        let mut bot = Bot::new(&row.source.replace("{port}", &number));
        let mut said = Vec::new();
        for (verdict, body) in row.earns.iter().zip(1..) {
            if *verdict == Verdict::ProtocolViolation {
                // What nobody asked for arrives meanwhile.
                std::thread::sleep(scaled(Duration::from_millis(300)));
            }
            let within = if verdict.is_ok() { 20 * second() } else { second() / 2 };
            let answered = bot.ask_within(&body.to_string(), within);
            assert_eq!(answered.verdict, *verdict, "{} {body}: {answered:?}", row.id);
            match verdict {
                Verdict::Ok => said.push(text(&answered, http::BODY)),
                _ => assert_eq!(answered.parts, Parts::none(), "{} {body}", row.id),
            }
        }
        assert_eq!(said, row.says, "{}", row.id);
        let ended = bot.channel.finish().expect("the machine is well").expect("it stayed");
        let is_alive = row
            .earns
            .last()
            .is_some_and(|last| !matches!(last, Verdict::Crash | Verdict::ExitNonzero));
        assert_eq!(ended.verdict.is_ok(), is_alive, "{}: {ended:?}", row.id);
        bot.close();
        honest.assert_answers("", &format!("1 {number_of_row} "));
    }
    assert!(port.accept().is_err(), "nobody came to the host's own port");
}

fn violations() {
    for (fault, lives) in
        [("c.sendall(b'hello\\r\\n')", true), ("'close'", true), ("os._exit(0)", false)]
    {
        let mut bot = Bot::new(&format!("after_first(lambda c: {fault})"));
        bot.assert_answers("1", "1");
        let answered = bot.ask("2");
        assert_eq!(answered.verdict, Verdict::ProtocolViolation, "{fault}: {answered:?}");
        // The wait for the end of the program is the bot's time.
        assert!(!lives || answered.usage.wall >= Duration::from_millis(50), "{answered:?}");
    }
}

fn several_ports() {
    let mut bot = Bot::with("more = [listen(8001), listen(8002)]; time.sleep(1000)", |opening| {
        opening.limits.start = second();
    });
    let answered = bot.ask("");
    assert_eq!(answered.verdict, Verdict::Timeout, "{answered:?}");
    assert!(answered.reason.contains("8001, 8002, and not at 8000"), "{answered:?}");
    if needs_connection_test(host().tier()) {
        // All servers share the machine's network.
        return;
    }
    let elsewhere = "other = socket.create_server(('127.0.0.2', 8000)); time.sleep(1000)";
    let mut bot = Bot::with(elsewhere, |opening| opening.limits.start = second());
    let answered = bot.ask("");
    assert_eq!(answered.verdict, Verdict::Timeout, "{answered:?}");
    assert!(answered.reason.contains("port 8000, but of another address"), "{answered:?}");
}

fn refuses() {
    let mut bot = Bot::new(
        "server = listen(); c = server.accept()[0]; asked = request(c); server.close()\n\
         c.sendall(answer(asked[1])); c.close(); time.sleep(1000)",
    );
    bot.assert_answers("first", "first");
    for _ in 0..2 {
        let answered = bot.ask("next");
        assert_eq!(answered.verdict, Verdict::ProtocolViolation, "{answered:?}");
        assert!(answered.reason.contains("nobody listens"), "{answered:?}");
    }
}

fn unasked() {
    let mut bot =
        Bot::new("serve(lambda c, body: c.sendall(answer(body) * (2 if body == 'twice' else 1)))");
    bot.assert_answers("twice", "twice");
    let answered = bot.ask("next");
    assert_eq!(answered.verdict, Verdict::ProtocolViolation, "{answered:?}");
    assert!(answered.reason.contains("nobody had asked for"), "{answered:?}");
    bot.assert_answers("then", "then");
}

fn never_listens() {
    let mut bot = Bot::with("time.sleep(1000)", |opening| {
        opening.limits.start = Duration::from_millis(300);
    });
    let answered = bot.ask("");
    assert_eq!((answered.verdict, answered.exit), (Verdict::Timeout, Exit::Killed));
    assert!(answered.reason.contains("`PORT`"), "{answered:?}");
    assert_eq!(bot.ask("").verdict, Verdict::Timeout);
}

fn start_test() {
    let test = |source: &str, seconds| {
        let program = program(source);
        let mut opening = opening(&program, &[]);
        opening.limits.start = scaled(Duration::from_secs(seconds));
        channel::test_server(opening, &|| false).expect("the machine is well")
    };
    assert_eq!(test("server = listen(8080); time.sleep(1000)", 30), ConnectOutcome::Connected);
    for (source, seconds, words) in
        [("sys.exit(3)", 30, "ended with status 3"), ("time.sleep(1000)", 1, "did not within")]
    {
        let ConnectOutcome::NotConnected { reason } = test(source, seconds) else {
            panic!("{source}")
        };
        assert!(reason.ours.contains(words) && reason.ours.contains("`PORT`"), "{reason}");
    }
}

fn stays_dead() {
    let mut bot = Bot::new("sys.exit(4)");
    for _ in 0..2 {
        let answered = bot.ask("");
        assert_eq!(answered.verdict, Verdict::ExitNonzero, "{answered:?}");
        assert_eq!(answered.exit, Exit::Status(4));
    }
    let ended = bot.channel.finish().expect("the machine is well").expect("it stayed");
    assert_eq!(ended.verdict, Verdict::ExitNonzero);
}

fn last_words() {
    let mut bot = Bot::new("serve(lambda c, body: (c.sendall(answer(body)), os._exit(0)))");
    bot.assert_answers("last", "last");
    let answered = bot.ask("more");
    assert_eq!(answered.verdict, Verdict::ProtocolViolation, "{answered:?}");
    // Its connection is closed a moment before it has ended.
    assert!(matches!(answered.exit, Exit::Running | Exit::Status(0)), "{answered:?}");
    let ended = bot.channel.finish().expect("the machine is well").expect("it stayed");
    assert_eq!(ended.exit, Exit::Status(0));
}

/// Asks all bots at once; returns their answers in their order.
fn ask_all(bots: &mut [Bot], body: &str, within: Duration) -> Vec<Answered> {
    let view = view(body);
    for bot in &mut *bots {
        assert!(bot.channel.put(&request(&view, within)).expect("the machine is well"));
    }
    let mut answers = vec![None; bots.len()];
    while answers.contains(&None) {
        let mut wanted: Vec<PollTarget<'_>> = Vec::new();
        let open = bots.iter().zip(&answers).filter(|(_, answer)| answer.is_none());
        let until = open.map(|(bot, _)| bot.channel.awaits(&mut wanted)).min();
        let mut poll = Poll::default();
        for it in &wanted {
            let interest = if it.for_writing { Interest::Write } else { Interest::Read };
            poll.add(it.descriptor, interest);
        }
        poll.wait(until).expect("the machine is well");
        let seen = Instant::now();
        for (bot, answer) in bots.iter_mut().zip(&mut answers) {
            if answer.is_none() {
                *answer = bot.channel.fetch(seen).expect("the machine is well");
            }
        }
    }
    answers.into_iter().flatten().collect()
}

fn together() {
    let mut bots = [
        "serve(lambda c, body: (time.sleep(0.02), c.sendall(answer('one ' + body))))",
        "serve(lambda c, body: c.sendall(answer('two ' + body)))",
        "server = listen(); time.sleep(1000)",
    ]
    .map(Bot::new);
    for (body, within) in [("first", 20 * second()), ("second", second())] {
        let within = if body == "first" { within.min(5 * second()) } else { within };
        let answers = ask_all(&mut bots, body, within);
        let verdicts: Vec<_> = answers.iter().map(|answered| answered.verdict).collect();
        assert_eq!(verdicts, [Verdict::Ok, Verdict::Ok, Verdict::Timeout], "{answers:?}");
        assert_eq!(text(&answers[0], http::BODY), format!("one {body}"));
        assert_eq!(text(&answers[1], http::BODY), format!("two {body}"));
        assert!(answers[1].usage.wall < answers[2].usage.wall, "{answers:?}");
    }
}

fn large() {
    let mut bot = Bot::new(
        "def reply(c, body):\n    \
         print('log ' * 99999, flush=True); c.sendall(answer(str(len(body))))\n\
         serve(reply)",
    );
    let body = "x".repeat(3 << 20);
    bot.assert_answers(&body, &body.len().to_string());
    bot.assert_answers("x", "1");
}
