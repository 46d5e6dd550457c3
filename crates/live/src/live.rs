//! Live pages that are being served: started, notified, stopped.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use joust_model::notices::{Listener, Notice};
use joust_model::{BoutId, PublicPart};
use joust_report::site::{Site, SiteError, TournamentInput};
use rustix::process::{Resource, getrlimit, setpriority_process};
use tokio::runtime::{self, Handle};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::sleep;

use crate::cache::File;
use crate::feed::{Feed, Stage};
use crate::model::Files;
use crate::renderer::Renderer;
use crate::routes::{AppState, router};
use crate::server;
use crate::settings::{RunSource, Settings};
use crate::watcher::DatabaseWatcher;

/// The priority of our threads, from 0 (everybody's) to 19.
const NICE: i32 = 10;

/// Longest time that a run waits until the database is closed.
const CLOSING: Duration = Duration::from_secs(10);

/// Time for followers to fetch the last pages. The server's thread counts it, in steps: on a busy
/// machine it takes longer.
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

/// Reason why pages cannot be served.
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
    Site(#[from] SiteError),
}

/// Pages that are being served, until this is stopped or dropped.
#[derive(Debug)]
pub struct Live {
    address: SocketAddr,
    shows_boards: bool,
    feed: Arc<Feed>,
    close: UnboundedSender<Sender<()>>,
    server: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    /// Starts to serve pages.
    ///
    /// # Errors
    ///
    /// [`LiveError`].
    pub fn start(settings: Settings, source: RunSource) -> Result<Self, LiveError> {
        let address = settings.address;
        let cannot = |source| LiveError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(cannot)?;
        listener.set_nonblocking(true).map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let mut caps = settings.caps;
        caps.connections = caps.connections.min(quarter_of_descriptors());
        let assets = Arc::new(assets(&settings)?);
        let feed = Arc::new(Feed::new(&settings, source));
        let settings = Arc::new(settings);
        let shows_boards = settings.site.publication.shows(PublicPart::Replays);
        let renderer = Renderer::new(Arc::clone(&settings), Arc::clone(&feed));
        let renderer = Arc::new(tokio::sync::Mutex::new(renderer));
        let mut watcher =
            DatabaseWatcher::new(Arc::clone(&settings), Arc::clone(&feed), Arc::clone(&renderer));
        let app = AppState { settings, feed: Arc::clone(&feed), assets, renderer, shows_boards };
        let (close, closing) = unbounded_channel();
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(LiveError::NoThread)?;
        let (server, stage) = (runtime.handle().clone(), Arc::clone(&feed));
        let work = move || {
            // Threads that it starts, such as those that make pages, inherit it. If it cannot be
            // lowered, pages are served all the same.
            _ = setpriority_process(None, NICE);
            runtime.block_on(async {
                // Otherwise the first requests would find no page.
                watcher.check().await;
                let serve = server::run(listener, router(app), caps, &stage);
                tokio::join!(serve, watcher.run(closing));
            });
            runtime.shutdown_background();
        };
        let thread = Builder::new().name("joust-live".to_owned()).spawn(work);
        let thread = Some(thread.map_err(LiveError::NoThread)?);
        Ok(Self { address, shows_boards, feed, close, server, thread })
    }

    /// Returns where pages are served.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the listener for the events of a run. On [`Notice::Closing`] it waits until the
    /// database is closed.
    pub fn listener(&self) -> Arc<dyn Listener> {
        let (feed, close) = (Arc::clone(&self.feed), self.close.clone());
        Arc::new(RunListener { shows_boards: self.shows_boards, feed, close })
    }

    /// Stops; followers have a moment to fetch the last pages.
    pub fn stop(self) {
        self.stop_after(LAST_LOOK);
    }

    fn stop_after(self, look: Duration) {
        if self.feed.followers() > 0 {
            let (sender, over) = channel();
            self.server.spawn(async move {
                for _ in 0..STEPS {
                    sleep(look / STEPS).await;
                }
                // The receiver is gone if the wait has timed out.
                _ = sender.send(());
            });
            _ = over.recv_timeout(look * LONGEST);
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.feed.enter(Stage::Stopped);
        // A thread that panicked has ended too.
        _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Listener of a run.
#[derive(Debug)]
struct RunListener {
    shows_boards: bool,
    feed: Arc<Feed>,
    close: UnboundedSender<Sender<()>>,
}

impl Listener for RunListener {
    fn notice(&self, notice: &Notice) {
        self.feed.run.lock().apply(notice, Instant::now());
        if matches!(notice, Notice::Closing) {
            let (sender, closed) = channel();
            if self.close.send(sender).is_ok() {
                _ = closed.recv_timeout(CLOSING);
            }
        }
    }

    fn wants_position(&self, bout: BoutId) -> bool {
        self.wants_positions() && self.feed.wants_position(bout)
    }

    fn wants_positions(&self) -> bool {
        self.shows_boards && self.feed.are_boards_watched()
    }
}

/// Makes the files that stay the same for the life of the program.
fn assets(settings: &Settings) -> Result<HashMap<String, Arc<File>>, LiveError> {
    let files = Files::default();
    let logo = settings.site.logo.clone();
    let tournament = TournamentInput { logo, ..TournamentInput::default() };
    Site::new(tournament, &[], settings.site.publication.clone()).assets(&files)?;
    let made = files.into_inner().into_iter();
    let own = OWN.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let file = |(path, bytes): (String, Vec<u8>)| (path.clone(), Arc::new(File::new(&path, bytes)));
    Ok(made.chain(own).map(file).collect())
}

/// Returns a quarter of the descriptors: bouts need files as well.
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
        let live = Live::start(settings, RunSource::ThisProcess).expect("the pages are served");
        let address = live.address();
        // Everything that is the same for the whole life of the program is there at once.
        assert_eq!(get(address, "/assets/live.css").status, 200);
        let _follower = live.feed.message.subscribe();
        let (held_up, holds_up) = channel();
        live.server.spawn(async move {
            _ = held_up.send(());
            std::thread::sleep(Duration::from_millis(600));
        });
        holds_up.recv().expect("it is held up");
        let asked = std::thread::spawn(move || get(address, "/assets/live.css").status);
        live.stop_after(Duration::from_millis(200));
        assert_eq!(asked.join().expect("an answer"), 200);
    }
}
