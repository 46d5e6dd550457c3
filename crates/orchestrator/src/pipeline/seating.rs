//! Seating of people and bots in a bout.

use std::ops::Range;

use joust_referee::GameSpec;

/// The seats of people and bots; people sit in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeopleSeating {
    first: usize,
    people: usize,
}

impl PeopleSeating {
    /// Seats so many people and bots as `game` has them.
    #[must_use]
    pub fn of(game: &GameSpec, people: usize, bots: usize) -> Self {
        Self { first: game.people.seats.first_seat(bots), people }
    }

    /// Returns the seats of the people.
    #[must_use]
    pub fn people(&self) -> Range<usize> {
        self.first..self.first + self.people
    }

    /// Returns people and bots in the order of their seats.
    pub fn order<T>(&self, people: impl IntoIterator<Item = T>, bots: Vec<T>) -> Vec<T> {
        let mut all = bots;
        all.splice(self.first..self.first, people);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_sit_first_or_last_as_the_game_has_it() {
        let seating = |game: &str, people, bots| {
            PeopleSeating::of(joust_testkit::game(game).spec(), people, bots)
        };
        let first = seating("battleships-2017", 1, 1);
        assert_eq!(first.people(), 0..1);
        assert_eq!(first.order(["person"], vec!["bot"]), ["person", "bot"]);
        let last = seating("coderone-dungeon", 1, 2);
        assert_eq!(last.people(), 2..3);
        assert_eq!(last.order(["person"], vec!["a", "b"]), ["a", "b", "person"]);
    }
}
