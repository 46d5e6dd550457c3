//! Catalogue of games: those that ship with Joust, and those that a tournament
//! brings.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::guard::{Guard, caught};
use crate::{Judge, JudgeError, Outputs, Referee, Setup, StartError, games};

/// A game of a [`Catalogue`]; clones are the same game.
///
/// Two games are equal if they have the same id and the same revision of the rules.
#[derive(Clone)]
pub struct Game(Arc<dyn Referee>);

impl Game {
    /// Takes a referee.
    pub fn new(referee: Arc<dyn Referee>) -> Self {
        Self(referee)
    }

    /// Returns the game's id.
    pub fn id(&self) -> &str {
        &self.0.spec().id
    }

    /// Starts a bout and emits the first outputs.
    ///
    /// The judge is guarded: an output that is not allowed, or a panic, becomes a
    /// [`JudgeError`].
    ///
    /// # Errors
    ///
    /// As [`Referee::start`].
    pub fn start(
        &self,
        setup: &Setup<'_>,
        out: &mut Outputs,
    ) -> Result<Box<dyn Judge>, StartError> {
        let started = caught(|| self.0.start(setup, out));
        let judge = started.map_err(|panic| StartError::Judge(JudgeError::Panicked(panic)))??;
        let guard = Guard::new(judge, self.spec(), setup.seats, out).map_err(StartError::Judge)?;
        Ok(Box::new(guard))
    }
}

impl Deref for Game {
    type Target = dyn Referee;

    fn deref(&self) -> &(dyn Referee + 'static) {
        &*self.0
    }
}

impl PartialEq for Game {
    fn eq(&self, other: &Self) -> bool {
        let (one, two) = (self.spec(), other.spec());
        (&one.id, one.revision, one.referee()) == (&two.id, two.revision, two.referee())
    }
}

impl Eq for Game {}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Game").field(&self.id()).finish()
    }
}

/// The available games, in display order; clones share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue(Arc<[Game]>);

/// Error: another game already has this id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdTaken(pub String);

impl fmt::Display for IdTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is a game `{}` already", self.0)
    }
}

impl std::error::Error for IdTaken {}

impl Catalogue {
    /// Returns the games that ship with Joust.
    pub fn built_in() -> Self {
        Self(games::shipped().into_iter().map(Game).collect())
    }

    /// Returns a catalogue without a game.
    pub fn empty() -> Self {
        Self(Arc::default())
    }

    /// Adds a game behind the others.
    ///
    /// # Errors
    ///
    /// [`IdTaken`] when a game has its id already.
    pub fn with(&self, game: Game) -> Result<Self, IdTaken> {
        if self.find(game.id()).is_some() {
            return Err(IdTaken(game.id().to_owned()));
        }
        Ok(Self(self.0.iter().cloned().chain([game]).collect()))
    }

    /// Replaces the game that has the same id.
    pub fn replacing(&self, game: &Game) -> Self {
        let same =
            |known: &Game| if known.id() == game.id() { game.clone() } else { known.clone() };
        Self(self.0.iter().map(same).collect())
    }

    /// Returns the game called `id`.
    pub fn find(&self, id: &str) -> Option<&Game> {
        self.0.iter().find(|game| game.id() == id)
    }

    /// Returns all games, in display order.
    pub fn iter(&self) -> std::slice::Iter<'_, Game> {
        self.0.iter()
    }

    /// Returns the ids of all games, in order.
    pub fn ids(&self) -> Vec<&str> {
        self.iter().map(Game::id).collect()
    }
}

impl<'a> IntoIterator for &'a Catalogue {
    type Item = &'a Game;
    type IntoIter = std::slice::Iter<'a, Game>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
