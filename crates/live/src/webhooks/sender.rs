//! Sender of messages: a thread with a short queue for each address.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use ureq::Agent;

use super::address::{Address, Kind};
use super::message::Message;

/// How many messages wait for an address.
const WAITING: usize = 100;

/// How long one address may take for one message.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait before the second and last try.
const PAUSE: Duration = Duration::from_secs(2);

/// How long the end waits for what is not sent yet.
const LAST: Duration = Duration::from_secs(25);

/// Why an address did not take a message; it never names the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// Which address it is, from 1.
    pub number: usize,
    /// Who it is.
    pub kind: Kind,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Undelivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, kind, reason } = self;
        write!(f, "webhook {number} ({}) did not take a message: {reason}", kind.name())
    }
}

/// Hands messages over.
#[derive(Clone, Debug)]
pub struct Handle {
    queues: Vec<SyncSender<Message>>,
    /// Those that an address has neither taken nor refused.
    unsent: Arc<AtomicUsize>,
}

impl Handle {
    /// Hands a message over to every address; it is dropped where too many wait.
    pub fn tell(&self, message: Message) {
        for queue in &self.queues {
            self.unsent.fetch_add(1, Ordering::Relaxed);
            // What is dropped stays counted.
            _ = queue.try_send(message.clone());
        }
    }
}

/// Sends messages until it is finished.
#[derive(Debug)]
pub struct Webhooks {
    handle: Handle,
    /// Ends when every address has had all messages.
    done: Receiver<()>,
}

impl Webhooks {
    /// Begins to send to these addresses; `complain` hears of each message that one did not take.
    ///
    /// # Errors
    ///
    /// When the machine can start no thread.
    pub fn start(
        addresses: Vec<Address>,
        complain: impl Fn(&Undelivered) + Clone + Send + 'static,
    ) -> std::io::Result<Self> {
        let (ended, done) = channel::<()>();
        let unsent = Arc::new(AtomicUsize::new(0));
        let mut queues = Vec::new();
        for (place, address) in addresses.into_iter().enumerate() {
            let (queue, messages) = sync_channel(WAITING);
            queues.push(queue);
            let (ended, unsent, complain) = (ended.clone(), Arc::clone(&unsent), complain.clone());
            let send = move || {
                let _ended = ended;
                let agent = agent(&address);
                for message in messages {
                    if let Err(reason) = deliver(&agent, &address, &message) {
                        complain(&Undelivered { number: place + 1, kind: address.kind, reason });
                    }
                    unsent.fetch_sub(1, Ordering::Relaxed);
                }
            };
            Builder::new().name("joust-webhooks".to_owned()).spawn(send)?;
        }
        Ok(Self { handle: Handle { queues, unsent }, done })
    }

    /// Returns who takes messages.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Waits until everything was sent, not for ever; returns how many messages were not.
    #[must_use]
    pub fn finish(self) -> usize {
        let unsent = Arc::clone(&self.handle.unsent);
        drop(self.handle);
        // Nothing is said there: it ends with the threads. What is not sent by then ends with the
        // program.
        _ = self.done.recv_timeout(LAST);
        unsent.load(Ordering::Relaxed)
    }
}

fn agent(address: &Address) -> Agent {
    let mut config = Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .max_redirects(0)
        .http_status_as_error(true)
        .user_agent(concat!("joust/", env!("CARGO_PKG_VERSION")));
    if !address.is_secure() {
        // What is not encrypted stays on this machine, whatever proxy the environment names.
        config = config.proxy(None);
    }
    config.build().new_agent()
}

/// Sends a message, twice if the first try may have been bad luck.
fn deliver(agent: &Agent, address: &Address, message: &Message) -> Result<(), String> {
    let body = message.body(address.kind).to_string();
    let send = || {
        let request = agent.post(address.secret()).header("content-type", "application/json");
        match request.send(&body)?.status() {
            status if status.is_success() => Ok(()),
            // Where it leads to is not followed: nobody named that place.
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

/// Says what happened in words of our own: an error of the client may name the address.
fn reason(error: &ureq::Error) -> String {
    match error {
        ureq::Error::StatusCode(status) => format!("it answered with status {status}"),
        ureq::Error::Timeout(_) => "it did not answer in time".to_owned(),
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

    use super::*;
    use crate::webhooks::parse_addresses;

    /// Returns a server's address; it says what each request began with, and answers `answer`.
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
            webhooks.handle().tell(message());
            assert_eq!(webhooks.finish(), 0);
            let told: Vec<_> = told.try_iter().map(|undelivered| undelivered.to_string()).collect();
            let expected =
                "webhook 1 (json) did not take a message: it leads to another address".to_owned();
            assert_eq!((told, asked.try_iter().count()), (vec![expected], 1), "{status}");
        }
        assert_eq!(asked_there.try_iter().count(), 0);
    }

    #[test]
    fn nobody_waits_for_an_address_that_does_not_answer() {
        let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
        let silent = format!("http://{}/", silent.local_addr().expect("an address"));
        let (taker, asked) = server("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
        let (webhooks, _told) = start(&format!("{silent} {taker}"));
        (0..3).for_each(|_| webhooks.handle().tell(message()));
        for _ in 0..3 {
            asked.recv_timeout(PATIENCE / 2).expect("it is told while the other one is waited for");
        }
    }
}
