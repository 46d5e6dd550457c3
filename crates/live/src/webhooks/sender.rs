//! Sender of messages: a thread with a short queue for each address.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use parking_lot::Mutex;
use ureq::Agent;

use super::address::{Address, Kind};
use super::message::Message;

/// Most messages that wait for an address.
const WAITING: usize = 100;

/// Longest time that one address may take for one message.
const PATIENCE: Duration = Duration::from_secs(10);

/// Pause before the second and last try.
const PAUSE: Duration = Duration::from_secs(2);

/// Longest time in all to wait for unsent messages at the end.
const LAST: Duration = Duration::from_secs(5);

/// Reason for a message that was still on its way and is lost.
const TOO_LATE: &str = "it did not answer in time";

/// Why an address did not take messages; it never names the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// Number of the address, from 1.
    pub number: usize,
    /// The service behind it.
    pub kind: Kind,
    /// Messages that were lost; one when it is reported while messages are sent.
    pub messages: usize,
    /// Why the last of them was not taken.
    pub reason: String,
}

impl fmt::Display for Undelivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, kind, messages, reason } = self;
        let messages = match messages {
            1 => "a message".to_owned(),
            many => format!("{many} messages in all"),
        };
        write!(f, "webhook {number} ({}) did not take {messages}: {reason}", kind.name())
    }
}

/// Hands messages over.
#[derive(Clone, Debug)]
pub struct Handle(Vec<Outbox>);

/// Messages to an address.
#[derive(Clone, Debug)]
struct Outbox {
    queue: SyncSender<Message>,
    missing: Arc<Mutex<Missing>>,
}

/// Messages that an address has not taken.
#[derive(Debug)]
struct Missing {
    undelivered: Undelivered,
    /// Messages whose loss was reported.
    told: usize,
}

impl Handle {
    /// Hands a message over to every address; it is dropped where too many wait.
    pub fn send(&self, message: Message) {
        for outbox in &self.0 {
            outbox.missing.lock().undelivered.messages += 1;
            // What is dropped stays counted.
            _ = outbox.queue.try_send(message.clone());
        }
    }
}

/// Sends messages until it is finished.
#[derive(Debug)]
pub struct Webhooks {
    /// Handle to send messages with.
    pub handle: Handle,
    /// Ends when every address has had all messages.
    done: Receiver<()>,
}

impl Webhooks {
    /// Starts a sender for these addresses; `complain` is called with the first message that an
    /// address refuses.
    ///
    /// # Errors
    ///
    /// When the machine can start no thread.
    pub fn start(
        addresses: Vec<Address>,
        complain: impl Fn(&Undelivered) + Clone + Send + 'static,
    ) -> std::io::Result<Self> {
        let (ended, done) = channel::<()>();
        let mut outboxes = Vec::new();
        for (number, address) in (1..).zip(addresses) {
            let (queue, messages) = sync_channel(WAITING);
            let (kind, reason) = (address.kind, TOO_LATE.to_owned());
            let undelivered = Undelivered { number, kind, messages: 0, reason };
            let missing = Arc::new(Mutex::new(Missing { undelivered, told: 0 }));
            outboxes.push(Outbox { queue, missing: Arc::clone(&missing) });
            let (ended, complain) = (ended.clone(), complain.clone());
            let send = move || {
                let _ended = ended;
                let agent = agent(&address);
                for message in messages {
                    let sent = deliver(&agent, &address, &message);
                    let refused = missing.lock().note(sent);
                    refused.iter().for_each(&complain);
                }
            };
            Builder::new().name("joust-webhooks".to_owned()).spawn(send)?;
        }
        Ok(Self { handle: Handle(outboxes), done })
    }

    /// Waits a moment until everything was sent; returns what each address has not taken, if it is
    /// more than was reported.
    #[must_use]
    pub fn finish(self) -> Vec<Undelivered> {
        let outboxes = self.handle.0.into_iter().map(|outbox| outbox.missing);
        let all: Vec<Arc<Mutex<Missing>>> = outboxes.collect();
        // Nothing is said there: it ends with the threads. What is not sent by then ends with the
        // program.
        _ = self.done.recv_timeout(LAST);
        let all = all.iter().map(|one| one.lock());
        let lost = all.filter(|missing| missing.undelivered.messages > missing.told);
        lost.map(|missing| missing.undelivered.clone()).collect()
    }
}

impl Missing {
    /// Records the result of sending a message; returns the error to report, if this is the first
    /// message that was refused.
    fn note(&mut self, sent: Result<(), String>) -> Option<Undelivered> {
        let Err(reason) = sent else {
            self.undelivered.messages -= 1;
            return None;
        };
        self.undelivered.reason = reason;
        let is_first = std::mem::replace(&mut self.told, 1) == 0;
        is_first.then(|| Undelivered { messages: 1, ..self.undelivered.clone() })
    }
}

fn agent(address: &Address) -> Agent {
    let mut config = Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .max_redirects(0)
        .http_status_as_error(true)
        .user_agent(concat!("joust/", env!("CARGO_PKG_VERSION")));
    if !address.secret.starts_with("https://") {
        // What is not encrypted stays on this machine, whatever proxy the environment names.
        config = config.proxy(None);
    }
    config.build().new_agent()
}

/// Sends a message, twice if the first try may have been bad luck.
fn deliver(agent: &Agent, address: &Address, message: &Message) -> Result<(), String> {
    let body = message.body(address.kind).to_string();
    let send = || {
        let request = agent.post(&address.secret).header("content-type", "application/json");
        match request.send(&body)?.status() {
            status if status.is_success() => Ok(()),
            // Redirects are not followed: the user did not configure their target.
            status if status.is_redirection() => Err(ureq::Error::RedirectFailed),
            status => Err(ureq::Error::StatusCode(status.as_u16())),
        }
    };
    let Err(first) = send() else { return Ok(()) };
    if !may_pass(&first) {
        return Err(reason(&first));
    }
    std::thread::sleep(PAUSE);
    send().map_err(|error| reason(&error))
}

fn may_pass(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::StatusCode(status) => *status == 429 || *status >= 500,
        ureq::Error::Timeout(_) | ureq::Error::Io(_) | ureq::Error::ConnectionFailed => true,
        _ => false,
    }
}

/// Describes what happened in words of our own: an error of the client may name the address.
fn reason(error: &ureq::Error) -> String {
    match error {
        ureq::Error::StatusCode(status) => format!("it answered with status {status}"),
        ureq::Error::Timeout(_) => TOO_LATE.to_owned(),
        ureq::Error::HostNotFound => "its host is not known".to_owned(),
        ureq::Error::ConnectionFailed => "nobody listens there".to_owned(),
        ureq::Error::Io(error) => format!("the connection failed ({})", error.kind()),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => "its certificate is not trusted".to_owned(),
        ureq::Error::TooManyRedirects | ureq::Error::RedirectFailed => {
            "it leads to another address".to_owned()
        }
        _ => "the request failed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::Instant;

    use super::*;
    use crate::webhooks::parse_addresses;

    /// Starts a server that sends the first line of each request and answers `answer`; returns its
    /// address.
    fn server(answer: &'static str) -> (String, Receiver<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/token", listener.local_addr().expect("an address"));
        let (sender, asked) = channel();
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.expect("a connection");
                let mut bytes = [0; 4096];
                let length = connection.read(&mut bytes).expect("a request");
                _ = sender.send(String::from_utf8_lossy(&bytes[..length]).into_owned());
                connection.write_all(answer.as_bytes()).expect("it is taken");
            }
        });
        (address, asked)
    }

    fn start(addresses: &str) -> (Webhooks, Receiver<Undelivered>) {
        let (sender, told) = channel();
        let addresses = parse_addresses(addresses).expect("addresses");
        let complain = move |undelivered: &Undelivered| _ = sender.send(undelivered.clone());
        (Webhooks::start(addresses, complain).expect("threads"), told)
    }

    fn message() -> Message {
        let (tournament, bot) = ("Cup".to_owned(), "eve".to_owned());
        Message::BotBroken { tournament, bot, problem: "not built" }
    }

    #[test]
    fn an_address_that_leads_elsewhere_is_told_of_and_nobody_goes_there() {
        let (there, asked_there) = server("HTTP/1.1 204 No Content\r\n\r\n");
        for status in ["301", "302", "307", "308", "304"] {
            let answer =
                format!("HTTP/1.1 {status} X\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n");
            let (here, asked) = server(answer.leak());
            let (webhooks, told) = start(&here);
            webhooks.handle.send(message());
            assert_eq!(webhooks.finish(), []);
            let told: Vec<_> = told.try_iter().map(|undelivered| undelivered.to_string()).collect();
            let expected =
                "webhook 1 (json) did not take a message: it leads to another address".to_owned();
            assert_eq!((told, asked.try_iter().count()), (vec![expected], 1), "{status}");
        }
        assert_eq!(asked_there.try_iter().count(), 0);
    }

    #[test]
    fn an_address_that_takes_nothing_is_told_of_at_first_and_at_the_end() {
        let (address, _asked) = server("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
        let (webhooks, told) = start(&address);
        (0..8).for_each(|_| webhooks.handle.send(message()));
        let lost: Vec<_> = webhooks.finish().iter().map(ToString::to_string).collect();
        let said = |messages: &str| {
            format!("webhook 1 (json) did not take {messages}: it answered with status 404")
        };
        assert_eq!(lost, [said("8 messages in all")]);
        let told: Vec<_> = told.try_iter().map(|undelivered| undelivered.to_string()).collect();
        assert_eq!(told, [said("a message")]);
    }

    #[test]
    fn the_end_waits_a_moment_for_addresses_that_never_answer() {
        let silent: Vec<_> =
            (0..3).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
        let address =
            |one: &TcpListener| format!("http://{}/", one.local_addr().expect("an address"));
        let addresses: Vec<String> = silent.iter().map(address).collect();
        let (webhooks, told) = start(&addresses.join(" "));
        (0..4).for_each(|_| webhooks.handle.send(message()));
        let since = Instant::now();
        let lost: Vec<_> = webhooks.finish().iter().map(ToString::to_string).collect();
        assert!(since.elapsed() < LAST + LAST / 2, "{:?}", since.elapsed());
        let said = |number: usize| {
            format!("webhook {number} (json) did not take 4 messages in all: {TOO_LATE}")
        };
        assert_eq!(lost, [said(1), said(2), said(3)]);
        assert_eq!(told.try_iter().count(), 0);
    }

    #[test]
    fn nobody_waits_for_an_address_that_does_not_answer() {
        let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
        let silent = format!("http://{}/", silent.local_addr().expect("an address"));
        let (taker, asked) = server("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
        let (webhooks, _told) = start(&format!("{silent} {taker}"));
        (0..3).for_each(|_| webhooks.handle.send(message()));
        for _ in 0..3 {
            asked.recv_timeout(PATIENCE / 2).expect("it is told while the other one is waited for");
        }
    }
}
