//! Checks of passwords that wait: one of each origin in turn, so that whoever makes
//! thousands waits for them alone.

use std::collections::{BTreeMap, VecDeque};

use joust_referee::Connection;

use super::newcomers::Origin;

/// A name and a password of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) connection: Connection,
    pub(super) from: Origin,
    pub(super) name: String,
    pub(super) password: String,
}

/// The checks that wait.
pub(super) struct Checks {
    most: usize,
    of: BTreeMap<Origin, VecDeque<Check>>,
    turns: VecDeque<Origin>,
}

impl Checks {
    /// Lets at most `most` checks of an origin wait.
    pub(super) fn new(most: usize) -> Self {
        Self { most, of: BTreeMap::new(), turns: VecDeque::new() }
    }

    /// Puts a check behind the others of its origin; gives it back when too many wait.
    pub(super) fn push(&mut self, check: Check) -> Result<(), Check> {
        let waiting = self.of.entry(check.from).or_default();
        if waiting.len() >= self.most {
            return Err(check);
        }
        if waiting.is_empty() {
            self.turns.push_back(check.from);
        }
        waiting.push_back(check);
        Ok(())
    }

    /// Takes the oldest check of the origin whose turn it is.
    pub(super) fn pop(&mut self) -> Option<Check> {
        let origin = self.turns.pop_front()?;
        let waiting = self.of.get_mut(&origin)?;
        let check = waiting.pop_front();
        if waiting.is_empty() {
            self.of.remove(&origin);
        } else {
            self.turns.push_back(origin);
        }
        check
    }

    /// Takes out what a connection that is over had waiting, and returns how many.
    pub(super) fn forget(&mut self, connection: Connection, from: Origin) -> usize {
        let Some(waiting) = self.of.get_mut(&from) else { return 0 };
        let before = waiting.len();
        waiting.retain(|check| check.connection != connection);
        let forgotten = before - waiting.len();
        if waiting.is_empty() {
            self.of.remove(&from);
            self.turns.retain(|origin| *origin != from);
        }
        forgotten
    }

    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn check(from: &str, connection: u32) -> Check {
        let from: IpAddr = from.parse().expect("an address");
        Check {
            connection: Connection(connection),
            from: from.into(),
            name: format!("bot{connection}"),
            password: "pw".to_owned(),
        }
    }

    fn connections(checks: &mut Checks) -> Vec<u32> {
        std::iter::from_fn(|| checks.pop()).map(|check| check.connection.0).collect()
    }

    #[test]
    fn origins_take_turns_and_within_one_the_oldest_is_first() {
        let mut checks = Checks::new(9);
        for number in 0..4 {
            checks.push(check("192.0.2.1", number)).expect("there is room");
        }
        checks.push(check("192.0.2.2", 10)).expect("there is room");
        checks.push(check("192.0.2.2", 11)).expect("there is room");
        assert_eq!(connections(&mut checks), [0, 10, 1, 11, 2, 3]);
        assert!(checks.is_empty());
    }

    #[test]
    fn an_origin_with_too_many_gets_the_next_one_back() {
        let mut checks = Checks::new(1);
        checks.push(check("192.0.2.1", 0)).expect("there is room");
        assert_eq!(checks.push(check("192.0.2.1", 1)), Err(check("192.0.2.1", 1)));
        checks.push(check("192.0.2.2", 2)).expect("there is room");
        assert_eq!(connections(&mut checks), [0, 2]);
    }

    #[test]
    fn what_a_connection_that_is_over_had_waiting_is_not_checked() {
        let mut checks = Checks::new(9);
        for number in [0, 1, 0] {
            checks.push(check("192.0.2.1", number)).expect("there is room");
        }
        let from = check("192.0.2.1", 0).from;
        assert_eq!(checks.forget(Connection(0), from), 2);
        assert_eq!(checks.forget(Connection(0), from), 0);
        assert_eq!(checks.forget(Connection(1), from), 1);
        assert!(checks.is_empty() && checks.pop().is_none());
    }
}
