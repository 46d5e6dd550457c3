//! Names, passwords and totals.

use std::collections::BTreeMap;

use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use joust_referee::Connection;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::newcomers::{Admitted, Newcomers, NoNewName, Origin};
use super::settings::Caps;
use crate::clock::{Clock, SystemClock};
use crate::store::{Store, StoreError};

/// The game whose accounts these are.
const GAME: &str = "uwcs-bomberman";

/// Something to be done, in order.
pub(super) enum Task {
    /// Finds out whether a password is right; makes the account if there is none.
    Check { connection: Connection, from: Origin, name: String, password: String },
    /// Adds the points of a game.
    Add(Vec<(String, i64)>),
}

/// What came of a task.
pub(super) enum Done {
    /// Of [`Task::Check`].
    Checked { connection: Connection, is_right: bool },
    /// A name was refused that would have been new; said once for each reason and while.
    NoNewName(NoNewName),
    /// The database could not be written.
    Failed(StoreError),
}

/// The hash of each name's password, and the database behind it.
pub(super) struct Accounts {
    store: Store,
    hashes: BTreeMap<String, String>,
    /// Passwords that were right since the start, by name: a client registers
    /// for every game, and a hash is slow on purpose. Kept in memory only.
    right: BTreeMap<String, [u8; 32]>,
    salt: SaltString,
    most: usize,
    is_full: bool,
    newcomers: Newcomers,
}

/// What came of a name and its password.
struct Checked {
    is_right: bool,
    refused: Option<NoNewName>,
}

impl Accounts {
    pub(super) async fn load(store: Store, caps: Caps) -> Result<Self, StoreError> {
        let rows = store.accounts(GAME).await?;
        let hashes = rows.into_iter().map(|row| (row.name, row.password)).collect();
        let salt = SaltString::generate(&mut OsRng);
        Ok(Self {
            store,
            hashes,
            right: BTreeMap::new(),
            salt,
            most: caps.accounts,
            is_full: false,
            newcomers: Newcomers::new(caps.new_names),
        })
    }

    /// Does one task after the other until nobody can give any more.
    pub(super) async fn work(
        mut self,
        mut tasks: mpsc::UnboundedReceiver<Task>,
        done: mpsc::UnboundedSender<Done>,
    ) {
        while let Some(task) = tasks.recv().await {
            let result = match task {
                Task::Check { connection, from, name, password } => {
                    let checked = self.check((name, password), from).await;
                    let is_right = checked.as_ref().is_ok_and(|checked| checked.is_right);
                    let _ = done.send(Done::Checked { connection, is_right });
                    checked.map(|checked| {
                        if let Some(why) = checked.refused {
                            let _ = done.send(Done::NoNewName(why));
                        }
                    })
                }
                Task::Add(scores) => self.store.add_scores(GAME, &scores).await,
            };
            if let Err(error) = result {
                let _ = done.send(Done::Failed(error));
            }
        }
        self.store.close().await;
    }

    async fn check(
        &mut self,
        (name, password): (String, String),
        from: Origin,
    ) -> Result<Checked, StoreError> {
        let quick = self.quick_hash(&password);
        if self.right.get(&name) == Some(&quick) {
            return Ok(Checked { is_right: true, refused: None });
        }
        if !self.hashes.contains_key(&name)
            && let Some(refused) = self.refuse(from)
        {
            return Ok(refused);
        }
        let is_right = match self.hashes.get(&name).cloned() {
            Some(hash) => blocking(move || is_password_of(&hash, &password)).await,
            None => {
                let hash = blocking(move || hash(&password)).await;
                let now = SystemClock.now();
                self.store.make_account(GAME, &name, &hash, now).await?;
                self.hashes.insert(name.clone(), hash);
                true
            }
        };
        if is_right {
            self.right.insert(name, quick);
        }
        Ok(Checked { is_right, refused: None })
    }

    /// Refuses a new name where there are too many; nothing is hashed for it.
    fn refuse(&mut self, from: Origin) -> Option<Checked> {
        let refused = if self.hashes.len() >= self.most {
            let is_news = !std::mem::replace(&mut self.is_full, true);
            is_news.then_some(NoNewName::Full)
        } else {
            match self.newcomers.admit(from, Instant::now()) {
                Admitted::Yes => return None,
                Admitted::NotAnyMore => Some(NoNewName::TooMany(from.0)),
                Admitted::No => None,
            }
        };
        Some(Checked { is_right: false, refused })
    }

    fn quick_hash(&self, password: &str) -> [u8; 32] {
        let mut hash = joust_referee::Sha256::default();
        hash.update(self.salt.as_str().as_bytes());
        hash.update(password.as_bytes());
        hash.finish()
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("hashing does not panic")
}

fn hash(password: &str) -> String {
    let salt = SaltString::generate(&mut OsRng);
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    hash.expect("any password of a line can be hashed").to_string()
}

/// A hash that cannot be read fits no password.
fn is_password_of(hash: &str, password: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn an_empty_password_is_one() {
        assert!(is_password_of(&hash(""), ""));
    }
}
