//! Queue of password checks. Checks that a window waits for come first, and among them known names
//! come before new ones, so that clients that flood or guess cannot keep others from their game.
//! Among equals the origins take turns, so that a client with thousands of checks only delays
//! itself. The neighbours of a connection are those of its origin, with the number of their checks
//! that a window waits for.

use std::collections::{BTreeMap, VecDeque};

use joust_referee::Connection;

use super::newcomers::Origin;

/// Urgency of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Urgency {
    /// The window stays open until it is done.
    Awaited,
    /// It is done when there is no other work, and the window does not wait for it.
    Spare,
}

/// A name and a password of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) connection: Connection,
    pub(super) from: Origin,
    pub(super) urgency: Urgency,
    pub(super) name: String,
    pub(super) password: String,
}

/// State of a name: with or without an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameState {
    Known,
    New,
}

/// The queued checks.
pub(super) struct Checks {
    most: usize,
    /// Awaited checks of known names, awaited checks of new names, spare checks.
    queues: [FairQueue; 3],
}

impl Checks {
    /// Makes queues, each of which holds at most `most` checks of an origin.
    pub(super) fn new(most: usize) -> Self {
        Self { most, queues: Default::default() }
    }

    /// Appends a check to those of its origin; returns it if too many are queued.
    pub(super) fn push(&mut self, check: Check, name: NameState) -> Result<(), Check> {
        let queue = match (check.urgency, name) {
            (Urgency::Awaited, NameState::Known) => 0,
            (Urgency::Awaited, NameState::New) => 1,
            (Urgency::Spare, _) => 2,
        };
        self.queues[queue].push(check, self.most)
    }

    /// Removes and returns the next check.
    pub(super) fn pop(&mut self) -> Option<Check> {
        self.queues.iter_mut().find_map(FairQueue::pop)
    }

    /// Removes and returns the queued checks of a closed connection.
    pub(super) fn forget(&mut self, connection: Connection, from: Origin) -> Vec<Check> {
        self.queues.iter_mut().flat_map(|queue| queue.forget(connection, from)).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queues.iter().all(|queue| queue.turns.is_empty())
    }
}

/// Checks of equal urgency, one of each origin in turn.
#[derive(Default)]
struct FairQueue {
    of: BTreeMap<Origin, VecDeque<Check>>,
    turns: VecDeque<Origin>,
}

impl FairQueue {
    fn push(&mut self, check: Check, most: usize) -> Result<(), Check> {
        let waiting = self.of.entry(check.from).or_default();
        if waiting.len() >= most {
            return Err(check);
        }
        if waiting.is_empty() {
            self.turns.push_back(check.from);
        }
        waiting.push_back(check);
        Ok(())
    }

    /// Removes and returns the oldest check of the origin whose turn it is.
    fn pop(&mut self) -> Option<Check> {
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

    fn forget(&mut self, connection: Connection, from: Origin) -> Vec<Check> {
        let Some(waiting) = self.of.remove(&from) else { return Vec::new() };
        let (forgotten, left): (VecDeque<_>, VecDeque<_>) =
            waiting.into_iter().partition(|check| check.connection == connection);
        match left.is_empty() {
            true => self.turns.retain(|origin| *origin != from),
            false => drop(self.of.insert(from, left)),
        }
        forgotten.into()
    }
}

/// Number of wrong passwords of an origin in a window from which its checks are no longer awaited.
const MOST_WRONG: u32 = 20;

/// The connections of every origin.
#[derive(Default)]
pub(super) struct Neighbours(BTreeMap<Origin, Origins>);

/// The connections of one origin.
#[derive(Clone, Copy, Debug, Default)]
struct Origins {
    connections: usize,
    /// The most that were open at once in this window.
    at_once: usize,
    awaited: usize,
    wrong: u32,
}

impl Neighbours {
    /// Returns how many connections an origin has.
    pub(super) fn count(&self, origin: Origin) -> usize {
        self.0.get(&origin).map_or(0, |one| one.connections)
    }

    /// Adds a connection.
    pub(super) fn come(&mut self, origin: Origin) {
        let one = self.0.entry(origin).or_default();
        one.connections += 1;
        one.at_once = one.at_once.max(one.connections);
    }

    /// Removes a connection. Its counts of this window stay.
    pub(super) fn go(&mut self, origin: Origin) {
        let Some(one) = self.0.get_mut(&origin) else { return };
        one.connections = one.connections.saturating_sub(1);
        if one.connections == 0 && one.awaited == 0 && one.wrong == 0 {
            self.0.remove(&origin);
        }
    }

    /// Returns the urgency of the first check of a connection in this window. An origin has as many
    /// awaited checks as it has had simultaneous connections, so that it gains nothing by
    /// reconnecting.
    pub(super) fn first_check(&mut self, origin: Origin) -> Urgency {
        let Some(one) = self.0.get_mut(&origin) else { return Urgency::Spare };
        if one.awaited >= one.at_once || one.wrong >= MOST_WRONG {
            return Urgency::Spare;
        }
        one.awaited += 1;
        Urgency::Awaited
    }

    /// Counts a wrong password.
    pub(super) fn was_wrong(&mut self, origin: Origin) {
        if let Some(one) = self.0.get_mut(&origin) {
            one.wrong = one.wrong.saturating_add(1);
        }
    }

    /// Begins a window and resets the counts of the last one.
    pub(super) fn begin_window(&mut self) {
        self.0.retain(|_, one| one.connections > 0);
        for one in self.0.values_mut() {
            let connections = one.connections;
            *one = Origins { connections, at_once: connections, awaited: 0, wrong: 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::IpAddr;

    fn check(from: &str, connection: u32) -> Check {
        let from: IpAddr = from.parse().expect("an address");
        Check {
            connection: Connection(connection),
            from: from.into(),
            urgency: Urgency::Awaited,
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
            checks.push(check("192.0.2.1", number), NameState::Known).expect("there is room");
        }
        checks.push(check("192.0.2.2", 10), NameState::Known).expect("there is room");
        checks.push(check("192.0.2.2", 11), NameState::Known).expect("there is room");
        assert_eq!(connections(&mut checks), [0, 10, 1, 11, 2, 3]);
        assert!(checks.is_empty());
    }

    #[test]
    fn an_origin_with_too_many_gets_the_next_one_back() {
        let mut checks = Checks::new(1);
        checks.push(check("192.0.2.1", 0), NameState::Known).expect("there is room");
        assert_eq!(
            checks.push(check("192.0.2.1", 1), NameState::Known),
            Err(check("192.0.2.1", 1))
        );
        checks.push(check("192.0.2.2", 2), NameState::Known).expect("there is room");
        assert_eq!(connections(&mut checks), [0, 2]);
    }

    #[test]
    fn what_a_connection_that_is_over_had_waiting_is_not_checked() {
        let mut checks = Checks::new(9);
        for number in [0, 1, 0] {
            checks.push(check("192.0.2.1", number), NameState::Known).expect("there is room");
        }
        let from = check("192.0.2.1", 0).from;
        assert_eq!(checks.forget(Connection(0), from).len(), 2);
        assert!(checks.forget(Connection(0), from).is_empty());
        assert_eq!(checks.forget(Connection(1), from).len(), 1);
        assert!(checks.is_empty() && checks.pop().is_none());
    }

    #[test]
    fn awaited_checks_of_known_names_come_first_and_spare_ones_last() {
        let mut checks = Checks::new(9);
        let spare = Check { urgency: Urgency::Spare, ..check("192.0.2.1", 0) };
        checks.push(spare, NameState::Known).expect("there is room");
        checks.push(check("192.0.2.2", 1), NameState::New).expect("there is room");
        checks.push(check("192.0.2.3", 2), NameState::Known).expect("there is room");
        assert_eq!(connections(&mut checks), [2, 1, 0]);
    }

    fn origin() -> Origin {
        "192.0.2.1".parse::<IpAddr>().expect("an address").into()
    }

    fn urgent(neighbours: &mut Neighbours) -> bool {
        neighbours.first_check(origin()) == Urgency::Awaited
    }

    #[test]
    fn whoever_comes_again_is_waited_for_no_more_often() {
        let mut neighbours = Neighbours::default();
        for _ in 0..3 {
            neighbours.come(origin());
        }
        let urgent: Vec<bool> = (0..5)
            .map(|_| {
                let is_urgent = urgent(&mut neighbours);
                neighbours.go(origin());
                neighbours.come(origin());
                is_urgent
            })
            .collect();
        assert_eq!(urgent, [true, true, true, false, false]);
        neighbours.begin_window();
        assert!(neighbours.first_check(origin()) == Urgency::Awaited);
    }

    #[test]
    fn whoever_guesses_is_waited_for_again_in_the_next_window_only() {
        let mut neighbours = Neighbours::default();
        neighbours.come(origin());
        (0..MOST_WRONG).for_each(|_| neighbours.was_wrong(origin()));
        assert!(!urgent(&mut neighbours));
        neighbours.begin_window();
        assert!(urgent(&mut neighbours));
        neighbours.go(origin());
        neighbours.begin_window();
        assert_eq!(neighbours.0.len(), 0);
    }
}
