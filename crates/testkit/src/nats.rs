//! A NATS server of a test's own. Without `nats-server`, which `scripts/install-tools` makes
//! with a recent Go, tests that need one are skipped and say so.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// Mode of a server: with streams or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// It does.
    Kept,
    /// It has no JetStream.
    None,
}

/// A server on the loopback, which ends with this.
#[derive(Debug)]
pub struct NatsServer {
    child: Child,
    port: u16,
    store: TempDir,
    more: Vec<String>,
}

impl NatsServer {
    /// Starts a server; `None` says that the test is skipped.
    ///
    /// # Panics
    ///
    /// When it does not start.
    pub fn start(streams: Streams) -> Option<Self> {
        let more = match streams {
            Streams::Kept => vec!["--jetstream".to_owned()],
            Streams::None => Vec::new(),
        };
        Self::start_with(more, "")
    }

    /// Starts a server with streams and this text as configuration.
    ///
    /// # Panics
    ///
    /// When it does not start.
    pub fn configured(text: &str) -> Option<Self> {
        Self::start_with(vec!["--jetstream".to_owned()], text)
    }

    fn start_with(mut more: Vec<String>, text: &str) -> Option<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        drop(listener);
        let store = tempfile::tempdir().expect("a folder is made");
        if !text.is_empty() {
            let file = store.path().join("server.conf");
            std::fs::write(&file, text).expect("a file can be written");
            more.extend(["--config".to_owned(), file.display().to_string()]);
        }
        let child = run(port, store.path(), &more)?;
        Some(Self { child, port, store, more })
    }

    /// Returns its address.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Returns its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Sends it a signal.
    ///
    /// # Panics
    ///
    /// When it is gone.
    pub fn send(&self, signal: Signal) {
        let process = i32::try_from(self.child.id()).expect("a process id");
        kill(Pid::from_raw(process), signal).expect("it runs");
    }

    /// Kills the server.
    ///
    /// # Panics
    ///
    /// When it is gone already.
    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it is a child");
    }

    /// Starts the server again after [`NatsServer::kill`], with nothing of what it kept.
    ///
    /// # Panics
    ///
    /// When it does not start.
    pub fn start_empty(&mut self) {
        let streams = self.store.path().join("jetstream");
        if streams.exists() {
            std::fs::remove_dir_all(&streams).expect("its store can be removed");
        }
        self.start_again();
    }

    /// Starts the server again after [`NatsServer::kill`], with all that it kept.
    ///
    /// # Panics
    ///
    /// When it does not start.
    pub fn start_again(&mut self) {
        self.child = run(self.port, self.store.path(), &self.more).expect("it ran before");
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> Option<PathBuf> {
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/bin/nats-server");
    let found = std::env::var_os("JOUST_NATS_SERVER").map(PathBuf::from).or(Some(made));
    found.filter(|path| path.is_file())
}

#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn run(port: u16, store: &Path, more: &[String]) -> Option<Child> {
    let Some(program) = program() else {
        println!("skipped: there is no nats-server here (`scripts/install-tools`)");
        return None;
    };
    let mut child = Command::new(program)
        .args(["--addr", "127.0.0.1", "--port", &port.to_string(), "--store_dir"])
        .arg(store)
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        let ended = child.try_wait().expect("it is a child");
        assert_eq!(ended, None, "the server does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    Some(child)
}
