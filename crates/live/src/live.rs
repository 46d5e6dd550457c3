//! Live pages that are being served: started, told of what happens, stopped.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use joust_model::notices::{Listener, Notice};
use joust_model::{BoutId, Public};
use rustix::process::{Resource, getrlimit, setpriority_process};
use tokio::runtime::{self, Handle, Runtime};
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::cache::File;
use crate::maker::{Maker, Orders, empty_site};
use crate::model::Files;
use crate::routes::{AppState, router};
use crate::run_state::{RunEvent, RunState};
use crate::server;
use crate::settings::Settings;
use crate::shared::Shared;

/// Most pages that may wait to be made.
const WAITING: usize = 256;

/// The priority of our threads, from 0 (everybody's) to 19.
const NICE: i32 = 10;

/// Longest time that a run waits until the database is closed.
const CLOSING: Duration = Duration::from_secs(10);

/// Time for those who follow to fetch the last pages. The server's thread counts it, in
/// steps: where others leave it little of the machine, it takes longer.
const LAST_LOOK: Duration = Duration::from_secs(3);

/// The steps of the last look.
const STEPS: u32 = 30;

/// Factor by which the last look may take longer.
const LONGEST: u32 = 10;

/// Files that only a server has, with their contents.
const OWN: [(&str, &str); 2] = [
    ("assets/live.js", include_str!("assets/live.js")),
    ("assets/live.css", include_str!("assets/live.css")),
];

/// Why pages cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The address cannot be listened at.
    #[error("cannot serve pages at {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// The machine can start no thread.
    #[error("no thread can be started")]
    NoThread(#[source] io::Error),
    /// The files beside the pages cannot be made.
    #[error(transparent)]
    Site(#[from] joust_report::site::SiteError),
}

/// Source of what is known of bouts that are being played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Teller {
    /// A run of this process.
    Run,
    /// The database alone.
    Database,
}

/// Pages that are being served, until this is stopped or dropped.
#[derive(Debug)]
pub struct Live {
    address: SocketAddr,
    shows_boards: bool,
    shared: Arc<Shared>,
    close: UnboundedSender<std::sync::mpsc::Sender<()>>,
    stop: watch::Sender<bool>,
    /// The server's runtime.
    server: Option<Handle>,
    threads: Vec<JoinHandle<()>>,
}

impl Live {
    /// Begins to serve pages.
    ///
    /// # Errors
    ///
    /// [`LiveError`].
    pub fn start(settings: Settings, teller: Teller) -> Result<Self, LiveError> {
        let address = settings.address;
        let cannot = |source| LiveError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let assets = Arc::new(assets(&settings)?);
        let shared = Arc::new(Shared::new(settings.caps.cached, settings.delay));
        let (stop, stopped) = watch::channel(false);
        let (pages, wanted) = mpsc::channel(WAITING);
        let (close, closing) = mpsc::unbounded_channel();
        let mut caps = settings.caps;
        caps.connections = caps.connections.min(quarter_of_descriptors());
        let shows_boards = settings.site.publication.shows(Public::Replays);
        let (base, shared_too) = (settings.base.clone(), Arc::clone(&shared));
        let app = AppState {
            base,
            shared: shared_too,
            assets,
            pages,
            shows_boards,
            stop: stopped.clone(),
        };
        let orders = Orders { pages: wanted, close: closing, stop: stopped.clone() };
        let run = if teller == Teller::Run { RunState::of_a_run() } else { RunState::default() };
        let maker = Maker::new(Arc::new(settings), Arc::clone(&shared), run);
        let (server, threads) = (None, Vec::new());
        let mut live = Self { address, shows_boards, shared, close, stop, server, threads };
        live.spawn("joust-pages", move |runtime| runtime.block_on(maker.run(orders)))?;
        let server = live.spawn("joust-live", move |runtime| {
            runtime.block_on(async {
                match server::listener(listener) {
                    Ok(listener) => server::run(listener, router(app), caps, stopped).await,
                    Err(error) => tracing::error!(%error, "no page can be served"),
                }
            });
        })?;
        live.server = Some(server);
        Ok(live)
    }

    /// Starts a thread of low priority with a runtime of its own, and returns that.
    fn spawn(
        &mut self,
        name: &str,
        work: impl FnOnce(&Runtime) + Send + 'static,
    ) -> Result<Handle, LiveError> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(LiveError::NoThread)?;
        let handle = runtime.handle().clone();
        let work = move || {
            // Threads that it starts, such as those of the database, inherit it. Where it cannot
            // be lowered, pages are made all the same.
            _ = setpriority_process(None, NICE);
            work(&runtime);
            runtime.shutdown_background();
        };
        let thread = Builder::new().name(name.to_owned()).spawn(work);
        self.threads.push(thread.map_err(LiveError::NoThread)?);
        Ok(handle)
    }

    /// Returns where pages are served.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns who hears what a run does. On [`Notice::Closing`] it waits until the database is
    /// closed.
    #[must_use]
    pub fn listener(&self) -> Arc<dyn Listener> {
        let (shared, close) = (Arc::clone(&self.shared), self.close.clone());
        Arc::new(RunListener { shows_boards: self.shows_boards, shared, close })
    }

    /// Stops; those who follow have a moment for the last pages.
    pub fn stop(self) {
        self.stop_after(LAST_LOOK);
    }

    fn stop_after(self, look: Duration) {
        if let Some(server) = &self.server
            && self.shared.followers() > 0
        {
            let (sender, over) = channel();
            server.spawn(async move {
                for _ in 0..STEPS {
                    sleep(look / STEPS).await;
                }
                // Who does not wait any more need not know.
                _ = sender.send(());
            });
            _ = over.recv_timeout(look * LONGEST);
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        for thread in self.threads.drain(..) {
            // A thread that panicked has ended too.
            _ = thread.join();
        }
    }
}

/// Listener of a run.
#[derive(Debug)]
struct RunListener {
    shows_boards: bool,
    shared: Arc<Shared>,
    close: UnboundedSender<std::sync::mpsc::Sender<()>>,
}

impl Listener for RunListener {
    fn notice(&self, notice: &Notice) {
        match notice {
            Notice::BoutFinished(result) => self.shared.sampling.forget(Some(result.bout)),
            Notice::BoutVoided { bout, .. } => self.shared.sampling.forget(Some(bout.bout)),
            Notice::Scheduled { .. } => self.shared.sampling.forget(None),
            _ => {}
        }
        if let Some(event) = RunEvent::of(notice) {
            self.shared.hear(event);
        }
        if matches!(notice, Notice::Closing) {
            let (sender, closed) = channel();
            if self.close.send(sender).is_ok() {
                _ = closed.recv_timeout(CLOSING);
            }
        }
    }

    fn wants_position(&self, bout: BoutId) -> bool {
        self.wants_positions() && self.shared.sampling.takes(bout)
    }

    fn wants_positions(&self) -> bool {
        self.shows_boards && self.shared.are_boards_watched()
    }
}

/// Makes the files that are the same as long as the program is.
fn assets(settings: &Settings) -> Result<HashMap<String, Arc<File>>, LiveError> {
    let files = Files::default();
    empty_site(settings).assets(&files)?;
    let made = files.into_inner().into_iter().map(|made| (made.path, made.bytes));
    let own = OWN.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let all = made.chain(own);
    Ok(all.map(|(path, bytes)| (path.clone(), Arc::new(File::new(&path, &bytes)))).collect())
}

/// Bouts need files as well.
fn quarter_of_descriptors() -> usize {
    let current = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(current / 4).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use joust_testkit::http::get;

    use super::*;

    #[test]
    fn a_server_that_got_nothing_of_the_machine_answers_before_it_stops() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings::new("Cup", folder.path().join("results.db"));
        let live = Live::start(settings, Teller::Run).expect("the pages are served");
        let address = live.address();
        // Everything that is the same for the whole life of the program is there at once.
        assert_eq!(get(address, "/assets/live.css").status, 200);
        let _follower = live.shared.message.subscribe();
        let (held_up, holds_up) = channel();
        live.server.as_ref().expect("it runs").spawn(async move {
            _ = held_up.send(());
            std::thread::sleep(Duration::from_millis(600));
        });
        holds_up.recv().expect("it is held up");
        let asked = std::thread::spawn(move || get(address, "/assets/live.css").status);
        live.stop_after(Duration::from_millis(200));
        assert_eq!(asked.join().expect("an answer"), 200);
    }
}
