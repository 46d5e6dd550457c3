//! Accounts of a game server: names, passwords and totals.

use std::collections::BTreeMap;

use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use joust_referee::Connection;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::checks::{Check, Checks, NameState, Urgency};
use super::newcomers::{NameAdmission, NameRefusal, Newcomers, Origin};
use super::{Caps, ServeError};
use joust_model::clock;
use joust_store::{Store, StoreError};

/// Task of the accounts.
pub(super) enum Task {
    /// Checks a password; makes the account if it does not exist.
    Check(Check),
    /// A connection is closed. Its queued checks are dropped, and each is reported as done.
    Forget(Connection, Origin),
    /// Adds the points of a game.
    Add(Vec<(String, i64)>),
}

/// Result of a task.
pub(super) enum Done {
    /// Result of [`Task::Check`].
    Checked { connection: Connection, from: Origin, urgency: Urgency, is_right: bool },
    /// A new name was refused. It is sent once per reason and period.
    NameRefused(NameRefusal),
    /// The database could not be written.
    Failed(StoreError),
}

/// Returns the result of a check.
fn checked(check: &Check, is_right: bool) -> Done {
    let (connection, from, urgency) = (check.connection, check.from, check.urgency);
    Done::Checked { connection, from, urgency, is_right }
}

/// The password hash of each name, and the database.
pub(super) struct Accounts {
    store: Store,
    /// The game of the accounts.
    game: String,
    hashes: BTreeMap<String, String>,
    /// Passwords that were right since the start, by name. It saves hashing, which is slow on
    /// purpose, because a client registers again for every game. It is only kept in memory.
    right: BTreeMap<String, [u8; 32]>,
    salt: SaltString,
    most: usize,
    is_full: bool,
    newcomers: Newcomers,
    checks: Checks,
    hasher: Hasher,
    /// Points of games that could not be written yet.
    owed: Vec<(String, i64)>,
}

/// Result of checking a name and its password.
struct Checked {
    is_right: bool,
    refused: Option<NameRefusal>,
}

impl Accounts {
    pub(super) async fn load(store: Store, game: String, caps: Caps) -> Result<Self, ServeError> {
        let rows = store.accounts(&game).await?;
        let hashes = rows.into_iter().map(|row| (row.name, row.password)).collect();
        let salt = SaltString::generate(&mut OsRng);
        Ok(Self {
            store,
            game,
            hashes,
            right: BTreeMap::new(),
            salt,
            most: caps.accounts,
            is_full: false,
            newcomers: Newcomers::new(caps.new_names),
            checks: Checks::new(caps.per_address),
            hasher: Hasher::start().map_err(ServeError::NoThread)?,
            owed: Vec::new(),
        })
    }

    /// Runs tasks until all senders are dropped.
    pub(super) async fn work(
        mut self,
        mut tasks: mpsc::UnboundedReceiver<Task>,
        done: mpsc::UnboundedSender<Done>,
    ) {
        while self.take_tasks(&mut tasks, &done).await {
            if let Some(check) = self.checks.pop() {
                self.settle(check, &done).await;
            }
        }
        self.write_owed(&done).await;
        self.store.close().await;
    }

    /// Writes points, including those that could not be written earlier.
    async fn write_owed(&mut self, done: &mpsc::UnboundedSender<Done>) {
        if self.owed.is_empty() {
            return;
        }
        match self.store.add_scores(&self.game, &self.owed).await {
            Ok(()) => self.owed.clear(),
            Err(error) => drop(done.send(Done::Failed(error))),
        }
    }

    /// Takes all tasks that have arrived; waits for one if there is no other work. Returns whether
    /// more may come.
    async fn take_tasks(
        &mut self,
        tasks: &mut mpsc::UnboundedReceiver<Task>,
        done: &mpsc::UnboundedSender<Done>,
    ) -> bool {
        if self.checks.is_empty() {
            let Some(task) = tasks.recv().await else { return false };
            self.take(task, done).await;
        }
        loop {
            match tasks.try_recv() {
                Ok(task) => self.take(task, done).await,
                Err(mpsc::error::TryRecvError::Empty) => return true,
                Err(mpsc::error::TryRecvError::Disconnected) => return false,
            }
        }
    }

    async fn take(&mut self, task: Task, done: &mpsc::UnboundedSender<Done>) {
        match task {
            Task::Check(check) if self.is_known(&check) => {
                let _ = done.send(checked(&check, true));
            }
            Task::Check(check) => {
                let is_there = self.hashes.contains_key(&check.name);
                let name = if is_there { NameState::Known } else { NameState::New };
                if let Err(check) = self.checks.push(check, name) {
                    let _ = done.send(checked(&check, false));
                }
            }
            Task::Forget(connection, from) => {
                for check in self.checks.forget(connection, from) {
                    let _ = done.send(checked(&check, false));
                }
            }
            Task::Add(scores) => {
                self.owed.extend(scores);
                self.write_owed(done).await;
            }
        }
    }

    async fn settle(&mut self, check: Check, done: &mpsc::UnboundedSender<Done>) {
        let Check { connection, from, urgency, .. } = check;
        let checked = self.check(check).await;
        let is_right = checked.as_ref().is_ok_and(|checked| checked.is_right);
        let _ = done.send(Done::Checked { connection, from, urgency, is_right });
        let news = match checked {
            Ok(checked) => checked.refused.map(Done::NameRefused),
            Err(error) => Some(Done::Failed(error)),
        };
        news.into_iter().for_each(|news| drop(done.send(news)));
    }

    /// Returns whether the password was right earlier; this needs no hash.
    fn is_known(&self, check: &Check) -> bool {
        let right = self.right.get(&check.name);
        right.is_some_and(|right| *right == self.quick_hash(&check.password))
    }

    async fn check(&mut self, check: Check) -> Result<Checked, StoreError> {
        if self.is_known(&check) {
            return Ok(Checked { is_right: true, refused: None });
        }
        let Check { name, password, from, .. } = check;
        if !self.hashes.contains_key(&name)
            && let Some(refused) = self.refuse(from)
        {
            return Ok(refused);
        }
        let quick = self.quick_hash(&password);
        let is_right = match self.hashes.get(&name).cloned() {
            Some(hash) => self.hasher.run(move || is_password_of(&hash, &password)).await,
            None => {
                let hash = self.hasher.run(move || hash(&password)).await;
                let now = clock::now();
                self.store.make_account(&self.game, &name, &hash, now).await?;
                self.hashes.insert(name.clone(), hash);
                true
            }
        };
        if is_right {
            self.right.insert(name, quick);
        }
        Ok(Checked { is_right, refused: None })
    }

    /// Refuses a new name if there are too many accounts or newcomers; this needs no hash.
    fn refuse(&mut self, from: Origin) -> Option<Checked> {
        let refused = if self.hashes.len() >= self.most {
            let is_news = !std::mem::replace(&mut self.is_full, true);
            is_news.then_some(NameRefusal::Full)
        } else {
            match self.newcomers.admit(from, Instant::now()) {
                NameAdmission::Yes => return None,
                NameAdmission::NotAnyMore => Some(NameRefusal::TooMany(from.0)),
                NameAdmission::No => None,
            }
        };
        Some(Checked { is_right: false, refused })
    }

    fn quick_hash(&self, password: &str) -> [u8; 32] {
        joust_referee::sha256([self.salt.as_str(), password].concat().as_bytes())
    }
}

/// Hashes on a single thread of its own, because every thread that makes a hash keeps its working
/// memory of 19 MiB.
struct Hasher(std::sync::mpsc::Sender<Job>);

type Job = Box<dyn FnOnce() + Send>;

impl Hasher {
    fn start() -> std::io::Result<Self> {
        let (jobs, to_do) = std::sync::mpsc::channel::<Job>();
        let work = move || to_do.into_iter().for_each(|job| job());
        std::thread::Builder::new().spawn(work).map(|_| Self(jobs))
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let (tell, told) = oneshot::channel();
        let job = move || drop(tell.send(work()));
        self.0.send(Box::new(job)).expect("the thread lives as long as this");
        told.await.expect("hashing does not panic")
    }
}

fn hash(password: &str) -> String {
    let salt = SaltString::generate(&mut OsRng);
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    hash.expect("any password of a line can be hashed").to_string()
}

/// An unreadable hash matches no password.
fn is_password_of(hash: &str, password: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use joust_store::Access;

    use super::*;

    #[test]
    fn a_hash_fits_its_password_alone_and_differs_each_time() {
        let (one, other) = (hash("secret"), hash("secret"));
        assert_ne!(one, other);
        assert!(one.starts_with("$argon2id$"));
        assert!(is_password_of(&one, "secret"));
        assert!(!is_password_of(&one, "Secret"));
        assert!(!is_password_of("nonsense", "secret"));
    }

    #[tokio::test]
    async fn points_that_could_not_be_written_are_written_later() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("server.db");
        let open = async |access| Store::open(&path, access).await.expect("a database");
        let store = open(Access::CreateOrOpen).await;
        store.make_account("game", "ann", "hash", 0).await.expect("an account");
        let refusing = open(Access::ReadOnly).await;
        let caps = Caps::default();
        let mut accounts =
            Accounts::load(refusing, "game".to_owned(), caps).await.expect("they are read");
        let (news, mut done) = mpsc::unbounded_channel();
        for points in [3, 4] {
            accounts.take(Task::Add(vec![("ann".to_owned(), points)]), &news).await;
            assert!(matches!(done.try_recv(), Ok(Done::Failed(_))), "it is told");
        }
        let totals = async || {
            let rows = store.accounts("game").await.expect("they are read");
            rows.iter().map(|row| (row.score, row.games)).collect::<Vec<_>>()
        };
        assert_eq!(totals().await, [(0, 0)]);
        accounts.store = store.clone();
        accounts.take(Task::Add(vec![("ann".to_owned(), 5)]), &news).await;
        assert_eq!(totals().await, [(12, 3)]);
        accounts.write_owed(&news).await;
        assert_eq!(totals().await, [(12, 3)], "nothing is added twice");
        assert!(done.try_recv().is_err());
    }

    #[test]
    fn an_empty_password_is_one() {
        assert!(is_password_of(&hash(""), ""));
    }
}
