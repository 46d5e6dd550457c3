//! Sender of messages: a thread with a short queue.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use ureq::Agent;

use super::address::{Address, Kind};
use super::message::Message;

/// How many messages wait.
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
    queue: SyncSender<Message>,
    dropped: Arc<AtomicUsize>,
}

impl Handle {
    /// Hands a message over; it is dropped when too many wait.
    pub fn tell(&self, message: Message) {
        if self.queue.try_send(message).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Sends messages until it is finished.
#[derive(Debug)]
pub struct Webhooks {
    handle: Handle,
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
        complain: impl Fn(&Undelivered) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (queue, messages) = sync_channel::<Message>(WAITING);
        let (ended, done) = channel();
        let send = move || {
            let agent = agent();
            for message in messages {
                for (place, address) in addresses.iter().enumerate() {
                    if let Err(reason) = deliver(&agent, address, &message) {
                        complain(&Undelivered { number: place + 1, kind: address.kind, reason });
                    }
                }
            }
            // Nobody may wait any more.
            _ = ended.send(());
        };
        Builder::new().name("joust-webhooks".to_owned()).spawn(send)?;
        Ok(Self { handle: Handle { queue, dropped: Arc::default() }, done })
    }

    /// Returns who takes messages.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Waits until everything was sent, not for ever; returns how many messages were dropped.
    #[must_use]
    pub fn finish(self) -> usize {
        let dropped = Arc::clone(&self.handle.dropped);
        drop(self.handle);
        // What is not sent by then ends with the program.
        _ = self.done.recv_timeout(LAST);
        dropped.load(Ordering::Relaxed)
    }
}

fn agent() -> Agent {
    let config = Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .max_redirects(0)
        .http_status_as_error(true)
        .user_agent(concat!("joust/", env!("CARGO_PKG_VERSION")))
        .build();
    config.new_agent()
}

/// Sends a message, twice if the first try may have been bad luck.
fn deliver(agent: &Agent, address: &Address, message: &Message) -> Result<(), String> {
    let body = message.body(address.kind).to_string();
    let send = || {
        let request = agent.post(address.secret()).header("content-type", "application/json");
        request.send(&body).map(drop)
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
